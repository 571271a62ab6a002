"""Computed style: what a browser would say each element looks like, without a browser."""
