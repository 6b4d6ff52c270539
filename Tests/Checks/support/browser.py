"""Chromium, as a person uses it. axe looks for mistakes that keep out people with disabilities."""
import contextlib
import re

from selenium import webdriver
from selenium.common.exceptions import TimeoutException, WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from . import environment
from .home import LOGIN, PASSWORD

SHOTS = environment.ROOT / ".build/web-screenshots"
# The script of axe, in the folder of the Python environment.
AXE = "lib/python*/site-packages/axe_playwright_python/axe.min.js"


class Browser:
    def __init__(self, phone_size=False, accepts_all_certificates=False, has_script=True):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        size = "390,844" if phone_size else "1000,900"
        for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", f"--window-size={size}"]:
            options.add_argument(argument)
        if phone_size:
            options.add_experimental_option("mobileEmulation", {
                "deviceMetrics": {"width": 390, "height": 844, "pixelRatio": 2.0, "mobile": True}})
        if not has_script:
            options.add_experimental_option(
                "prefs", {"profile.managed_default_content_settings.javascript": 2})
        options.accept_insecure_certs = accepts_all_certificates
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(
            options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))

    # MARK: What a person does

    def open(self, site):
        """Opens a site without cookies."""
        self.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
        self.driver.get(site.address)

    def start(self, site):
        """Begins a sign-in without cookies."""
        self.open(site)
        self.press("Sign in")

    def fill(self, **fields):
        """Types into inputs, by the ends of their names with dots as underscores."""
        for name, value in fields.items():
            element = next(
                element for element in self.all("input:not([type=hidden])")
                if element.is_displayed()
                and re.sub(r"\W", "_", element.get_attribute("name")).endswith(name))
            element.clear()
            element.send_keys(value)

    def enter(self, **fields):
        """Types into inputs, and presses the main button."""
        self.fill(**fields)
        self.press()

    def password(self, password=PASSWORD, login=LOGIN):
        """Enters the username and the password, on one page or on two."""
        self.fill(identifier=login)
        if not self.all("input[type=password]"):
            self.press()
        self.enter(passcode=password)

    def press(self, text=None, buttons=None):
        """Presses the main button, or one with a label; waits until another page is shown."""
        buttons = buttons or self.all("button, a.button" if text else "button.main, a.main")
        button = next(b for b in buttons or self.all("button") if b.is_displayed() and (text or "") in b.text)
        with self.leaving_page():
            button.click()

    def choose(self, text):
        """Presses the row of a choice, which leads to another page, or chooses a box, by a part of its label."""
        rows = [row for row in self.all("button.row") if text in row.text]
        if rows:
            return self.press(text, rows)
        next(label for label in self.all("label.row")
             if label.is_displayed() and text in label.text).click()

    def wait(self, found, seconds=15):
        """Waits until a function finds something."""
        wait = WebDriverWait(self.driver, seconds, poll_frequency=0.1, ignored_exceptions=[WebDriverException])
        return wait.until(lambda _: found())

    @contextlib.contextmanager
    def leaving_page(self):
        """Waits until another page is shown after what is done."""
        page = self.find("html")

        def is_gone():
            try:
                page.tag_name
                return False
            except WebDriverException:
                return True
        yield
        self.wait(is_gone)

    # MARK: What the page has

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    @property
    def title(self):
        return self.find("h1").text

    @property
    def text(self):
        return self.find("main").text

    def hidden_fields(self):
        """The values of the form that nobody types."""
        return {field.get_attribute("name"): field.get_attribute("value")
                for field in self.all("input[type=hidden]")}

    def accessible(self):
        """What a screen reader gets of the page, in order: each with a role, a name, a description and properties."""
        self.driver.execute_cdp_cmd("Accessibility.enable", {})
        nodes = self.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        return [
            {key: node.get(key, {}).get("value", "") for key in ["role", "name", "description"]}
            | {found["name"]: found["value"].get("value") for found in node.get("properties", [])}
            for node in nodes if not node["ignored"]]

    def focused(self):
        """What a screen reader gets of the element with the focus."""
        return next(node for node in reversed(self.accessible()) if node.get("focused"))

    # MARK: What is expected of it

    def shows(self, text, seconds=15):
        """Waits until the page contains a text."""
        try:
            self.wait(lambda: text in self.text, seconds)
        except TimeoutException:
            raise AssertionError(f"“{text}” is missing in:\n{self.text}") from None

    def is_signed_in(self):
        self.shows(f"Signed in as {LOGIN}", 30)
        # What the browser says about scripts, styles and its security policy.
        errors = [entry["message"] for entry in self.driver.get_log("browser")
                      if "Content Security Policy" in entry["message"] or "Uncaught" in entry["message"]]
        assert not errors, errors

    def has_problem(self):
        assert self.all(".message.error, .problem"), self.text

    def has_no_barriers(self):
        """axe finds nothing on the page that keeps out people with disabilities."""
        [script] = environment.FOLDER.glob(AXE)
        self.driver.execute_script(script.read_text())
        found = self.driver.execute_async_script("""
            const done = arguments[0];
            axe.run().then((result) => done(result.violations.map((violation) =>
              `${violation.id}: ${violation.help}: ${violation.nodes.map((node) => node.html).join(" ")}`)));
        """)
        assert not found, "\n".join([self.driver.title, *found])

    def is_light(self):
        """The page has few bytes, in all without compression, and did not move while it was loaded."""
        weight, files, shift = self.driver.execute_async_script("""
          const done = arguments[0];
          const entries = ["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind))
            .filter((entry) => entry.name.startsWith("http") && entry.initiatorType != "fetch");
          let shift = 0;
          new PerformanceObserver((list) => { for (const entry of list.getEntries()) shift += entry.value; })
            .observe({ type: "layout-shift", buffered: true });
          setTimeout(() => done([
            entries.reduce((sum, entry) => sum + entry.decodedBodySize, 0), entries.length, shift]), 300);
        """)
        assert 1000 < weight <= 20_000 and files <= 4 and shift == 0, (weight, files, shift)

    # MARK: Pictures

    def shot(self, name):
        """Lets axe look at the page, and saves a screenshot."""
        self.has_no_barriers()
        return self.save_screenshot(name)

    def save_screenshot(self, name):
        """Saves a picture of the whole page; returns its path."""
        SHOTS.mkdir(parents=True, exist_ok=True)
        path = SHOTS / f"{name}.png"
        height = self.driver.execute_script("return document.documentElement.scrollHeight")
        size = self.driver.get_window_size()
        self.driver.set_window_size(size["width"], max(size["height"], height + 150))
        self.driver.save_screenshot(str(path))
        self.driver.set_window_size(size["width"], size["height"])
        return path
