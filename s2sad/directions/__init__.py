"""Several directions in one sweep: derivative programs with one leading axis more on what depends on the seeds."""
