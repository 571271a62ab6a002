"""What a compiler of email markup emits: a table per section, columns sized by a media query, VML for Outlook.

The column widths live only in ``@media (min-width:480px)`` rules, and both the cell and the link of a button
are painted: two things an extractor must get right.
"""

from __future__ import annotations

from html import escape

from extractors.sources.sample.blocks import Button, Coupon, Icons, Image, Ledger, Links, Row, Section, Stats, Text
from extractors.sources.sample.dialects.base import (
    BOX,
    LABEL,
    SECTION,
    Dialect,
    button_face,
    font,
    img,
    words,
)

_TABLE = 'border="0" cellpadding="0" cellspacing="0" role="presentation"'


class Mjml(Dialect):
    name = "mjml"

    def document(self, body: str) -> str:
        email = self.email
        pixel = f'<img src="{email.pixel}" alt="" width="1" height="1" border="0">' if email.pixel else ""
        shares = sorted({share for share in _SHARES if _column_class(share) in body})
        columns = "".join([f"\n.{_column_class(s)} {{ width:{s:g}% !important; max-width:{s:g}%; }}" for s in shares])
        return (
            '<!doctype html>\n<html lang="und" dir="auto" xmlns="http://www.w3.org/1999/xhtml" '
            'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office">\n<head>\n'
            f"<title>{escape(email.subject)}</title>\n"
            '<!--[if !mso]><!-->\n<meta http-equiv="X-UA-Compatible" content="IE=edge">\n<!--<![endif]-->\n'
            '<meta http-equiv="Content-Type" content="text/html; charset=UTF-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<style type="text/css">\n#outlook a { padding:0; }\n'
            "body { margin:0;padding:0;-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%; }\n"
            "table, td { border-collapse:collapse;mso-table-lspace:0pt;mso-table-rspace:0pt; }\n"
            "img { border:0;height:auto;line-height:100%; outline:none;text-decoration:none; }\n"
            "p { display:block;margin:13px 0; }\n</style>\n"
            "<!--[if mso]>\n<noscript>\n<xml><o:OfficeDocumentSettings><o:AllowPNG/><o:PixelsPerInch>96"
            "</o:PixelsPerInch></o:OfficeDocumentSettings></xml>\n</noscript>\n<![endif]-->\n"
            f'<style type="text/css">\n@media only screen and (min-width:480px) {{{columns}\n}}\n</style>\n'
            '<style media="screen and (min-width:480px)">\n'
            f".moz-text-html .{_column_class(100)} {{ width:100% !important; max-width: 100%; }}\n</style>\n</head>\n"
            f'<body style="word-spacing:normal;background-color:{email.canvas};">\n'
            '<div style="display:none;font-size:1px;color:#ffffff;line-height:1px;max-height:0px;max-width:0px;'
            f'opacity:0;overflow:hidden;">{escape(email.preheader, quote=False)}</div>\n'
            f'<div style="background-color:{email.canvas};" lang="und" dir="auto">\n{body}{pixel}</div>\n'
            "</body>\n</html>\n"
        )

    def section(self, section: Section) -> str:
        if section.split:
            mark, nav = section.blocks
            return self._wrap(
                section.background,
                f"{section.pad_y}px {section.pad_x}px",
                self._column(self.block(mark, section), 25, "middle")
                + self._column(self.block(nav, section), 75, "middle"),
                marked=True,
            )
        if section.media:
            picture = self._column(self._cell(img(section.media, _IMG), "left", 0), 40)
            text = self._column(self.blocks(section), 60)
            both = picture + text if section.media_side == "left" else text + picture
            return self._wrap(section.background, f"{section.pad_y}px {section.pad_x}px", both, marked=True)
        stats = [block for block in section.blocks if isinstance(block, Stats)]
        if stats:
            heading = "".join([self.block(b, section) for b in section.blocks if not isinstance(b, Stats)])
            columns = self._column(heading, 100) if heading else ""
            columns += self.stats(stats[0], section)
            return self._wrap(section.background, f"{section.pad_y}px {section.pad_x}px", columns, marked=True)
        inside = self.blocks(section)
        padding = f"{section.pad_y}px {section.pad_x}px"
        if section.cover:
            cover = self._column(self._cell(img(section.cover, _IMG), "center", 0), 100)
            inside = f'<div style="padding:{padding};">{self._column(inside, 100)}</div>'
            return self._wrap(section.background, "0", cover + inside, marked=True)
        column = self._column(inside, 100)
        return self._wrap(section.background, padding, column, marked=True, backdrop=section.backdrop)

    def row(self, row: Row) -> str:
        share = round(100 / len(row.cells), 4)
        half = row.gap // 2
        width = (self.email.width - 2 * (row.pad_x - half)) // len(row.cells)
        ghost = f'<!--[if mso | IE]></td><td style="vertical-align:top;width:{width}px;"><![endif]-->\n'
        columns = ghost.join([SECTION + self._card(cell, share, half) for cell in row.cells])
        padding = f"0 {row.pad_x - half}px {row.pad_bottom}px"
        return self._wrap(row.background, padding, columns, marked=False)

    def text(self, block: Text, section: Section) -> str:
        css = f"{font(block.style)}text-align:{section.align};"
        return self._cell(f'<div style="{css}">{words(block)}</div>', section.align, block.gap)

    def button(self, block: Button, section: Section) -> str:
        style = block.style
        edge = f"{style.border_width}px solid {style.border}" if style.border else "none"
        face = (
            f"display:inline-block;background:{style.background};{button_face(style)}margin:0;"
            f"padding:{style.pad_y}px {style.pad_x}px;mso-padding-alt:0px;border-radius:{style.radius}px;"
        )
        label = escape(block.text, quote=False)
        html = (
            f'<table {_TABLE} style="border-collapse:separate;line-height:100%;"><tbody><tr>{BOX}<td align="center" '
            f'bgcolor="{style.background}" role="presentation" style="border:{edge};border-radius:{style.radius}px;'
            f'cursor:auto;mso-padding-alt:{style.pad_y}px {style.pad_x}px;background:{style.background};" '
            f'valign="middle">{LABEL}<a href="{block.href}" style="{face}" target="_blank">{label}</a></td>'
            "</tr></tbody></table>"
        )
        width = len(block.text) * 9 + 2 * style.pad_x
        vml = (
            f'<!--[if mso]><v:roundrect xmlns:v="urn:schemas-microsoft-com:vml" href="{block.href}" '
            f'style="height:{style.size + 2 * style.pad_y}px;v-text-anchor:middle;width:{width}px;" arcsize="10%" '
            f'stroke="f" fillcolor="{style.background}"><w:anchorlock/><center style="color:{style.colour};">{label}'
            "</center></v:roundrect><![endif]-->"
        )
        both = f"{vml}<!--[if !mso]><!-->{html}<!--<![endif]-->"
        return self._cell(both, section.align, block.gap, "vertical-align:middle;")

    def image(self, block: Image, section: Section) -> str:
        frame = (
            f'<table {_TABLE} style="border-collapse:collapse;border-spacing:0px;"><tbody><tr>'
            f'<td style="width:{block.width}px;">{img(block, _IMG)}</td></tr></tbody></table>'
        )
        return self._cell(frame, section.align, block.gap)

    def links(self, block: Links, section: Section) -> str:
        line = "underline" if block.separator else "none"
        glue = f'<span style="{font(block.style)}">{block.separator}</span>' if block.separator else ""
        css = f"display:inline-block;{font(block.style)}text-decoration:{line};padding:0 8px;"
        anchors = glue.join([f'<a href="{href}" style="{css}">{escape(label)}</a>' for label, href in block.items])
        align = "right" if section.split else section.align
        return self._cell(f'<div style="text-align:{align};">{anchors}</div>', align, block.gap)

    def icons(self, block: Icons, section: Section) -> str:
        tables = "".join(
            [
                f'<table align="center" {_TABLE} style="float:none;display:inline-table;"><tbody><tr>'
                f'<td style="padding:4px;vertical-align:middle;">{img(image, "display:block;")}</td>'
                "</tr></tbody></table>"
                for image in block.images
            ]
        )
        return self._cell(tables, section.align, block.gap)

    def stats(self, block: Stats, section: Section) -> str:
        share = round(100 / len(block.items), 4)
        return "".join(
            [
                self._column(
                    self._cell(f'<div style="{font(block.value)}">{escape(value)}</div>', "center", 4)
                    + self._cell(f'<div style="{font(block.label)}">{escape(label)}</div>', "center", 0),
                    share,
                )
                for value, label in block.items
            ]
        )

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
        table = f'<table cellpadding="0" cellspacing="0" width="100%" border="0" style="{font(block.style)}">\n'
        return self._cell(f"{table}{''.join(rows)}</table>", "left", block.gap)

    def coupon(self, block: Coupon, section: Section) -> str:
        css = f"{font(block.style)}border:2px dashed {block.frame};padding:10px 24px;"
        table = f'<table {_TABLE}><tbody><tr><td style="{css}">{block.code}</td></tr></tbody></table>'
        return self._cell(table, section.align, block.gap)

    def _wrap(self, background: str, padding: str, inside: str, *, marked: bool, backdrop: str = "") -> str:
        width = self.email.width
        ground = f"background:{background};background-color:{background};"
        vml = vml_end = ""
        if backdrop:
            ground = f"background:{background} url('{backdrop}') center top / cover no-repeat;"
            vml = (
                f'<v:rect style="width:{width}px;" xmlns:v="urn:schemas-microsoft-com:vml" fill="true" stroke="false">'
                f'<v:fill origin="0.5, 0" color="{background}" type="frame" /><v:textbox inset="0,0,0,0">'
            )
            vml_end = "</v:textbox></v:rect>"
        return (
            f'<!--[if mso | IE]><table align="center" {_TABLE} style="width:{width}px;" width="{width}" '
            f'bgcolor="{background}"><tr><td style="line-height:0px;font-size:0px;">{vml}<![endif]-->\n'
            f'{SECTION if marked else ""}<div style="{ground}margin:0px auto;max-width:{width}px;">'
            f'<table align="center" {_TABLE} style="{ground}width:100%;"><tbody><tr>'
            f'<td style="direction:ltr;font-size:0px;padding:{padding};text-align:center;">\n'
            f"<!--[if mso | IE]><table {_TABLE}><tr><td><![endif]-->\n{inside}"
            "<!--[if mso | IE]></td></tr></table><![endif]-->\n</td></tr></tbody></table></div>\n"
            f"<!--[if mso | IE]>{vml_end}</td></tr></table><![endif]-->\n"
        )

    def _column(self, rows: str, share: float, valign: str = "top") -> str:
        return (
            f'<div class="{_column_class(share)} mj-outlook-group-fix" style="font-size:0px;text-align:left;'
            f'direction:ltr;display:inline-block;vertical-align:{valign};width:100%;">'
            f'<table {_TABLE} style="vertical-align:{valign};" width="100%"><tbody>\n{rows}</tbody></table></div>\n'
        )

    def _card(self, cell: Section, share: float, half: int) -> str:
        css = f"background-color:{cell.background};" if self.fill(cell.background) else ""
        if cell.border:
            css += f"border:1px solid {cell.border};"
        if css:
            css += f"border-radius:{cell.radius}px;padding:{cell.pad_y}px;"
        stack = f'<table {_TABLE} width="100%"><tbody>\n{self.blocks(cell)}</tbody></table>'
        inside = f'<div style="{css}">{stack}</div>' if css else stack
        return self._column(f'<tr><td style="vertical-align:top;padding:0 {half}px;">{inside}</td></tr>\n', share)

    def _cell(self, inside: str, align: str, gap: int, css: str = "") -> str:
        style = f"font-size:0px;padding:0 0 {gap}px;{css}word-break:break-word;"
        return f'<tr><td align="{align}" style="{style}">{inside}</td></tr>\n'


_IMG = "display:block;outline:none;text-decoration:none;max-width:100%;font-size:13px;"
_SHARES = (25, 33.3333, 40, 50, 60, 75, 100)


def _column_class(share: float) -> str:
    return f"mj-column-per-{share:g}".replace(".", "-")
