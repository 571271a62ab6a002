"""The pages people read: the style audit as self-contained HTML, and its exports."""

from flows.pages.inputs import ReportInputs
from flows.pages.report import write_report

__all__ = ["ReportInputs", "write_report"]
