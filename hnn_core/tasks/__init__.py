"""What embeddings are trained for, and how they are judged."""
