"""Divs that flow: inline-block columns with a maximum width, and ghost tables for Outlook only."""

from __future__ import annotations

from html import escape

from extractors.sources.sample.blocks import Button, Coupon, Icons, Image, Ledger, Links, Row, Section, Stats, Text
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


class Hybrid(Dialect):
    name = "hybrid"

    def document(self, body: str) -> str:
        email = self.email
        pixel = f'<img src="{email.pixel}" alt="" style="width:1px;height:1px;" />\n' if email.pixel else ""
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
            '<meta name="x-apple-disable-message-reformatting">\n'
            f"<title>{escape(email.subject)}</title>\n"
            "<!--[if mso]><style>table{border-collapse:collapse;}td{padding:0;}</style><![endif]-->\n</head>\n"
            f'<body style="margin:0;padding:0;word-spacing:normal;background-color:{email.canvas};">\n'
            f'<div role="article" lang="en" style="{font(email.body)}background-color:{email.canvas};">\n'
            f'<div style="display:none;max-height:0;overflow:hidden;">{escape(email.preheader, quote=False)}</div>\n'
            f'<!--[if mso]><table align="center" width="{email.width}"><tr><td><![endif]-->\n'
            f'<div style="max-width:{email.width}px;margin:0 auto;background-color:{email.paper};">\n{body}</div>\n'
            f"<!--[if mso]></td></tr></table><![endif]-->\n{pixel}</div>\n</body>\n</html>\n"
        )

    def section(self, section: Section) -> str:
        css = self._ground(section)
        if section.cover:
            picture = img(section.cover, "display:block;width:100%;height:auto;")
            padding = f"padding:{section.pad_y}px {section.pad_x}px;"
            inside = f'{picture}\n<div style="{padding}">\n{self.blocks(section)}</div>\n'
        elif section.media:
            inside = self._media(section, section.media)
        elif section.split:
            inside = self._split(section)
        else:
            inside = self.blocks(section)
        return f'{SECTION}<div style="{css}">\n{inside}</div>\n'

    def row(self, row: Row) -> str:
        half = row.gap // 2
        width = (self.email.width - 2 * (row.pad_x - half)) // len(row.cells) - row.gap
        cells = [
            f'{SECTION}<div style="display:inline-block;width:100%;max-width:{width}px;margin:0 {half}px;'
            f'vertical-align:top;text-align:{cell.align};">\n{self._card(cell)}</div>\n'
            for cell in row.cells
        ]
        ghost = f'<!--[if mso]></td><td width="{width}" valign="top"><![endif]-->\n'
        fill = self.fill(row.background)
        ground = f"background-color:{fill};" if fill else ""
        return (
            f'<div style="padding:0 {row.pad_x - half}px {row.pad_bottom}px;font-size:0;text-align:center;{ground}">\n'
            f'<!--[if mso]><table><tr><td width="{width}" valign="top"><![endif]-->\n{ghost.join(cells)}'
            "<!--[if mso]></td></tr></table><![endif]-->\n</div>\n"
        )

    def text(self, block: Text, section: Section) -> str:
        tag = f"h{block.level}" if block.level else "p"
        return f'<{tag} style="margin:0 0 {block.gap}px;{font(block.style)}">{words(block)}</{tag}>\n'

    def button(self, block: Button, section: Section) -> str:
        style = block.style
        css = (
            f"display:inline-block;{paint(style)}{button_face(style)}padding:{style.pad_y}px {style.pad_x}px;"
            f"border-radius:{style.radius}px;{border(style)}"
        )
        anchor = f'{BOX}{LABEL}<a href="{block.href}" style="{css}">{escape(block.text, quote=False)}</a>'
        return f'<p style="margin:0 0 {block.gap}px;">{anchor}</p>\n'

    def image(self, block: Image, section: Section) -> str:
        shape = f"border-radius:{block.radius}px;" if block.radius else ""
        return f'<p style="margin:0 0 {block.gap}px;font-size:0;">{img(block, f"max-width:100%;{shape}")}</p>\n'

    def links(self, block: Links, section: Section) -> str:
        return f'<p style="margin:0 0 {block.gap}px;{font(block.style)}">{_anchors(block)}</p>\n'

    def icons(self, block: Icons, section: Section) -> str:
        images = " ".join([img(image, "display:inline-block;margin:0 4px;") for image in block.images])
        return f'<p style="margin:0 0 {block.gap}px;">{images}</p>\n'

    def stats(self, block: Stats, section: Section) -> str:
        width = (self.email.width - 2 * section.pad_x) // len(block.items)
        cells = [
            f'<div style="display:inline-block;width:100%;max-width:{width}px;vertical-align:top;">'
            f'<p style="margin:0;{font(block.value)}">{escape(value)}</p>'
            f'<p style="margin:4px 0 0;{font(block.label)}">{escape(label)}</p></div>\n'
            for value, label in block.items
        ]
        return f'<div style="font-size:0;text-align:center;">\n{"".join(cells)}</div>\n'

    def ledger(self, block: Ledger, section: Section) -> str:
        rows = []
        for i, (left, right) in enumerate(block.lines):
            last = i == len(block.lines) - 1
            css = font(block.strong if last and block.total else block.style) + "padding:10px 0;vertical-align:top;"
            if not last:
                css += f"border-bottom:1px solid {block.line_colour};"
            rows.append(
                f'<tr><td style="{css}text-align:left;">{escape(left, quote=False)}</td>'
                f'<td style="{css}text-align:right;">{escape(right, quote=False)}</td></tr>\n'
            )
        return f'<table role="presentation" style="width:100%;border-spacing:0;">\n{"".join(rows)}</table>\n'

    def coupon(self, block: Coupon, section: Section) -> str:
        css = f"display:inline-block;border:2px dashed {block.frame};padding:10px 24px;{font(block.style)}"
        return f'<div style="margin:0 0 {block.gap}px;"><span style="{css}">{block.code}</span></div>\n'

    def _ground(self, section: Section) -> str:
        css = "" if section.cover else f"padding:{section.pad_y}px {section.pad_x}px;"
        fill = self.fill(section.background)
        if fill:
            css += f"background-color:{fill};"
        if section.backdrop:
            css += f"background-image:url('{section.backdrop}');background-size:cover;background-position:center;"
        return f"{css}text-align:{section.align};"

    def _card(self, cell: Section) -> str:
        fill = self.fill(cell.background)
        css = f"background-color:{fill};" if fill else ""
        if cell.border:
            css += f"border:1px solid {cell.border};"
        if not css:
            return self.blocks(cell)
        css += f"padding:{cell.pad_y}px;border-radius:{cell.radius}px;"
        return f'<div style="{css}">\n{self.blocks(cell)}</div>\n'

    def _media(self, section: Section, media: Image) -> str:
        rest = self.email.width - 2 * section.pad_x - media.width - 24
        column = "display:inline-block;width:100%;vertical-align:top;"
        picture = f'<div style="{column}max-width:{media.width}px;">{img(media, "max-width:100%;")}</div>\n'
        side = "left" if section.media_side == "left" else "right"
        space = f"margin-{side}:24px;"
        text = f'<div style="{column}max-width:{rest}px;{space}">\n{self.blocks(section)}</div>\n'
        both = picture + text if section.media_side == "left" else text + picture
        return f'<div style="font-size:0;">\n{both}</div>\n'

    def _split(self, section: Section) -> str:
        mark, nav = section.blocks
        assert isinstance(mark, Image) and isinstance(nav, Links)
        inner = self.email.width - 2 * section.pad_x
        column = "display:inline-block;width:100%;vertical-align:middle;"
        return (
            f'<div style="font-size:0;">\n<div style="{column}max-width:{inner // 4}px;">{img(mark)}</div>\n'
            f'<div style="{column}max-width:{inner - inner // 4}px;text-align:right;">'
            f'<p style="margin:0;{font(nav.style)}">{_anchors(nav)}</p></div>\n</div>\n'
        )


def _anchors(block: Links) -> str:
    line = "underline" if block.separator else "none"
    css = f"color:{block.style.colour};text-decoration:{line};margin:0 8px;display:inline-block;"
    glue = f" {block.separator} " if block.separator else " "
    return glue.join([f'<a href="{href}" style="{css}">{escape(label)}</a>' for label, href in block.items])
