"""Pictures without a network: small flat drawings in a brand's colours, as data URIs or believable URLs.

A picture is named by its motif and number, so the same product shows the same picture in every email. Brands
that host their photographs give ``https://images.<domain>/…`` addresses with the size written beside them, so a
blocked load leaves the layout as it was.
"""

from __future__ import annotations

from functools import lru_cache

from extractors.sources.sample.blocks import Image
from extractors.sources.sample.design import Brand, Palette


def picture(brand: Brand, name: str, number: int, width: int, height: int, alt: str) -> Image:
    """The brand's drawing ``name`` (``hero``, ``product``, ``story``, …) number ``number``."""
    return Image(_source(brand, name, number, width, height), alt, width, height, fill=brand.palette.tint)


def backdrop(brand: Brand, number: int) -> str:
    """The address of a dark picture to put text on."""
    return _data_uri(_backdrop(brand.palette, number), 600, 400)


def icon(brand: Brand, number: int, size: int, alt: str) -> Image:
    """A round icon in the brand colour; the same number is the same icon."""
    return Image(_data_uri(_icon(number % 6, brand.palette.brand, brand.palette.on_brand), 48, 48), alt, size, size)


def logo(brand: Brand, height: int, light: bool) -> Image:
    """The mark that stands beside the wordmark; ``light`` for dark ground."""
    palette = brand.palette
    ink, paper = (palette.on_dark, palette.dark) if light else (palette.brand, palette.on_brand)
    source = _data_uri(f"<rect width='48' height='48' rx='12' fill='{ink}'/>" + _mark(brand, paper), 48, 48)
    return Image(source, brand.name, height, height)


@lru_cache(maxsize=8192)
def _source(brand: Brand, name: str, number: int, width: int, height: int) -> str:
    if brand.hosted:
        return f"https://images.{brand.domain}/{name}/{number:04d}-{width}x{height}.jpg"
    return _data_uri(_scene(brand, name, number), 600, 400)


@lru_cache(maxsize=4096)
def _data_uri(drawing: str, width: int, height: int) -> str:
    box = f"viewBox='0 0 {width} {height}' preserveAspectRatio='xMidYMid slice'"
    svg = f"<svg xmlns='http://www.w3.org/2000/svg' {box}>{drawing}</svg>"
    for character, code in (("%", "%25"), ("#", "%23"), ("<", "%3C"), (">", "%3E"), ("'", "%27"), (" ", "%20")):
        svg = svg.replace(character, code)
    return f"data:image/svg+xml,{svg}"


def _scene(brand: Brand, name: str, number: int) -> str:
    """A drawing on a 600 × 400 canvas: ground, the brand's motif, one accent that moves with the number."""
    palette = brand.palette
    ground, main, accent = _tones(palette, len(name) + number)
    shift = number * 37 % 180
    drawing = {
        "cup": f"<circle cx='{210 + shift}' cy='190' r='120' fill='{accent}'/>"
        f"<path d='M{190 + shift} 150h170v70a85 85 0 0 1-170 0z' fill='{main}'/>"
        f"<path d='M{360 + shift} 165q52 0 52 38t-60 38' fill='none' stroke='{main}' stroke-width='16'/>",
        "orbit": f"<circle cx='300' cy='200' r='{90 + shift // 3}' fill='none' stroke='{main}' stroke-width='14'/>"
        f"<circle cx='{240 + shift // 2}' cy='150' r='38' fill='{accent}'/>"
        f"<rect x='{330 - shift // 3}' y='210' width='120' height='64' rx='12' fill='{main}'/>",
        "arch": f"<path d='M{150 + shift} 400V200a100 100 0 0 1 200 0v200z' fill='{main}'/>"
        f"<circle cx='{420 - shift // 2}' cy='110' r='54' fill='{accent}'/>",
        "wave": f"<circle cx='{140 + shift * 2}' cy='110' r='58' fill='{accent}'/>"
        f"<path d='M0 230q75-60 150 0t150 0 150 0 150 0v370H0z' fill='{main}'/>"
        f"<path d='M0 300q75-50 150 0t150 0 150 0 150 0v300H0z' fill='{ground}' opacity='.35'/>",
        "blocks": f"<rect x='{120 + shift}' y='220' width='80' height='400' fill='{main}'/>"
        f"<rect x='{220 + shift}' y='150' width='80' height='400' fill='{accent}'/>"
        f"<rect x='{320 + shift}' y='90' width='80' height='400' fill='{main}'/>",
        "confetti": f"<circle cx='{160 + shift}' cy='150' r='70' fill='{main}'/>"
        f"<rect x='{300 - shift // 2}' y='180' width='120' height='120' rx='24' fill='{accent}'/>"
        f"<path d='M{430 - shift // 3} 80l60 110H{370 - shift // 3}z' fill='{main}'/>",
        "leaf": f"<path d='M300 400C{120 + shift} 320 {140 + shift} 120 300 60c160 60 180 260 0 340z' fill='{main}'/>"
        f"<path d='M300 400V120M300 260l70-60M300 310l-70-60' stroke='{accent}' stroke-width='8' fill='none'/>",
        "rails": f"<path d='M{220 + shift // 2} 60L120 400M{300 + shift // 2} 60L480 400' stroke='{main}' "
        f"stroke-width='16'/><circle cx='{380 - shift}' cy='100' r='46' fill='{accent}'/>",
        "ink": f"<path d='M80 {240 + shift // 4}q110-150 220 0t220 0' stroke='{main}' stroke-width='10' fill='none'/>"
        f"<circle cx='{180 + shift}' cy='130' r='22' fill='{accent}'/>",
        "sound": "".join(
            f"<rect x='{70 + 48 * i}' y='{200 - h}' width='24' height='{2 * h}' fill='{main if i % 3 else accent}'/>"
            for i, h in enumerate(30 + (i * i * 17 + number * 29) % 110 for i in range(10))
        ),
        "plate": f"<circle cx='300' cy='200' r='150' fill='{main}'/><circle cx='300' cy='200' r='104' fill='{ground}'/>"
        f"<circle cx='{270 + shift // 4}' cy='{180 + shift // 6}' r='54' fill='{accent}'/>",
        "wheel": f"<circle cx='190' cy='220' r='96' fill='none' stroke='{main}' stroke-width='14'/>"
        f"<circle cx='410' cy='220' r='96' fill='none' stroke='{main}' stroke-width='14'/>"
        f"<path d='M190 220l{70 + shift // 6}-110h90l60 110M260 110l60 110H190' stroke='{accent}' stroke-width='12' "
        "fill='none'/>",
        "room": f"<rect x='{120 + shift}' y='180' width='220' height='120' rx='20' fill='{main}'/>"
        f"<circle cx='{430 - shift // 2}' cy='100' r='50' fill='{accent}'/>",
        "grid": "".join(
            f"<rect x='{150 + 80 * (i % 4)}' y='{60 + 80 * (i // 4)}' width='64' height='64' rx='8' "
            f"fill='{accent if (i * 7 + number) % 5 == 0 else main}' opacity='{1 - (i + number) % 4 * 0.2:.1f}'/>"
            for i in range(12)
        ),
    }[brand.motif]
    return f"<rect width='600' height='600' fill='{ground}'/>{drawing}"


def _tones(palette: Palette, number: int) -> tuple[str, str, str]:
    """Ground, main and accent colour; a dark theme's canvas and dark are one, so its drawings use the brand."""
    deep = palette.brand if palette.dark == palette.canvas else palette.dark
    return (
        (palette.tint, palette.brand, palette.accent),
        (palette.accent, palette.dark, palette.tint),
        (palette.canvas, deep, palette.accent),
        (palette.brand, palette.accent, palette.tint),
    )[number % 4]


def _backdrop(palette: Palette, number: int) -> str:
    height = 250 + number * 31 % 60
    return (
        f"<rect width='600' height='600' fill='{palette.dark}'/>"
        f"<path d='M0 {height}q150-90 300 0t300 0v400H0z' fill='{palette.brand}' opacity='.45'/>"
        f"<path d='M0 {height + 60}q150-70 300 0t300 0v400H0z' fill='{palette.brand}' opacity='.5'/>"
    )


def _icon(number: int, ground: str, ink: str) -> str:
    glyph = (
        "<path d='M14 25l7 7 14-16' {0}/>",
        "<path d='M24 12v24M12 24h24' {0}/>",
        "<path d='M13 20h22v14H13zM13 20l11 8 11-8' {0}/>",
        "<path d='M24 13l3 8h8l-6 5 2 8-7-5-7 5 2-8-6-5h8z' {0}/>",
        "<path d='M24 35s-11-7-11-14a6 6 0 0 1 11-3 6 6 0 0 1 11 3c0 7-11 14-11 14z' {0}/>",
        "<path d='M12 30h24M17 30V17h14v13' {0}/>",
    )[number]
    stroke = f"fill='none' stroke='{ink}' stroke-width='3'"
    return f"<circle cx='24' cy='24' r='24' fill='{ground}'/>" + glyph.format(stroke)


def _mark(brand: Brand, ink: str) -> str:
    """An abstract monogram, different per brand, drawn from the length and first letter of its name."""
    turn = (ord(brand.name[0]) * 7 + len(brand.name) * 13) % 4
    return (
        f"<path d='M12 34V14l24 20V14' fill='none' stroke='{ink}' stroke-width='5'/>",
        f"<circle cx='24' cy='24' r='10' fill='none' stroke='{ink}' stroke-width='5'/>",
        f"<path d='M14 34V14h20M14 24h14' fill='none' stroke='{ink}' stroke-width='5'/>",
        f"<path d='M12 30q6-16 12 0t12 0' fill='none' stroke='{ink}' stroke-width='5'/>",
    )[turn]
