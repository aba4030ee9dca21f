"""NumPy: its rules, and those of the helpers in ``s2sad.runtime`` that stand for derivatives of its functions."""
