"""Hypergraphs, features, hypergraph neural networks, and the tasks they are trained for."""
