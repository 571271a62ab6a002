"""What every worker would learn from its first email, learned once before workers are forked.

The browser's own style sheet is read, patterns are compiled and what common tags and attributes declare is remembered:
a third of the time of ten emails. Nobody's email is read for it, and nothing that is remembered changes a result.
"""

from __future__ import annotations

from extractors.extraction import extract

_STANDARDS = "<!DOCTYPE html>"
_EMAIL = """
<html><head><meta charset="utf-8"><title>Practice</title><style>
body { margin: 0; padding: 0; font-family: Arial, sans-serif; }
img { border: 0; } a.button:hover, td > a { color: #ffffff; text-decoration: none; }
@media only screen and (max-width: 480px) { .column { width: 100% !important; } }
</style></head>
<body bgcolor="#f4f4f4" style="margin:0;background-color:#f4f4f4">
<div style="display:none;max-height:0;overflow:hidden;font-size:1px">Preheader</div>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td align="center">
<table width="600" bgcolor="#ffffff" align="center" style="width:600px;margin:0 auto;border-radius:4px">
<tr><td style="padding:24px 16px"><img src="logo.png" width="120" height="40" alt="Logo" style="display:block">
<tr><td style="padding:0 16px;font:bold 24px/32px Arial;color:#333333"><h1>Headline</h1>
<p style="font-size:16px;line-height:1.5;color:rgb(51,51,51)">Some <b>words</b> and <i>more</i> of them.<br>Bye</p>
<font size="2" face="Arial" color="#666666">Small print</font></td></tr>
<tr><td align="center" style="border-radius:6px;background:#1a73e8;border:1px solid #1a73e8">
<a class="button" href="#" style="display:inline-block;padding:12px 24px;color:#fff;text-decoration:none">Go on</a>
<tr><td class="column" width="50%" valign="top">One</td><td width="50%" valign="top">Two</td></tr>
</table></td></tr></table></body></html>
"""


def extract_practice_emails() -> None:
    """In both modes of a browser: most emails name no document type."""
    for document_type in ("", _STANDARDS):
        extract(document_type + _EMAIL, "practice")
