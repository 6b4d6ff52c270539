"""People go back, start over and use two browsers while they sign in to Examples/WebSignIn. Others forge its forms."""
import pytest
import requests

from support.home import LOGIN, PASSWORD

pytest_plugins = "support.web"
OTHER = "eve@example.com"


def test_start_over(browser, start_demo):
    site = start_demo("google")
    browser.start(site)
    browser.password()
    browser.press("Not you?")
    browser.shows("Username")
    browser.password()
    browser.enter(passcode=site.app_code())
    browser.is_signed_in()


def test_cancel(browser, start_demo):
    browser.start(start_demo("google"))
    browser.fill(identifier=LOGIN)
    assert "Cancel" not in browser.text and "Start over" not in browser.text, browser.text
    browser.press()
    assert "Start over" not in browser.text, browser.text
    browser.press("Cancel")
    browser.shows("Welcome")


def test_back_button(browser, start_demo):
    site = start_demo("google")
    browser.start(site)
    browser.password()
    browser.driver.back()
    # The browser may show its copy of the old page, whose form is not sent.
    if browser.all("input[type=password]"):
        browser.enter(passcode=PASSWORD)
        browser.shows("This page was old")
    browser.enter(passcode=site.app_code())
    browser.is_signed_in()


@pytest.mark.parametrize("way", ["back-button", "link"])
def test_corrected_username(browser, start_demo, way):
    """The password goes to the person whose name is on the page, also after the Back button of the browser."""
    browser.start(start_demo("password"))
    browser.enter(identifier="adda@example.com")
    browser.shot("who-is-signing-in")
    assert "adda@example.com" in browser.find(".person").text, browser.text
    hidden = browser.find("[autocomplete=username]")
    assert hidden.get_attribute("value") == "adda@example.com" and not hidden.is_displayed()
    if way == "back-button":
        browser.driver.back()
    if not browser.all("input[name$=identifier]"):
        browser.press("Not you?")
    browser.password()
    browser.is_signed_in()


def test_two_browsers(open_browser, start_demo):
    site = start_demo("google")
    browser, other = open_browser(), open_browser()
    browser.start(site)
    other.start(site)
    browser.password()
    other.fill(identifier=LOGIN)
    browser.fill(passcode=site.app_code())
    other.shows("Username")
    browser.press()
    browser.is_signed_in()
    other.password("a guess")
    other.has_problem()


def test_old_page_posted_again(browser, start_demo):
    """The form of the first page, from the history of the browser, for the same person and for another one."""
    def post(old, login):
        with browser.leaving_page():
            browser.driver.execute_script("""
              const form = document.createElement("form");
              form.method = "post";
              form.action = "/sign-in";
              for (const [name, value] of Object.entries(arguments[0])) {
                const input = document.createElement("input");
                Object.assign(input, {type: "hidden", name, value});
                form.append(input);
              }
              document.body.append(form);
              form.submit();
            """, {**old, "/identifier": login})

    site = start_demo("google")
    browser.start(site)
    old = browser.hidden_fields()
    browser.password()
    title, before = browser.title, site.phone()
    post(old, LOGIN)
    browser.shot("old-page")
    assert browser.title == title and site.phone() == before, browser.text
    assert "This page was old" in browser.text and LOGIN in browser.text, browser.text
    post(old, OTHER)
    assert browser.title == "Enter your password" and OTHER in browser.text, browser.text
    browser.press("Not you?")
    browser.password()
    browser.enter(passcode=site.app_code())
    browser.is_signed_in()


def test_forged_posts(browser, start_demo):
    site = start_demo("password")
    browser.start(site)
    cookies = {cookie["name"]: cookie["value"] for cookie in browser.driver.get_cookies()}
    right = browser.hidden_fields()

    def post(fields, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        address = site.address + "/sign-in"
        return requests.post(address, fields, headers=headers, cookies=cookies, timeout=10).status_code

    assert post({**right, "token": "x"}) == 403
    assert post(right, Origin="https://evil.example") == 403
    assert post(right, Sec_Fetch_Site="cross-site") == 403
    assert post({**right, "/identifier": "x" * 100_000}) == 413
    assert post(right, Origin=site.address, Sec_Fetch_Site="same-origin") == 200
    attributes = browser.driver.get_cookie("sign-in")
    assert attributes["httpOnly"] and attributes["sameSite"] == "Lax", attributes
