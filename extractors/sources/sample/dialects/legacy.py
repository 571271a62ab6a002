"""Font tags, bgcolor and cellpadding in quirks mode: systems nobody has touched since 2004.

HTML knows seven font sizes and no rounded corners, so styles come out as the nearest thing it can say.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from html import escape

from extractors.sources.sample.blocks import (
    Button,
    ButtonStyle,
    Coupon,
    Icons,
    Image,
    Ledger,
    Links,
    Row,
    Section,
    Stats,
    Text,
    TypeStyle,
)
from extractors.sources.sample.dialects.base import BOX, LABEL, SECTION, Dialect, border

_SIZES = {10: 1, 13: 2, 16: 3, 18: 4, 24: 5, 32: 6, 48: 7}  # CSS pixels of <font size>
_BOLD = 600
_PLAIN = "BORDER=0 CELLPADDING=0 CELLSPACING=0"


class Legacy(Dialect):
    name = "legacy"

    @classmethod
    def type_style(cls, style: TypeStyle) -> TypeStyle:
        return _type_style(style)

    @classmethod
    def button_style(cls, style: ButtonStyle) -> ButtonStyle:
        return replace(style, size=_nearest(style.size), radius=0)

    def document(self, body: str) -> str:
        email = self.email
        pixel = f'<IMG SRC="{email.pixel}" WIDTH=1 HEIGHT=1>' if email.pixel else ""
        return (
            '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">\n<HTML>\n<HEAD>\n'
            '<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=utf-8">\n'
            f"<TITLE>{escape(email.subject)}</TITLE>\n</HEAD>\n"
            f'<BODY BGCOLOR="{email.canvas}" TEXT="{email.body.colour}" LINK="{email.link_colour}" '
            f'VLINK="{email.link_colour}" TOPMARGIN=0 LEFTMARGIN=0 MARGINWIDTH=0 MARGINHEIGHT=0>\n<CENTER>\n'
            f'<TABLE WIDTH="{email.width}" BGCOLOR="{email.paper}" {_PLAIN}>\n{body}</TABLE>\n{pixel}</CENTER>\n'
            "</BODY>\n</HTML>\n"
        )

    def section(self, section: Section) -> str:
        attributes = f'ALIGN="{section.align}"'
        fill = self.fill(section.background)
        if fill:
            attributes += f' BGCOLOR="{fill}"'
        if section.backdrop:
            attributes += f' BACKGROUND="{section.backdrop}"'
        cover = f"{_img(section.cover)}<BR>\n" if section.cover else ""
        pad = min(section.pad_y, section.pad_x)
        return (
            f"<TR>{SECTION}<TD {attributes}>{cover}"
            f'<TABLE WIDTH="100%" BORDER=0 CELLPADDING={pad} CELLSPACING=0><TR><TD ALIGN="{section.align}">\n'
            f"{self._inside(section)}</TD></TR></TABLE></TD></TR>\n"
        )

    def row(self, row: Row) -> str:
        width = (self.email.width - 2 * row.pad_x - row.gap * (len(row.cells) - 1)) // len(row.cells)
        gutter = f"<TD WIDTH={row.gap}>&nbsp;</TD>\n"
        cells = gutter.join([self._cell(cell, width) for cell in row.cells])
        fill = self.fill(row.background)
        colour = f' BGCOLOR="{fill}"' if fill else ""
        return (
            f'<TR><TD{colour} ALIGN="center"><TABLE WIDTH="{self.email.width - 2 * row.pad_x}" {_PLAIN}>'
            f"<TR>\n{cells}</TR></TABLE><BR></TD></TR>\n"
        )

    def text(self, block: Text, section: Section) -> str:
        if block.link is None:
            return f"{_font(block.style, escape(block.text, quote=False))}{_break(block.gap)}\n"
        link = f'<A HREF="{block.link.href}"><FONT COLOR="{block.link.colour}">{escape(block.link.text)}</FONT></A>'
        return f"{_font(block.style, f'{escape(block.text, quote=False)} {link}')}{_break(block.gap)}\n"

    def button(self, block: Button, section: Section) -> str:
        style = self.button_style(block.style)
        edge = f' STYLE="{border(style)}"' if style.border else ""
        colour = f' BGCOLOR="{style.background}"' if style.background.startswith("#") else ""
        face, size = style.family.replace("'", ""), _SIZES[style.size]
        text = escape(block.text, quote=False)
        attributes = f'FACE="{face}" SIZE={size} COLOR="{style.colour}"'
        if style.weight >= _BOLD:
            label = f"<FONT {attributes}>{LABEL}<B>{text}</B></FONT>"
        else:
            label = f"{LABEL}<FONT {attributes}>{text}</FONT>"
        align = f' ALIGN="{section.align}"' if section.align == "center" else ""
        return (
            f"<TABLE{align} BORDER=0 CELLSPACING=0 CELLPADDING={style.pad_y}><TR>{BOX}<TD{colour}{edge} "
            f'ALIGN="center">&nbsp;&nbsp;<A HREF="{block.href}" STYLE="text-decoration:none">{label}</A>&nbsp;&nbsp;'
            "</TD></TR></TABLE>\n"
        )

    def image(self, block: Image, section: Section) -> str:
        return f"{_img(block)}<BR>\n"

    def links(self, block: Links, section: Section) -> str:
        glue = f" {block.separator} " if block.separator else "&nbsp;&nbsp;&nbsp;"
        colour = self.type_style(block.style).colour
        anchors = [f'<A HREF="{h}"><FONT COLOR="{colour}">{escape(label)}</FONT></A>' for label, h in block.items]
        return _font(block.style, glue.join(anchors)) + "\n"

    def icons(self, block: Icons, section: Section) -> str:
        return "&nbsp;".join([_img(image) for image in block.images]) + "<BR><BR>\n"

    def stats(self, block: Stats, section: Section) -> str:
        cells = "".join(
            [
                f'<TD WIDTH="{100 // len(block.items)}%" ALIGN="center" VALIGN="top">'
                f"{_font(block.value, escape(value))}<BR>{_font(block.label, escape(label))}</TD>\n"
                for value, label in block.items
            ]
        )
        return f'<TABLE WIDTH="100%" {_PLAIN}><TR>\n{cells}</TR></TABLE>\n'

    def ledger(self, block: Ledger, section: Section) -> str:
        rows = []
        for i, (left, right) in enumerate(block.lines):
            style = block.strong if block.total and i == len(block.lines) - 1 else block.style
            rows.append(
                f'<TR><TD ALIGN="left" VALIGN="top">{_font(style, escape(left, quote=False))}</TD>'
                f'<TD ALIGN="right" VALIGN="top">{_font(style, escape(right, quote=False))}</TD></TR>\n'
            )
        return f'<TABLE WIDTH="100%" BORDER=0 CELLPADDING=6 CELLSPACING=0>\n{"".join(rows)}</TABLE>\n'

    def coupon(self, block: Coupon, section: Section) -> str:
        align = f' ALIGN="{section.align}"' if section.align == "center" else ""
        css = f"border:2px dashed {block.frame}"
        return (
            f'<TABLE{align} BORDER=0 CELLPADDING=10 CELLSPACING=0><TR><TD STYLE="{css}">'
            f"{_font(block.style, block.code)}</TD></TR></TABLE><BR>\n"
        )

    def _inside(self, section: Section) -> str:
        if section.media:
            picture = f"<TD WIDTH={section.media.width} VALIGN=top>{_img(section.media)}</TD>"
            text = f"<TD VALIGN=top>\n{self.blocks(section)}</TD>"
            left, right = (picture, text) if section.media_side == "left" else (text, picture)
            return f'<TABLE WIDTH="100%" {_PLAIN}><TR>{left}<TD WIDTH=20>&nbsp;</TD>{right}</TR></TABLE>\n'
        if section.split:
            mark, nav = section.blocks
            assert isinstance(mark, Image)
            return (
                f'<TABLE WIDTH="100%" {_PLAIN}><TR><TD ALIGN="left">{_img(mark)}</TD>'
                f'<TD ALIGN="right">{self.block(nav, section)}</TD></TR></TABLE>\n'
            )
        return self.blocks(section)

    def _cell(self, cell: Section, width: int) -> str:
        fill = self.fill(cell.background)
        colour = f' BGCOLOR="{fill}"' if fill else ""
        edge = f' STYLE="border:1px solid {cell.border}"' if cell.border else ""
        inside = self.blocks(cell)
        if cell.pad_y:
            table = f'<TABLE WIDTH="100%" BORDER=0 CELLPADDING={cell.pad_y} CELLSPACING=0>'
            inside = f'{table}<TR><TD ALIGN="{cell.align}">\n{inside}</TD></TR></TABLE>'
        return f'{SECTION}<TD WIDTH={width} VALIGN="top" ALIGN="{cell.align}"{colour}{edge}>\n{inside}</TD>\n'


@lru_cache(maxsize=1024)
def _type_style(style: TypeStyle) -> TypeStyle:
    return replace(style, size=_nearest(style.size))


def _nearest(size: int) -> int:
    return min(_SIZES, key=lambda known: abs(known - size))


def _font(style: TypeStyle, text: str) -> str:
    face, size = style.family.replace("'", ""), _SIZES[_type_style(style).size]
    inside = f"<B>{text}</B>" if style.weight >= _BOLD else text
    return f'<FONT FACE="{face}" SIZE={size} COLOR="{style.colour}">{inside}</FONT>'


def _break(gap: int) -> str:
    return "<BR><BR>" if gap > 10 else "<BR>"


def _img(image: Image) -> str:
    tag = f'<IMG SRC="{image.src}" WIDTH={image.width} HEIGHT={image.height} BORDER=0 ALT="{escape(image.alt)}">'
    return f'<A HREF="{image.href}">{tag}</A>' if image.href else tag
