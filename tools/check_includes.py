#!/usr/bin/env python3
"""Fails on an include that points the wrong way, and on a question about the processor outside of the header for them.

Each room may include itself and rooms of a lower rank, not its equals; headers named *_internal.h are for their own room
alone. Programs see the public header and the rooms of apps/ that APPS names.

Within src/, "module/file.h" and "rill/rill.h" are the only spellings; system headers are free in every file, but the
library's own third-party dependencies are none: only the C library's and POSIX's headers.
"""
import pathlib
import re
import sys
import tempfile

RANK = {"base": 0, "tasks": 1, "shape": 1, "bed": 2, "shell": 2, "solve": 2, "flow": 3, "passages": 4, "kandemir": 4,
        "waves": 4, "wang": 4, "motion": 5, "films": 5, "bodies": 6, "falls": 7, "regions": 7, "floor": 7, "mesh": 8, "meniscus": 9,
        "surface": 10, "world": 11, "snapshot": 12}
APPS = {"scene": set(), "physics": {"scene"}, "console": {"scene", "physics"}, "render": {"scene"},
        "bake": {"scene", "physics", "console"}, "validate": {"scene", "console"}, "bench": {"scene", "physics", "console", "render"},
        "viewer": {"scene", "physics", "render"},
        "cli": {"scene", "physics", "console", "render", "viewer", "bake", "validate", "bench"}, "web": set()}
SYSTEM = set("""assert complex ctype errno fenv float inttypes iso646 limits locale math pthread sched setjmp signal
stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar unistd wchar
wctype""".split())
PROCESSOR = re.compile(r"\b__(?:AVX|SSE|FMA__|ARM_|aarch64__|x86_64__|i386__|wasm)|__builtin_(?:cpu_|ia32_)|\b__asm__\b")
PROCESSOR_HEADER = "src/base/dispatch.h"
INCLUDE = re.compile(r'^\s*#\s*include\s*(<([^>]+)>|"([^"]+)")')


def check_library(module, file, angled, quoted):
    """What is wrong with one include of a file of src/<module>, or None."""
    name = quoted or angled
    if name == "rill/rill.h":
        return None
    if angled:
        top = name[:-2].split("/")[0]
        return None if top in SYSTEM or name.startswith("sys/") else f"<{name}>: the library depends on libc alone"
    if "/" not in quoted:
        return f'"{quoted}": write "{module}/{quoted}"'
    target = quoted.split("/")[0]
    if target not in RANK:
        return f'"{quoted}": no room of src/'
    if target != module and RANK[target] >= RANK[module]:
        return f'"{quoted}": {module} must not know {target}'
    if target != module and quoted.endswith("_internal.h"):
        return f'"{quoted}": for src/{target} alone'
    return None


def check_app(app, file, angled, quoted, root):
    name = quoted or angled
    if name == "rill/rill.h":
        return None
    if angled:
        return "<rill/...>: programs include rill/rill.h alone" if name.startswith("rill/") else None
    if (file.parent / quoted).resolve().parent == file.parent.resolve():
        return None
    target = quoted.split("/")[-2] if "/" in quoted else None
    if quoted.endswith("_internal.h"):
        return f'"{quoted}": for apps/{target} alone'
    if target in APPS[app] and (root / "apps" / target / pathlib.Path(quoted).name).exists():
        return None
    return f'"{quoted}": apps/{app} may include rill/rill.h, its own files and {sorted(APPS[app]) or "nothing else"}'


def check_processor(root, file):
    """Other compilers and processors have one file to look at."""
    name = file.relative_to(root).as_posix()
    if name == PROCESSOR_HEADER:
        return
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if PROCESSOR.search(line):
            yield f"{name}:{number}: asks what the processor is, as {PROCESSOR_HEADER} alone should"


def files(folder):
    return sorted(f for pattern in ("*.c", "*.h", "*.cpp") for f in folder.rglob(pattern))


def check(root):
    """All findings as lines `file:line: what`, and the number of includes seen."""
    findings, seen = [], 0

    def walk(file, judge):
        nonlocal seen
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            seen += 1
            complaint = judge(match[2], match[3])
            if complaint:
                findings.append(f"{file.relative_to(root)}:{number}: {complaint}")

    for file in files(root / "include"):
        walk(file, lambda a, q: None if a and a[:-2] in SYSTEM else f"{a or q}: the public header stands alone")
    for file in files(root / "src"):
        module = file.relative_to(root / "src").parts[0]
        if module not in RANK:
            findings.append(f"{file.relative_to(root)}: src/{module} has no rank")
            continue
        walk(file, lambda a, q: check_library(module, file, a, q))
        findings += check_processor(root, file)
    for file in files(root / "apps"):
        app = file.relative_to(root / "apps").parts[0]
        if app not in APPS:
            findings.append(f"{file.relative_to(root)}: apps/{app} is not in APPS")
            continue
        walk(file, lambda a, q: check_app(app, file, a, q, root))
    return findings, seen


def self_test():
    """A checker that finds nothing is worth nothing: every kind of mistake, once."""
    wrong = {
        "src/base/a.c": '#include "tasks/tasks.h"',
        "src/bed/a.c": '#include "flow/flow.h"',
        "src/bed/b.c": '#include "solve/cg.h"',
        "src/flow/a.c": '#include "flow.h"',
        "src/flow/b.c": "#include <yaml.h>",
        "src/flow/d.c": "#ifdef __AVX2__",
        "src/flow/e.c": "__builtin_cpu_supports(\"avx2\");",
        "src/passages/a.c": '#include "kandemir/kandemir.h"',
        "src/passages/b.c": '#include "flow/flow_internal.h"',
        "src/new/a.c": "",
        "include/rill/extra.h": '#include "base/alloc.h"',
        "apps/cli/a.c": '#include "world/world.h"',
        "apps/scene/a.c": '#include "cli/main.h"',
        "apps/physics/a.c": '#include "scene/scene_internal.h"',
    }
    right = {
        "src/world/a.c": '#include "base/alloc.h"\n#include "rill/rill.h"\n#include <math.h>',
        "src/base/dispatch.h": "#ifdef __AVX512F__",
        "src/flow/c.c": '#include "flow/flow_internal.h"',
        "apps/cli/main.h": "",
        "apps/cli/b.c": '#include "main.h"\n#include "scene/scene.h"\n#include <rill/rill.h>',
        "apps/scene/scene.h": "#include <rill/rill.h>",
        "apps/scene/scene_internal.h": "",
        "apps/scene/b.c": '#include "scene_internal.h"',
    }
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in {**wrong, **right}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        found = {line.split(":")[0] for line in check(root)[0]}
    if found != set(wrong):
        print("missed:", sorted(set(wrong) - found), "wrongly blamed:", sorted(found - set(wrong)))
        return 1
    print(f"{len(wrong)} kinds of wrong includes are found, {len(right)} right files pass")
    return 0


def main():
    if "--self-test" in sys.argv:
        return self_test()
    findings, seen = check(pathlib.Path(__file__).resolve().parent.parent)
    for line in findings:
        print(line)
    print(f"{seen} includes, {len(findings)} pointing the wrong way")
    return 1 if findings or seen == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
