"""An answer as a page: one HTML file that needs nothing else, for phones and desktops, in light and in dark.

It has no scripts, loads nothing and forbids itself to (by its content security policy). Notebooks show its body. What
it says comes from :mod:`solver.words`, its drawings from :mod:`solver.pictures`.
"""

import base64
import hashlib
import html
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from solver import words
from solver.arrangements import ROWS, Arrangement, arrangement_words
from solver.card_pictures import laid, small_rows
from solver.cards import format_cards
from solver.distributions import EVEN, LOST, PLOT_HEIGHT, PLOT_WIDTH, WON, Scale, histogram, units_mark
from solver.errors import RequestError, printable
from solver.files import check_writable, write_whole
from solver.pictures import chances_bar, outlook_words, rows_of, scale_of
from solver.svg import element, inline, with_minus

if TYPE_CHECKING:
    from solver.records import Advice, Candidate, Grade

_BODY_STYLE = """
.capsa{max-width:60rem;margin:0 auto;line-height:1.45}
.capsa *{box-sizing:border-box}
.capsa svg{display:block;max-width:100%;height:auto;overflow:visible}
.capsa p,.capsa h1,.capsa h2,.capsa h3,.capsa h4{margin:0 0 .5rem;overflow-wrap:anywhere}
.capsa .title{font-size:1.7rem;line-height:1.2;font-weight:700}
.capsa .part{font-size:1.2rem;line-height:1.3;font-weight:700;margin-top:2rem}
.capsa .answer{display:grid;gap:1.25rem 2rem;grid-template-columns:minmax(0,1fr);align-items:start}
.capsa .laid{width:100%;max-width:21.5rem}
.capsa .rows{display:grid;gap:.9rem}
.capsa .rows p{margin:0}
.capsa .hand{font-weight:700}
.capsa .bar{width:100%;height:.8rem;margin:.25rem 0;border-radius:2px}
.capsa .chances{display:flex;justify-content:space-between;font-variant-numeric:tabular-nums}
.capsa .units{font-size:1.5rem;font-weight:700;margin:1.25rem 0 .25rem}
.capsa .small{width:100%;max-width:24rem}
.capsa .plot{width:100%;max-width:30rem}
.capsa .legend{display:flex;flex-wrap:wrap;gap:.25rem 1.1rem;list-style:none;margin:0 0 .75rem;padding:0}
.capsa .legend li{display:flex;align-items:center;gap:.4rem;margin:0}
.capsa .legend svg{width:1rem;height:1rem}
.capsa details{border:1px solid #8a94a0;border-radius:8px;margin:0 0 .75rem}
.capsa summary{cursor:pointer;padding:.75rem;border-radius:8px;list-style:none;display:flex;flex-wrap:wrap;
align-items:center;gap:.5rem .75rem}
.capsa summary::-webkit-details-marker{display:none}
.capsa summary::before{content:"";border:.35rem solid transparent;border-left-color:currentColor;border-right-width:0}
.capsa details[open]>summary::before{transform:rotate(90deg)}
.capsa summary:focus-visible{outline:3px solid #2f7fc1;outline-offset:2px}
.capsa summary span{flex:1;min-width:12rem}
.capsa .inside{display:grid;gap:1rem 2rem;grid-template-columns:minmax(0,1fr);align-items:center}
.capsa details .inside{padding:.25rem .75rem .75rem}
.capsa .own{margin-bottom:.5rem}
.capsa dl{display:grid;grid-template-columns:minmax(6rem,max-content) minmax(0,1fr);gap:.25rem 1rem;margin:0}
.capsa dt{font-weight:700}
.capsa dd{margin:0;overflow-wrap:anywhere}
@media (min-width:44rem){
.capsa .answer{grid-template-columns:21.5rem minmax(0,1fr)}
.capsa .answer .rows{gap:0;align-content:space-between;height:100%}
.capsa .inside{grid-template-columns:minmax(0,1fr) minmax(0,1fr)}
.capsa .legend{flex-direction:column}
}
"""
_PAGE_STYLE = """
:root{color-scheme:light dark}
body{margin:0;padding:1.25rem 1rem 2.5rem;background:#ffffff;color:#1b2530;
font:1rem/1.45 system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif}
@media (prefers-color-scheme:dark){body{background:#14191f;color:#e6eaee}}
@media (min-width:44rem){body{padding:2rem}}
@media print{body{background:#ffffff;color:#000000}}
"""


def check_page(path: str | os.PathLike[str]) -> None:
    """Refuse a page that could not be written, before anything is computed for it.

    Raises
    ------
    RequestError
        If the file's ending is not of a page, or it cannot be written.
    """
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise RequestError(f"html: a file that ends in .html or .htm, got {os.fspath(path)!r}")
    check_writable(path, RequestError)


def save_page(path: str | os.PathLike[str], advice: "Advice", four_color: bool = False) -> None:
    """Write an answer as a page, in one step or not at all.

    Raises
    ------
    RequestError
        If it cannot be written.
    """
    write_whole(path, page(advice, four_color).encode(), RequestError)


def page(advice: "Advice", four_color: bool = False) -> str:
    """Return an answer as one HTML page that needs nothing else.

    Parameters
    ----------
    advice
        The answer.
    four_color
        Whether each suit has a colour of its own, with clubs green and diamonds blue, instead of two in red.
    """
    style = _PAGE_STYLE + _BODY_STYLE
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    title = f"{words.action(advice) or 'Best arrangement'}: {words.format_cards_of(advice.best.arrangement)}"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
        f"<title>{_said(title)} - capsa</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f'<main class="capsa">\n{_body(advice, 1, four_color)}\n</main>\n</body>\n</html>\n'
    )


def fragment(advice: "Advice", four_color: bool = False) -> str:
    """Return an answer as a part of another page, such as a notebook, whose font and colours it takes on."""
    return f'<style>{_BODY_STYLE}</style>\n<div class="capsa">\n{_body(advice, 3, four_color)}\n</div>'


def _said(sentence: str) -> str:
    """Return a sentence as HTML."""
    return html.escape(printable(with_minus(sentence)))


def _given(outside: str) -> str:
    """Return what comes from outside as HTML, as it was given but for what cannot be printed."""
    return html.escape(printable(outside))


def _paragraphs(sentences: Iterable[str]) -> str:
    return "\n".join(f"<p>{_said(sentence)}</p>" for sentence in sentences if sentence)


def _body(advice: "Advice", level: int, four_color: bool) -> str:
    """Return all that a page says, its title as a heading of ``level``."""
    do = words.action(advice)
    title = f'<h{level} class="title">{_said(do or "Best arrangement")}</h{level}>'
    part = f'<h{level + 1} class="part">', f"</h{level + 1}>"
    parts = [title, _paragraphs([words.worth(advice)])]
    if do:
        parts.append(f"{part[0]}If you play the rows{part[1]}")
    parts.append(_best(advice, four_color))
    scale = scale_of(advice)
    if advice.graded:
        parts += [f"{part[0]}Your arrangement{part[1]}", _own(advice, advice.graded, scale, four_color)]
    if advice.best.distribution:
        parts += [
            f"{part[0]}Units that one hand brings{part[1]}",
            f'<div class="inside">{_plot(advice.best, scale)}{_legend(scale)}</div>',
        ]
    if advice.alternatives:
        note = "Arrangements that are not beaten row by row, and the units that they give up. Open one to see where."
        parts += [f"{part[0]}Alternatives{part[1]}", _paragraphs([note])]
        parts += [_alternative(one, advice, scale, four_color) for one in advice.alternatives]
    parts += [f"{part[0]}What this rests on{part[1]}", _conditions(advice)]
    return "\n".join(filter(None, parts))


def _best(advice: "Advice", four_color: bool) -> str:
    """Return the best arrangement, its chances, and what is expected of it."""
    best = advice.best
    drawn = laid(rows_of(best.arrangement), four_color=four_color)
    cards = inline(*drawn, label=arrangement_words(best.arrangement).capitalize(), class_="laid")
    units = words.with_error(words.units_text(best.units), best.stderr)
    facts = f"{words.against(advice).capitalize()}. One hand varies by {best.sd:.2f} units (standard deviation)."
    facts += "".join(f" {said.capitalize()}." for said in words.fares(advice))
    said = _paragraphs([facts, words.certainty(advice), *words.declined(advice)])
    return f'<div class="answer">{cards}\n{_rows(best)}</div>\n<p class="units">{_said(units)}&nbsp;units</p>\n{said}'


def _rows(candidate: "Candidate") -> str:
    """Return the rows of an arrangement in words, and their chances."""
    parts = []
    for row in ROWS:
        look = candidate.rows[row]
        bar = inline(chances_bar(look, 100, 1), 100, 1, class_="bar", stretched=True)
        shares = (("win", look.win), ("tie", look.tie), ("lose", look.lose))
        chances = " ".join(f"<span>{word}&nbsp;{words.percent(share)}</span>" for word, share in shares)
        parts.append(
            f'<div><p>{row.capitalize()}: <span class="hand">{_said(look.hand)}</span></p>'
            f'{bar}<p class="chances">{chances}</p></div>'
        )
    return f'<div class="rows">{"".join(parts)}</div>'


def _small(arrangement: Arrangement, four_color: bool) -> str:
    """Return an arrangement's cards in one line."""
    label = arrangement_words(arrangement).capitalize()
    return inline(*small_rows(rows_of(arrangement), four_color), label=label, class_="small")


def _plot(candidate: "Candidate", scale: Scale, best: "Candidate | None" = None) -> str:
    """Return the histogram of an arrangement, with the outline of the best one where it is another."""
    if not candidate.distribution:
        return ""
    label = f"Histogram of the units of one hand: {outlook_words(candidate)}; expected {candidate.units:+.3f}"
    drawn = histogram(candidate.distribution, scale, candidate.units, best.distribution if best else ())
    plot = inline(drawn, PLOT_WIDTH, PLOT_HEIGHT, label=with_minus(label), class_="plot")
    said = outlook_words(candidate).capitalize() + (" (outline: the best)" if best else "")
    return f"<div><p>{_said(said)}</p>{plot}</div>"


def _compared(found: "Candidate", best: "Candidate", scale: Scale, said: str = "") -> str:
    """Return how an arrangement differs from the best."""
    return f'<div class="inside"><div>{said}{_rows(found)}</div>{_plot(found, scale, best)}</div>'


def _own(advice: "Advice", graded: "Grade", scale: Scale, four_color: bool) -> str:
    """Return what the player's own arrangement gives up, and where."""
    cards = f'<div class="own">{_small(graded.arrangement, four_color)}</div>'
    parts = [cards, _paragraphs(words.verdict(advice, graded))]
    found = graded.candidate
    if found is not None and found.arrangement != advice.best.arrangement:
        parts.append(_compared(found, advice.best, scale, _paragraphs([words.POINTS_NOTE])))
    return "\n".join(parts)


def _alternative(found: "Candidate", advice: "Advice", scale: Scale, four_color: bool) -> str:
    """Return an alternative that opens to show in which rows it differs."""
    own = advice.graded is not None and found.arrangement == advice.graded.arrangement
    cost = f"Gives up {words.given_up(found.behind or 0.0, found.behind_stderr)}{' (yours)' if own else ''}"
    summary = f"<summary><span>{_said(cost)}</span>{_small(found.arrangement, four_color)}</summary>"
    said = _paragraphs([words.differences(found, advice.best)])
    return f"<details>{summary}{_compared(found, advice.best, scale, said)}</details>"


def _legend(scale: Scale) -> str:
    """Return what the colours and marks of histograms mean."""
    box = [(element("rect", width=16, height=16, fill=fill), word) for fill, word in zip(
        (LOST, EVEN, WON), ("lost", "even", "won"), strict=True
    )]  # fmt: skip
    box.append((element("path", d="M8 2l7 12h-14z", fill="currentColor"), "expected"))
    items = [f"<li>{inline(drawn, 16, 16)}{word}</li>" for drawn, word in box]
    if not scale.exact:
        items.append(f"<li>bars of {units_mark(scale.step).lstrip('+')} units</li>")
    return f'<ul class="legend">{"".join(items)}</ul>'


def _conditions(advice: "Advice") -> str:
    """Return what the answer rests on, as a list of terms."""
    rules = advice.rules
    terms = [
        ("Hand", format_cards(advice.hand.cards)),
        ("Rules", f"{rules.name}: {rules.title}" if rules.title else rules.name),
        ("Changed", ", ".join(f"{key}={value}" for key, value in advice.overrides.items())),
        ("Players", f"{advice.players}"),
        ("Banker", {"me": "you", "other": "an opponent"}.get(advice.banker or "", "")),
        ("Ties", "tied rows count as the banker's" if rules.table.banker_wins_ties else ""),
        ("Opponents", advice.opponents),
        ("Kept", words.kept(advice)),
        ("Figures", words.rests_on(advice)),
        ("Compared", f"{advice.candidates:,} candidates of {advice.legal:,} legal arrangements"),
    ]
    return f"<dl>{''.join(f'<dt>{term}</dt><dd>{_given(said)}</dd>' for term, said in terms if said)}</dl>"
