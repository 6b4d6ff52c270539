"""People with a keyboard and a screen reader sign in to Examples/WebSignIn with Chromium."""
import re

import pytest
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from support.home import LOGIN, NEW_PASSWORD, PASSWORD
from support.totp import totp

pytest_plugins = "support.web"


class Keyboard:
    """A person with a keyboard and a screen reader, who knows of a page only what the reader says."""

    def __init__(self, browser, site):
        self.browser, self.driver = browser, browser.driver
        self.browser.open(site)
        self.press("Sign in")

    def type(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def arrives(self, title, focus=None):
        """Waits for a page; its title is its heading, and the reader begins at a control if there is one."""
        try:
            self.browser.wait(lambda: title in self.driver.title)
        except TimeoutException:
            raise AssertionError(f"“{title}” did not come, but {self.driver.title}") from None
        [heading] = [node["name"] for node in self.browser.accessible() if node["role"] == "heading"]
        name = self.driver.title.removesuffix(" – Demo app")
        assert name in [heading, f"Error: {heading}"], (self.driver.title, heading)
        if focus:
            assert focus in self.browser.focused()["name"], self.browser.focused()

    def hears(self, text):
        """A text of the page that contains another one."""
        texts = [node["name"] for node in self.browser.accessible() if node["role"] in ["StaticText", "image"]]
        found = [heard for heard in texts if text in heard]
        assert found, f"“{text}” is not among {texts}"
        return found[0]

    def reach(self, name):
        """Goes on with Tab to a control with a name."""
        for _ in range(25):
            node = self.browser.focused()
            if name in node["name"] and node["role"] != "RootWebArea":
                return node
            self.type(Keys.TAB)
        raise AssertionError(f"No control “{name}” was reached in:\n{self.browser.text}")

    def press(self, name):
        self.reach(name)
        self.enter()

    def enter(self, *keys):
        """Types, presses the Enter key, and waits for another page."""
        with self.browser.leaving_page():
            self.type(*keys, Keys.ENTER)

    def username(self):
        self.arrives("Sign in to Demo app", focus="Username")
        self.enter(LOGIN)
        self.arrives("Enter your password", focus="Password")

    def password(self):
        self.username()
        assert self.hears(LOGIN) == LOGIN
        self.enter(PASSWORD)


@pytest.fixture
def start_at(browser, start_demo):
    """Opens the page for a sign-in; returns the site, and a person at the keyboard."""
    def start(scenario):
        site = start_demo(scenario)
        return site, Keyboard(browser, site)
    return start


def test_google_authenticator_is_set_up(browser, start_at):
    _, person = start_at("enroll-google")
    person.password()
    person.arrives("Set up a second factor")
    person.press("Google Authenticator")
    # The steps come first, and the focus does not move past them.
    person.arrives("Google Authenticator")
    assert person.hears("QR code") == "QR code with the key"
    key = next(
        node["name"] for node in browser.accessible()
        if re.fullmatch(r"[A-Z2-7]{4}( [A-Z2-7]{1,4})+", node["name"]))
    person.reach("Code")
    person.enter("000000")
    person.arrives("Error: ", focus="Code")
    node = browser.focused()
    assert node["invalid"] == "true" and node["description"], node
    ActionChains(browser.driver).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).perform()
    person.enter(totp(key))
    person.arrives(f"Signed in as {LOGIN}")


def test_push_is_approved(start_at):
    site, person = start_at("push-number")
    person.password()
    person.arrives("Okta Verify")
    person.press("push")
    number = re.search(r"Choose (\d+)", person.hears("Choose"))[1]
    assert person.reach("Verify in another way")["role"] == "button"
    site.phone("approve", number=number)
    person.arrives(f"Signed in as {LOGIN}")


def test_password_is_reset(browser, start_at):
    site, person = start_at("recover")
    person.username()
    person.press("Reset your password")
    person.arrives("email", focus="Code")
    person.enter(site.sent_code())
    person.arrives("password", focus="password")
    assert "At least 8 characters" in browser.focused()["description"], browser.focused()
    person.type("abc")
    person.reach("Repeat")
    person.enter("abc")
    person.arrives("Error: ", focus="password")
    node = browser.focused()
    assert node["invalid"] == "true" and "rules" in node["description"], node
    for name in ["password", "Repeat"]:
        person.reach(name)
        person.type(NEW_PASSWORD)
    person.enter()
    person.arrives(f"Signed in as {LOGIN}")
