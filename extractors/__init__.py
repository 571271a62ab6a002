"""From a pile of HTML emails to fragments, style entities and neighbour edges."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from extractors.document import Document, Element
    from extractors.limits import Limits, Rejected

__all__ = ["Document", "Element", "Limits", "Rejected"]

_HOMES = {"Document": "document", "Element": "document", "Limits": "limits", "Rejected": "limits"}


def __getattr__(name: str) -> Any:
    """Whoever wants one module of this package need not wait for the import of parser and cascade."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
