#!/usr/bin/env python3
"""Shows a sign-in of idx-flow, and answers what it knows: sign_in.py [OPTION of idx-flow signin...]"""
import base64, getpass, hmac, json, re, struct, subprocess, sys, time

KNOWN = {"username": "ada@example.com", "current-password": "Analytical-1843", "new-password": "Difference-1846"}


def totp(key):
    """The current code of a key in Base32 (RFC 6238)."""
    key = base64.b32decode(key + "=" * (-len(key) % 8))
    mac = hmac.digest(key, struct.pack(">Q", int(time.time()) // 30), "sha1")
    return f"{(struct.unpack_from('>I', mac, mac[-1] & 15)[0] & 0x7FFFFFFF) % 1_000_000:06}"


def value(field, screen, news):
    if field["kind"] == "choice":
        return field["choices"][0]["id"]
    if field["kind"] == "toggle":
        return field.get("suggestion", "false")
    if field.get("contentType") == "one-time-code" and "setUp" in screen:
        return totp(screen["setUp"]["key"].replace(" ", ""))
    if field.get("contentType") == "one-time-code" and (code := re.search(r"code .* is (\d+)", news)):
        return code[1]  # The mailbox of a demo is in the news.
    ask = getpass.getpass if field["kind"] == "secret" else input
    return KNOWN.get(field.get("contentType")) or ask(field["label"] + ": ")


news, command = "", ["idx-flow", "signin", "--front-end", "json", *sys.argv[1:]]
with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as flow:
    for line in map(json.loads, flow.stdout):
        if line["type"] == "screen":
            screen = line["screen"]
            print(f"{screen['title']} ({screen['host']})", *(message["text"] for message in screen["messages"]), sep="\n")
            if screen["action"]["role"] == "wait":  # Nothing is replied to a push: the next line brings the news.
                print(screen["wait"].get("instruction", screen["wait"]["text"]))
                continue
            values = {field["id"]: value(field, screen, news) for field in screen["inputs"]}
            print(json.dumps({"number": screen["number"], "reply": "submit", "values": values}), file=flow.stdin, flush=True)
        else:
            messages = [message["text"] for message in line.get("messages", [])]
            news = line.get("text") or "\n".join(messages) or line.get("message") or line["status"]
            print(news)
sys.exit(flow.returncode)
