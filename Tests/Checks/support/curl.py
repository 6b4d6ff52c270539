"""Requests of curl, which can also send what no library sends."""
import subprocess

from . import environment


def curl(*arguments, data=None):
    """The status of a response, or 0 if there is none, and its text with the header fields."""
    environment.install({"curl": "curl"})
    done = subprocess.run(["curl", "-s", "-i", *arguments], input=data, capture_output=True, timeout=20)
    text = done.stdout.decode()
    return int(text.split()[1]) if text else 0, text


def fields(text):
    """The header fields of a response, with names in lowercase."""
    lines = text.split("\r\n\r\n")[0].split("\r\n")[1:]
    return {name.lower(): value for name, value in (line.split(": ", 1) for line in lines if ": " in line)}
