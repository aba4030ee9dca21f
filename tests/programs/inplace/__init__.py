"""Programs that write into arrays: pure NumPy, each with a smooth test point; a module a topic, ending in its `CASES`."""
