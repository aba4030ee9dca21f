"""Programs to differentiate, written without knowing that anyone would."""
