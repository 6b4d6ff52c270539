"""Waits for what another process does."""
import time


def wait_until(find, seconds=20, message="It did not happen."):
    """What a function finds, as soon as it finds something; a failure if it does not."""
    end = time.monotonic() + seconds
    while not (found := find()):
        assert time.monotonic() < end, message
        time.sleep(0.02)
    return found
