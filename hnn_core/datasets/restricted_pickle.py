"""Reads pickles that hold nothing but plain Python values, NumPy arrays and one SciPy matrix type.

A pickle is a program. This reader lets it name only the constructors below, so that a downloaded file
can build arrays and cannot run anything else.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy._core import multiarray
from scipy import sparse


class ForbiddenPickleError(ValueError):
    """The pickle asks for something other than plain arrays."""


def load(path: Path) -> Any:
    """The object in ``path``; :class:`ForbiddenPickleError` if it needs more than the allowed names."""
    with path.open("rb") as file:
        try:
            return _RestrictedUnpickler(file).load()
        except ForbiddenPickleError as error:
            raise ForbiddenPickleError(f"{path}: {error}") from None
        except Exception as error:  # a damaged pickle can raise nearly anything
            raise ValueError(f"{path}: not a readable pickle ({type(error).__name__}: {error})") from error


def checked_csr(matrix: Any, path: Path) -> sparse.csr_array:
    """A float32 ``csr_array`` rebuilt from an unpickled matrix after its indices were checked.

    SciPy's compiled routines trust indices: a forged out-of-range one would read foreign memory.
    """
    if not isinstance(matrix, sparse.csr_matrix):
        raise ValueError(f"{path}: expected a scipy csr_matrix, found {type(matrix).__name__}")
    try:
        shape = matrix.shape
        checked = sparse.csr_array((matrix.data, matrix.indices, matrix.indptr), shape=shape)
        checked.check_format(full_check=True)
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: damaged csr_matrix ({error})") from error
    return checked.astype(np.float32)


def _numeric_scalar(dtype: np.dtype[Any], value: bytes) -> Any:
    if dtype.hasobject:
        raise ForbiddenPickleError("a NumPy scalar of objects")
    return multiarray.scalar(dtype, value)


def _latin1_bytes(text: str, encoding: str) -> bytes:
    # Protocol 2 spells bytes as _codecs.encode(text, "latin1"); other codecs can decompress without limit.
    if encoding != "latin1":
        raise ForbiddenPickleError(f"the codec {encoding!r}")
    return text.encode("latin1")


_ALLOWED: dict[tuple[str, str], Callable[..., Any]] = {
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
    ("scipy.sparse.csr", "csr_matrix"): sparse.csr_matrix,
    ("scipy.sparse._csr", "csr_matrix"): sparse.csr_matrix,
    ("builtins", "set"): set,
    ("__builtin__", "set"): set,
    ("_codecs", "encode"): _latin1_bytes,
} | {
    (f"numpy.{core}.multiarray", name): function
    for core in ("core", "_core")
    for name, function in (("_reconstruct", multiarray._reconstruct), ("scalar", _numeric_scalar))
}


class _RestrictedUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        try:
            return _ALLOWED[module, name]
        except KeyError:
            raise ForbiddenPickleError(
                f"asks for {module}.{name}, which a file of arrays does not need; it was not run"
            ) from None
