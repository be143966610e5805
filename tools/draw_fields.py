#!/usr/bin/env python3
"""Draws a still picture of what `rill run SCENE --fields --out DIR` wrote, with nothing but Python.

    draw_fields.py DIR PICTURE.png --cell 0.0005 --index 12 --liquid blood

Two meshes (columns_mesh.py), of the solid and of the solid with its liquid, are rasterised from an orthographic camera;
the path between them dims the light (Beer-Lambert). Sun and sky come by rays through the columns.
"""
import argparse
import array
import math
import pathlib
import struct
import zlib

from columns_mesh import Columns, Lattice, Mesh, dot, unit

LIQUIDS = {  # absorption per metre and colour of what is scattered back, both for red, green, blue (linear)
    "blood": ((900, 11000, 10000), (0.19, 0.003, 0.004)),
    "water": ((260, 60, 36), (0.01, 0.09, 0.11)),
    "coffee": ((420, 900, 1700), (0.045, 0.016, 0.005)),
}
SOLIDS = {  # linear colours: the ground, what stands on it
    "bone": ((0.56, 0.27, 0.22), (0.80, 0.71, 0.55)),
    "table": ((0.42, 0.25, 0.13), (0.80, 0.79, 0.76)),
    "stone": ((0.50, 0.51, 0.51), (0.72, 0.71, 0.68)),
}
GOLDEN = math.pi * (3 - math.sqrt(5))
BACKGROUND = (0.80, 0.82, 0.84)
WINDOW = math.radians(34)  # slope towards the eye, against its line of sight, at which a surface mirrors the window
SUN_COLOUR, SKY_COLOUR, BOUNCE_COLOUR = (1.22, 1.10, 0.94), (0.38, 0.42, 0.48), (0.27, 0.21, 0.18)


def ramp(x, low, high):
    t = min(max((x - low) / (high - low), 0.0), 1.0)
    return t * t * (3 - 2 * t)


def direction(yaw, pitch):
    """Unit vector to something that stands yaw degrees east of south and pitch degrees above the ground."""
    yaw, pitch = math.radians(yaw), math.radians(pitch)
    return (math.sin(yaw) * math.cos(pitch), -math.cos(yaw) * math.cos(pitch), math.sin(pitch))


class Light:
    """How much of the sun's disc and of the sky a vertex sees, by rays through the lattice."""

    def __init__(self, lattice, sun):
        self.lattice = lattice
        side = unit((sun[1], -sun[0], 0.0))
        over = (side[1] * sun[2], -side[0] * sun[2], side[0] * sun[1] - side[1] * sun[0])
        self.sun_rays, self.sky_rays = [], []
        for n in range(8):  # a spiral by the golden angle over the disc, much larger than the sun's, for soft shadows
            r = 0.09 * math.sqrt((n + 0.5) / 8)
            u, v = r * math.cos(GOLDEN * n), r * math.sin(GOLDEN * n)
            self.sun_rays.append(self.ray(unit(tuple(sun[a] + u * side[a] + v * over[a] for a in range(3))), 1.0, 150))
        for n in range(40):  # and over the sphere
            z = 1 - (2 * n + 1) / 40
            r = math.sqrt(1 - z * z)
            self.sky_rays.append(self.ray((r * math.cos(GOLDEN * n), r * math.sin(GOLDEN * n), z), 1.5, 16))

    def ray(self, way, stride, count):
        """Direction, stride in cells and the steps to be added to the index of a node."""
        nx, nz, steps = self.lattice.nx, self.lattice.nz, []
        for n in range(count):
            t = stride * (n + 0.5)
            steps.append((round(way[1] * t) * nx + round(way[0] * t)) * nz + round(way[2] * t))
        return way, stride, steps

    def free(self, ray, node):
        """1 if the ray leaves the lattice, the share of its length if it is stopped."""
        (wx, wy, wz), stride, steps = ray
        x, y, z = node
        lattice, far = self.lattice, len(steps) * stride
        start = (y * lattice.nx + x) * lattice.nz + z
        for at, way, size in ((x, wx, lattice.nx), (y, wy, lattice.ny), (z, wz, lattice.nz)):
            if abs(way) > 1e-6:
                far = min(far, ((size - 2 - at) if way > 0 else (1 - at)) / way)
        solid = lattice.solid
        for n, step in enumerate(steps[:max(0, int(far / stride - 0.5))]):
            if solid[start + step]:
                return n / len(steps)
        return 1

    def shades(self, mesh, eye):
        """Per vertex the share it sees of the sun and of the sky, and how closely it mirrors the solid to the eye."""
        shades, sizes = [], (self.lattice.nx, self.lattice.ny, self.lattice.nz)
        for p, normal in zip(mesh.points, mesh.normals):
            if dot(normal, eye) < -0.3:
                shades.append((0, 0, 0))  # out of sight
                continue
            # Rays start at a node off the surface, lest the surface be in its own way.
            node = tuple(min(max(round(p[a] + 1.6 * normal[a]), 0), sizes[a] - 1) for a in range(3))
            sun = sum(self.free(ray, node) == 1 for ray in self.sun_rays) / len(self.sun_rays)
            seen = total = 0.0
            for ray in self.sky_rays:
                weight = dot(ray[0], normal)
                if weight > 0.1:
                    total += weight
                    seen += weight * self.free(ray, node)
            facing = 2 * dot(normal, eye)
            mirrored = self.ray(unit(tuple(facing * normal[a] - eye[a] for a in range(3))), 1.5, 50)
            shades.append((sun, (seen / max(total, 1e-9)) ** 1.6, 1 - self.free(mirrored, node)))
        return mesh.smooth(shades, 2)


class Film:
    """Nearest surface per sample: depth towards the eye in cells and four attributes."""

    def __init__(self, width, height):
        self.width, self.height = width, height
        self.depth = array.array("f", [-1e9]) * (width * height)
        self.values = [array.array("f", bytes(4 * width * height)) for _ in range(4)]

    def draw(self, mesh, places, attributes):
        """Places are (x, y, depth) on the film per vertex; quads seen from behind are left out."""
        for a, b, c, d in mesh.quads:
            for corners in ((a, b, c), (a, c, d)):
                (x0, y0, z0), (x1, y1, z1), (x2, y2, z2) = [places[p] for p in corners]
                area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
                if area < -1e-9:  # the film's y points down, so front is clockwise
                    planes = []
                    for f0, f1, f2 in ((z0, z1, z2), *zip(*[attributes[p] for p in corners])):
                        u = ((f1 - f0) * (y2 - y0) - (f2 - f0) * (y1 - y0)) / area
                        v = ((f2 - f0) * (x1 - x0) - (f1 - f0) * (x2 - x0)) / area
                        planes.append((f0 - u * x0 - v * y0, u, v))
                    self.fill(sorted(((x0, y0), (x1, y1), (x2, y2)), key=lambda p: p[1]), planes)

    def fill(self, corners, planes):
        """One triangle, corners from above; planes give depth and attributes as f + u x + v y."""
        (xa, ya), (xb, yb), (xc, yc) = corners
        depth, (as_, bs, cs, ds) = self.depth, self.values
        for y in range(max(0, math.ceil(ya)), min(self.height - 1, math.floor(yc)) + 1):
            x0 = xa + (xc - xa) * (y - ya) / (yc - ya) if yc > ya else xa
            if y < yb:
                x1 = xa + (xb - xa) * (y - ya) / (yb - ya)
            else:
                x1 = xb + (xc - xb) * (y - yb) / (yc - yb) if yc > yb else xb
            first, last = max(0, math.ceil(min(x0, x1))), min(self.width - 1, math.floor(max(x0, x1)))
            (z, dz), (a, da), (b, db), (c, dc), (d, dd) = [(p + u * first + v * y, u) for p, u, v in planes]
            for n in range(y * self.width + first, y * self.width + last + 1):
                if z > depth[n]:
                    depth[n], as_[n], bs[n], cs[n], ds[n] = z, a, b, c, d
                z, a, b, c, d = z + dz, a + da, b + db, c + dc, d + dd


class Camera:
    """Orthographic; right, up and eye (towards it) are unit vectors, scale is samples per cell."""

    def __init__(self, yaw, pitch, mesh, width, height, zoom):
        self.right, self.up, self.eye = direction(yaw + 90, 0), direction(yaw + 180, 90 - pitch), direction(yaw, pitch)
        across, along = [dot(p, self.right) for p in mesh.points], [dot(p, self.up) for p in mesh.points]
        self.scale = zoom * min(0.92 * width / (max(across) - min(across)), 0.92 * height / (max(along) - min(along)))
        self.x = width / 2 - self.scale * (max(across) + min(across)) / 2
        self.y = height / 2 + self.scale * (max(along) + min(along)) / 2

    def turn(self, v):
        return dot(v, self.right), dot(v, self.up), dot(v, self.eye)

    def place(self, mesh):
        return [(self.x + self.scale * x, self.y - self.scale * y, z) for x, y, z in map(self.turn, mesh.points)]

    def on_plane(self, x, y, z):
        """The point of the film x, y at height z of the lattice."""
        across, along = (x - self.x) / self.scale, ((self.y - y) / self.scale - z * self.up[2]) / self.eye[2]
        return across * self.right[0] - along * self.right[1], across * self.right[1] + along * self.right[0]


def solid_colours(mesh, shades, columns, low, sun, colours):
    """Colour of each vertex; low is the z of the lattice's lowest nodes."""
    kinds, out = [], []
    for x, y, z in mesh.points:
        i, j = min(max(round(x) - 2, 0), columns.nx - 1), min(max(round(y) - 2, 0), columns.ny - 1)
        c = j * columns.nx + i
        kinds.append((c in columns.ground and low + (z - 1) * columns.cell < columns.dry[c][0][1], 0, 0))
    for n, (lit, sky, _), (ground, _, _) in zip(mesh.normals, shades, mesh.smooth(kinds, 1)):
        direct, up = lit * max(0.0, dot(n, sun)), 0.5 + 0.5 * n[2]
        light = [SUN_COLOUR[a] * direct + sky * (SKY_COLOUR[a] * up + BOUNCE_COLOUR[a] * (1 - up)) for a in range(3)]
        out.append([light[a] * (colours[1][a] + (colours[0][a] - colours[1][a]) * ground) for a in range(3)] + [0.0])
    return out


def add_liquid(film, wet, liquid, camera, sun, cell):
    """Lays the liquid over the solid: absorption along the path, light scattered back, sun, window and sky mirrored."""
    absorb, body = LIQUIDS[liquid]
    sun = camera.turn(sun)
    window = (0.0, math.sin(2 * WINDOW), math.cos(2 * WINDOW))
    for n, depth in enumerate(wet.depth):
        path = (depth - film.depth[n]) * cell
        if depth < -1e8 or path <= 1e-6:
            continue
        x, y, light, mirrors = (values[n] for values in wet.values)
        z = math.sqrt(max(0.01, 1 - x * x - y * y))
        mirrored = (2 * z * x, 2 * z * y, 2 * z * z - 1)
        fresnel = (0.025 + 0.975 * (1 - z) ** 5) * ramp(path, 0, 1e-4)
        mirror = (0.1 + 0.9 * light) * (0.15 + 0.8 * mirrors + 9 * ramp(dot(mirrored, window), 0.945, 0.985)
                                        + 40 * light * ramp(dot(mirrored, sun), 0.96, 0.995))
        for a in range(3):
            through = math.exp(-absorb[a] * path)
            colour = film.values[a][n] * through + body[a] * (0.25 + 1.1 * light) * (1 - through)
            film.values[a][n] = colour * (1 - fresnel) + mirror * fresnel


def ground_shade(camera, columns, sun):
    """What is left of the light on the ground around the block, as a function of a place on the film."""
    filled = [c for c, spans in enumerate(columns.dry) if spans]
    half_x, half_y, height = max(c % columns.nx for c in filled) / 2, max(c // columns.nx for c in filled) / 2, 12

    def outside(x, y):
        x, y = abs(x - half_x - 1.5) - half_x, abs(y - half_y - 1.5) - half_y
        return math.hypot(max(x, 0), max(y, 0)) + min(max(x, y), 0)

    def shade(x, y):
        x, y = camera.on_plane(x, y, 3.5)
        dark = 0.0
        for n in range(7):
            t = n / 6
            away = outside(x + height * t * sun[0] / sun[2], y + height * t * sun[1] / sun[2])
            dark = max(dark, (1 - 0.6 * t) * (1 - ramp(away, -1, 2 + 14 * t)))
        return (1 - 0.4 * dark) * (1 - 0.22 * math.exp(-max(0, outside(x, y)) / (0.1 * half_x)))
    return shade


def develop(film, factor, shade):
    """8-bit rows of the film with factor x factor samples to a pixel, over the background."""
    curve = []  # linear to sRGB's, with a shoulder for the lights
    for n in range(4097):
        v = 2 * n / 4096
        v = v if v < 0.55 else 0.55 + 0.45 * (1 - math.exp((0.55 - v) / 0.45))
        curve.append(round(255 * v ** (1 / 2.2)))
    rows = []
    for y in range(0, film.height, factor):
        row = bytearray()
        for x in range(0, film.width, factor):
            total, bare = [0.0, 0.0, 0.0], 0
            for n in [(y + v) * film.width + x + u for v in range(factor) for u in range(factor)]:
                if film.depth[n] > -1e8:
                    for a in range(3):
                        total[a] += min(2.0, film.values[a][n])
                else:
                    bare += 1
            if bare:
                left = bare * shade(x + factor / 2, y + factor / 2)
                total = [total[a] + left * BACKGROUND[a] for a in range(3)]
            row += bytes([curve[int(2048 * v / factor ** 2)] for v in total])
        rows.append(bytes(row))
    return rows


def write_png(path, rows):
    """24 bits per pixel; each row as it is, less its left or less its upper neighbour, whichever is smallest."""
    width, packed, before = len(rows[0]) // 3, bytearray(), bytes(len(rows[0]))
    for row in rows:
        left = b"\0\0\0" + row
        ways = [(0, row), (1, bytes([(a - b) & 255 for a, b in zip(row, left)])),
                (2, bytes([(a - b) & 255 for a, b in zip(row, before)]))]
        number, best = min(ways, key=lambda way: sum(min(v, 256 - v) for v in way[1]))
        packed += bytes([number]) + best
        before = row

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, len(rows), 8, 2, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(bytes(packed), 9)) + chunk(b"IEND", b""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="what --out named")
    parser.add_argument("picture", type=pathlib.Path)
    parser.add_argument("--cell", type=float, required=True, help="the scene's cell_size, m")
    parser.add_argument("--index", type=int, help="which depth_NNNNN.npy; the last unless told")
    parser.add_argument("--liquid", choices=LIQUIDS, default="water")
    parser.add_argument("--solid", choices=SOLIDS, default="stone")
    parser.add_argument("--above", type=float, default=-1e9, help="leave out columns with bases below this z, m")
    parser.add_argument("--foot", type=float, default=0.004, help="thickness of the block under the lowest base, m")
    parser.add_argument("--yaw", type=float, default=20, help="degrees the eye stands east of south")
    parser.add_argument("--pitch", type=float, default=36, help="degrees the eye stands above the ground")
    parser.add_argument("--sun", type=float, nargs=2, default=(-50, 50), metavar=("YAW", "PITCH"),
                        help="the same of the sun")
    parser.add_argument("--size", type=int, nargs=2, default=(1200, 750), metavar=("WIDTH", "HEIGHT"),
                        help="of the picture, pixels")
    parser.add_argument("--zoom", type=float, default=1, help="1 shows all of it")
    parser.add_argument("--samples", type=int, default=3, help="per pixel and axis")
    o = parser.parse_args()
    if o.index is None:
        o.index = max([int(path.stem[6:]) for path in o.folder.glob("depth_*.npy")], default=0)
    if not (min(o.cell, o.foot, o.zoom, *o.size, o.samples) > 0 and 0 < o.pitch < 90 and 0 < o.sun[1] < 90):
        parser.error("cell, foot, zoom, size and samples must be positive, pitches between 0 and 90")

    columns = Columns(o.folder, o.index, o.cell, o.above, o.foot)
    sun = direction(*o.sun)
    width, height = o.size[0] * o.samples, o.size[1] * o.samples
    film, wet_film = Film(width, height), Film(width, height)

    lattice = Lattice(columns, columns.dry)
    solid = Mesh(lattice)
    camera = Camera(o.yaw, o.pitch, solid, width, height, o.zoom)
    shades = Light(lattice, sun).shades(solid, camera.eye)
    film.draw(solid, camera.place(solid), solid_colours(solid, shades, columns, lattice.low, sun, SOLIDS[o.solid]))

    lattice = Lattice(columns, columns.wet)
    liquid = Mesh(lattice, wet_only=True)
    shades = Light(lattice, sun).shades(liquid, camera.eye)
    wet_film.draw(liquid, camera.place(liquid), [
        (*camera.turn(n)[:2], 0.35 * sky + 0.65 * lit * max(0.0, dot(n, sun)), mirrors)
        for n, (lit, sky, mirrors) in zip(liquid.normals, shades)])
    add_liquid(film, wet_film, o.liquid, camera, sun, o.cell)

    write_png(o.picture, develop(film, o.samples, ground_shade(camera, columns, sun)))


if __name__ == "__main__":
    main()
