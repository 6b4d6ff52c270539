"""What pages of Examples/WebSignIn show in Chromium: problems, messages and styles, and nothing that keeps people out.

The screenshots are in .build/web-screenshots.
"""
import os
import subprocess

import pytest

from support import build
from support.home import LOGIN, PASSWORD
from support.listener import listening
from support.site import EXAMPLE
from support.totp import totp

pytest_plugins = "support.web"
pytestmark = pytest.mark.slow


# MARK: Problems and messages

def test_problem_belongs_to_its_field(browser, start_demo):
    """The title and the field with the focus say what is wrong, also after the page is loaded again."""
    def has_problem(label, title):
        for _ in range(2):
            browser.has_no_barriers()
            field = browser.focused()
            assert label in field["name"] and field["invalid"] == "true", field
            assert field["description"] == browser.find(".problem").text != "", field
            assert browser.driver.title.startswith("Error: ") and title in browser.driver.title, browser.driver.title
            browser.driver.refresh()

    browser.start(start_demo("google"))
    assert browser.focused()["name"] == "Username", browser.focused()
    assert browser.driver.title == "Sign in to Demo app – Demo app", browser.driver.title
    browser.password("a guess")
    has_problem("Password", "Enter your password")
    browser.enter(passcode=PASSWORD)
    assert "Error" not in browser.driver.title, browser.driver.title
    assert not [node for node in browser.accessible() if node.get("invalid") == "true"], browser.accessible()
    code = browser.find("[name$=passcode]")
    found = [code.get_attribute(name) for name in ["inputmode", "autocomplete"]]
    assert found == ["numeric", "one-time-code"], found
    browser.enter(passcode="000000")
    has_problem("Code", "Google Authenticator")


def test_problem_belongs_to_its_choice(browser, start_demo):
    browser.start(start_demo("enroll-phone-two-steps"))
    browser.password()
    browser.choose("Phone")
    # Somebody whose browser does not insist on an answer.
    browser.driver.execute_script("document.getElementById('sign-in').noValidate = true")
    browser.press()
    browser.shot("nothing-chosen")
    group = next(node for node in browser.accessible() if node["role"] == "radiogroup")
    assert group["invalid"] == "true" and group["description"] == browser.find(".problem").text, group
    assert browser.focused()["role"] == "radio", browser.focused()


def stays(browser, text):
    """What a page says once is still there when it is loaded again."""
    for load in [browser.driver.refresh, lambda: browser.driver.get(browser.driver.current_url)]:
        assert text in browser.text, browser.text
        load()
    assert text in browser.text, browser.text


def test_message_survives_a_reload(browser, start_demo):
    """Also when the person goes back to the page."""
    site = start_demo("email")
    browser.start(site)
    browser.password()
    browser.press("again")
    browser.shot("sent-again")
    stays(browser, "Sent again.")
    browser.driver.get(site.address + "/nothing-here")
    browser.driver.back()
    assert "Sent again." in browser.text, browser.text
    browser.enter(passcode="1")
    stays(browser, browser.find(".problem").text)


def test_end_survives_a_reload(browser, start_demo):
    browser.start(start_demo("denied-final"))
    browser.password()
    browser.shot("end")
    stays(browser, browser.find(".message").text)
    browser.press()
    browser.shows("Username")


# MARK: Scripts and styles

def test_controls_of_the_script(browser, start_demo):
    """A password can be shown while it is typed, and the key of an authenticator app can be copied."""
    browser.start(start_demo("enroll-google"))
    browser.enter(identifier=LOGIN)
    field, button = browser.find("input[type=password]"), browser.find("button.small")
    field.send_keys(PASSWORD)
    for kind, pressed in [("text", "true"), ("password", "false"), ("text", "true")]:
        button.click()
        assert field.get_attribute("type") == kind and button.get_attribute("aria-pressed") == pressed
    browser.shot("shown-password")
    [toggle] = [node for node in browser.accessible() if "Show" in node["name"] and node["role"] == "button"]
    assert toggle["name"] == "Show what is typed: Password" and toggle["pressed"] == "true", toggle
    browser.press()
    browser.choose("Google Authenticator")
    browser.driver.execute_cdp_cmd("Browser.grantPermissions", {
        "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    next(button for button in browser.all("button.small") if button.text == "Copy").click()
    browser.shows("Copied.")
    browser.has_no_barriers()
    key = browser.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
    assert key == browser.find(".key").text.replace(" ", ""), key
    browser.enter(passcode=totp(key))
    browser.is_signed_in()


def test_push_without_javascript(open_browser, start_demo):
    """A push is waited for and approved."""
    browser, site = open_browser(has_script=False), start_demo("push-number")
    browser.start(site)
    browser.password()
    assert not browser.all("button.small"), browser.text
    browser.choose("push")
    number = browser.find(".number").text
    browser.save_screenshot("push-without-javascript")
    assert browser.find("button.main").text == "Continue", browser.text
    site.phone("approve", number=number)
    # The page is loaded again by itself, which signs nobody in.
    browser.shows("Continue the sign-in", 20)
    browser.press()
    browser.is_signed_in()


def test_passkey_without_javascript(open_browser, start_demo):
    """The page offers no button that does nothing."""
    browser = open_browser(has_script=False)
    browser.start(start_demo("passkey"))
    browser.password()
    browser.save_screenshot("passkey-without-javascript")
    browser.shows("Passkeys need JavaScript.")
    buttons = [button.text for button in browser.all("button") if button.is_displayed()]
    assert buttons and browser.find("button.main").text not in buttons, buttons
    browser.press("Not you?")
    browser.shows("Username")


def test_style_of_the_site(browser, start_demo):
    """A name, a logo from another address and a colour, which the pages' security policy lets in."""
    logo = b'<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40"><rect width="120" height="40"/></svg>'
    with listening(lambda _: (200, {"Content-Type": "image/svg+xml"}, logo)) as server:
        address = server.address + "/logo.svg"
        browser.start(start_demo("password", "--name", "Shop", "--logo", address, "--accent", "#7a1fa2,#d9a8f5"))
        assert browser.driver.title == "Sign in to Demo app – Shop", browser.driver.title
        browser.shot("style-of-the-site")
        width = browser.driver.execute_script("return document.querySelector('.brand img').naturalWidth")
        colour = browser.find("button.main").value_of_css_property("background-color")
        assert width == 120 and "122, 31, 162" in colour, (width, colour)
        browser.password()
        browser.is_signed_in()


# MARK: Phones

@pytest.fixture
def phone(open_browser):
    return open_browser(phone_size=True)


def test_choice_on_a_phone(phone, start_demo):
    phone.start(start_demo("choose-factor"))
    phone.shot("phone-identify")
    phone.password()
    phone.is_light()
    phone.shot("phone-choose")
    width = phone.driver.execute_script("return document.documentElement.scrollWidth")
    assert width <= 390, f"The page is {width} pixels wide."
    phone.choose("Okta Verify")
    phone.shot("phone-method")


@pytest.mark.parametrize("scenario, choice", [("enroll-google", "Google Authenticator"), ("push-number", "push")])
def test_page_with_a_picture_on_a_phone(phone, start_demo, scenario, choice):
    phone.start(start_demo(scenario))
    phone.password()
    phone.choose(choice)
    phone.shot(f"phone-{scenario}")


# MARK: The tests in Swift

@pytest.fixture(scope="module")
def site_tests(site_program, example):
    """Builds the tests of the package, also with --release."""
    example("WebSignIn", "--build-tests")


def run_tests(*options, **variables):
    """Runs the tests of the package, and returns what they print."""
    done = build.swift(
        "test", EXAMPLE, "--skip-build", *options, env={**os.environ, **variables}, check=False, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, "\n".join(
        line for line in done.stdout.splitlines() if "✘" in line or "↳" in line or "error" in line)
    return done.stdout


def test_site_passes_its_tests_in_swift(site_tests, start_redis):
    """Also those of the store in Redis, which is the second one."""
    assert "index → 1" in run_tests(IDX_REDIS_PORT=str(start_redis().port))


def test_no_barriers_on_any_page(browser, site_tests, tmp_path):
    """axe looks at each kind of page that the tests reach in all scenarios, also with problems."""
    static = build.ROOT / "Sources/FrontEnds/IDXPages/Static"

    def respond(exchange):
        name = exchange.address.rsplit("/", 1)[1]
        file = next((path for path in [tmp_path / name, static / name] if path.is_file()), None)
        kind = {"css": "text/css", "js": "text/javascript"}.get(name.rsplit(".", 1)[-1], "text/html; charset=utf-8")
        # A script that asks for news gets none. The page must stay.
        return 200 if file else 503, {"Content-Type": kind}, (
            file.read_bytes().replace(b" data-start", b"") if file else b"")

    run_tests("--filter", "ScenarioTests", IDX_WEB_PAGES=str(tmp_path))
    pages, found, problems = sorted(tmp_path.glob("*.html")), [], 0
    with listening(respond) as server:
        for page in pages:
            browser.driver.get(f"{server.address}/{page.name}")
            problems += "Error: " in browser.driver.title
            try:
                browser.has_no_barriers()
            except AssertionError as error:
                found.append(str(error))
    assert not found, "\n".join(found)
    assert len(pages) > 50 and problems > 20, (len(pages), problems)
