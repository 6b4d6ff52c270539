"""The benchmark prints JSON. Its figures are not looked at, so it repeats as little as it can."""
import json
import subprocess

import pytest


@pytest.mark.slow
def test_benchmark_prints_json(release):
    done = subprocess.run(
        [release("idx-benchmark"), "--json", "--repetitions", "7"], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)
