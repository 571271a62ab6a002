"""Nested tables with attributes, as hand-built newsletters have been made for twenty years."""

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
    words,
)

_TABLE = 'border="0" cellpadding="0" cellspacing="0"'


class Tables(Dialect):
    name = "tables"

    def document(self, body: str) -> str:
        email = self.email
        pixel = f'<img src="{email.pixel}" width="1" height="1" alt="" border="0" />' if email.pixel else ""
        return (
            '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" '
            '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">\n'
            '<html xmlns="http://www.w3.org/1999/xhtml">\n<head>\n'
            '<meta http-equiv="Content-Type" content="text/html; charset=utf-8" />\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1.0" />\n'
            f"<title>{escape(email.subject)}</title>\n</head>\n"
            f'<body bgcolor="{email.canvas}" style="margin:0;padding:0;">\n'
            '<div style="display:none;font-size:1px;line-height:1px;max-height:0;overflow:hidden;">'
            f"{escape(email.preheader, quote=False)}</div>\n"
            f'<table width="100%" bgcolor="{email.canvas}" {_TABLE}>\n<tr>\n'
            '<td align="center" style="padding:24px 0;">\n'
            f'<table width="{email.width}" align="center" bgcolor="{email.paper}" {_TABLE}>\n'
            f"{body}</table>\n</td>\n</tr>\n</table>\n{pixel}</body>\n</html>\n"
        )

    def section(self, section: Section) -> str:
        return f"<tr>\n{SECTION}<td{self._ground(section)}>\n{self._inside(section)}</td>\n</tr>\n"

    def row(self, row: Row) -> str:
        width = (self.email.width - 2 * row.pad_x - row.gap * (len(row.cells) - 1)) // len(row.cells)
        gutter = f'<td width="{row.gap}" style="font-size:1px;line-height:1px;">&nbsp;</td>\n'
        cells = gutter.join(self._cell(cell, width) for cell in row.cells)
        fill = self.fill(row.background)
        attribute = f' bgcolor="{fill}"' if fill else ""
        return (
            f'<tr>\n<td{attribute} style="padding:0 {row.pad_x}px {row.pad_bottom}px {row.pad_x}px;">\n'
            f'<table width="100%" {_TABLE}>\n<tr>\n{cells}</tr>\n</table>\n</td>\n</tr>\n'
        )

    def text(self, block: Text, section: Section) -> str:
        style = f"{font(block.style)}padding-bottom:{block.gap}px;"
        return f'<tr>\n<td align="{section.align}" style="{style}">{words(block)}</td>\n</tr>\n'

    def button(self, block: Button, section: Section) -> str:
        style = block.style
        colour = f' bgcolor="{style.background}"' if style.background.startswith("#") else ""
        box = f"border-radius:{style.radius}px;{border(style)}"
        face = f"{button_face(style)}padding:{style.pad_y}px {style.pad_x}px;display:inline-block;"
        return (
            f'<tr>\n<td align="{section.align}" style="padding-bottom:{block.gap}px;">\n<table {_TABLE}>\n<tr>\n'
            f'{BOX}<td align="center"{colour} style="{box}">{LABEL}<a href="{block.href}" target="_blank" '
            f'style="{face}">{escape(block.text, quote=False)}</a></td>\n</tr>\n</table>\n</td>\n</tr>\n'
        )

    def image(self, block: Image, section: Section) -> str:
        style = f"padding-bottom:{block.gap}px;"
        return f'<tr>\n<td align="{section.align}" style="{style}">{img(block, "display:block;")}</td>\n</tr>\n'

    def links(self, block: Links, section: Section) -> str:
        return f'<tr>\n<td align="{section.align}" style="{font(block.style)}">{_anchors(block)}</td>\n</tr>\n'

    def icons(self, block: Icons, section: Section) -> str:
        cells = "".join([f'<td style="padding:0 6px;">{img(image, "display:block;")}</td>' for image in block.images])
        return (
            f'<tr>\n<td align="{section.align}" style="padding-bottom:{block.gap}px;">'
            f"<table {_TABLE}><tr>{cells}</tr></table></td>\n</tr>\n"
        )

    def stats(self, block: Stats, section: Section) -> str:
        width = 100 // len(block.items)
        cells = "".join(
            [
                f'<td align="center" valign="top" width="{width}%" style="{font(block.value)}">'
                f'{escape(value)}<br /><span style="{font(block.label)}">{escape(label)}</span></td>\n'
                for value, label in block.items
            ]
        )
        return f'<tr>\n<td>\n<table width="100%" {_TABLE}>\n<tr>\n{cells}</tr>\n</table>\n</td>\n</tr>\n'

    def ledger(self, block: Ledger, section: Section) -> str:
        rows = []
        for i, (left, right) in enumerate(block.lines):
            last = i == len(block.lines) - 1
            css = font(block.strong if last and block.total else block.style) + "padding:10px 0;"
            if not last:
                css += f"border-bottom:1px solid {block.line_colour};"
            rows.append(
                f'<tr>\n<td align="left" valign="top" style="{css}">{escape(left, quote=False)}</td>\n'
                f'<td align="right" valign="top" style="{css}">{escape(right, quote=False)}</td>\n</tr>\n'
            )
        return f'<tr>\n<td>\n<table width="100%" {_TABLE}>\n{"".join(rows)}</table>\n</td>\n</tr>\n'

    def coupon(self, block: Coupon, section: Section) -> str:
        css = f"{font(block.style)}border:2px dashed {block.frame};padding:10px 24px;"
        return (
            f'<tr>\n<td align="{section.align}" style="padding-bottom:{block.gap}px;"><table {_TABLE}><tr>'
            f'<td align="center" style="{css}">{block.code}</td></tr></table></td>\n</tr>\n'
        )

    def _cell(self, cell: Section, width: int) -> str:
        fill = self.fill(cell.background)
        colour = f' bgcolor="{fill}"' if fill else ""
        css = f"padding:{cell.pad_y}px;border-radius:{cell.radius}px;"
        if cell.border:
            css += f"border:1px solid {cell.border};"
        return f'{SECTION}<td width="{width}" valign="top"{colour} style="{css}">\n{self._stack(cell)}</td>\n'

    def _ground(self, section: Section) -> str:
        fill = self.fill(section.background)
        attributes = f' bgcolor="{fill}"' if fill else ""
        css = "" if section.cover else f"padding:{section.pad_y}px {section.pad_x}px;"
        if section.backdrop:
            attributes += f' background="{section.backdrop}"'
            css += "background-size:cover;background-position:center;"
        return f'{attributes} style="{css}"' if css else attributes

    def _inside(self, section: Section) -> str:
        if section.cover:
            padding = f"padding:{section.pad_y}px {section.pad_x}px;"
            return (
                f'{img(section.cover, "display:block;")}\n<table width="100%" {_TABLE}>\n<tr>\n'
                f'<td style="{padding}">\n{self._stack(section)}</td>\n</tr>\n</table>\n'
            )
        if section.media:
            picture = f'<td width="{section.media.width}" valign="top">{img(section.media, "display:block;")}</td>\n'
            words_cell = f'<td valign="top">\n{self._stack(section)}</td>\n'
            gutter = '<td width="24">&nbsp;</td>\n'
            left, right = (picture, words_cell) if section.media_side == "left" else (words_cell, picture)
            return f'<table width="100%" {_TABLE}>\n<tr>\n{left}{gutter}{right}</tr>\n</table>\n'
        if section.split:
            mark, nav = section.blocks
            assert isinstance(mark, Image) and isinstance(nav, Links)
            return (
                f'<table width="100%" {_TABLE}>\n<tr>\n<td align="left" valign="middle">{img(mark)}</td>\n'
                f'<td align="right" valign="middle" style="{font(nav.style)}">{_anchors(nav)}</td>\n</tr>\n</table>\n'
            )
        return self._stack(section)

    def _stack(self, section: Section) -> str:
        return f'<table width="100%" {_TABLE}>\n{self.blocks(section)}</table>\n'


def _anchors(block: Links) -> str:
    css = f"color:{block.style.colour};text-decoration:{'underline' if block.separator else 'none'};"
    glue = f"&nbsp;&nbsp;{block.separator}&nbsp;&nbsp;" if block.separator else "&nbsp;&nbsp;&nbsp;&nbsp;"
    return glue.join([f'<a href="{href}" style="{css}">{escape(label)}</a>' for label, href in block.items])
