"""Files of hands answered: records in, rows out, resumed without loss; :mod:`solver.batches.job` runs it all."""
