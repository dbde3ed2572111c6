"""What one hand can bring, as a histogram in SVG: bars for one arrangement, and the outline of another to compare.

All histograms of an answer share a scale. Where there are more values than can be told apart, a bar takes several; zero
always stands alone, so that what is won, even and lost is never mixed.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from solver.svg import element, group, text

Distribution = Sequence[tuple[float, float]]
"""Values of one hand's units, ascending, and how often each comes."""

PLOT_WIDTH, PLOT_HEIGHT = 344.0, 168.0
WON, EVEN, LOST = "#2f7fc1", "#8a94a0", "#cf6a1e"
MOST_BARS = 60

_LEFT, _RIGHT, _TOP, _BOTTOM = 38.0, 12.0, 8.0, 34.0
_SIZE = 12.0
_THOUSANDTHS = 1000
_TAIL, _WORTH_TRIMMING = 0.005, 1.25
_ROOM_OF_LABEL = 0.13  # of the width
_WIDE_BARS = 14
_STEPS_OF_SHARE = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25)


@dataclass(frozen=True)
class Scale:
    """The axes that histograms share.

    Attributes
    ----------
    step : float
        Units to a bar.
    exact : bool
        Whether a bar is one value; otherwise bar k above zero takes what lies above (k - 1) steps, up to k steps, and
        likewise below zero.
    low, high : int
        The outermost bars.
    top : float
        The share at the upper edge.
    below, above : bool
        Whether the outermost bar takes all that lies beyond, too.
    """

    step: float
    exact: bool
    low: int
    high: int
    top: float
    below: bool = False
    above: bool = False

    @classmethod
    def of(cls, distributions: Sequence[Distribution]) -> "Scale":
        """Return a scale on which all of the distributions show."""
        values = sorted({value for distribution in distributions for value, _ in distribution} | {0.0})
        unit = math.gcd(*(round(value * _THOUSANDTHS) for value in values)) or _THOUSANDTHS
        low, high = (_without_tail(distributions, end) for end in (1, -1))
        span = high - low
        trimmed = values[-1] - values[0] > _WORTH_TRIMMING * span
        if not trimmed:
            low, high, span = values[0], values[-1], values[-1] - values[0]
        factors = (mantissa * 10**power for power in range(16) for mantissa in (1, 2, 5))
        step = next(unit * factor for factor in factors if span * _THOUSANDTHS / (unit * factor) < MOST_BARS)
        wide = cls(step / _THOUSANDTHS, step == unit, -(10**18), 10**18, 1)
        first, last = min(wide.bar(low), -1), max(wide.bar(high), 1)
        # One bar more at either end takes all that lies beyond.
        below, above = wide.bar(values[0]) < first, wide.bar(values[-1]) > last
        scale = cls(wide.step, wide.exact, first - below, last + above, 1, below, above)
        most = max((max(scale.shares(one).values(), default=0) for one in distributions), default=0)
        tick = share_step(most)
        return replace(scale, top=max(tick * math.ceil(most / tick - 1e-9), tick))

    def bar(self, value: float) -> int:
        """Return the bar that a value belongs to."""
        if self.exact:
            found = round(value / self.step)
        else:
            found = int(math.copysign(math.ceil(abs(value) / self.step - 1e-9), value))
        return min(max(found, self.low), self.high)

    def place(self, value: float) -> float:
        """Return where a value lies, counted in bars from the middle of the one at zero."""
        if self.exact or not value:
            return value / self.step
        return math.copysign(abs(value) / self.step + 0.5, value)

    def shares(self, distribution: Distribution) -> dict[int, float]:
        """Return how often each bar comes."""
        found: dict[int, float] = {}
        for value, share in distribution:
            found[self.bar(value)] = found.get(self.bar(value), 0.0) + share
        return found

    def ticks(self) -> Iterator[tuple[float, str]]:
        """Return where labels stand, as ``place`` counts, and what they say."""
        bars = self.high - self.low + 1
        every = next(m * 10**p for p in range(16) for m in (1, 2, 5) if bars <= 8 * m * 10**p + 1)
        apart = bars <= _WIDE_BARS  # a sign fits beside the label of the next bar, which would be missed
        room = bars * _ROOM_OF_LABEL + apart
        ends = [(self.low, self.low + 1, "<")] if self.below else []
        ends += [(self.high, self.high - 1, ">")] if self.above else []
        for end, beside, sign in ends:
            mark = units_mark(beside * self.step)
            yield from [(end, sign), (self.place(beside * self.step), mark)] if apart else [(end, sign + mark)]
        for bar in range(-(-self.low // every) * every, self.high + 1, every):
            at = self.place(bar * self.step)
            if not ((self.below and at < self.low + room) or (self.above and at > self.high - room)):
                yield at, units_mark(bar * self.step)


def _without_tail(distributions: Sequence[Distribution], end: int) -> float:
    """Return the lowest value, or with ``end`` of -1 the highest one, beyond which hardly anything lies anywhere."""
    found = [0.0]
    for distribution in distributions:
        beyond = 0.0
        for value, share in distribution[::end]:
            beyond += share
            if beyond > _TAIL:
                found.append(value)
                break
    return min(found) if end == 1 else max(found)


def share_step(most: float) -> float:
    """Return how far apart lines of equal share stand."""
    return next((step for step in _STEPS_OF_SHARE if most / step <= 4), _STEPS_OF_SHARE[-1])


def units_mark(units: float) -> str:
    """Return units as an axis shows them.

    Examples
    --------
    >>> units_mark(4), units_mark(-0.5), units_mark(0)
    ('+4', '−0.5', '0')
    """  # noqa: RUF002 (a minus as wide as the plus)
    shown = f"{abs(units):,.3f}".rstrip("0").rstrip(".")
    return shown if shown == "0" else ("+" if units > 0 else "\N{MINUS SIGN}") + shown


def outlook(distribution: Distribution) -> tuple[float, float, float]:
    """Return how often a hand is won, even and lost in all."""
    won = sum(share for value, share in distribution if value > 0)
    lost = sum(share for value, share in distribution if value < 0)
    return won, sum(share for value, share in distribution if value == 0), lost


def histogram(distribution: Distribution, scale: Scale, expected: float, other: Distribution = ()) -> str:
    """Return a histogram of PLOT_WIDTH by PLOT_HEIGHT.

    Parameters
    ----------
    distribution
        What is drawn as bars.
    scale
        The axes.
    expected
        The units to be expected, which a triangle marks.
    other
        What is drawn as an outline over the bars.
    """
    bar_width = (PLOT_WIDTH - _LEFT - _RIGHT) / (scale.high - scale.low + 1)
    floor, height = PLOT_HEIGHT - _BOTTOM, PLOT_HEIGHT - _BOTTOM - _TOP

    def across(place: float) -> float:
        return _LEFT + (place - scale.low + 0.5) * bar_width

    def up(share: float) -> float:
        return floor - height * share / scale.top

    parts = [_axes(scale, across, up)]
    gap = min(bar_width * 0.16, 4)
    for bar, share in sorted(scale.shares(distribution).items()):
        tall = max(floor - up(share), 0.8)  # what hardly ever comes is seen all the same
        fill = WON if bar > 0 else LOST if bar < 0 else EVEN
        left = across(bar - 0.5) + gap / 2
        parts.append(element("rect", x=left, y=floor - tall, width=bar_width - gap, height=tall, fill=fill))
    if other:
        shares = scale.shares(other)
        path = [f"M{across(scale.low - 0.5):.1f} {floor:.1f}"]
        for bar in range(scale.low, scale.high + 1):
            path.append(f"V{up(shares.get(bar, 0)):.1f}H{across(bar + 0.5):.1f}")
        path.append(f"V{floor:.1f}")
        parts.append(element("path", d="".join(path), fill="none", stroke="currentColor", stroke_width=1.5))
    at = min(max(across(scale.place(expected)), _LEFT), PLOT_WIDTH - _RIGHT)
    parts.append(element("path", d=f"M{at:.1f} {floor + 2:.1f}l5 8h-10z", fill="currentColor"))
    return group(parts)


def _axes(scale: Scale, across: Callable[[float], float], up: Callable[[float], float]) -> str:
    """Return lines of equal share with their labels, and the labels of units."""
    tick, parts = share_step(scale.top), []
    for place in range(round(scale.top / tick) + 1):
        y = up(place * tick)
        strength = 0.25 if place else 0.8
        parts.append(
            element(
                *("line", ""), x1=_LEFT, x2=PLOT_WIDTH - _RIGHT, y1=y, y2=y, stroke="currentColor", opacity=strength
            )
        )
        parts.append(text(f"{100 * place * tick:.0f}%", _LEFT - 5, y + 4, _SIZE, text_anchor="end"))
    for at, mark in scale.ticks():
        x = min(across(at), PLOT_WIDTH - 0.38 * _SIZE * len(mark))  # signs are wider than other characters
        parts.append(text(mark, x, PLOT_HEIGHT - 8, _SIZE, text_anchor="middle"))
    return "".join(parts)
