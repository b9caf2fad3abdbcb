"""The page in headless Chromium, from disk: content, keyboard, filters, dark mode; no network, no complaints."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from trainlint.engine import check
from trainlint.report import Options, reporter
from trainlint.report.graph import writer

LAB = Path(__file__).parents[1] / "lab"
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
HOSTILE = "</script><img src=x onerror=alert(1)>"
GROUP = "group/vision/coordinator+workers"

pytestmark = [pytest.mark.needs("chromium", "chromedriver"), pytest.mark.xdist_group("browser")]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """One browser for all tests; what it fetches and what it complains about is written down."""
    options = webdriver.ChromeOptions()
    options.binary_location = next(filter(None, map(shutil.which, PROGRAMS)))
    profile = tmp_path_factory.mktemp("profile")
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        f"--user-data-dir={profile}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options, Service(shutil.which("chromedriver")))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The addresses of the pages: the failing lab, all its states, and one with hostile names."""
    patch = pytest.MonkeyPatch()
    home = tmp_path_factory.mktemp("pages")
    patch.setenv("GIT_CEILING_DIRECTORIES", str(home))
    found = {}
    for name, states in (("before", ("before",)), ("all", ("before", "after", "affinity")), ("hostile", ("before",))):
        root = home / name
        for part in ("cluster", *states):
            shutil.copytree(LAB / part, root / part)
        if name == "hostile":
            for file in root.rglob("*.yaml"):
                text = file.read_text(encoding="utf-8").replace(
                    "name: coordinator, namespace", f'name: "{HOSTILE}", namespace'
                )
                file.write_text(text.replace("name: inside-zone-a", f'name: "{HOSTILE}"'), encoding="utf-8")
        page = home / f"{name}.html"
        page.write_text(reporter("html")(check([root], graphs=True), Options()), encoding="utf-8")
        found[name] = page.as_uri()
    patch.undo()
    return found


def show(browser: webdriver.Chrome, address: str, *, width: int = 1300, dark: bool = False) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})
    browser.get("about:blank")
    browser.get(address)


def only(browser: webdriver.Chrome, selector: str) -> WebElement:
    (found,) = seen(browser, selector)
    return found


def seen(browser: webdriver.Chrome, selector: str) -> list[WebElement]:
    return [each for each in browser.find_elements(By.CSS_SELECTOR, selector) if each.is_displayed()]


def focused(browser: webdriver.Chrome) -> WebElement:
    return browser.switch_to.active_element


def press(browser: webdriver.Chrome, *keys: str) -> WebElement:
    for key in keys:
        focused(browser).send_keys(key)
    return focused(browser)


def name_of(element: WebElement) -> str:
    """What a screen reader would say."""
    return element.accessible_name


def logged(browser: webdriver.Chrome, log: str) -> list[dict[str, Any]]:
    """What a log has got since it was last asked for."""
    entries: list[dict[str, Any]] = browser.get_log(log)  # type: ignore[no-untyped-call]
    return entries


def requests(browser: webdriver.Chrome) -> list[str]:
    """What the pages asked for; what the browser itself asks for when it starts is not theirs."""
    messages = (json.loads(entry["message"])["message"] for entry in logged(browser, "performance"))
    sent = [each["params"] for each in messages if each["method"] == "Network.requestWillBeSent"]
    return [each["request"]["url"] for each in sent if each["documentURL"].startswith("file:")]


def style(browser: webdriver.Chrome, selector: str, name: str) -> str:
    script = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
    value: str = browser.execute_script(script, selector, name)
    return value


def test_the_page_shows_the_failure_and_asks_for_nothing_else(browser: webdriver.Chrome, pages: dict[str, str]) -> None:
    for log in ("browser", "performance"):
        logged(browser, log)
    for address in pages.values():
        show(browser, address)
        show(browser, address, width=390)
    assert set(requests(browser)) == set(pages.values())
    assert logged(browser, "browser") == []
    show(browser, pages["before"])
    assert "It can never run" in only(browser, ".headline").text
    assert [each.text[0] for each in seen(browser, ".why")] == ["1", "2", "3"]
    assert "zone-boundary.yaml:9,19" in only(browser, "svg.picture").text
    assert only(browser, ".across .arrow.bad").value_of_css_property("stroke-dasharray") != "none"


def test_hostile_names_run_nothing(browser: webdriver.Chrome, pages: dict[str, str]) -> None:
    logged(browser, "browser")
    show(browser, pages["hostile"])
    assert HOSTILE in only(browser, ".group").text
    assert browser.find_elements(By.TAG_NAME, "img") == []
    assert logged(browser, "browser") == []


def test_the_keyboard_alone_leads_from_the_table_to_the_line_and_back(
    browser: webdriver.Chrome, pages: dict[str, str]
) -> None:
    show(browser, pages["all"])
    assert name_of(press(browser, Keys.TAB)) == "Skip to the content"
    while focused(browser).get_dom_attribute("class") != "open":
        press(browser, Keys.TAB)
    first = focused(browser)
    assert first.get_dom_attribute("href") == f"#{GROUP}/affinity"
    assert press(browser, Keys.ARROW_DOWN).get_dom_attribute("href") == f"#{GROUP}/before"
    press(browser, Keys.ENTER)
    assert only(browser, ".group").get_dom_attribute("id") == f"{GROUP}/before"
    while focused(browser).get_dom_attribute("class") != "item":
        press(browser, Keys.TAB)
    for _ in range(20):
        if "workers → coordinator" in name_of(focused(browser)):
            break
        press(browser, Keys.ARROW_RIGHT)
    arrow = focused(browser)
    assert name_of(arrow) == "3: workers → coordinator, TCP 9999: denied"
    note = press(browser, Keys.ENTER)
    assert "why" in (note.get_dom_attribute("class") or "")
    assert "cluster/zone-boundary.yaml:9" in note.text
    assert "set the label net-zone: zone-a" in note.text
    assert press(browser, Keys.ESCAPE) == arrow
    assert press(browser, Keys.ESCAPE).get_dom_attribute("href") == f"#{GROUP}/before"


def test_a_click_shows_the_reason_of_what_is_permitted_too(browser: webdriver.Chrome, pages: dict[str, str]) -> None:
    show(browser, pages["before"])
    assert len(seen(browser, ".why")) == 3
    permitted = next(each for each in seen(browser, "svg .item") if "workers → workers" in name_of(each))
    browser.execute_script("arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))", permitted)
    browser.execute_async_script("requestAnimationFrame(() => setTimeout(arguments[0]))")
    note = only(browser, ".why.shown")
    assert "Egress is allowed by CiliumNetworkPolicy vision/inside-zone-a" in note.text
    assert focused(browser) == note
    press(browser, Keys.ESCAPE)
    assert len(seen(browser, ".why")) == 3


def test_filters_leave_what_was_asked_for_and_say_how_much(browser: webdriver.Chrome, pages: dict[str, str]) -> None:
    show(browser, pages["all"])
    number = len(seen(browser, ".finding"))
    form = only(browser, "#finding-filters")
    assert form.find_element(By.NAME, "count").text == f"{number} of {number} shown"
    form.find_element(By.CSS_SELECTOR, "[value=error]").click()
    assert {each.get_dom_attribute("data-severity") for each in seen(browser, ".finding")} == {"warning"}
    form.find_element(By.CSS_SELECTOR, "button").click()
    for name, value in (("category", "policy"), ("snapshot", "after"), ("group", f"{GROUP}/before")):
        browser.execute_script(
            "const s = arguments[0].elements[arguments[1]]; s.value = arguments[2];"
            "s.dispatchEvent(new Event('input', {bubbles: true}))",
            form,
            name,
            value,
        )
        found = [each.get_dom_attribute(f"data-{name}") for each in seen(browser, ".finding")]
        assert found
        assert set(found) == {value}
        form.find_element(By.CSS_SELECTOR, "button").click()
    form.find_element(By.NAME, "text").send_keys("flow-denied 9999")
    assert only(browser, ".finding").text.startswith("✕ error flow-denied")
    assert form.find_element(By.NAME, "count").text == f"1 of {number} shown"
    groups = only(browser, "#group-filters")
    groups.find_element(By.CSS_SELECTOR, "[value=refuted]").click()
    assert [each.text.split()[0] for each in seen(browser, "#group-table tbody tr")] == ["vision/coordinator+workers"]
    assert groups.find_element(By.NAME, "count").text == "1 of 3 shown"


def test_an_address_opens_what_it_names_whatever_hides_it(browser: webdriver.Chrome, pages: dict[str, str]) -> None:
    show(browser, f"{pages['all']}#{GROUP}/after")
    assert only(browser, ".group").get_dom_attribute("id") == f"{GROUP}/after"
    finding = browser.find_elements(By.CSS_SELECTOR, ".finding")[0].get_dom_attribute("id")
    only(browser, "#finding-filters").find_element(By.NAME, "text").send_keys("nothing has this")
    assert not seen(browser, ".finding")
    browser.execute_script("location.hash = arguments[0]", finding)
    browser.execute_async_script("requestAnimationFrame(() => setTimeout(arguments[0]))")
    assert focused(browser).get_dom_attribute("id") == finding


def test_narrow_screens_see_the_zones_below_each_other(browser: webdriver.Chrome, pages: dict[str, str]) -> None:
    show(browser, pages["before"], width=390)
    picture = only(browser, "svg.picture")
    assert "down" in (picture.get_dom_attribute("class") or "")
    assert picture.size["width"] <= 390
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 390
    show(browser, pages["before"])
    assert "across" in (only(browser, "svg.picture").get_dom_attribute("class") or "")


TEXTS = """
const channel = (value) => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
const light = (color) => {
  const [r, g, b] = color.match(/[0-9.]+/g).map((each) => channel(each / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const page = getComputedStyle(document.body).backgroundColor;
const back = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const color = getComputedStyle(at).backgroundColor;
    if (!/, 0\\)$/.test(color) && color !== "transparent") return color;
  }
  return page;
};
const found = [];
for (const element of document.querySelectorAll("body *")) {
  const own = Array.from(element.childNodes).some((node) => node.nodeType === 3 && node.data.trim());
  if (!own || !element.getClientRects().length) continue;
  const css = getComputedStyle(element);
  const svg = element instanceof SVGElement;
  if (svg && element.tagName !== "text") continue;
  let shape = svg ? element.previousElementSibling : null;
  while (shape && (!/^(rect|circle)$/.test(shape.tagName) || shape.classList.contains("hit"))) {
    shape = shape.previousElementSibling;
  }
  const fill = shape ? getComputedStyle(shape).fill : "none";
  const under = fill.startsWith("rgb(") ? fill : back(element);
  const colors = [light(svg ? css.fill : css.color), light(under)].sort((a, b) => b - a);
  const ratio = (colors[0] + 0.05) / (colors[1] + 0.05);
  if (ratio < 4.5) found.push([element.getAttribute("class"), element.textContent.slice(0, 40), ratio]);
}
return found;
"""


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_has_the_contrast_that_accessibility_asks_for(
    browser: webdriver.Chrome, pages: dict[str, str], dark: bool
) -> None:
    show(browser, pages["all"], dark=dark)
    background = style(browser, "body", "backgroundColor")
    assert background == ("rgb(13, 17, 23)" if dark else "rgb(255, 255, 255)")
    # WCAG 2.1, 1.4.3: at least 4.5 to 1.
    faint: list[Any] = browser.execute_script(TEXTS)
    assert faint == []


def test_a_picture_that_stands_alone_is_shown(browser: webdriver.Chrome, tmp_path: Path, pages: dict[str, str]) -> None:
    root = Path(pages["before"].removeprefix("file://")).parent / "before"
    text = writer("svg")(check([root], graphs=True).graphs, Options())
    (tmp_path / "graph.svg").write_text(text, encoding="utf-8")
    logged(browser, "browser")
    show(browser, (tmp_path / "graph.svg").as_uri())
    box = browser.execute_script("const b = document.documentElement.getBBox(); return [b.x, b.y, b.width, b.height]")
    size = browser.execute_script("return ['width', 'height'].map((n) => document.documentElement[n].baseVal.value)")
    assert box[0] >= 0
    assert box[0] + box[2] <= size[0]
    assert box[1] + box[3] <= size[1]
    assert logged(browser, "browser") == []
