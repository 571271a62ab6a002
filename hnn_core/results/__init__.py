"""From trials to tables: means beside the paper's, paired tests, Markdown, an HTML page, figures."""

from hnn_core.results.markdown import to_markdown
from hnn_core.results.page import to_html
from hnn_core.results.rows import Comparison, Row, aggregate, compare
from hnn_core.results.speed import Speed, load_speed

__all__ = ["Comparison", "Row", "Speed", "aggregate", "compare", "load_speed", "to_html", "to_markdown"]
