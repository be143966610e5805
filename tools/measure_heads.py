#!/usr/bin/env python3
"""What the heads of flooded columns take when passages find them, and when bodies do: prints the table of docs/performance.md.

    measure_heads.py [RILL]      counts instructions with valgrind's callgrind; a minute or two

The same flooded columns are sent either way by a ball of 2.4 mm that stands still, in the open or in the passage: a passage that a
body is in is theirs, whole. The slope makes water move.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

SCENE = """rill: 1
name: heads
bed:
  grid: {{ cells: [{nx}, {ny}], cell_size: 0.001 }}
  headroom: 0.01
  solids:
    - {{ name: floor, shape: box, min: [0, 0, -0.004], max: [0.1, 0.1, 0] }}
    - {{ name: wall, shape: box, min: [{x0}, 0, 0.003], max: [{x1}, 0.1, 0.012] }}
{extra}liquid: {{ preset: water }}
fill: [ {{ at: [0.002, 0.002, 0.001], level: 0.006 }} ]
bodies: [ {{ name: ball, shape: sphere, radius: 0.0012, position: [{ball}, {y}, 0.0015], kinematic: true }} ]
solver: {{ tension: false }}
gravity: [0.2, 0, -9.81]
run: {{ frame: 0.0166667, until: 1 }}
"""
PILLARS = """    - { name: south, shape: box, min: [0.02, 0, -0.001], max: [0.036, 0.01, 0.004] }
    - { name: north, shape: box, min: [0.02, 0.02, -0.001], max: [0.036, 0.1, 0.004] }
"""
COLUMNS = {"rill_passages_move": "all of `rill_passages_move`", "rill_bodies_move": "all of `rill_bodies_move`",
           "rill_world_step": "the step"}
CASES = [("long wall, ball outside", dict(nx=110, ny=60, x0=0.01, x1=0.1, extra="", ball=0.005, y=0.03), 10),
         ("long wall, ball in the passage", dict(nx=110, ny=60, x0=0.01, x1=0.1, extra="", ball=0.055, y=0.03), 10),
         ("one opening, ball outside", dict(nx=56, ny=30, x0=0.02, x1=0.036, extra=PILLARS, ball=0.005, y=0.015), 10),
         ("one opening, ball in the passage", dict(nx=56, ny=30, x0=0.02, x1=0.036, extra=PILLARS, ball=0.028, y=0.015), 10)]


def count(rill, scene, frames):
    """Instructions of each function of COLUMNS with all that it calls, in millions."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "scene.yaml")
        file.write_text(scene)
        out = pathlib.Path(folder, "callgrind")
        subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", rill, "hash", file, "--steps", str(frames)],
                       check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        listing = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", out], check=True,
                                 stdout=subprocess.PIPE, text=True).stdout
    found = {}
    for line in listing.splitlines():
        match = re.match(r"\s*([\d,]+).*[:?](rill_\w+)(?:'2)? ?\[?", line)
        if match and match[2] in COLUMNS:
            found.setdefault(match[2], int(match[1].replace(",", "")) / 1e6)
    return found


def main():
    rill = sys.argv[1] if len(sys.argv) > 1 else "build/rill"
    print("| | frames |", " | ".join(COLUMNS.values()), "|")
    print("|---|---:|" + "---:|" * len(COLUMNS))
    for name, how, frames in CASES:
        found = count(rill, SCENE.format(**how), frames)
        print(f"| {name} | {frames} |", " | ".join(f"{found[f]:,.0f}" if f in found else "" for f in COLUMNS), "|", flush=True)


if __name__ == "__main__":
    main()
