import base64
import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from solver.advice import best
from solver.cards import card_name
from solver.errors import RequestError
from solver.pages import check_page, fragment, page, save_page
from solver.pictures import advice_svg
from solver.reports.answers import render_advice
from solver.words import instead
from tests.answers import HOSTILE, KINDS, answer

VOID = {"meta", "br"}
EMPTY_IN_SVG = {"rect", "path", "line"}


class Reader(HTMLParser):
    """Reads a page, and refuses elements that do not nest."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(source)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(attrs) == len(dict(attrs)), f"an attribute stands twice in {tag}"
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in EMPTY_IN_SVG
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for found, attributes in self.found if found == tag]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("show", [page, fragment])
def test_every_kind_of_answer_is_a_page(kind: str, show: Callable[..., str]) -> None:
    advice = answer(kind)
    source = show(advice)
    assert source == show(advice)
    read = Reader(source)
    ids = [attributes["id"] for _, attributes in read.found if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert not re.search(r"https?:|url\(|@import|//[a-z]", source)
    assert not {"script", "link", "img", "iframe", "object", "a"} & {tag for tag, _ in read.found}
    assert not [name for _, attributes in read.found for name in attributes if name.startswith("on") or name == "style"]
    levels = [int(tag[1]) for tag, _ in read.found if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == (1 if show is page else 3) and all(b - a <= 1 for a, b in pairwise(levels))
    assert levels.count(levels[0]) == 1
    for drawing in read.all("svg"):
        assert (
            bool(drawing.get("aria-label")) == (drawing.get("role") == "img") != (drawing.get("aria-hidden") == "true")
        )
    assert len(read.all("details")) == len(read.all("summary")) == len(advice.alternatives)
    cards = [attributes["data-card"] for tag, attributes in read.found if tag == "g" and "data-card" in attributes]
    shown = advice.best.arrangement
    assert cards[:13] == [card_name(card) for card in shown.front + shown.middle + shown.back]
    shown_twice = 1 if advice.graded else 0
    assert len(cards) == 13 * (1 + shown_twice + len(advice.alternatives))
    assert not re.search(r"\bNone\b|\bnan\b", read.text)


def test_a_page_says_who_reads_it_how() -> None:
    source = page(answer("plain"))
    read = Reader(source)
    assert source.startswith("<!DOCTYPE html>\n") and read.all("html") == [{"lang": "en"}]
    metas = {meta.get("name") or meta.get("http-equiv") or "charset": meta for meta in read.all("meta")}
    assert metas["viewport"]["content"] == "width=device-width, initial-scale=1"
    assert metas["color-scheme"]["content"] == "light dark" and "prefers-color-scheme:dark" in source
    style = re.search(r"<style>(.*)</style>", source, re.DOTALL)
    assert style
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    policy = metas["Content-Security-Policy"]["content"]
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


@pytest.mark.parametrize("show", [page, fragment])
def test_what_comes_from_outside_is_text(show: Callable[..., str]) -> None:
    source = show(answer("hostile"))
    assert "<script" not in source and "<b>" not in source and "\x1b" not in source and "\u202e" not in source
    text = Reader(source).text
    assert text.count("</title><script>alert(1)</script>\" onload='x'") == text.count("</title>") == 4
    assert HOSTILE.rpartition(" ")[2] in text


def test_what_a_page_says() -> None:
    def text(kind: str) -> str:
        return Reader(page(answer(kind))).text

    plain = answer("plain")
    assert f"{plain.best.units:+.3f} ± {plain.best.stderr:.3f}".replace("-", "−") in text("plain")  # noqa: RUF001
    assert "Best by" in text("plain") and "1,000 deals, seed 0" in text("plain")
    assert "Wins the front more often (" in text("plain")
    assert "Declare your six pairs" in text("natural") and "Surrender would bring −" in text("natural")  # noqa: RUF001
    assert "your dragon" in text("dragon")
    assert "as the banker, in total against 3 opponents" in text("banker").lower()
    assert "against the banker" in text("bank's guest").lower()
    assert "As in the back" in text("kept") and "until it was interrupted" in text("interrupted")
    assert "Yours gives up 0." in text("graded") and "(yours)" in text("graded")
    assert "Yours is the best arrangement." in text("graded best")
    assert "beats the back (sevens and fives, two)" in text("foul")
    assert "beats or equals it in every row" in text("graded beaten")
    assert "3rd of 19 worth considering" in text("graded")
    assert "by the table alone" in text("quick") and "±" not in text("quick")


def test_what_is_advised_is_said_in_one_sentence_too() -> None:
    assert instead(answer("plain")) == ""
    assert instead(answer("natural")).startswith("Declare your six pairs: +")
    poor = answer("surrender")
    assert poor.surrender is not None
    given_up = replace(poor, surrender=replace(poor.surrender, advised=True))
    assert instead(given_up).startswith("Surrender: -") and "<h1" in page(given_up)


def test_notebooks_show_the_body() -> None:
    shown = answer("plain")._repr_html_()
    assert shown == fragment(answer("plain")) and "<h3" in shown and "<body" not in shown
    assert "background" not in shown


def test_pages_are_saved(tmp_path: Path) -> None:
    path = tmp_path / "answer.html"
    check_page(path)
    save_page(path, answer("hostile"))
    assert path.read_text(encoding="utf-8") == page(answer("hostile"))
    assert [entry.name for entry in tmp_path.iterdir()] == ["answer.html"]


def test_a_page_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    for path, said in ((tmp_path / "x.pdf", "ends in .html or .htm"), (tmp_path / "no" / "x.htm", "no such folder")):
        with pytest.raises(RequestError, match=said):
            check_page(path)
    with pytest.raises(RequestError, match="cannot be written"):
        save_page(tmp_path / "no" / "x.html", answer("plain"))


def test_royalties_are_said_to_stand_before_a_scoop_multiplies_them() -> None:
    found = best("2d 8s Qs 6h 4h 2h 8d 6s Ks 5c Qc As 3d", rules="mainland", deals=100, opponents="balanced")
    for shown in (page(found), advice_svg(found), render_advice(found)):
        assert "units net, before a scoop multiplies them" in " ".join(re.sub("<[^>]*>", " ", shown).split())
