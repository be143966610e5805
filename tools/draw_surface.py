#!/usr/bin/env python3
"""Draws the figures of docs/surface.md as SVG files.

    draw_surface.py [FOLDER]      default: docs/images

Profiles are computed from the same formulas as in the code (src/surface). Plain text, no packages; every figure has a light
background of its own, so that it can be read on white and on dark pages.
"""
import math
import pathlib
import sys

INK, SOLID, EDGE, LIQUID, WAVE, MESH, SPOT = "#222831", "#cfc8bb", "#8a7f6d", "#bcdcf0", "#2b7fb8", "#c0392b", "#e08a1e"


class Figure:
    """A drawing of `width` x `height` pixels; y points down."""

    def __init__(self, width, height):
        self.size = width, height
        self.parts = []

    def add(self, text):
        self.parts.append(text)

    def line(self, points, colour=INK, width=1.5, dash=None, arrow=False):
        extra = (f' stroke-dasharray="{dash}"' if dash else "") + (' marker-end="url(#tip)"' if arrow else "")
        coords = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.add(f'<polyline points="{coords}" fill="none" stroke="{colour}" stroke-width="{width}"'
                 f' stroke-linejoin="round"{extra}/>')

    def area(self, points, fill, edge="none", width=1.0, opacity=1.0):
        coords = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.add(f'<polygon points="{coords}" fill="{fill}" stroke="{edge}" stroke-width="{width}"'
                 f' fill-opacity="{opacity}" stroke-linejoin="round"/>')

    def box(self, x0, y0, x1, y1, fill, edge="none"):
        self.area([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], fill, edge)

    def dot(self, x, y, fill=MESH, radius=4.0, edge="white"):
        self.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{fill}" stroke="{edge}"/>')

    def text(self, x, y, words, size=13, anchor="middle", colour=INK, style=""):
        words = words.replace("&", "&amp;").replace("<", "&lt;")
        self.add(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}"{style}>'
                 f'{words}</text>')

    def save(self, path):
        width, height = self.size
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
                ' font-family="Helvetica, Arial, sans-serif">\n'
                '<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="6" refY="3" orient="auto">'
                f'<path d="M0,0 L6,3 L0,6 z" fill="{INK}"/></marker></defs>\n'
                f'<rect width="{width}" height="{height}" rx="8" fill="#fafaf7" stroke="#d8d8d2"/>\n')
        path.write_text(head + "\n".join(self.parts) + "\n</svg>\n", encoding="utf-8")


def column(figure, x, width, base, level, bottom, ceiling=None, top=None):
    """A column in section: solid, liquid, and the solid above it."""
    figure.box(x, base, x + width, bottom, SOLID, EDGE)
    if level < base:
        figure.box(x, level, x + width, base, LIQUID, WAVE)
    if ceiling is not None:
        figure.box(x, top, x + width, ceiling, SOLID, EDGE)


def draw_links(folder):
    figure = Figure(720, 250)
    for part, (title, raised) in enumerate((("b is linked to a and d", 170), ("b has risen: to a and c, not to d", 92))):
        left = 20 + 345 * part
        column(figure, left, 90, 185, 165, 215)
        column(figure, left + 90, 90, 190, raised, 215)
        column(figure, left + 180, 90, 195, 180, 215, 135, 105)
        figure.box(left + 180, 88, left + 270, 105, LIQUID, WAVE)
        figure.line([(left + 45, 165), (left + 135, raised)] if part == 0 else [(left + 135, raised), (left + 225, 88)],
                    MESH, 3)
        if part == 1:
            figure.line([(left + 45, 165), (left + 135, raised)], MESH, 3)
        else:
            figure.line([(left + 135, raised), (left + 225, 180)], MESH, 3)
        levels = (165, raised, 88, 180)
        for name, x, y in zip("abcd", (45, 135, 225, 225), levels):
            figure.dot(left + x, y)
            figure.text(left + x + (16 if name != "b" else -14), y - 7, name, 14)
        figure.text(left + 278, 132, "min of c", 11, "start")
        figure.text(left + 278, 146, "= max of d", 11, "start")
        figure.text(left + 135, 30, title, 14)
    figure.text(360, 240, "columns i, j are linked if  min_j < h_i < max_j  and  min_i < h_j < max_i", 13)
    figure.save(folder / "surface_links.svg")


def draw_quartets(folder):
    figure = Figure(720, 220)
    wet = {0: (1, 1, 1, 1), 1: (1, 1, 1, 1), 2: (1, 1, 1, 0), 3: (1, 1, 0, 0), 4: (1, 0, 0, 0)}
    names = ("SW + NE higher", "SE + NW higher", "three linked", "two", "one")
    for part in range(5):
        x0, x1, y0, y1 = 30 + 140 * part, 120 + 140 * part, 150, 60
        corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
        rims = {"w": (x0, y0 - 40), "e": (x1, y0 - 40), "n": (x0 + 50, y1), "s": (x0 + 42, y0)}
        if part == 0:
            shapes = [(0, 1, 2), (0, 2, 3)]
        elif part == 1:
            shapes = [(0, 1, 3), (1, 2, 3)]
        else:
            shapes = {2: [(0, 1, 2), (0, 2, "n"), (0, "n", "w")], 3: [(0, 1, "e"), (0, "e", "w")], 4: [(0, "s", "w")]}[part]
        for shape in shapes:
            points = [corners[k] if isinstance(k, int) else rims[k] for k in shape]
            figure.area(points, LIQUID, WAVE, 1.5)
        for k, (x, y) in enumerate(corners):
            figure.dot(x, y, MESH if wet[part][k] else "white", 5, INK)
        for key in {2: "nw", 3: "ew", 4: "sw"}.get(part, ""):
            figure.dot(*rims[key], SPOT, 4.5)
        figure.text((x0 + x1) / 2, 35, names[part], 12)
    figure.dot(150, 195, MESH, 5, INK)
    figure.text(162, 199, "wet column", 12, "start")
    figure.dot(290, 195, "white", 5, INK)
    figure.text(302, 199, "dry, or not linked", 12, "start")
    figure.dot(450, 195, SPOT, 4.5)
    figure.text(462, 199, "rim: where the surface ends", 12, "start")
    figure.save(folder / "surface_quartets.svg")


def draw_shores(folder):
    figure = Figure(720, 250)
    bank = [(0, 0), (60, 4), (120, 20), (180, 48), (240, 88), (300, 140)]
    for part, title in enumerate(("as printed", "sub-cell (default)")):
        left, bottom, level = 30 + 350 * part, 205, 150
        ground = [(left + x, bottom - y) for x, y in bank]
        if part == 0:
            figure.area([(left, level), (left + 240, level), (left + 240, bottom), (left, bottom)], LIQUID)
        else:
            figure.area([(left, level), (left + 191, level), (left + 191, bottom), (left, bottom)], LIQUID)
        figure.area(ground + [(left + 300, 225), (left, 225)], SOLID, EDGE)
        for k, (x, y) in enumerate(ground):
            figure.line([(x, 225), (x, 232)], INK, 1)
        end = left + (240 if part == 0 else 191)
        figure.line([(left, level), (end, level)], MESH, 3)
        for k in range(4):
            if bottom - bank[k][1] > level:
                figure.dot(left + bank[k][0], level)
        figure.dot(end, level, SPOT)
        figure.text(left + 150, 30, title, 14)
        words = ("the dry column, at the", "mean of its wet neighbours") if part == 0 else ("where the level", "meets the bed")
        for row, some in enumerate(words):
            figure.text(left + 110, 75 + 16 * row, some, 12)
        figure.line([(left + 150, 97), (end - 4, level - 8)], INK, 1, arrow=True)
    figure.text(360, 245, "ticks: centres of columns", 11)
    figure.save(folder / "surface_shores.svg")


def draw_rims(folder):
    figure = Figure(720, 235)
    names = ("shore", "front of a film", "wall", "lip of an overhang")
    for part, name in enumerate(names):
        i, j, bottom = 40 + 175 * part, 150 + 175 * part, 190
        figure.text((i + j) / 2, 28, name, 14)
        if part == 0:
            figure.area([(i - 25, 110), (i + 73, 110), (i, 162), (i - 25, 174)], LIQUID)
            figure.area([(i - 25, 172), (i, 160), (j, 85), (j + 15, 75), (j + 15, bottom), (i - 25, bottom)], SOLID, EDGE)
            figure.line([(i - 25, 110), (i + 73, 110)], MESH, 3)
            end = (i + 73, 110)
        elif part == 1:
            figure.area([(i - 25, 138), (i, 140), (i + 66, 150), (i - 25, 150)], LIQUID)
            figure.area([(i - 25, 150), (j + 15, 150), (j + 15, bottom), (i - 25, bottom)], SOLID, EDGE)
            figure.line([(i - 25, 138), (i, 139), (i + 66, 149)], MESH, 3)
            end = (i + 66, 149)
        elif part == 2:
            figure.box(i - 25, 110, i + 60, 160, LIQUID)
            figure.area([(i - 25, 160), (i + 60, 160), (i + 60, 60), (j + 15, 60), (j + 15, bottom), (i - 25, bottom)], SOLID,
                        EDGE)
            figure.line([(i - 25, 110), (i + 60, 110)], MESH, 3)
            figure.line([(i + 60, 110), (i + 103, 110)], MESH, 2, "4 3")
            end = (i + 103, 110)
        else:
            figure.box(i - 25, 82, i + 55, 92, LIQUID)
            figure.box(i - 25, 92, i + 55, 112, SOLID, EDGE)
            figure.box(i - 25, 160, j + 15, bottom, SOLID, EDGE)
            figure.box(i - 25, 150, j + 15, 160, LIQUID)
            figure.line([(i - 25, 82), (i + 55, 82), (i + 55, 150)], MESH, 3)
            figure.text(i + 62, 122, "skirt", 12, "start")
            end = (i + 55, 82)
        figure.dot(i, {0: 110, 1: 139, 2: 110, 3: 82}[part])
        figure.dot(*end, SPOT)
        for x, letter in ((i, "i"), (j, "j")):
            figure.line([(x, 192), (x, 202)], INK, 1)
            figure.text(x, 217, letter, 13)
    figure.save(folder / "surface_rims.svg")


def draw_floor(folder):
    figure = Figure(720, 260)
    terrain = [0, 18, 6, 30, 52, 38, 60, 44, 20, 26, 8, 0]
    for part, title in enumerate(("without the floor", "with the floor")):
        left, bottom, step = 30 + 350 * part, 205, 300 / 11
        ground = [(left + k * step, bottom - 1.4 * z) for k, z in enumerate(terrain)]
        places = [left + x for x in (0, 75, 150, 225, 300)]

        def base(x, ground=ground):
            for (x0, y0), (x1, y1) in zip(ground, ground[1:]):
                if x0 <= x <= x1:
                    return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
            return ground[-1][1]

        tops = [base(x) - 4 for x in places]
        if part == 1:  # lift neighbours until every vertex of the terrain is below
            for _ in range(200):
                for x, y in ground:
                    for k in range(4):
                        if places[k] <= x <= places[k + 1]:
                            u = (x - places[k]) / (places[k + 1] - places[k])
                            lack = tops[k] * (1 - u) + tops[k + 1] * u - (y - 2)
                            if lack > 0:
                                tops[k] -= lack * (1 - u) * 0.2
                                tops[k + 1] -= lack * u * 0.2
        surface = list(zip(places, tops))
        figure.area(surface + list(reversed(ground)), LIQUID)
        figure.area(ground + [(left + 300, 225), (left, 225)], SOLID, EDGE)
        figure.line(surface, MESH, 3)
        for x, y in ground:
            figure.dot(x, y, EDGE, 2.5)
        for x, y in surface:
            figure.line([(x, 225), (x, 232)], INK, 1)
            figure.dot(x, y)
        figure.text(left + 150, 30, title, 14)
        if part == 1:
            x, y = places[2], tops[2]
            figure.line([(x, base(x)), (x, y)], INK, 1.5, arrow=True)
            figure.text(x + 8, y - 10, "l", 14, "start", style=' font-style="italic"')
    figure.text(360, 250, "min sum(w l\u00b2)  with  sum(a (b + l)) \u2265 h + \u03b5  at every point of the terrain,"
                          "  0.05 dx \u2264 l \u2264 dx", 13)
    figure.save(folder / "surface_floor.svg")


def profile(angle, count=80, reach=5.0):
    """The exact meniscus at a wall with inclination `angle` of the surface: (x, z) in capillary lengths."""
    points, top = [], math.tan(angle / 4)
    start = -math.log(top) - 2 * math.cos(angle / 2)
    for k in range(count + 1):
        t = top * math.exp(-k / count * (reach + 1))
        phi = 4 * math.atan(t)
        points.append((-math.log(t) - 2 * math.cos(phi / 2) - start, 2 * math.sin(phi / 2)))
    return points


def draw_meniscus(folder):
    figure = Figure(720, 300)
    for part, (title, contact) in enumerate((("concave: psi > 0", 40), ("none: psi = 0", 90), ("convex: psi < 0", 130))):
        left, level, unit = 30 + 230 * part, 130, 48
        psi = math.radians(90 - contact)
        points = [(x, 0.0) for x in (0, 4)]
        if psi:
            points = [(x, math.copysign(z, psi)) for x, z in profile(abs(psi)) if x <= 4]
        line = [(left + unit * x, level - unit * z) for x, z in points]
        figure.area(line + [(line[-1][0], 190), (left, 190)], LIQUID)
        figure.box(left - 14, 50, left, 190, SOLID, EDGE)
        figure.box(left - 14, 190, left + 4 * unit, 200, SOLID, EDGE)
        figure.line([(left, level), (left + 4 * unit, level)], WAVE, 1, "4 3")
        figure.line(line, MESH, 3)
        for x in (0.35, 0.95, 1.55, 2.15, 2.75):  # normals, linear falloff
            lean = psi * max(0.0, 1 - x)
            z = next((a[1] + (b[1] - a[1]) * (x - a[0]) / (b[0] - a[0]) for a, b in zip(points, points[1:]) if b[0] >= x), 0.0)
            at = left + unit * x, level - unit * z
            figure.line([at, (at[0] + 24 * math.sin(lean), at[1] - 24 * math.cos(lean))], INK, 1.2, arrow=True)
        figure.text(left + 2 * unit, 30, title, 14)
        figure.text(left + 2 * unit, 46, f"contact angle {contact}\u00b0 at a wall", 11)
    graph, unit = (60, 285), 130
    figure.text(395, 225, "lean of the normals over distance", 12, "start")
    for name, shape, colour in (("linear, as printed", lambda x: max(0.0, 1 - x), MESH),
                                ("exponential", lambda x: math.exp(-x), WAVE)):
        figure.line([(graph[0] + unit * x / 20, graph[1] - 62 * shape(x / 20)) for x in range(0, 49)], colour, 2)
    figure.line([(graph[0] + unit * x, graph[1] - 62 * 2 * math.asin(min(1, z / 2)) / math.radians(50))
                 for x, z in profile(math.radians(50)) if x <= 2.4], SPOT, 2)
    figure.line([(graph[0], 215), graph, (graph[0] + 2.45 * unit, graph[1])], INK, 1)
    figure.text(graph[0] - 6, 228, "psi", 12, "end")
    figure.text(graph[0] + unit, graph[1] + 12, "l_c", 12)
    for k, (name, colour) in enumerate((("linear, as printed", MESH), ("exponential", WAVE),
                                        ("exact profile, of lifted vertices", SPOT))):
        figure.line([(400, 240 + 17 * k), (430, 240 + 17 * k)], colour, 2)
        figure.text(438, 244 + 17 * k, name, 12, "start")
    figure.save(folder / "surface_meniscus.svg")


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent / "docs/images")
    folder.mkdir(parents=True, exist_ok=True)
    for draw in (draw_links, draw_quartets, draw_shores, draw_rims, draw_floor, draw_meniscus):
        draw(folder)


if __name__ == "__main__":
    main()
