"""Tells what a screen reader gets of a program, through AT-SPI. Debian's Python has the packages for it.

It reads lines of JSON. `{"process": ID}` prints the role, the name and the description of each visible thing in the
windows of the process, `{"process": ID, "press": NAME}` presses a button as a screen reader does.
"""
import json
import sys

import gi
gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # noqa: E402


def visible(node):
    # GTK 4.8 says only of windows that they are showing.
    if node.get_state_set().contains(Atspi.StateType.VISIBLE):
        yield node
    for index in range(node.get_child_count()):
        if child := node.get_child_at_index(index):
            yield from visible(child)


def nodes(process):
    desktop = Atspi.get_desktop(0)
    desktop.clear_cache()
    for index in range(desktop.get_child_count()):
        program = desktop.get_child_at_index(index)
        if program and program.get_process_id() == process:
            program.clear_cache()
            return list(visible(program))
    return []


for line in sys.stdin:
    request = json.loads(line)
    found = nodes(request["process"])
    if "press" in request:
        found = [node for node in found
                 if (node.get_role_name(), node.get_name()) == ("push button", request["press"])][:1]
        for node in found:
            node.do_action(0)
    print(json.dumps([{"role": node.get_role_name(), "name": node.get_name(), "description": node.get_description()}
                      for node in found]), flush=True)
