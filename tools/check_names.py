#!/usr/bin/env python3
"""Fails on names and comments that mislead, and on depths that are changed behind the door.

- Two files of one name: a name says which file is meant, wherever it is written.
- A room (a directory of src/, apps/, tests/ or tools/ with sources in it) that CONTRIBUTING.md does not list, and one that
  it lists but that is not there.
- A `rill_...` name in README.md or docs/*.md that no source, header, test or build file has.
- A comment that leans on the one before it, which nobody reads who looked a name up: "The same", "Those", "What", "And" ...
  Rooms are held to that once they are in OPENERS_DONE.
- A version in the public header that is not that of the changelog's newest section: the soname and `rill_version` follow it.
- A word of the household in a name, for which the field has one of its own (WORDS), where it once meant that.
- A depth that src/ changes outside of flow/column.h, the vector kernels and snapshots, which load worlds.
- With --commits RANGE also: the subject of a commit that is longer than 72 characters.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCES = {".c", ".h", ".cpp", ".glsl", ".py", ".sh", ".mjs"}
ROOTS = ("src", "apps", "include", "tests", "tools", "examples")
# Rooms whose comments stand alone.
OPENERS_DONE = ["src", "include", "apps", "examples", "tests"]
OPENERS = ("The same", "Those", "What", "And", "Likewise", "Also", "Ditto", "As above", "The latter", "The former",
           "The other", "The others", "The rest", "So do", "So does", "Not so", "But", "Or", "Nor", "Then")
OPENER = re.compile(r"(?:" + "|".join(OPENERS) + r")\b(?!-)")
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*(.*?)\*/|//([^\n]*)', re.S)
NAME = re.compile(r"\b(?:rill|RILL)_\w+")
CODE = re.compile(r"```.*?```|`[^`\n]+`", re.S)
# A depth changed in place, or a pointer to depths that is not one to const.
DEPTH = re.compile(r"(?:->|\.)H\[[^;]*?\]\s*[-+*/|&]?=(?!=)|(?<!const )\bint32_t \*(?:restrict |const )?H = |(?:cpy|set|move)\([^,;]*->H\b")
DOORS = re.compile(r"flow/column\.h$|kernels\.c$|snapshot/")
SUBJECT_LIMIT = 72
# Parts of names, where they are not wanted, and what is said instead.
EVERYWHERE = ("src/", "apps/", "tests/", "include/")
WORDS = {
    "rub": (EVERYWHERE, "drag"), "grasp": (EVERYWHERE, "drag"), "cargo": (EVERYWHERE, "added mass, or load"),
    "unturn": (EVERYWHERE, "remove the axial torque"), "fringe": (EVERYWHERE, "contact band"),
    "stakes": (EVERYWHERE, "outline points"), "retreat": (EVERYWHERE, "outline clip"),
    "aboard": (EVERYWHERE, "deck"), "movers": (EVERYWHERE, "wall speed"), "margins": (("src/",), "windows, or rims"),
    "spin": (("include/", "src/bodies/", "src/world/", "apps/scene/"), "angular velocity"),
    "heavier": (("src/",), "effective inertia"), "lighter": (("src/",), "inverse of the effective inertia"),
    "six": (("src/",), "wrench, or twist"), "given": (("src/bodies/",), "drag"),
    "carry": (("src/bodies/", "src/flow/", "src/waves/"), "added mass, or advect"),
    "tell": (("src/bodies/", "src/world/"), "report"), "seen": (("src/bodies/",), "levels to draw"),
    "shown": (("src/",), "lifted bases"), "told": (("src/", "apps/validate/"), "prescribed"),
    "pace": (("src/flow/", "src/motion/"), "wall speed, or force"), "drawn": (("src/flow/", "src/motion/"), "withdrawn"),
    "held": (("src/flow/", "src/motion/"), "expelled"), "settle": (("src/motion/",), "remap"),
    "printed": (("src/",), "paper"), "growth": (("src/surface/",), "contact distance"),
    "aside": (("src/world/",), "body insertion"), "piles": (("src/",), "row voids"), "fills": (("src/bed/",), "close walls"),
    "progress": (("src/",), "step context"), "airborne": (("src/motion/",), "in transit"),
    "afloat": (("apps/validate/",), "free bodies"), "communicating": (EVERYWHERE, "connected wells"),
    "pick": (("src/",), None),
}


def sources(root, folders=ROOTS):
    """All files of these folders that people write; seeds and data of tests are none."""
    found = []
    for folder in folders:
        found += [f for f in sorted((root / folder).rglob("*")) if f.is_file() and f.suffix in SOURCES]
    return found


def check_unique(root):
    first = {}
    for file in sources(root):
        name = file.name.lower()
        if name in first:
            yield f"{file.relative_to(root)}: named as {first[name].relative_to(root)}"
        first.setdefault(name, file)


def check_rooms(root):
    text = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"`((?:src|apps|tests|tools)(?:/\w+)?)`", "\n".join(
        line.split("|")[1] for line in text.splitlines() if line.startswith("|"))))
    there = set()
    for file in sources(root, ("src", "apps", "tests", "tools")):
        there.add("/".join(file.relative_to(root).parts[:-1][:2]))
    for room in sorted(there - listed):
        yield f"CONTRIBUTING.md: does not list {room}"
    for room in sorted(listed - there):
        yield f"CONTRIBUTING.md: lists {room}, which is not there"


def check_docs(root):
    known = set()
    for file in sources(root) + [f for f in sorted(root.rglob("*")) if f.name == "CMakeLists.txt" or f.suffix == ".cmake"]:
        known |= set(NAME.findall(file.read_text(encoding="utf-8", errors="replace")))
    for page in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        for code in CODE.finditer(text):
            for name in NAME.finditer(code[0]):
                exists = name[0] in known
                if name[0].endswith("_"):  # `rill_body_...`: some name that begins so
                    exists = any(k.startswith(name[0]) for k in known)
                if not exists:
                    number = text.count("\n", 0, code.start() + name.start()) + 1
                    yield f"{page.relative_to(root)}:{number}: no {name[0]} in the sources"


def check_openers(root, rooms):
    for file in sources(root, rooms):
        if file.suffix not in {".c", ".h", ".cpp"}:
            continue
        text = file.read_text(encoding="utf-8")
        for comment in COMMENT.finditer(text):
            words = (comment[1] or comment[2] or "").strip()
            if OPENER.match(words):
                number = text.count("\n", 0, comment.start()) + 1
                yield f'{file.relative_to(root)}:{number}: "{words.splitlines()[0][:60]}" leans on what stands before it'


def check_version(root):
    """Changes are listed under a version that programs can ask for."""
    header, log = root / "include/rill/rill.h", root / "CHANGELOG.md"
    numbers = re.findall(r"^#define RILL_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header.read_text(encoding="utf-8"), re.M)
    newest = re.search(r"^## (\S+)", log.read_text(encoding="utf-8"), re.M)
    if not newest or ".".join(numbers) != newest[1]:
        yield f"CHANGELOG.md: begins with {newest and newest[1]}, but RILL_VERSION_... is {'.'.join(numbers)}"


def check_words(root):
    """In names of files, functions, members and variables; `pick` only as a file of its own, which base/dispatch.h spares."""
    for file in sources(root, ("src", "apps", "tests", "include")):
        name = file.relative_to(root).as_posix()
        found = [(0, part) for part in file.stem.lower().split("_")]
        if file.suffix in {".c", ".h", ".cpp"}:
            text = COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), file.read_text(encoding="utf-8"))
            for number, line in enumerate(text.splitlines(), 1):
                found += [(number, part) for part in set("_".join(re.findall(r"[a-z]\w*", line.lower())).split("_"))]
        for number, part in found:
            if part in WORDS and name.startswith(WORDS[part][0]) and (WORDS[part][1] or number == 0):
                yield f"{name}:{number}: '{part}' in a name; say {WORDS[part][1] or 'base/dispatch.h'}"


def check_depths(root):
    for file in sources(root, ("src",)):
        name = str(file.relative_to(root))
        for number, line in enumerate([] if DOORS.search(name) else file.read_text(encoding="utf-8").splitlines(), 1):
            if DEPTH.search(line):
                yield f"{name}:{number}: changes a depth; flow/column.h is the door to them"


def check_commits(root, commits):
    subjects = subprocess.run(["git", "log", "--format=%h %s", commits], cwd=root, check=True, capture_output=True, text=True)
    for line in subjects.stdout.splitlines():
        commit, subject = line.split(" ", 1)
        if len(subject) > SUBJECT_LIMIT:
            yield f"{commit}: its subject has {len(subject)} characters: {subject}"


def check(root, rooms):
    return [*check_unique(root), *check_rooms(root), *check_docs(root), *check_openers(root, rooms), *check_version(root),
            *check_depths(root), *check_words(root)]


def self_test():
    """A checker that finds nothing is worth nothing: every kind of mistake, once, beside what is right."""
    tree = {
        "src/base/order.c": "int rill_order(void);",
        "src/flow/order.c": "",  # a second one of that name
        "src/flow/drive.c": "/* The same for drives. */\nint a; /* what follows a name may begin so */",
        "src/new/fresh.c": "",  # a room that is not listed
        "src/flow/thief.c": "flow->H[place] -= 1;\nint32_t *H = flow->H;\nconst int32_t *H = flow->H;\nif (flow->H[a[i]] == b) {}\n"
                            "memcpy(flow->H + a, b, c);\nworld->flow.H[a->queue[i]] = 0;\nflow->H = b;\n",
        "src/flow/kernels.c": "row->H[i] += 1;",
        "src/flow/column.h": "flow->H[place] += quanta;",
        "src/flow/kernels_pick.c": "int32_t rill_carry_on; /* carry */ int carrying; char *text = \"held\";",
        "src/base/words.c": "int pace; int rub_x;",
        "apps/cli/main.c": '/* Andrews said: */ char *s = "/* And in a text */";\n// And here\n',
        "include/rill/rill.h": "#define RILL_VERSION_MAJOR 1\n#define RILL_VERSION_MINOR 2\n#define RILL_VERSION_PATCH 3\n",
        "CHANGELOG.md": "# Changelog\n\n## 1.3.0 (some day)\n\n## 1.2.3\n",
        "README.md": "`rill_order` and `rill_gone`, but rill_prose is prose",
        "docs/page.md": "```c\nrill_lost();\n```\n`rill_or_...`, `rill_ord...`, `rill_order_`\n",
        "CONTRIBUTING.md": "| `src/base` | a |\n| `src/flow`, `apps/cli` | b |\n| `src/old` | c |\n",
    }
    wanted = [
        *[f"src/flow/thief.c:{line}: changes a depth; flow/column.h is the door to them" for line in (1, 2, 5, 6)],
        "src/flow/kernels_pick.c:0: 'pick' in a name; say base/dispatch.h",
        "src/flow/kernels_pick.c:1: 'carry' in a name; say added mass, or advect",
        "src/base/words.c:1: 'rub' in a name; say drag",
        "src/flow/order.c: named as src/base/order.c",
        "CONTRIBUTING.md: does not list src/new",
        "CONTRIBUTING.md: lists src/old, which is not there",
        "README.md:1: no rill_gone in the sources",
        "docs/page.md:2: no rill_lost in the sources",
        "docs/page.md:4: no rill_or_ in the sources",
        "docs/page.md:4: no rill_ord in the sources",
        "docs/page.md:4: no rill_order_ in the sources",
        'src/flow/drive.c:1: "The same for drives." leans on what stands before it',
        'apps/cli/main.c:2: "And here" leans on what stands before it',
        "CHANGELOG.md: begins with 1.3.0, but RILL_VERSION_... is 1.2.3",
    ]
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in tree.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        found = check(root, ["src/flow", "apps/cli"])
        git = ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run([*git, "init", "-q"], check=True)
        for subject in ("flow: Be short", "flow: " + "Go on and on " * 6):
            subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", subject], check=True)
        long_ones = list(check_commits(root, "HEAD"))
    if sorted(found) != sorted(wanted) or len(long_ones) != 1:
        print("missed:", sorted(set(wanted) - set(found)), "wrongly blamed:", sorted(set(found) - set(wanted)), long_ones)
        return 1
    print(f"{len(wanted) + 1} mistakes are found, and nothing else")
    return 0


def main():
    if "--self-test" in sys.argv:
        return self_test()
    root = pathlib.Path(__file__).resolve().parent.parent
    findings = check(root, OPENERS_DONE)
    if "--commits" in sys.argv:
        findings += check_commits(root, sys.argv[sys.argv.index("--commits") + 1])
    if "--openers" in sys.argv:  # of every room, also those that are not held to it
        findings = list(check_openers(root, ("src", "apps", "include", "examples", "tests")))
    for line in findings:
        print(line)
    print(f"{len(sources(root))} files, {len(findings)} findings")
    return 1 if findings or not sources(root) else 0


if __name__ == "__main__":
    sys.exit(main())
