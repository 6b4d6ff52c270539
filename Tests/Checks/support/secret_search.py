"""Searches texts for secrets: tokens, passwords, verifiers, handles.

The secrets to search for do not come from the output: a server tells which it sent or received, they are in files that
the program saves, they were typed and not shown, or they have the form of a handle or a token.
"""
import base64
import json
import pathlib
import re
import threading
import urllib.parse

from .terminal import plain

FORMS = {
    "JWT": r"(?<![\w-])eyJ[\w-]{10,}\.[\w-]{10,}",
    "handle": r"(?<![\w-])(?:ih_|ic_|rt_|lt_|02)[\w-]{40}(?![\w-])",
    "verifier, nonce or state":
        r"(?<![\w.-])(?=[\w-]*\d)(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{43}(?![\w-])",
}


def hits(text, known, exceptions=()):
    """The secrets in a text, even if colored, wrapped, escaped or cut. What the exceptions match is not searched."""
    text = plain(text)
    for exception in exceptions:
        text = re.sub(exception, "", text, flags=re.ASCII)
    views = {text, re.sub(r"\s+", "", text), urllib.parse.unquote(text)}
    found = set()
    for secret in known:
        # A part of a long secret is a leak too.
        pieces = [secret]
        if len(secret) >= 32:
            pieces += [secret[i:i + 16] for i in range(0, len(secret) - 15, 8)]
        if any(piece in view for piece in pieces for view in views):
            found.add(f"a known secret ({len(secret)} characters)")
    found |= {f"a text in the form of a {name}" for name, form in FORMS.items() if re.search(form, text, re.ASCII)}
    return sorted(found)


def strings(value):
    """All strings in JSON."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [text for element in value for text in strings(element)]
    return [value] if isinstance(value, str) else []


class Search:
    """The secrets that must not be printed, and the texts to search."""

    def __init__(self, *known):
        self.known, self.texts, self.lock = set(known), [], threading.Lock()

    def learn(self, *values):
        with self.lock:
            self.known |= {value for value in values if isinstance(value, str) and len(value) >= 8}

    def learn_store(self, folder):
        """Adds the secrets in the files that the program saved."""
        for file in pathlib.Path(folder).rglob("*.json"):
            try:
                saved = json.loads(file.read_text())
            except (OSError, json.JSONDecodeError):
                continue
            if "scenario" in saved:
                issued = json.loads(base64.b64decode(saved["tokens"]))["issued"]
                self.learn(*issued["refreshTokens"], *issued["accessTokens"])
            elif "content" in saved:
                content = saved["content"]
                self.learn(content.get("nonce"), *(
                    content["tokens"].get(kind) for kind in ("access_token", "refresh_token", "id_token")))

    def look(self, place, text, exceptions=()):
        """Adds a text. Later secrets are searched in it too."""
        with self.lock:
            self.texts.append((place, text, exceptions))

    def expect_none(self):
        assert self.texts and self.known
        found = sorted({f"{place}: {hit}" for place, text, exceptions in self.texts
                        for hit in hits(text, self.known, exceptions)})
        assert not found, "\n".join(found)
