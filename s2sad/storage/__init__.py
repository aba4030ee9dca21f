"""How what the forward sweep records is kept: until here, each value has a tape of its own."""
