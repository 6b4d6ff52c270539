"""QR codes, read by zbarimg, which shares no code with this package."""
import pathlib
import re
import subprocess
import tempfile

from . import environment


def read(image):
    """The text of the QR code in an image; empty if there is none."""
    environment.install({"zbarimg": "zbar-tools"})
    return subprocess.run(
        ["zbarimg", "--nodbus", "-q", "--raw", "-Sdisable", "-Sqrcode.enable", image],
        capture_output=True, text=True).stdout.rstrip("\n")


def pixels(drawing):
    """Lines of half blocks as rows of pixels, 0 dark and 255 light, on a terminal with light text on dark."""
    rows = []
    for line in drawing:
        foreground, background, upper, lower = 255, 0, [], []
        for escape, character in re.findall(r"\x1b\[([0-9;]*)m|([^\x1b])", line):
            if character:
                upper.append(foreground if character in "█▀" else background)
                lower.append(foreground if character in "█▄" else background)
            for kind, color in re.findall(r"([34]8);5;(\d+)", escape):
                level = {"16": 0, "231": 255}[color]
                foreground, background = (level, background) if kind == "38" else (foreground, level)
        rows += [upper, lower]
    width = max(map(len, rows))
    return [row + [0] * (width - len(row)) for row in rows]


def read_drawing(drawing, scale=6):
    """The text of a QR code that is drawn at a terminal."""
    rows = pixels(drawing)
    with tempfile.TemporaryDirectory() as folder:
        image = pathlib.Path(folder) / "drawing.pgm"
        image.write_bytes(f"P5 {len(rows[0]) * scale} {len(rows) * scale} 255\n".encode() + b"".join(
            b"".join(bytes([pixel]) * scale for pixel in row) * scale for row in rows))
        return read(image)
