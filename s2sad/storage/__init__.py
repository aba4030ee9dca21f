"""The storage of what the forward sweep records: until here, each value has a tape of its own."""
