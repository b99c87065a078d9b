"""Pictures for a page of HTML that opens without a network: curves, drawn by hand."""

import html
from collections.abc import Sequence
from math import ceil, floor, isfinite, log10
from typing import NamedTuple

from dampen.drawing import PALETTE, colour_of
from dampen.writing import html_element, round_up

DASHES = ("", "6 3", "2 3")
WIDE, HIGH, LEFT, TOP, RIGHT, BOTTOM = 720, 360, 80, 30, 20, 50


class Curve(NamedTuple):
    """A line of a picture: its name, and its points (x, y), all above 0."""

    name: str
    points: Sequence[tuple[float, float]]


class Picture(NamedTuple):
    """Curves on logarithmic axes. ``caption`` says what is shown."""

    title: str
    x: str
    y: str
    caption: str
    curves: Sequence[Curve]


def figure(picture: Picture) -> str:
    """A picture with its caption; a sentence in its place where there is nothing to draw."""
    kept = [Curve(each.name, [point for point in each.points if _is_drawn(point)]) for each in picture.curves]
    kept = [each for each in kept if each.points]
    if not kept:
        return html_element("p", f"{picture.title}: nothing to draw, all errors are 0 or any amount.")
    return f"<figure>{_svg(picture, kept)}<figcaption>{html.escape(picture.caption)}</figcaption></figure>"


def _is_drawn(point: tuple[float, float]) -> bool:
    return all(isfinite(each) and each > 0 for each in point)


def _svg(picture: Picture, curves: Sequence[Curve]) -> str:
    points = [point for each in curves for point in each.points]
    across, up = (_Axis.of([point[place] for point in points]) for place in (0, 1))
    wide, high = WIDE - LEFT - RIGHT, HIGH - TOP - BOTTOM

    def place(point: tuple[float, float]) -> tuple[float, float]:
        return LEFT + wide * across.share(point[0]), TOP + high * (1 - up.share(point[1]))

    lines = [_text(WIDE / 2, 18, picture.title, "middle", bold=True)]
    for value in across.ticks:
        x, _ = place((value, up.low))
        lines.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{TOP + high}" stroke="#ddd"/>')
        lines.append(_text(x, TOP + high + 18, _tick(value), "middle"))
    for value in up.ticks:
        _, y = place((across.low, value))
        lines.append(f'<line x1="{LEFT}" x2="{WIDE - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        lines.append(_text(LEFT - 6, y + 4, _tick(value), "end"))
    lines += [_text(LEFT + wide / 2, HIGH - 8, picture.x, "middle"), _upright(14, TOP + high / 2, picture.y)]
    for number, each in enumerate(curves):
        colour, dash = colour_of(number), DASHES[number // len(PALETTE) % len(DASHES)]
        path = " ".join("{:.1f},{:.1f}".format(*place(point)) for point in each.points)
        drawn = f'stroke="{colour}" stroke-dasharray="{dash}"'
        lines.append(f'<polyline points="{path}" fill="none" stroke-width="2" {drawn}/>')
        y = HIGH + 10 + 18 * number
        lines.append(f'<line x1="{LEFT}" x2="{LEFT + 30}" y1="{y}" y2="{y}" stroke-width="2" {drawn}/>')
        lines.append(_text(LEFT + 38, y + 4, each.name, "start"))
    tall = HIGH + 10 + 18 * len(curves)
    label = html.escape(picture.title, quote=True)
    size = f'viewBox="0 0 {WIDE} {tall}" width="{WIDE}" height="{tall}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{label}" {size}>{"".join(lines)}</svg>'


class _Axis(NamedTuple):
    """A logarithmic axis between two powers of ten."""

    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "_Axis":
        low, high = floor(log10(min(values))), ceil(log10(max(values)))
        return cls(10.0**low, 10.0 ** max(high, low + 1))

    @property
    def ticks(self) -> list[float]:
        powers = range(round(log10(self.low)), round(log10(self.high)) + 1)
        return [10.0**power for power in powers][:: max(1, len(powers) // 8)]

    def share(self, value: float) -> float:
        return (log10(value) - log10(self.low)) / (log10(self.high) - log10(self.low))


def _tick(value: float) -> str:
    return round_up(float(f"{value:.3g}")) if 1e-4 <= value < 1e7 else f"{value:.0e}"


def _text(x: float, y: float, told: str, anchor: str, *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    font = f'font-family="sans-serif" font-size="13"{weight}'
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {font}>{html.escape(told)}</text>'


def _upright(x: float, y: float, told: str) -> str:
    turned = _text(0, 0, told, "middle")
    return f'<g transform="translate({x:.1f},{y:.1f}) rotate(-90)">{turned}</g>'
