"""From a pile of HTML emails to fragments, style entities and neighbour edges."""

from extractors.document import Document, Element
from extractors.limits import Limits, Rejected

__all__ = ["Document", "Element", "Limits", "Rejected"]
