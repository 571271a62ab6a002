"""The pages people read: the style audit as self-contained HTML, its exports, and advice on a single email."""

from flows.pages.advice import recommend_html
from flows.pages.inputs import ReportInputs
from flows.pages.report import write_report

__all__ = ["ReportInputs", "recommend_html", "write_report"]
