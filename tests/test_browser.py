"""Pages in a real browser: Chromium without a window, where it and selenium are installed."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from solver.pages import save_page
from tests.answers import answer

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="Chromium or chromedriver is not installed")

SIZES = {"phone": (360, 740), "desktop": (1280, 900)}
SCHEMES = ("light", "dark")
ARGUMENTS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)

# Text against the nearest background that is not transparent; a card is paper of its own.
CONTRASTS = """
const luminance = color => {
  const [r, g, b] = color.match(/[\\d.]+/g).slice(0, 3).map(Number).map(
    c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const opaque = color => !/^rgba\\(.*, 0\\)$/.test(color) && color !== 'transparent';
const behind = node => {
  const card = node.closest('[data-card]');
  if (card) return getComputedStyle(card.querySelector('rect')).fill;
  for (let at = node; at; at = at.parentElement) {
    const color = getComputedStyle(at).backgroundColor;
    if (opaque(color)) return color;
  }
  return 'none';
};
const found = [];
for (const node of document.querySelectorAll('body *')) {
  if (node.tagName === 'STYLE') continue;
  const said = [...node.childNodes].filter(n => n.nodeType === 3).map(n => n.data).join('').trim();
  if (!said) continue;
  const style = getComputedStyle(node);
  const ink = node instanceof SVGElement ? style.fill : style.color;
  const [a, b] = [luminance(ink), luminance(behind(node))].sort((x, y) => y - x);
  let opacity = 1;
  for (let at = node; at; at = at.parentElement) opacity *= getComputedStyle(at).opacity;
  found.push([said, opacity === 1 ? (a + 0.05) / (b + 0.05) : 0]);
}
return found;
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in (*ARGUMENTS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(executable_path=DRIVER))
    yield started
    started.quit()


def show(browser: Any, path: Path, size: str, scheme: str) -> None:
    """Open a page on a screen of a size, in a colour scheme."""
    width, height = SIZES[size]
    screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == "phone"}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.get(path.as_uri())


@pytest.fixture(scope="module", params=["graded", "natural", "foul", "many", "hostile"])
def saved(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "answer.html"
    save_page(path, answer(request.param), four_color=request.param == "graded")
    return path


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("size", SIZES)
def test_a_page_fits_and_can_be_read(browser: Any, saved: Path, size: str, scheme: str) -> None:
    browser.get_log("performance")
    show(browser, saved, size, scheme)
    for opened in (False, True):
        browser.execute_script(f"document.querySelectorAll('details').forEach(one => one.open = {str(opened).lower()})")
        needs, has = browser.execute_script("const d = document.documentElement; return [d.scrollWidth, d.clientWidth]")
        assert needs <= has <= SIZES[size][0]
    poor = [(words, ratio) for words, ratio in browser.execute_script(CONTRASTS) if ratio < 4.5]
    assert not poor
    dark = browser.execute_script("return getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    assert dark == (scheme == "dark")
    assert browser.get_log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [event["params"] for event in events if event["method"] == "Network.requestWillBeSent"]
    assert [one["request"]["url"] for one in asked if one["documentURL"] == saved.as_uri()] == [saved.as_uri()]


def test_a_page_has_headings_and_pictures_in_words(browser: Any, saved: Path) -> None:
    show(browser, saved, "phone", "light")
    nodes = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    roles = [
        (node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if not node.get("ignored")
    ]
    headings = [name for role, name in roles if role == "heading"]
    assert len(headings) >= 4 and all(headings)
    pictures = [name for role, name in roles if role in ("image", "img")]
    assert len(pictures) >= 2 and all(pictures) and pictures[0].startswith("Front: ")


def test_alternatives_open_by_the_keyboard(browser: Any, saved: Path) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    show(browser, saved, "desktop", "light")
    count = browser.execute_script("return document.querySelectorAll('summary').length")
    assert count
    for place in range(min(count, 6)):
        ActionChains(browser).send_keys(Keys.TAB).perform()
        at, outline = browser.execute_script(
            "const at = document.activeElement;"
            "return [[...document.querySelectorAll('summary')].indexOf(at), getComputedStyle(at).outlineWidth]"
        )
        assert (at, outline) == (place, "3px")
        ActionChains(browser).send_keys(Keys.ENTER).perform()
        assert browser.execute_script(f"return document.querySelectorAll('details')[{place}].open")
