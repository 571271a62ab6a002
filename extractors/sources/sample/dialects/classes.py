"""A ``<style>`` block with classes and media queries; columns are tables aligned left, so they float.

Only the class names stand in the markup. They are numbered as styles come up in the email, so the same name
means another style in the next email, as in the output of real builders.
"""

from __future__ import annotations

from html import escape

from extractors.sources.sample.blocks import (
    Button,
    Coupon,
    Email,
    Icons,
    Image,
    Ledger,
    Links,
    Row,
    Section,
    Stats,
    Text,
)
from extractors.sources.sample.dialects.base import (
    BOX,
    LABEL,
    SECTION,
    Dialect,
    border,
    button_face,
    font,
    img,
    paint,
    words,
)


class Classes(Dialect):
    name = "classes"

    def __init__(self, email: Email) -> None:
        super().__init__(email)
        self._rules: dict[str, str] = {}

    def document(self, body: str) -> str:
        email = self.email
        rules = "\n".join([f".{name} {{{css}}}" for css, name in self._rules.items()])
        pixel = f'<img src="{email.pixel}" width="1" height="1" alt="">\n' if email.pixel else ""
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(email.subject)}</title>\n"
            '<style type="text/css">\n'
            f"body, .page {{margin:0;padding:0;background-color:{email.canvas};}}\n"
            f"body {{{font(email.body)}-webkit-font-smoothing:antialiased;}}\n"
            "table {border-collapse:separate;border-spacing:0;}\ntd {vertical-align:top;padding:0;}\n"
            f"p, h1, h2, h3 {{margin:0;}}\nimg {{border:0;display:block;}}\na {{color:{email.link_colour};}}\n"
            f"a:visited {{color:{email.link_colour};}}\na:hover {{text-decoration:underline !important;}}\n"
            f".sheet {{width:{email.width}px;margin:0 auto;background-color:{email.paper};}}\n"
            ".preheader {display:none !important;visibility:hidden;max-height:0;overflow:hidden;}\n"
            f".line a {{display:inline-block;}}\n{rules}\n"
            "@media only screen and (max-width:480px) {\n"
            "  .sheet, .col {width:100% !important;}\n  h1 {font-size:26px !important;line-height:32px !important;}\n"
            "  .gap {display:none !important;}\n}\n"
            "@media print {\n  .page {background-color:#ffffff !important;}\n}\n</style>\n</head>\n"
            f'<body>\n<span class="preheader">{escape(email.preheader, quote=False)}</span>\n'
            f'<table class="page" width="100%"><tr><td>\n<table class="sheet" align="center">\n{body}</table>\n'
            f"</td></tr></table>\n{pixel}</body>\n</html>\n"
        )

    def section(self, section: Section) -> str:
        css = "" if section.cover else f"padding:{section.pad_y}px {section.pad_x}px;"
        fill = self.fill(section.background)
        if fill:
            css += f"background-color:{fill};"
        if section.backdrop:
            css += f"background-image:url('{section.backdrop}');background-size:cover;"
        css += f"text-align:{section.align};"
        name = self._class("s", css)
        return f'<tr>{SECTION}<td class="{name}">\n{self._inside(section)}</td></tr>\n'

    def row(self, row: Row) -> str:
        width = (self.email.width - 2 * row.pad_x - row.gap * (len(row.cells) - 1)) // len(row.cells)
        css = f"padding:0 {row.pad_x}px {row.pad_bottom}px;"
        fill = self.fill(row.background)
        if fill:
            css += f"background-color:{fill};"
        gutter = f'<table class="gap" align="left" width="{row.gap}"><tr><td>&nbsp;</td></tr></table>\n'
        columns = gutter.join([self._card(cell, width) for cell in row.cells])
        return f'<tr><td class="{self._class("s", css)}">\n{columns}</td></tr>\n'

    def text(self, block: Text, section: Section) -> str:
        tag = f"h{block.level}" if block.level else "p"
        name = self._class("t", f"{font(block.style)}padding-bottom:{block.gap}px;")
        return f'<{tag} class="{name}">{words(block)}</{tag}>\n'

    def button(self, block: Button, section: Section) -> str:
        style = block.style
        css = (
            f"display:inline-block;{paint(style)}{button_face(style)}padding:{style.pad_y}px {style.pad_x}px;"
            f"border-radius:{style.radius}px;{border(style)}"
        )
        holder = self._class("a", f"padding-bottom:{block.gap}px;text-align:{section.align};")
        label = escape(block.text, quote=False)
        anchor = f'{BOX}{LABEL}<a class="{self._class("b", css)}" href="{block.href}">{label}</a>'
        return f'<div class="{holder}">{anchor}</div>\n'

    def image(self, block: Image, section: Section) -> str:
        side = "auto" if section.align == "center" else "0"
        name = self._class("i", f"margin:0 {side} {block.gap}px;")
        css = f"background-color:{block.fill};" if block.fill else ""
        size = f'width="{block.width}" height="{block.height}"'
        tag = f'<img class="{name}" src="{block.src}" alt="{escape(block.alt)}" {size} style="{css}">'
        return f'<a href="{block.href}">{tag}</a>\n' if block.href else f"{tag}\n"

    def links(self, block: Links, section: Section) -> str:
        line = "underline" if block.separator else "none"
        item = self._class("l", f"color:{block.style.colour};text-decoration:{line};margin:0 8px;")
        glue = f" {block.separator} " if block.separator else " "
        anchors = glue.join([f'<a class="{item}" href="{href}">{escape(label)}</a>' for label, href in block.items])
        return f'<p class="line {self._class("t", font(block.style))}">{anchors}</p>\n'

    def icons(self, block: Icons, section: Section) -> str:
        name = self._class("i", "display:inline-block;margin:0 4px;")
        images = " ".join(
            [
                f'<img class="{name}" src="{image.src}" alt="{escape(image.alt)}" '
                f'width="{image.width}" height="{image.height}">'
                for image in block.images
            ]
        )
        return f'<p class="{self._class("a", f"padding-bottom:{block.gap}px;")}">{images}</p>\n'

    def stats(self, block: Stats, section: Section) -> str:
        cell = self._class("d", f"width:{100 / len(block.items):.2f}%;text-align:center;")
        value_class, label_class = self._class("t", font(block.value)), self._class("t", font(block.label))
        cells = "".join(
            [
                f'<td class="{cell}"><p class="{value_class}">{escape(value)}</p>'
                f'<p class="{label_class}">{escape(label)}</p></td>'
                for value, label in block.items
            ]
        )
        return f'<table width="100%"><tr>{cells}</tr></table>\n'

    def ledger(self, block: Ledger, section: Section) -> str:
        line = f"padding:10px 0;border-bottom:1px solid {block.line_colour};"
        rows = []
        for i, (left, right) in enumerate(block.lines):
            last = i == len(block.lines) - 1
            css = font(block.strong if last and block.total else block.style) + ("padding:10px 0;" if last else line)
            left_class, right_class = (
                self._class("d", f"{css}text-align:left;"),
                self._class("d", f"{css}text-align:right;"),
            )
            rows.append(
                f'<tr><td class="{left_class}">{escape(left, quote=False)}</td>'
                f'<td class="{right_class}">{escape(right, quote=False)}</td></tr>\n'
            )
        return f'<table width="100%">\n{"".join(rows)}</table>\n'

    def coupon(self, block: Coupon, section: Section) -> str:
        css = f"display:inline-block;border:2px dashed {block.frame};padding:10px 24px;{font(block.style)}"
        holder = self._class("a", f"padding-bottom:{block.gap}px;")
        return f'<p class="{holder}"><span class="{self._class("k", css)}">{block.code}</span></p>\n'

    def _inside(self, section: Section) -> str:
        if section.cover:
            padding = self._class("p", f"padding:{section.pad_y}px {section.pad_x}px;")
            return f'{img(section.cover)}\n<div class="{padding}">\n{self.blocks(section)}</div>\n'
        if section.media:
            rest = self.email.width - 2 * section.pad_x - section.media.width - 24
            picture = _column(section.media.width, img(section.media))
            text = _column(rest, self.blocks(section))
            gutter = '<table class="gap" align="left" width="24"><tr><td>&nbsp;</td></tr></table>\n'
            left, right = (picture, text) if section.media_side == "left" else (text, picture)
            return left + gutter + right
        if section.split:
            mark, nav = section.blocks
            middle, right = (
                self._class("v", "vertical-align:middle;"),
                self._class("v", "vertical-align:middle;text-align:right;"),
            )
            return (
                f'<table width="100%"><tr><td class="{middle}">{self.block(mark, section)}</td>'
                f'<td class="{right}">{self.block(nav, section)}</td></tr></table>\n'
            )
        return self.blocks(section)

    def _card(self, cell: Section, width: int) -> str:
        css = f"padding:{cell.pad_y}px;text-align:{cell.align};border-radius:{cell.radius}px;"
        fill = self.fill(cell.background)
        if fill:
            css += f"background-color:{fill};"
        if cell.border:
            css += f"border:1px solid {cell.border};"
        name = self._class("c", css)
        return SECTION + _column(width, self.blocks(cell), f' class="{name}"')

    def _class(self, prefix: str, css: str) -> str:
        """The class for these declarations, made up on first use."""
        name = self._rules.get(css)
        if name is None:
            name = self._rules[css] = f"{prefix}{len(self._rules)}"
        return name


def _column(width: int, inside: str, cell: str = "") -> str:
    return f'<table class="col" align="left" width="{width}"><tr><td{cell}>\n{inside}</td></tr></table>\n'
