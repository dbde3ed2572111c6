import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path

import matplotlib
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.ft2font import FT2Font

from solver import Advice, Arrangement, Hand, best
from solver.card_pictures import FOUR_COLORS
from solver.cards import card_name
from solver.distributions import MOST_BARS, PLOT_WIDTH, Scale, histogram, units_mark
from solver.errors import RequestError
from solver.pictures import MOST_ALTERNATIVES, advice_svg, arrangement_svg, hand_svg
from solver.plots import check_picture, save_picture
from solver.rules import preset_names
from solver.svg import document, element, lines_of, number, with_minus, without_wide
from tests.answers import HAND, KINDS, answer

SVG = "{http://www.w3.org/2000/svg}"
FONTS = Path(matplotlib.get_data_path(), "fonts", "ttf")


def cards_in(picture: str) -> list[str]:
    """Return the cards that a picture shows, in its order."""
    return [found for group in ElementTree.fromstring(picture).iter(f"{SVG}g") if (found := group.get("data-card"))]


@cache
def font_of(bold: bool) -> FT2Font:
    return FT2Font(str(FONTS / f"DejaVuSans{'-Bold' if bold else ''}.ttf"))


@cache
def measure(words: str, size: float, bold: bool) -> float:
    """Return how wide a text is in the widest of the fonts, which has no Chinese characters."""
    narrow = without_wide(words)
    font = font_of(bold)
    font.set_size(size, 72)
    font.set_text(narrow, 0.0)
    return float(font.get_width_height()[0]) / 64 + size * (len(words) - len(narrow))


def boxes(node: ElementTree.Element, x: float = 0, y: float = 0) -> Iterator[tuple[float, float, float, float, str]]:
    """Yield where each text stands: left, top, right, bottom, and what it says."""
    moved = re.match(r"translate\(([-\d.]+) ([-\d.]+)\)", node.get("transform", ""))
    if moved:
        x, y = x + float(moved[1]), y + float(moved[2])
    if node.tag == f"{SVG}text":
        words, size = node.text or "", float(node.get("font-size", "0"))
        width = measure(words, size, node.get("font-weight") == "bold")
        width += float(node.get("letter-spacing", "0")) * (len(words) - 1)
        left = x + float(node.get("x", "0")) - {"middle": width / 2, "end": width}.get(node.get("text-anchor", ""), 0)
        bottom = y + float(node.get("y", "0"))
        yield left, bottom - 0.72 * size, left + width, bottom, words
    for child in node:
        yield from boxes(child, x, y)


def check(advice: Advice, picture: str) -> None:
    """Check what holds for every picture of an answer."""
    root = ElementTree.fromstring(picture)
    assert root.tag == f"{SVG}svg" and root.get("role") == "img"
    assert [child.tag for child in root][:2] == [f"{SVG}title", f"{SVG}desc"] and all(child.text for child in root[:2])
    shown = advice.best.arrangement
    assert cards_in(picture)[:13] == [card_name(card) for card in shown.front + shown.middle + shown.back]
    width, height = float(root.get("width", "0")), float(root.get("height", "0"))
    found = list(boxes(root))
    for left, top, right, bottom, words in found:
        assert left >= 0 and top >= 0 and right <= width - 4 and bottom <= height - 4, words
    for one, other in combinations(found, 2):
        apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
        assert apart, (one, other)
    assert not re.search(r"nan|inf\b|None", re.sub(r"<(title|desc)>.*?</\1>|>[^<]*<", "", picture))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_answer_is_drawn(kind: str) -> None:
    picture = advice_svg(answer(kind))
    check(answer(kind), picture)
    assert picture == advice_svg(answer(kind))


@pytest.mark.parametrize("rules", preset_names())
@pytest.mark.parametrize("players", [2, 4])
def test_every_rule_set_is_drawn(rules: str, players: int) -> None:
    advice = best(HAND, rules=rules, players=players, deals=100, top=2)
    check(advice, advice_svg(advice))


def test_what_a_picture_says() -> None:
    assert "Declare your six pairs" in advice_svg(answer("natural"))
    assert "beats the back" in advice_svg(answer("foul"))
    assert "Yours gives up" in advice_svg(answer("graded"))
    assert "Yours is the best arrangement." in advice_svg(answer("graded best"))
    assert "beats or equals it in every row" in advice_svg(answer("graded beaten"))
    assert "by the table alone" in advice_svg(answer("quick"))
    assert "As kept in the back" in advice_svg(answer("kept"))
    assert "until it was interrupted" in advice_svg(answer("interrupted"))
    assert f"{30 - MOST_ALTERNATIVES} more alternatives are not drawn." in advice_svg(
        replace(answer("many"), alternatives=answer("many").alternatives[:1] * 30)
    )


def test_what_comes_from_outside_is_text() -> None:
    root = ElementTree.fromstring(advice_svg(answer("hostile")))
    assert {node.tag.removeprefix(SVG) for node in root.iter()} <= {
        "svg",
        "title",
        "desc",
        "g",
        "text",
        "path",
        "rect",
        "line",
    }
    assert "<script>" in "".join(root.itertext()) and "\x1b" not in "".join(root.itertext())


def test_an_answer_without_distributions_has_no_histograms() -> None:
    plain = answer("plain")
    bare = replace(plain, best=replace(plain.best, distribution=()), alternatives=())
    assert "Units that one hand brings" not in advice_svg(bare)
    check(bare, advice_svg(bare))


def test_hands_and_arrangements_show_every_card() -> None:
    hand = Hand.parse("2c3c4c5c6d7d8d9dThJhQhKsAs")
    names = [card_name(card) for card in hand.cards]
    assert cards_in(hand_svg(hand.cards)) == names
    laid = Arrangement(hand.cards[:3], hand.cards[3:8], hand.cards[8:])
    assert cards_in(arrangement_svg(laid)) == names
    words = [text.text for text in ElementTree.fromstring(arrangement_svg(laid)).iter(f"{SVG}text")]
    assert words == ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
    assert "front: two of clubs, three of clubs" in arrangement_svg(laid)
    for picture in (hand_svg(hand.cards), arrangement_svg(laid)):
        root = ElementTree.fromstring(picture)
        for left, _, right, _, word in boxes(root):
            assert 0 < left < right < float(root.get("width", "0")), word


def test_notebooks_show_them() -> None:
    advice = answer("plain")
    assert cards_in(advice.hand._repr_svg_()) == [card_name(card) for card in advice.hand.cards]
    assert advice.best.arrangement._repr_svg_() == arrangement_svg(advice.best.arrangement) == advice.best._repr_svg_()


def test_four_colours_are_there_where_wanted() -> None:
    cards = Hand.parse("2c3c4c5c6d7d8d9dThJhQhKsAs").cards
    assert all(color in hand_svg(cards, four_color=True) for color in FOUR_COLORS)
    assert FOUR_COLORS[0] not in hand_svg(cards)
    assert FOUR_COLORS[0] in advice_svg(answer("plain"), four_color=True)


def test_a_few_values_have_a_bar_each() -> None:
    scale = Scale.of([[(-3.0, 0.2), (0.0, 0.1), (3.0, 0.7)]])
    assert (scale.step, scale.exact, scale.low, scale.high) == (3.0, True, -1, 1)
    assert scale.shares([(-3.0, 0.2), (0.0, 0.1), (3.0, 0.7)]) == {-1: 0.2, 0: 0.1, 1: 0.7}
    assert list(scale.ticks()) == [(-1, "−3"), (0, "0"), (1, "+3")]  # noqa: RUF001


def test_tails_that_hardly_ever_come_are_gathered() -> None:
    scale = Scale.of([[(-13.0, 0.001), (-1.0, 0.4), (2.0, 0.599)]])
    assert (scale.low, scale.high, scale.below, scale.above) == (-2, 2, True, False)
    assert scale.shares([(-13.0, 0.001)]) == {-2: 0.001}
    assert list(scale.ticks())[:2] == [(-2, "<"), (-1, "−1")]  # noqa: RUF001
    many = Scale.of([[(-90.0, 0.001), *((float(value), 0.999 / 41) for value in range(-20, 21))]])
    assert next(many.ticks()) == (-21, "<−20")  # noqa: RUF001


Values = st.floats(-1e6, 1e6).map(lambda value: round(value, 2)) | st.integers(-60, 60).map(float)


@given(st.lists(Values, min_size=1, max_size=300, unique=True))
def test_bars_lose_nothing_and_never_mix_what_is_won_and_lost(values: list[float]) -> None:
    distribution = [(value, 1 / len(values)) for value in sorted(values)]
    scale = Scale.of([distribution])
    assert scale.high - scale.low <= MOST_BARS + 3
    assert sum(scale.shares(distribution).values()) == pytest.approx(1)
    for value in values:
        bar = scale.bar(value)
        assert scale.low <= bar <= scale.high and (bar > 0) == (value > 0) and (bar < 0) == (value < 0)
    drawn = histogram(distribution, scale, values[0], distribution[:1])
    root = ElementTree.fromstring(document(drawn, PLOT_WIDTH, 168, "x"))
    marks = sorted(box for box in boxes(root) if not box[4].endswith("%"))
    assert all(box[0] >= -4 and box[2] <= PLOT_WIDTH for box in marks)


def test_text_and_numbers_of_svg() -> None:
    assert number(2.0) == "2" and number(-0.001) == "0" and number(1.256) == "1.26"
    assert element("a", x=None, class_='"<&') == "<a class='\"&lt;&amp;'/>"
    assert with_minus("-1.5 and 2-4, -x, (1 -2)") == "−1.5 and 2-4, -x, (1 −2)"  # noqa: RUF001
    assert units_mark(1234.5) == "+1,234.5"
    assert all(len(line) <= 40 for line in lines_of("水" * 100, 400, 10))


@pytest.mark.parametrize("name", ["answer.svg", "answer.PNG"])
def test_pictures_are_saved(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    check_picture(path)
    save_picture(path, answer("hostile"))
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG" if name.endswith("PNG") else b"<svg ")
    save_picture(path, answer("hostile"))
    assert path.read_bytes() == data and [entry.name for entry in tmp_path.iterdir()] == [name]


def test_text_is_drawn_without_the_system_s_fonts(tmp_path: Path) -> None:
    from matplotlib.image import imread

    path = tmp_path / "answer.png"
    save_picture(path, answer("plain"))
    pixels = imread(path)
    assert pixels.shape[1] == 1520
    title = pixels[50:100, 48:420, :3]
    assert (title.min(axis=2) < 0.3).mean() > 0.1, "the title is missing"


def test_a_picture_that_cannot_be_made_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path, said in (("x.pdf", "ends in .svg or .png"), (tmp_path / "no" / "x.svg", "no such folder")):
        with pytest.raises(RequestError, match=said):
            check_picture(path)
    monkeypatch.setattr("solver.plots.find_spec", lambda name: None if name == "resvg_py" else name)
    check_picture(tmp_path / "x.svg")
    with pytest.raises(
        RequestError, match=re.escape("plot: a .png needs resvg_py (pip install 'capsa-solver[plots]')")
    ):
        check_picture(tmp_path / "x.png")
    with pytest.raises(RequestError, match="cannot be written"):
        save_picture(tmp_path / "no" / "x.svg", answer("plain"))
