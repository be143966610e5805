#!/usr/bin/env python3
"""The picture that examples/draw.c makes of the liquid's mesh: liquid where it is, and nowhere else.

usage: test_draw_example.py PROGRAM
"""
import math
import pathlib
import subprocess
import sys
import tempfile

failures = []


def check(good, what):
    print(("ok      " if good else "FAILED  ") + what)
    if not good:
        failures.append(what)


def read_ppm(path):
    """Width, height and a function that gives red, green and blue of a pixel."""
    kind, width, height, most, data = path.read_bytes().split(maxsplit=4)
    width, height = int(width), int(height)
    assert kind == b"P6" and most == b"255" and len(data) == 3 * width * height, "the picture is not whole"
    return width, height, lambda x, y: tuple(data[3 * (y * width + x):][:3])


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "liquid.ppm"
        done = subprocess.run([sys.argv[1], str(path)], stdout=subprocess.PIPE, text=True)
        check(done.returncode == 0 and "triangles of liquid" in done.stdout, f"it runs: {done.stdout.strip()}")
        width, height, pixel = read_ppm(path)
    angle = math.radians(40)

    def look(x, y, z):
        """The pixel of a point in mm: parallel rays from the south, 40 degrees above the ground, 3 pixels per mm."""
        across = width / 2 + 3 * (x - 50)
        down = height / 2 - 3 * ((y - 30) * math.sin(angle) + z * math.cos(angle))
        return pixel(int(across), int(down))

    red = lambda c: c[0] > 2 * c[1] and c[0] > 2 * c[2] and c[0] > 100
    grey = lambda c: max(c) - min(c) < 8
    check(all(red(look(x, y, 1)) for x in (48, 52, 55) for y in (12, 30, 48)), "blood west of the wall")
    check(all(grey(look(x, y, 0)) for x in (70, 80, 95) for y in (5, 30, 55)), "the tray is dry east of it")
    check(grey(look(20, 30, 8)), "the ball stands out of the blood")
    check(grey(look(60, 30, 6)), "so does the wall")
    check(grey(pixel(2, 2)) and grey(pixel(width - 3, height - 3)), "nothing is drawn beside the tray")
    count = sum(red(pixel(x, y)) for y in range(height) for x in range(width))
    whole = 9 * 58 * 60 * math.sin(angle)
    check(0.7 * whole < count < 1.05 * whole, f"{count} pixels of blood, {whole:.0f} of tray west of the wall")
    check(look(40, 30, 1)[1] > 2 * look(52, 48, 1)[1], "where it welled up the film is thin, and the tray shows")
    print(f"{len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
