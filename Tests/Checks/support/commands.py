"""Programs that must succeed."""
import subprocess


def run(*command, **options):
    """What a program prints; all of it is shown if the program fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    assert done.returncode == 0, done.stdout
    return done.stdout
