"""Every page of the site, as people read it: in both themes, at three widths, with all folds open.

With `--unproved` a page is left out that was whole before, with the same scripts and styles (tests/proving.py).
"""

import hashlib
from urllib.parse import urlparse

import pytest

from author.dependencies import digest
from tests.serving import serious
from utils.course import ROOT, stems

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PAGES = ["index", "START", "meet", *stems()]
WIDTHS = (390, 700, 1400)
THEMES = ["light", "dark"]
PAGE = "page {name} of the site in {theme}"
LOOKING = (ROOT / "tests" / "site" / "test_pages.py", ROOT / "tests" / "serving.py")


@pytest.fixture(scope="module")
def digests(site):
    """By the name of each proof, the digest of the page, of all that pages load and of what looks at them."""
    loaded = b"".join(path.read_bytes() for path in sorted((site / "_static").rglob("*")) if path.is_file())
    pages = {name: hashlib.sha256((site / f"{name}.html").read_bytes() + loaded).hexdigest() for name in PAGES}
    found = {name: digest((), LOOKING, [page]) for name, page in pages.items()}
    return {PAGE.format(name=name, theme=theme): found[name] for name in PAGES for theme in THEMES}


@pytest.mark.proves(PAGE)
@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("theme", THEMES)
def test_a_page_is_whole(browser, address, name, theme):
    context = browser.new_context(color_scheme=theme, reduced_motion="reduce")
    try:
        look_at(context.new_page(), f"{address}/{name}.html")
    finally:
        context.close()


def look_at(page, address):
    complaints, hosts = [], set()
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("response", lambda got: complaints.append(f"{got.status} {got.url}") if got.status >= 400 else None)
    page.on("request", lambda asked: hosts.add(urlparse(asked.url).netloc))
    page.goto(address)
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true })")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        beyond = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert beyond <= 0, f"{width} pixels: {beyond} too wide"
    assert page.locator(".cp[data-picture]:not([data-drawn])").count() == 0
    assert serious(page) == []
    assert complaints == [] and {host for host in hosts if host} == {urlparse(address).netloc}


@pytest.fixture(scope="module")
def links(browser, address):
    """The links of each page, as one reads from the first on: to the page before, to the next, and all of them."""
    page = browser.new_page()
    found, following = {}, [f"{address}/index.html"]
    while following and following[0] not in found:
        (here,) = following
        page.goto(here)
        previous, following, every = [
            page.evaluate(f"[...document.querySelectorAll('{one}')].map((link) => link.href)")
            for one in ("a.prev-page", "a.next-page", "a[href]")
        ]
        found[here] = (previous, following, set(every))
    page.close()
    return found


def test_every_link_leads_somewhere(site, links, address):
    missing = []
    for page, (_, _, every) in links.items():
        for link in [link for link in every if link.startswith(address)]:
            path, _, anchor = link.removeprefix(f"{address}/").partition("#")
            file = site / (path or "index.html")
            if not file.is_file() or (anchor and f'id="{anchor}"' not in file.read_text(encoding="utf-8")):
                missing.append((page, link))
    assert missing == []


def test_each_page_leads_to_the_next_and_back(links, address):
    pages = [f"{address}/{name}.html" for name in PAGES]
    assert list(links) == pages
    assert [previous for previous, _, _ in links.values()] == [[], *([page] for page in pages[:-1])]
    assert [following for _, following, _ in links.values()] == [*([page] for page in pages[1:]), []]


def test_figures_follow_the_theme_that_a_reader_chooses(browser, address):
    context = browser.new_context(color_scheme="light")
    page = context.new_page()
    page.goto(f"{address}/ch04_attention.html")
    ink = "getComputedStyle(document.querySelector('.cf')).color"
    told = [page.evaluate("document.body.dataset.jpThemeLight")]
    inks = [page.evaluate(ink)]
    for _ in range(2):  # from the system's to the other, and on to the next
        page.locator("button.theme-toggle:visible").first.click()
        page.wait_for_timeout(50)
        told.append(page.evaluate("document.body.dataset.jpThemeLight"))
        inks.append(page.evaluate(ink))
    context.close()
    assert told[0] == "true" and "false" in told
    assert len(set(inks)) == 2


def test_search_finds(browser, address):
    page = browser.new_page()
    page.goto(f"{address}/search.html?q=layernorm")
    page.locator("#search-results a").first.wait_for()
    assert any("ch03_layernorm" in link.get_attribute("href") for link in page.locator("#search-results a").all())
    page.close()


def test_the_model_tells_a_story(browser, address):
    """Its first token after a given text is the reference model's."""
    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"{address}/index.html")
    beginning = "Once upon a time there was a king who had three"
    page.get_by_label("How it begins").fill(beginning)
    page.get_by_label("How it begins").press("Enter")
    page.get_by_label("Temperature").fill("0")
    page.get_by_role("button", name="Draw one token").click()
    told = page.locator(".cp-story-text")
    told.get_by_text("sons").wait_for()
    assert told.inner_text().startswith(f"{beginning} sons")
    context.close()


def test_the_model_writes_by_itself_until_it_is_stopped(browser, address):
    page = browser.new_page()
    page.goto(f"{address}/index.html")
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Write a story").wait_for()
    told = page.locator(".cp-story-text")
    written = told.inner_text()
    page.wait_for_timeout(500)
    assert told.inner_text() == written
    page.close()


def test_nothing_large_is_fetched_where_data_is_to_be_saved(browser, address):
    context = browser.new_context()
    context.add_init_script("Object.defineProperty(navigator, 'connection', { value: { saveData: true } })")
    page = context.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{address}/index.html", wait_until="networkidle")
    assert not any("safetensors" in url for url in asked)
    page.get_by_role("button", name="Fetch the model").click()
    page.get_by_role("button", name="Draw one token").wait_for()
    context.close()


def test_a_model_that_does_not_come_is_said(browser, address):
    page = browser.new_page()
    page.route("**/model.safetensors", lambda route: route.abort())
    page.goto(f"{address}/index.html")
    page.get_by_text("Reload the page to try again").wait_for()
    page.close()
