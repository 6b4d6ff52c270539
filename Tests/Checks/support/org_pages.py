"""The pages of a served org, as a person uses them: sign-in pages, the mailbox, and the devices."""
import html
import re
import urllib.parse

import requests

from .home import LOGIN


def devices(org):
    """The messages, and what the devices of the users show."""
    return requests.get(org.origin, headers={"Accept": "application/json"}, timeout=10).json()


def act(org, action, **fields):
    """Presses a button of the page with the mailbox and the devices."""
    data = {"token": devices(org)["token"], "action": action, "login": LOGIN, **fields}
    answer = requests.post(org.origin + "/devices", data, allow_redirects=False, timeout=10)
    assert answer.status_code == 303, answer.text


def press(org, address, button, status=302):
    """Opens a page, presses a button, and returns the address that follows, or the text of another page."""
    page = requests.get(address, timeout=10)
    assert page.headers["Content-Security-Policy"].startswith("default-src 'none'"), page.text
    forms = re.findall(r'<form method="post" action="([^"]+)">(.*?)</form>', page.text, re.S)
    action, form = next(((action, form) for action, form in forms if button in form), (None, None))
    assert form, f"No form has the button {button}: {page.text}"
    pressed = next(tag for tag, text in re.findall(r"(<button[^>]*>)([^<]*)", form) if button in text)
    tags = " ".join([*re.findall(r"<input [^>]*>", form), pressed])
    fields = {name: html.unescape(value) for name, value in re.findall(r'name="([^"]+)" value="([^"]*)"', tags)}
    answer = requests.post(org.origin + action, fields, allow_redirects=False, timeout=10)
    assert answer.status_code == status, answer.text
    return answer.headers["Location"] if status == 302 else answer.text


def parameters(address):
    """The parameters of the query of an address."""
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query))
