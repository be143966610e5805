"""Smooth meshes of layered columns as `rill run --fields` writes them; draw_fields.py draws them.

Each column gives a signed distance along z to the solid, cut off at a few cells and blurred over its neighbours. The
zero of that field, taken by surface nets (Gibson 1998), is a smooth mesh that knows overhangs. Lengths are metres
outside and cells of the grid inside, x east, y north, z up; a cell is as high as it is wide.
"""
import array
import ast
import math
import re
import struct
import sys

EDGES = ((0, 1), (0, 2), (0, 4), (1, 3), (1, 5), (2, 3), (2, 6), (3, 7), (4, 5), (4, 6), (5, 7), (6, 7))
REACH = 1.5  # cells at which distances are cut off: beyond it a cliff is a cliff, below it a slope is a slope
FILM = 2e-6  # m; thinner liquid is not drawn


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def unit(a):
    size = math.sqrt(dot(a, a)) or 1.0
    return (a[0] / size, a[1] / size, a[2] / size)


def read_npy(path):
    """Shape and values of a float64 array in C order."""
    try:
        data = path.read_bytes()
    except OSError as error:
        sys.exit(f"{path}: {error.strerror}; expected what `rill run --fields` writes")
    if data[:6] != b"\x93NUMPY":
        sys.exit(f"{path}: not a .npy file")
    size, start = struct.unpack("<H", data[8:10])[0], 10
    head = ast.literal_eval(data[start:start + size].decode("latin-1"))
    if head["descr"] != "<f8" or head["fortran_order"] or len(head["shape"]) != 3:
        sys.exit(f"{path}: expected little-endian float64 [layers, ny, nx] in C order")
    return head["shape"], array.array("d", data[start + size:])


class Columns:
    """The solid spans (from, to) of every cell, lowest first, with and without the liquid that stands on them."""

    def __init__(self, folder, index, cell, above, foot):
        moving = "" if (folder / "base.npy").exists() else f"_{index:05d}"  # solids that move: floors of each time
        (layers, self.ny, self.nx), base = read_npy(folder / f"base{moving}.npy")
        ceiling, depth = read_npy(folder / f"ceiling{moving}.npy")[1], read_npy(folder / f"depth_{index:05d}.npy")[1]
        self.cell, size = cell, self.ny * self.nx
        floors = [z for z in base if z >= above]
        if not floors:
            sys.exit(f"{folder}: no column has its base above {above:g} m")
        self.bottom, self.top = min(floors) - foot, max(floors) + 4 * cell
        self.dry, self.wet, self.depth = [], [], array.array("d", bytes(8 * size))  # the deepest of a cell's depths
        for c in range(size):
            dry, wet, low, wet_low = [], [], self.bottom, self.bottom
            for n in range(c, layers * size, size):
                if base[n] >= above:
                    level = base[n] + depth[n]
                    dry.append((low, base[n]))
                    wet.append((wet_low, level))
                    self.depth[c] = max(self.depth[c], depth[n])
                    low = wet_low = max(ceiling[n], self.bottom)
                    if ceiling[n] - level < 1e-6:  # full to the ceiling: one piece with what is above
                        wet_low = wet.pop()[0]
                elif base[n] == base[n]:  # there, but left out
                    low = wet_low = max(ceiling[n], self.bottom)
            self.dry.append(dry)
            self.wet.append(wet)
        self.ground = self.find_ground()

    def find_ground(self):
        """Cells whose lowest floor joins the lowest of all without a step of more than a cell: floor, not furniture."""
        floors = [spans[0][1] if spans else math.inf for spans in self.dry]
        found, todo = set(), [floors.index(min(floors))]
        while todo:
            c = todo.pop()
            if c not in found:
                found.add(c)
                x, y = c % self.nx, c // self.nx
                near = ((x > 0, c - 1), (x < self.nx - 1, c + 1), (y > 0, c - self.nx), (y < self.ny - 1, c + self.nx))
                todo += [n for inside, n in near if inside and abs(floors[n] - floors[c]) < self.cell]
        return found


class Lattice:
    """The field at nodes above the cells' centres, two nodes of air around: index = (j * (nx + 4) + i) * nz + k."""

    def __init__(self, columns, spans):
        self.columns, self.spans, h = columns, spans, columns.cell
        self.nx, self.ny = columns.nx + 4, columns.ny + 4
        self.nz = math.ceil((columns.top - columns.bottom) / h) + 6
        self.low = columns.bottom - 3.5 * h  # of node k = 0
        self.solid = bytearray()  # one byte per node, for rays

    def line(self, spans):
        """Distances into the solid, in cells, of one column's nodes."""
        line = [-REACH] * self.nz
        for low, high in spans:
            low, high = (low - self.low) / self.columns.cell, (high - self.low) / self.columns.cell
            for k in range(max(0, math.ceil(low - REACH)), min(self.nz - 1, math.floor(high + REACH)) + 1):
                line[k] = max(line[k], min(k - low, high - k, REACH))
        return line

    def slabs(self):
        """The field row by row from the south, blurred by (1 2 1) / 4 along x and y."""
        nz, width = self.nz, self.columns.nx
        side = [-REACH] * (2 * nz)
        air = [-REACH] * (self.nx * nz)
        rows = [air, air]
        for j in range(self.ny):
            if 0 <= j - 1 < self.columns.ny:
                first = (j - 1) * width
                row = side + [v for c in range(first, first + width) for v in self.line(self.spans[c])] + side
                row[nz:-nz] = [(a + b + b + c) * 0.25 for a, b, c in zip(row, row[nz:], row[2 * nz:])]
            else:
                row = air
            rows.append(row)
            yield [(a + b + b + c) * 0.25 for a, b, c in zip(rows[0], rows[1], rows[2])]
            rows.pop(0)


class Mesh:
    """Quads around the field's zero. Points are in cells of the lattice, normals point out of the solid."""

    def __init__(self, lattice, wet_only=False):
        self.points, self.quads, nz = [], [], lattice.nz
        before, signs_before, ids_before = None, 0, {}
        for j, slab in enumerate(lattice.slabs()):
            signs = bytes([v > 0 for v in slab])
            lattice.solid += signs
            number = int.from_bytes(signs, "little")
            if before:
                some, every = signs_before | number, signs_before & number  # of each cell's eight corners
                some, every = some | some >> 8, every & every >> 8
                mixed = (some | some >> 8 * nz) ^ (every & every >> 8 * nz)
                ids = {}
                keep = self.near_liquid(lattice, j) if wet_only else None
                for match in re.finditer(b"\1", mixed.to_bytes(len(signs), "little")):
                    if keep is None or match.start() // nz in keep:
                        self.add(match.start(), j - 1, before, slab, nz, ids, ids_before)
                ids_before = ids
            before, signs_before = slab, number
        self.normals = [unit(n) for n in self.smooth(self.face_normals(), 1)]

    @staticmethod
    def near_liquid(lattice, j):
        """Cells i of the lattice's row j - 1 that the blur may have reached from a wet column."""
        depth, nx = lattice.columns.depth, lattice.columns.nx
        rows = range(max(0, j - 5), min(lattice.columns.ny, j + 1))
        wet = [i for r in rows for i in range(nx) if depth[r * nx + i] > FILM]
        return {i + near for i in wet for near in range(-1, 5)}

    def add(self, n, j, south, north, nz, ids, ids_south):
        """The vertex of one cell: the mean of the zeros on its edges; and the quads around its first three edges."""
        value = (south[n], south[n + 1], south[n + nz], south[n + nz + 1],
                 north[n], north[n + 1], north[n + nz], north[n + nz + 1])
        count = x = y = z = 0
        for a, b in EDGES:
            if (value[a] > 0) != (value[b] > 0):
                t = value[a] / (value[a] - value[b])
                axis = b - a
                z += t if axis == 1 else a & 1
                x += t if axis == 2 else a >> 1 & 1
                y += t if axis == 4 else a >> 2
                count += 1
        i, k = divmod(n, nz)
        ids[n] = len(self.points)
        self.points.append((i + x / count, j + y / count, k + z / count))
        up = value[0] > 0
        for other, outward, cells in (
                (1, up, (ids.get(n), ids.get(n - nz), ids_south.get(n - nz), ids_south.get(n))),
                (2, not up, (ids.get(n), ids.get(n - 1), ids_south.get(n - 1), ids_south.get(n))),
                (4, up, (ids.get(n), ids.get(n - 1), ids.get(n - 1 - nz), ids.get(n - nz)))):
            if (value[other] > 0) != up and None not in cells:
                self.quads.append(cells if outward else cells[::-1])

    def face_normals(self):
        sums = [(0.0, 0.0, 0.0)] * len(self.points)
        for quad in self.quads:
            (ax, ay, az), (bx, by, bz), (cx, cy, cz), (dx, dy, dz) = [self.points[p] for p in quad]
            ux, uy, uz, vx, vy, vz = cx - ax, cy - ay, cz - az, dx - bx, dy - by, dz - bz
            x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
            for p in quad:
                s = sums[p]
                sums[p] = (s[0] + x, s[1] + y, s[2] + z)
        return [unit(s) for s in sums]

    def smooth(self, values, times):
        """Averages triples of the vertices over the quads that share them."""
        for _ in range(times):
            sums = [(v[0], v[1], v[2], 1) for v in values]
            for quad in self.quads:
                a, b, c, d = [values[p] for p in quad]
                x, y, z = a[0] + b[0] + c[0] + d[0], a[1] + b[1] + c[1] + d[1], a[2] + b[2] + c[2] + d[2]
                for p in quad:
                    s = sums[p]
                    sums[p] = (s[0] + x, s[1] + y, s[2] + z, s[3] + 4)
            values = [(s[0] / s[3], s[1] / s[3], s[2] / s[3]) for s in sums]
        return values
