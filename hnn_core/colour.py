"""Colours as people see them: CIELAB, the CIEDE2000 difference, and WCAG contrast.

Everything is vectorised over leading axes; the last axis holds the three channels. Colours travel as the
extractor's canonical strings (``#rrggbb`` or ``#rrggbbaa``) and are parsed here, once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

_HEX = re.compile(r"#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})", re.IGNORECASE)

# Linear sRGB to CIE XYZ (IEC 61966-2-1) and the D65 white it implies: the row sums, so white is neutral.
_XYZ_OF_RGB = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
_WHITE = _XYZ_OF_RGB.sum(axis=1)


def parse_hex(colour: str) -> tuple[int, int, int, int]:
    """Red, green, blue and alpha (0–255) of ``#rgb``, ``#rgba``, ``#rrggbb`` or ``#rrggbbaa``."""
    if not _HEX.fullmatch(colour):
        raise ValueError(f"not a hex colour: {colour[:40]!r}; expected #rgb, #rgba, #rrggbb or #rrggbbaa")
    digits = colour[1:]
    if len(digits) <= 4:
        digits = "".join(digit * 2 for digit in digits)
    channels = [int(digits[i : i + 2], 16) for i in range(0, len(digits), 2)]
    red, green, blue, alpha = [*channels, 255][:4]
    return red, green, blue, alpha


def is_hex(colour: object) -> bool:
    """Whether ``parse_hex`` accepts it (``transparent``, gradients and missing values are no hex colour)."""
    return isinstance(colour, str) and _HEX.fullmatch(colour) is not None


def to_hex(rgb: ArrayLike) -> str:
    """``#rrggbb`` of one colour with channels in 0–1."""
    red, green, blue = (int(c) for c in np.rint(np.clip(np.asarray(rgb, np.float64), 0, 1) * 255))
    return f"#{red:02x}{green:02x}{blue:02x}"


def rgb_of(colours: Sequence[str], over: str = "#ffffff") -> Floats:
    """Channels in 0–1, one row a colour; a translucent colour is laid over an opaque one."""
    return np.array([_rgb(colour, over) for colour in colours], np.float64).reshape(-1, 3)


def lab_of(colours: Sequence[str], over: str = "#ffffff") -> Floats:
    """CIELAB rows of hex colours."""
    return np.array([_lab(colour, over) for colour in colours], np.float64).reshape(-1, 3)


def rgb_to_lab(rgb: ArrayLike) -> Floats:
    """CIELAB (D65) of sRGB channels in 0–1."""
    xyz = _linear(np.asarray(rgb, np.float64)) @ _XYZ_OF_RGB.T / _WHITE
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    x, y, z = f[..., 0], f[..., 1], f[..., 2]
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def delta_e2000(lab: ArrayLike, other: ArrayLike) -> Floats:
    """CIEDE2000 colour difference, ΔE₀₀ (Sharma, Wu and Dalal 2005, their equation numbers); broadcasts.

    Below 1 nobody sees a difference; below 10 two colours pass for one at a glance.
    """
    lab, other = np.asarray(lab, np.float64), np.asarray(other, np.float64)
    L1, a1, b1 = lab[..., 0], lab[..., 1], lab[..., 2]
    L2, a2, b2 = other[..., 0], other[..., 1], other[..., 2]

    C = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2  # (2), (3)
    G = 0.5 * (1 - np.sqrt(C**7 / (C**7 + 25.0**7)))  # (4)
    a1, a2 = (1 + G) * a1, (1 + G) * a2  # (5)
    C1, C2 = np.hypot(a1, b1), np.hypot(a2, b2)  # (6)
    h1, h2 = _hue(a1, b1), _hue(a2, b2)  # (7)

    achromatic = C1 * C2 == 0
    difference = h2 - h1
    wraps = np.abs(difference) > 180
    dh = np.where(achromatic, 0.0, difference - np.where(wraps, 360 * np.sign(difference), 0.0))  # (10)
    dL, dC = L2 - L1, C2 - C1  # (8), (9)
    dH = 2 * np.sqrt(C1 * C2) * np.sin(np.radians(dh) / 2)  # (11)

    L, C = (L1 + L2) / 2, (C1 + C2) / 2  # (12), (13)
    total = h1 + h2
    h = np.where(wraps, (total + np.where(total < 360, 360.0, -360.0)) / 2, total / 2)
    h = np.where(achromatic, total, h)  # (14)
    T = (  # (15)
        1
        - 0.17 * np.cos(np.radians(h - 30))
        + 0.24 * np.cos(np.radians(2 * h))
        + 0.32 * np.cos(np.radians(3 * h + 6))
        - 0.20 * np.cos(np.radians(4 * h - 63))
    )
    dtheta = 30 * np.exp(-(((h - 275) / 25) ** 2))  # (16)
    R_C = 2 * np.sqrt(C**7 / (C**7 + 25.0**7))  # (17)
    S_L = 1 + 0.015 * (L - 50) ** 2 / np.sqrt(20 + (L - 50) ** 2)  # (18)
    S_C = 1 + 0.045 * C  # (19)
    S_H = 1 + 0.015 * C * T  # (20)
    R_T = -np.sin(np.radians(2 * dtheta)) * R_C  # (21)
    l, c, k = dL / S_L, dC / S_C, dH / S_H  # noqa: E741 - the three weighted differences
    return np.asarray(np.sqrt(np.maximum(l * l + c * c + k * k + R_T * c * k, 0.0)), np.float64)  # (22)


def colour_difference(colour: str, other: str) -> float:
    """ΔE₀₀ of two hex colours."""
    return float(delta_e2000(lab_of([colour])[0], lab_of([other])[0]))


def relative_luminance(rgb: ArrayLike) -> Floats:
    """WCAG 2 relative luminance of sRGB channels in 0–1."""
    linear: Floats = _linear(np.asarray(rgb, np.float64), threshold=0.03928)
    return np.asarray(linear @ np.array([0.2126, 0.7152, 0.0722]), np.float64)


def contrast_ratios(rgb: ArrayLike, other: ArrayLike) -> Floats:
    """WCAG 2 contrast, 1 to 21, of channels in 0–1; broadcasts."""
    a, b = relative_luminance(rgb), relative_luminance(other)
    return np.asarray((np.maximum(a, b) + 0.05) / (np.minimum(a, b) + 0.05), np.float64)


def contrast_ratio(foreground: str, background: str) -> float:
    """WCAG 2 contrast of two hex colours; a translucent one is laid over what it stands on."""
    opaque = rgb_of([background])
    ink = rgb_of([foreground], over=to_hex(opaque[0]))
    return float(contrast_ratios(ink[0], opaque[0]))


# An email has a dozen colours and a corpus a few thousand, each asked about again and again.
@lru_cache(maxsize=65536)
def _rgb(colour: str, over: str) -> tuple[float, ...]:
    *channels, alpha = parse_hex(colour)
    base = parse_hex(over)[:3]
    return tuple((c * alpha + b * (255 - alpha)) / 255 / 255 for c, b in zip(channels, base, strict=True))


@lru_cache(maxsize=65536)
def _lab(colour: str, over: str) -> tuple[float, ...]:
    return tuple(rgb_to_lab(_rgb(colour, over)).tolist())


def _linear(channels: Floats, threshold: float = 0.04045) -> Floats:
    """Undo the sRGB transfer curve; WCAG 2 prints an older threshold, which no 8-bit colour tells apart."""
    return np.where(channels <= threshold, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def _hue(a: Floats, b: Floats) -> Floats:
    """Hue angle in degrees, 0 ≤ h < 360, and 0 where there is no chroma."""
    return np.asarray(np.degrees(np.arctan2(b, a)) % 360, np.float64)
