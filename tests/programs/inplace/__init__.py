"""Programs that write into arrays: pure NumPy, a module a topic, which ends in its table `CASES`."""
