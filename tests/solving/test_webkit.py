"""The panel in WebKit, Safari's engine, with the real judge, by keys. CONTRIBUTING says what has to be installed."""

import glob
import os
import shutil

import pytest

from tests.solving.fake_judge import SOLVED, WRONG

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
ui = pytest.importorskip("selenium.webdriver.support.ui")
ENDLESS = "while True:\n    pass\n"
PATIENCE = 180  # seconds: on a busy machine WebKit takes half a minute for Python alone
PANEL = "[data-solves=SpaceTokenizer]"
TEXT = "return [...document.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\\n')"
# Keys would indent each line further; and WebDriver has no clipboard.
PASTE = """const clipboardData = new DataTransfer();
clipboardData.setData("text/plain", arguments[0]);
document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }))"""

SELENIUMS_OWN = "ignore:setting remote_server_addr:DeprecationWarning"
pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.filterwarnings(SELENIUMS_OWN)]


@pytest.fixture
def webkit():
    found = glob.glob("/usr/lib/*/webkit2gtk-4.*/MiniBrowser")
    if not found or not shutil.which("WebKitWebDriver"):
        pytest.skip("webkit2gtk-driver is not installed")
    if "DISPLAY" not in os.environ:
        pytest.skip("WebKit needs a display: xvfb-run pytest …")
    options = webdriver.WebKitGTKOptions()
    options.binary_location = found[0]
    options.add_argument("--automation")
    service = webdriver.WebKitGTKService(shutil.which("WebKitWebDriver"))
    with webdriver.WebKitGTK(options=options, service=service) as driver:
        yield driver


def press(webkit, *keys):
    """These together."""
    chain = webdriver.ActionChains(webkit)
    for key in keys:
        chain.key_down(key)
    for key in reversed(keys):
        chain.key_up(key)
    chain.perform()


def wait(webkit, holds):
    return ui.WebDriverWait(webkit, PATIENCE, 0.1).until(holds)


def run(webkit, source, says):
    """What the card says of this answer."""
    press(webkit, webdriver.Keys.CONTROL, "a")
    webkit.execute_script(PASTE, source)
    assert webkit.execute_script(TEXT) == source
    press(webkit, webdriver.Keys.SHIFT, webdriver.Keys.ENTER)
    wait(webkit, lambda _: says in webkit.find_element("css selector", f"{PANEL} [role=status]").text)
    return webkit.find_element("css selector", f"{PANEL} .solve-card").text


def test_an_exercise_is_solved(webkit, address):
    webkit.get(f"{address}/ch00_tokens.html")
    opener = wait(webkit, lambda _: webkit.find_element("css selector", f"{PANEL} button"))
    webkit.execute_script("arguments[0].focus()", opener)  # the driver does not wait for smooth scrolling to end
    press(webkit, webdriver.Keys.ENTER)
    wait(webkit, lambda _: webkit.find_elements("css selector", ".cm-focused"))
    press(webkit, "x")
    assert "        x\n" in webkit.execute_script(TEXT)  # in the place of what is to be written first
    assert "from where do you count?" in run(webkit, WRONG, "It does not pass yet")
    assert "never ends" in run(webkit, ENDLESS, "Your code does not run")
    assert "✔" in run(webkit, SOLVED, "It passes")
    webkit.refresh()
    wait(webkit, lambda _: webkit.find_elements("css selector", ".cm-content"))
    assert webkit.execute_script(TEXT) == SOLVED
