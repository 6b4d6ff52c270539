"""idx-flow at a terminal, whose user signs in or refuses with Chromium on the pages of Examples/ServedOrg."""
import contextlib

import pytest
from selenium.webdriver.common.by import By

from support.home import LOGIN
from support.ports import free_port
from support.terminal import plain

pytest_plugins = "support.web"
SIGN_IN = f"Sign in as {LOGIN}"
BUTTONS = pytest.mark.parametrize("button", [SIGN_IN, "Refuse"], ids=["allowed", "refused"])


@pytest.fixture
def command(idx_flow, home):
    """Starts a sign-in of the command. The browser of its desktop only writes down the address that it opens."""
    script = '#!/bin/sh\necho "$1" >"$HOME/opened.new" && mv "$HOME/opened.new" "$HOME/opened"\n'
    home.write("browser", script).chmod(0o700)
    with contextlib.ExitStack() as stack:
        def start(org, *options):
            return stack.enter_context(home.terminal(
                idx_flow, "signin", "--issuer", org.issuer, "--client-id", org.client, "--scope", "openid profile",
                "--no-qr", *options, BROWSER=str(home.folder / "browser"), TERM="dumb"))
        yield start


def expect_end(terminal, button, status, *replies):
    """The command signs in, or ends with a status after these replies if the person refused."""
    if button == SIGN_IN:
        assert terminal.wait() == 0 and f"Signed in as {LOGIN}" in plain(terminal.shown), terminal.description
        return
    terminal.expect("refused")
    for question, reply in replies:
        terminal.expect(question)
        terminal.enter(reply)
    assert terminal.wait() == status, terminal.description


@BUTTONS
def test_page_that_the_command_opens(browser, start_org, command, home, button):
    """The browser returns from the page to the command."""
    redirect, opened = f"http://127.0.0.1:{free_port()}/callback", home.folder / "opened"
    with start_org("--redirect-uri", redirect) as org:
        terminal = command(org, "--flow", "browser", "--redirect-uri", redirect)
        browser.wait(opened.exists)
        # The address in the arguments of the browser says nothing of the sign-in, and leads to the page.
        address = opened.read_text().strip()
        assert address.startswith(redirect.removesuffix("callback")) and "?" not in address, address
        browser.driver.get(address)
        assert browser.driver.current_url.startswith(org.origin + "/"), browser.driver.current_url
        assert browser.title == "Sign in to the simulated org", browser.title
        browser.shot("page-of-the-org")
        browser.press(button)
        assert browser.driver.current_url.startswith(redirect), browser.driver.current_url
        browser.shot("returned-to-the-command")
        expect_end(terminal, button, 130, ("Start over", "3"))


@BUTTONS
def test_code_that_the_command_shows(browser, start_org, command, button):
    """The person opens the address that the command shows, and enters its code after a wrong one."""
    with start_org() as org:
        terminal = command(org, "--flow", "device")
        terminal.expect(r"Open (http://\S+)\s")
        address = terminal.found[1]
        terminal.expect(r"Enter this code there: (\S+)\s")
        code = terminal.found[1].lower()
        for entered, text in [("WRONG-CODE", "No sign-in waits"), (code, "go back to your device")]:
            browser.driver.get(address)
            browser.shot("page-for-codes")
            form = next(form for form in browser.all("form") if button in form.text)
            form.find_element(By.NAME, "user_code").send_keys(entered)
            browser.press(button)
            browser.shows(text)
            browser.has_no_barriers()
        expect_end(terminal, button, 4, ("Start over", "n"), ("Save a report", "n"))
