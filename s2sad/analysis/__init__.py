"""Facts about programs: which references share memory, what is active, what must be recorded."""
