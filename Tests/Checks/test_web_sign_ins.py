"""People sign in to Examples/WebSignIn with Chromium in all the ways that its pages know.

The screenshots are in .build/web-screenshots.
"""
import time
import urllib.parse

import pytest
from selenium.webdriver.common.virtual_authenticator import VirtualAuthenticatorOptions

from support import qr
from support.home import LOGIN, NEW_PASSWORD, PASSWORD
from support.ports import free_port
from support.totp import totp

pytest_plugins = "support.web"
pytestmark = pytest.mark.slow


# MARK: Passwords and codes

def test_password(browser, start_demo):
    browser.start(start_demo("password"))
    browser.is_light()
    browser.shot("identify")
    browser.password()
    browser.is_signed_in()
    browser.is_light()
    browser.shot("signed-in")
    browser.press("Sign out")
    browser.shows("You are signed out")
    browser.shot("signed-out")


def test_wrong_password_and_code_before_the_right_ones(browser, start_demo):
    site = start_demo("google")
    browser.start(site)
    browser.password("a guess")
    browser.shot("wrong-password")
    browser.has_problem()
    browser.enter(passcode=PASSWORD)
    browser.enter(passcode="000000")
    browser.has_problem()
    browser.shot("wrong-code")
    browser.enter(passcode=site.app_code())
    browser.is_signed_in()


@pytest.mark.parametrize("flow", ["direct", "classic"])
def test_other_protocols(browser, start_demo, flow):
    site = start_demo("google", "--flow", flow)
    browser.start(site)
    browser.password()
    browser.enter(passcode=site.app_code())
    browser.is_signed_in()


def test_recovery_with_password_rules(browser, start_demo):
    site = start_demo("recover")
    browser.start(site)
    browser.enter(identifier=LOGIN)
    browser.press("Reset your password")
    browser.enter(passcode=site.sent_code())
    browser.enter(passcode="abc", repetition="abc")
    browser.shot("password-rules")
    assert browser.all(".problem"), browser.text
    browser.fill(passcode=NEW_PASSWORD, repetition=NEW_PASSWORD)
    assert len(browser.all(".rules li.met")) == len(browser.all(".rules li")) > 3, browser.text
    browser.press()
    browser.is_signed_in()


# MARK: Google Authenticator

@pytest.fixture
def set_up_app(browser, start_demo):
    """Signs in up to the page with the key of Google Authenticator."""
    browser.start(start_demo("enroll-google"))
    browser.password()
    browser.shot("choose-enrollment")
    browser.choose("Google Authenticator")
    browser.shot("google-authenticator")


def test_google_authenticator_from_the_key(browser, set_up_app):
    browser.enter(passcode=totp(browser.find(".key").text))
    browser.is_signed_in()


def test_google_authenticator_from_a_picture(browser, set_up_app):
    address = qr.read(browser.save_screenshot("qr-code"))
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(address).query)
    browser.enter(passcode=totp(query["secret"][0]))
    browser.is_signed_in()


# MARK: Other devices and sites

@pytest.mark.alone
def test_push_with_a_number(browser, start_demo):
    site = start_demo("push-number")
    browser.start(site)
    browser.password()
    start = time.monotonic()
    browser.choose("push")
    number = browser.find(".number").text
    browser.is_light()
    browser.shot("push")
    site.phone("approve", number=number)
    browser.is_signed_in()
    # Without the phone, this org approves by itself after 10 s.
    took = time.monotonic() - start
    assert took < 8, f"The approval needed {took:.1f} s."


def test_identity_provider(browser, start_demo):
    browser.start(start_demo("idp"))
    browser.shot("identity-provider")
    browser.press("Google")
    browser.is_signed_in()


def test_mail_link_while_the_code_is_asked(browser, start_demo):
    site = start_demo("email")
    browser.start(site)
    browser.password()
    browser.shot("email-code")
    site.phone("follow")
    browser.is_signed_in()


def test_mail_link_in_the_same_browser(browser, start_demo):
    site = start_demo("email")
    browser.start(site)
    browser.password()
    browser.driver.get(site.address + "/phone/open")
    browser.is_signed_in()


def test_okta_verify_on_this_computer(browser, start_demo):
    browser.start(start_demo("device-challenge", "--okta-verify", free_port()))
    browser.shows("Use Okta FastPass on this computer?")
    browser.is_light()
    browser.shot("fastpass")
    browser.press()
    browser.is_signed_in()


def test_okta_verify_that_is_missing(browser, start_demo):
    browser.start(start_demo("device-challenge"))
    browser.press()
    browser.shows("Okta Verify was not found on this computer.")
    browser.password()
    browser.is_signed_in()


# MARK: Passkeys

def add_authenticator(browser, **abilities):
    """Adds to Chromium what keeps passkeys on a computer."""
    browser.driver.add_virtual_authenticator(VirtualAuthenticatorOptions(
        protocol=VirtualAuthenticatorOptions.Protocol.CTAP2,
        transport=VirtualAuthenticatorOptions.Transport.INTERNAL, **abilities))


@pytest.fixture
def passkeys(browser):
    """Chromium can keep passkeys, and knows that the right person uses it."""
    add_authenticator(browser, has_resident_key=True, has_user_verification=True, is_user_verified=True)


@pytest.mark.parametrize("has_json", [True, False], ids=["new-browser", "old-browser"])
def test_passkey_is_set_up_and_used(browser, passkeys, start_demo, has_json):
    """Old browsers have none of the functions that read and write passkeys as JSON."""
    if not has_json:
        browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
          delete PublicKeyCredential.parseCreationOptionsFromJSON;
          delete PublicKeyCredential.parseRequestOptionsFromJSON;
          PublicKeyCredential.prototype.toJSON = undefined;
        """})
    site = start_demo("enroll-passkey")
    browser.start(site)
    browser.password()
    browser.choose("Passkey")
    browser.is_signed_in()
    assert len(browser.driver.get_credentials()) == 1
    # The passkey is asked for at once, without a button.
    browser.start(site)
    browser.password()
    browser.is_signed_in()


def test_passkey_in_place_of_the_username(browser, passkeys, start_demo):
    """Chromium offers the passkey in the field of the username; without one, the username can be typed."""
    site = start_demo("enroll-passkey", "--passkey-first", "yes")
    browser.start(site)
    browser.shot("passkey-or-username")
    assert browser.find("[name$=identifier]").get_attribute("autocomplete") == "username webauthn"
    browser.password()
    browser.choose("Passkey")
    browser.is_signed_in()
    browser.start(site)
    browser.is_signed_in()


def test_passkey_that_is_missing(browser, start_demo):
    add_authenticator(browser)
    browser.start(start_demo("passkey"))
    browser.password()
    browser.shows("The passkey was not used")
    browser.shot("passkey-refused")


# MARK: After the sign-in

def test_second_factor_is_skipped(browser, start_demo):
    browser.start(start_demo("basic"))
    browser.password()
    browser.press("Skip")
    browser.is_signed_in()


@pytest.mark.parametrize("answer, text", [
    ("Allow", f"Signed in as {LOGIN}"), ("Do not allow", "You did not allow access")], ids=["allowed", "refused"])
def test_consent(browser, start_demo, answer, text):
    browser.start(start_demo("consent"))
    browser.password()
    browser.shot("consent")
    [group] = [node for node in browser.accessible() if node["role"] == "group"]
    assert group["name"] == "Demo app asks for access", group
    assert [node["role"] for node in browser.accessible()].count("listitem") == 2
    browser.press(answer)
    browser.shows(text)
