"""Published hypergraph data sets, read from the files their authors released."""
