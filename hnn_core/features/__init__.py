"""φ and φ_e of section 3.2: feature matrices X for nodes and Y for hyperedges.

``derive(hypergraph, "svd", dim=64, seed=0)`` is all a caller needs. A method is a function
``(hypergraph, dim, seed, **options) -> Features`` in a file of its own; it is imported when it is asked for,
so that nobody pays for numba who only wants degrees.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any

from hnn_core.features.interface import Features, Matrix
from hnn_core.hypergraph import Hypergraph

__all__ = ["Features", "Matrix", "available_methods", "derive", "options_of"]

_METHODS = ("svd", "node2vec", "deepwalk", "deepgl", "degree", "given")


def available_methods() -> tuple[str, ...]:
    """Names :func:`derive` knows."""
    return _METHODS


def derive(hypergraph: Hypergraph, method: str, dim: int = 64, seed: int = 0, **options: Any) -> Features:
    """X = φ(HHᵀ − D) and Y = φ_e(HᵀH − D^e), by one of :func:`available_methods`.

    The same arguments give the same features. ``dim`` is how many columns the embeddings have; ``deepgl`` gives
    at most so many, ``degree`` and ``given`` as many as they are.
    """
    function = _function(method)
    if dim < 1:
        raise ValueError(f"features: dim is {dim}, expected at least 1")
    unknown = sorted(set(options) - set(options_of(method)))
    if unknown:
        known = ", ".join(options_of(method)) or "no options"
        raise ValueError(f"features: {method} has no option {', '.join(unknown)}; it takes {known}")
    return function(hypergraph, dim, seed, **options)


def options_of(method: str) -> dict[str, Any]:
    """The options of a method and their default values."""
    parameters = inspect.signature(_function(method)).parameters.values()
    return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}


def _function(method: str) -> Callable[..., Features]:
    if method not in _METHODS:
        raise KeyError(f"no feature method {method!r}; known are {', '.join(_METHODS)}")
    function: Callable[..., Features] = getattr(import_module(f"hnn_core.features.{method}"), method)
    return function
