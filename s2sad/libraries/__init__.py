"""Libraries: what is known of each stands in a room of its own, a folder here or of another distribution (``rules/rooms.py``)."""
