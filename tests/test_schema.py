#!/usr/bin/env python3
"""The shipped JSON Schema and the reader of `rill check` must agree.

usage: test_schema.py RILL

Validates every scenes/*.yaml against scenes/rill.schema.json, then feeds good and broken variants of one scene to both the
schema and the program: each variant must be accepted by both or refused by both.
"""
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"skipped: {missing}; on Debian: apt-get install python3-jsonschema python3-yaml")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Loader(yaml.SafeLoader):
    """YAML as Rill reads it: 4e-6 is a number and off is a word, unlike in YAML 1.1."""


Loader.yaml_implicit_resolvers = {}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(true|True|TRUE|false|False|FALSE)$"), list("tTfF"))
Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(|~|null|Null|NULL)$"), ["", "~", "n", "N"])
Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^[-+]?[0-9]+$"), list("-+0123456789"))
Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(
    r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$"), list("-+.0123456789"))

MAP = str(ROOT / "scenes/models/tissue.png")

BASE = {
    "rill": 1,
    "name": "base",
    "bed": {
        "grid": {"cells": [20, 10], "cell_size": 0.001, "origin": [0, 0, 0]},
        "headroom": 0.05,
        "solids": [
            {"name": "floor", "shape": "box", "min": [0, 0, -0.01], "max": [0.02, 0.01, 0]},
            {"name": "post", "shape": "cylinder", "from": [0.015, 0.005, -0.001], "to": [0.015, 0.005, 0.01], "radius": 0.002},
            {"name": "ball", "shape": "sphere", "centre": [0.01, 0.005, 0], "radius": 0.002, "loop": True, "ease": False,
             "move": [{"time": 0, "translate": [0, 0, 0], "visible": True}, {"time": 0.5, "rotate": [0, 0, 720]},
                      {"time": 1, "translate": [0, 0, 0.001]}]},
            {"name": "ring", "shape": "torus", "centre": [0.01, 0.005, 0], "axis": [0, 0, 1], "radius": 0.004, "tube": 0.001},
            {"shape": "plane", "point": [0, 0, -0.005], "normal": [0, 0, 1]},
        ],
        "edges": {"west": "wall", "east": "open", "north": {"still": 0.001}},
    },
    "gravity": [0, 0, -9.81],
    "liquid": {"preset": "blood", "viscosity": 4e-6},
    "solver": {"method": "pipes", "pipe_area": "physical", "advection": True, "passages": "any", "orifice": 0.61, "friction": 1, "rest": True,
               "max_substeps": 64},
    "bodies": [{"name": "cork", "shape": "sphere", "radius": 0.001, "density": 240, "position": [0.005, 0.003, 0.002],
                "velocity": [0.01, 0, 0], "angular_velocity": [0, 90, 0], "drag": 0.5, "material": "wood"},
               {"name": "brick", "shape": "box", "size": [0.002, 0.001, 0.001], "mass": 0.00001, "rotate": [0, 0, 30],
                "position": [0.005, 0.007, 0.002], "centre": [0, 0, -0.0001]},
               {"shape": "capsule", "radius": 0.0005, "length": 0.001, "position": [0.003, 0.003, 0.003]},
               {"name": "stir", "shape": "cylinder", "radius": 0.0005, "length": 0.003, "position": [0.003, 0.006, 0.002],
                "kinematic": True, "loop": True, "ease": True,
                "move": [{"time": 0, "position": [0.003, 0.006, 0.002]}, {"time": 1, "rotate": [0, 0, 720]},
                         {"time": 2, "position": [0.003, 0.006, 0.002]}]}],
    "fill": [{"at": [0.005, 0.005, 0.001], "level": 0.002}, {"at": [0.005, 0.005, 0.001], "volume": 2e-8}],
    "sources": [{"name": "tap", "at": [0.005, 0.005, 0.01], "radius": 0.001, "rate": 1e-6, "from": 0, "until": 1},
                {"name": "drop", "at": [0.005, 0.005, 0.01], "rate": 1e-6},
                {"name": "patch", "min": [0, 0, 0], "max": [0.005, 0.005, 0.01], "rate": 1e-6},
                {"name": "rain", "rain": 20}],
    "sinks": [{"name": "drain", "at": [0.002, 0.005, 0.001], "radius": 0.001, "rate": 1e-7}],
    "probes": [{"name": "well", "measure": "level", "at": [0.002, 0.005, 0.001]},
               {"name": "all", "measure": "volume", "min": [0, 0, 0], "max": [1, 1, 1]},
               {"name": "bob", "measure": "z", "body": "cork"}],
    "control": [{"name": "triangle", "polygon": [[0.002, 0.002], [0.009, 0.002], [0.005, 0.008]], "strength": 5, "until": 2,
                 "contact_angle": {"inside": 15, "outside": {"advancing": 60, "receding": 40}}},
                {"polygons": [[[0.002, 0.002], [0.009, 0.002], [0.009, 0.008], [0.002, 0.008]],
                              [[0.004, 0.004], [0.006, 0.004], [0.005, 0.006]]], "from": 1},
                {"image": MAP}],
    "run": {"frame": 0.01, "until": 0.1},
    "view": {"camera": {"from": [0.1, -0.1, 0.1], "to": [0, 0, 0], "lens": 35}},
}
ABSENT = object()

# (path, value): the value is put there, or what is there is taken away.
GOOD = [
    ("name", ABSENT), ("bed.grid.origin", ABSENT), ("bed.headroom", ABSENT), ("bed.edges", ABSENT), ("gravity", ABSENT),
    ("liquid", ABSENT), ("solver", ABSENT), ("fill", ABSENT), ("sources", ABSENT), ("sinks", ABSENT), ("probes", ABSENT),
    ("view", ABSENT), ("view.camera.lens", ABSENT), ("view.camera", ABSENT), ("solver.passages", False), ("solver.passages", "off"), ("solver.passages", "straight"),
    ("solver.orifice", 0), ("solver.waves", {"theta": 0.6, "time_step": 0, "iterations": 12, "tolerance": 1}),
    ("solver.papers", "none"), ("solver.wang", {"viscosity": 0, "friction": 0.001, "iterations": 1, "tolerance": 1}),
    ("solver.wang", {"tension": "complete", "preconditioner": "factored", "front": "neumann", "angular": False}),
    ("solver.kandemir", {"vanishing": 0.5, "viscosity": 1, "pipe_length": 0}),
    ("solver.pipe_area", "paper"), ("liquid.preset", "olive oil"), ("fill", []), ("sources", []), ("bed.min_opening", 0.001),
    ("bed.grid.cells.0", 20.0), ("bed.solids.0.rotate", [0, 0, 90]), ("bed.solids.0.scale", 2),
    ("bed.solids.3.axis", ABSENT), ("sources.0.until", ABSENT), ("run.until", 0), ("name", "Grüße an ümläute"),
    ("sources.3.from", 3), ("probes.0.measure", "speed"), ("bed.solids.2.loop", ABSENT), ("bed.solids.2.ease", True),
    ("bed.solids.0.material", "wood"), ("bed.solids.1.material", {"kind": "steel"}), ("bed.solids.2.material", "auto"),
    ("bed.solids.3.material", {"colour": [0, 0.5, 1], "roughness": 0.3}), ("bed.solids.4.material", {}),
    ("bed.solids.0.move", [{"time": 3, "visible": False}]), ("bed.solids.2.move.0.visible", ABSENT),
    ("liquid.contact_angle", 0), ("liquid.contact_angle", {"advancing": 60, "receding": 40}), ("liquid.drying", 5),
    ("bed.solids.0.contact_angle", 180), ("bed.solids.4.contact_angle", {"advancing": 90, "receding": 90}),
    ("bed.solids.3.wettability", {"map": MAP, "low": 110, "high": 20}),
    ("solver.tension", True), ("solver.tension", False), ("solver.wall_tension", True),
    ("bodies.0.density", ABSENT), ("bodies.1.rotate", ABSENT),
    ("control", ABSENT), ("control", []), ("control.0.name", ABSENT), ("control.0.strength", 0), ("control.0.contact_angle", {}),
    ("control.1.polygons.1", ABSENT), ("control.2", {"image": MAP, "at": [0, 0], "height": 0.01}),
    ("bodies.2.name", "pill"), ("bodies.2.shape", "cylinder"), ("bodies.3.loop", ABSENT),
    ("bodies.0.kinematic", False), ("bodies.3.ease", ABSENT), ("probes.2.measure", "volume"), ("probes.2.measure", "level"),
]
BROKEN = [
    # missing keys
    ("rill", ABSENT), ("bed", ABSENT), ("run", ABSENT), ("bed.grid", ABSENT), ("bed.solids", ABSENT), ("bed.grid.cells", ABSENT),
    ("bed.grid.cell_size", ABSENT), ("run.frame", ABSENT), ("run.until", ABSENT), ("bed.solids.0.shape", ABSENT),
    ("bed.solids.0.min", ABSENT), ("bed.solids.1.radius", ABSENT), ("bed.solids.2.centre", ABSENT),
    ("bed.solids.2.move.0.time", ABSENT), ("bed.solids.2.move.1.rotate", ABSENT), ("bed.solids.3.tube", ABSENT), ("bed.solids.4.normal", ABSENT), ("fill.0.level", ABSENT), ("fill.1.volume", ABSENT), ("fill.1.at", ABSENT), ("fill.1.level", 1), ("fill.1.volume", 0), ("sources.0.rate", ABSENT),
    ("sources.0.at", ABSENT), ("sources.2.max", ABSENT), ("probes.0.name", ABSENT), ("probes.0.at", ABSENT),
    ("probes.0.measure", ABSENT), ("probes.1.min", ABSENT), ("view.camera.to", ABSENT),
    ("control.2.image", ABSENT), ("control.0.polygon.0", ABSENT), ("control.2", {"image": MAP, "at": [0, 0]}),
    ("control.2", {"image": MAP, "height": 1}), ("control.2", {"text": "A", "height": 1}), ("control.2", {"text": "A", "at": [0, 0]}),
    # unknown keys
    ("control.0.image", MAP), ("control.1.height", 1), ("control.2.font", "a.ttf"), ("control.0.contact_angle.between", 3),
    ("liquids", {}), ("bed.grid.size", 1), ("bed.solid", []), ("bed.solids.0.radius", 1), ("bed.solids.2.tube", 1),
    ("bed.edges.up", "wall"), ("liquid.colour", "red"), ("solver.layers", 3), ("fill.0.depht", 1), ("sources.3.rate", 1),
    ("sources.0.min", [0, 0, 0]), ("sinks.0.rain", 1), ("probes.0.min", [0, 0, 0]), ("probes.1.at", [0, 0, 0]), ("run.frames", 1),
    ("view.lens", 35), ("view.camera.up", [0, 0, 1]), ("bed.solids.2.move.0.scale", 2), ("bed.solids.0.loop", True),
    ("bed.solids.0.ease", True), ("bed.solids.0.morph", []),
    ("bed.solids.0.material", {"color": [0, 0, 0]}),
    # wrong types
    ("bed.solids.0.material", 3), ("bed.solids.0.material", ["wood"]), ("bed.solids.0.material", {"colour": 1}),
    ("bed.solids.0.material", {"roughness": "high"}),
    ("rill", "1"), ("rill", True), ("name", 12), ("name", None), ("bed", []), ("bed.grid.cells", 20), ("bed.grid.cells.0", "20"),
    ("bed.headroom", "0.05"), ("bed.solids", {}), ("bed.solids.0", "box"), ("gravity", -9.81), ("gravity", [0, -9.81]),
    ("gravity.0", "down"), ("liquid", "blood"), ("solver.advection", "true"), ("solver.rest", 1), ("fill", {"at": [0, 0, 0], "level": 1}),
    ("sources.0.at", [0, 0]), ("probes.0.at", {}), ("run", 3), ("view.camera", []), ("bed.edges.east", ["open"]),
    ("bed.edges.north.still", "high"), ("bed.edges.east", True), ("bed.solids.2.move", {"time": 0}),
    ("bed.solids.2.move.0.time", "now"), ("bed.solids.2.move.0.visible", 1), ("bed.solids.2.loop", 2),
    # out of range
    ("bed.solids.0.material", {"colour": [0, 0, 2]}), ("bed.solids.0.material", {"roughness": -0.1}),
    ("rill", 2), ("bed.grid.cells.0", 0), ("bed.grid.cells.0", 40000), ("bed.grid.cells.0", 2.5), ("bed.grid.cell_size", 0),
    ("bed.grid.cell_size", -1), ("bed.headroom", 0), ("bed.min_opening", -1), ("bed.solids", []), ("bed.solids.2.radius", 0),
    ("bed.solids.0.scale", 0), ("bed.solids.0.rotate", [0, 0, 900]), ("bed.solids.4.normal", [0, 0, 0]), ("gravity.2", -1e5),
    ("liquid.viscosity", -1e-6), ("liquid.density", 0), ("liquid.contact_angle", 181), ("liquid.surface_tension", -1),
    ("solver.friction", 0), ("solver.friction", 1.5), ("solver.max_substeps", 0), ("solver.max_substeps", 1.5),
    ("solver.orifice", -0.1), ("solver.orifice", 1.5), ("solver.kandemir", {"vanishing": 0}), ("solver.waves", {"theta": 0.4}), ("solver.waves", {"tolerance": 0}),
    ("solver.waves", {"iterations": 1.5}), ("solver.papers", "stam"), ("solver.wang", {"viscosity": 1.1}), ("solver.wang", {"front": "robin"}), ("solver.wang", {"iterations": 0}),
    ("solver.kandemir", {"viscosity": 2}), ("solver.kandemir", {"damping": 1}),
    ("solver.kandemir", {"external_force": {"min": [0, 0], "max": [1, 1]}}),
    ("solver.kandemir", {"external_force": {"min": [0, 0, 0], "max": [1, 1], "force": 1}}),
    ("sources.0.rate", -1), ("sources.3.rain", -1), ("sources.0.radius", 0), ("sources.0.from", -1), ("run.frame", 0),
    ("bed.solids.2.move.0.time", -1), ("bed.solids.2.move", []), ("bed.solids.2.move.1.rotate", [0, 0, 40000]),
    ("run.frame", 4000), ("run.until", -1), ("view.camera.lens", 0), ("bed.grid.origin.0", 1e7),
    # bad words and names
    ("bed.solids.0.material", "gold"), ("bed.solids.0.material", {"kind": "gold"}),
    ("bed.solids.0.shape", "cube"), ("bed.edges.west", "shut"), ("liquid.preset", "mercury"), ("solver.method", "ripples"),
    ("solver.pipe_area", "fat"), ("solver.passages", "some"), ("solver.passages", True), ("probes.0.measure", "height"),
    ("name", ""), ("name", " x"), ("name", "a\tb"), ("name", "n" * 64), ("probes.0.name", "time"), ("probes.0.name", "a,b"),
    ("probes.0.name", "a\"b"), ("sources.0.name", "fill"), ("sinks.0.name", "north"),
    ("bed.solids.0", {"mesh": "bone.txt"}), ("bed.solids.0", {"mesh": "a.stl", "shape": "box"}),
    ("bed.solids.0", {"heightmap": "ground.jpg"}), ("bed.solids.0", {"heightmap": "ground.png", "low": 0}),
    ("bed.solids.0", {"heightmap": "ground.npy", "low": 0, "high": 1}),
    # contact angles
    ("liquid.contact_angle", "low"), ("liquid.contact_angle", [60, 40]), ("liquid.contact_angle", {"advancing": 60}),
    ("liquid.contact_angle", {"receding": 60}), ("liquid.contact_angle", {"advancing": 181, "receding": 0}),
    ("liquid.contact_angle", {"advancing": 60, "receding": -1}), ("liquid.drying", -1), ("liquid.drying", "slow"),
    ("liquid.contact_angle", {"advancing": 60, "receding": 40, "static": 50}), ("bed.solids.1.contact_angle", -1),
    ("bed.solids.1.contact_angle", {}), ("bed.solids.1.wettability", MAP), ("bed.solids.1.wettability", {}),
    ("bed.solids.1.wettability", {"map": "letters.jpg"}), ("bed.solids.1.wettability", {"map": MAP, "low": 0}),
    ("bed.solids.1.wettability", {"map": MAP, "low": 0, "high": 181}),
    ("bed.solids.1.wettability", {"map": "letters.npy", "low": 0, "high": 110}), ("bodies.0.contact_angle", 40),
    ("solver.tension", "auto"), ("solver.tension", 1), ("solver.wall_tension", 90), ("solver.wall_tension", "false"),
    # bodies
    ("bodies.0.shape", ABSENT), ("bodies.0.radius", ABSENT), ("bodies.0.position", ABSENT), ("bodies.1.size", ABSENT),
    ("bodies.2.length", ABSENT), ("bodies.3.move", ABSENT), ("bodies.3.kinematic", ABSENT), ("bodies.3.move.0.time", ABSENT),
    ("bodies.3.move.1.rotate", ABSENT), ("bodies.0.length", 1), ("bodies.0.translate", [0, 0, 0]), ("bodies.1.radius", 1),
    ("bodies.3.move.0.translate", [0, 0, 0]), ("bodies.3.move.0.visible", True), ("bodies", {}), ("bodies.0", "cork"),
    ("bodies.0.radius", "big"), ("bodies.0.velocity", 1), ("bodies.3.kinematic", "yes"), ("bodies.0.radius", 0),
    ("bodies.1.size.1", -1), ("bodies.0.density", 0), ("bodies.1.mass", 0), ("bodies.0.drag", -1), ("bodies.0.drag", 2000),
    ("bodies.0.velocity.0", 2000), ("bodies.1.rotate.2", 400), ("bodies.0.mass", 1), ("bodies.3.density", 100),
    ("bodies.3.mass", 1), ("bodies.0.shape", "ball"), ("bodies.0.name", "a,b"), ("bodies.0.name", ""),
    ("bodies.0", {"mesh": "boat.txt", "position": [0, 0, 0]}), ("bodies.0", {"shape": "hull", "position": [0, 0, 0]}),
    ("probes.2.measure", "depth"), ("probes.2.at", [0, 0, 0]), ("probes.2.body", ABSENT), ("probes.2.body", 1),
    ("bodies.0.move", [{"time": 0, "position": [0, 0, 0]}]), ("bodies.0.loop", True),
]


def variant(path, value):
    scene = copy.deepcopy(BASE)
    *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    at = scene
    for step in way:
        at = at[step]
    if value is ABSENT:
        del at[last]
    else:
        at[last] = value
    return scene


def main():
    rill = sys.argv[1]
    schema = json.loads((ROOT / "scenes/rill.schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    count = wrong = 0

    def judge(what, good, detail=""):
        nonlocal count, wrong
        count += 1
        wrong += not good
        if not good:
            print(f"not ok {count} - {what} {detail}")

    scenes = sorted((ROOT / "scenes").glob("*.yaml"))
    judge("there are scenes", scenes)
    for scene in scenes:
        errors = [f"{list(e.path)}: {e.message}" for e in validator.iter_errors(yaml.load(scene.read_text(), Loader))]
        judge(f"{scene.name} fits the schema", not errors, errors)
    keys = {match for match in re.findall(r"^(\w+):", "".join(s.read_text() for s in scenes), re.M)}
    judge("the scenes use most of the format", {"rill", "bed", "liquid", "sources", "probes", "run"} <= keys, keys)

    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "variant.json"
        for path, value, good in [("name", "base", True)] + [g + (True,) for g in GOOD] + [b + (False,) for b in BROKEN]:
            scene = variant(path, value)
            what = f"{path}: {'absent' if value is ABSENT else value!r}"
            file.write_text(json.dumps(scene))
            judge(f"schema and {what}", validator.is_valid(scene) == good)
            ran = subprocess.run([rill, "check", str(file)], capture_output=True, text=True)
            judge(f"rill check and {what}", ran.returncode == (0 if good else 1), ran.stdout + ran.stderr)
            placed = re.search(r"^\S+variant\.json:1:[1-9]\d*: found .*expected ", ran.stdout, re.M)
            judge(f"the complaint about {what} has a place", good or placed, ran.stdout)
    print(f"{count - wrong} of {count} checks passed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
