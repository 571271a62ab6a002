"""The pages people read: the style audit as self-contained HTML, and its exports."""

from flows.pages.inputs import ReportInputs

__all__ = ["ReportInputs"]
