#!/usr/bin/env python3
"""Fails if gcc did not vectorise a loop of the kernels that is marked as one that must be.

    check_vectors.py BUILD_FOLDER      compiles the AVX2 version again, with the very command of that build
    check_vectors.py --self-test CC    checks that a loop which cannot be vectorised is found out

A mark is the comment /* vector */ on the line of the `for` or on the line before it; in a macro it holds for every use
of the macro. A loop that does nothing but run another one counts as part of it: gcc may unroll the inner loop and
vectorise the outer one. Kernels written with vector types (vector_size) are vectors by the language and need no marks; others
must have some. gcc 12 drops a whole loop without a word over one unlucky expression, and the step is then ten
times slower but still right: nothing else would notice.
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

MARK = re.compile(r"/\*\s*vector\s*\*/")
LOOP = re.compile(r"\bfor\s*\(")
BARE = re.compile(r"\s*for\s*\(.*\)\s*$")
REPORT = re.compile(r":(\d+):\d+: (optimized|missed): +(.*)")
SKIPPED = 77


def macro_uses(lines, index):
    """Numbers of the lines that use the macro whose definition line `index` belongs to; None if it belongs to none."""
    while index > 0 and lines[index - 1].endswith("\\"):
        index -= 1
    name = re.match(r"\s*#\s*define\s+(\w+)", lines[index])
    if not name:
        return None
    return [number for number, line in enumerate(lines, 1) if re.match(rf"\s*{name[1]}\(", line)]


def marked_loops(text):
    """Lines of marked loops, as (first, last) from the mark to the head of the `for`; and of marks without a loop."""
    lines, loops, stray = text.splitlines(), [], []
    for index, line in enumerate(lines):
        if not MARK.search(line):
            continue
        start = next((k for k in (index, index + 1) if k < len(lines) and LOOP.search(lines[k])), None)
        uses = None if start is None else macro_uses(lines, start)
        if start is None or uses == []:
            stray.append(index + 1)
        elif uses:
            loops += [(use, use) for use in uses]
        else:
            end = start
            while end + 1 < len(lines) and "{" not in lines[end] and ";" not in lines[end].split(")")[-1]:
                end += 1
            first = index  # gcc names the line of a pragma before the loop, if there is one
            while first > 0 and BARE.match(lines[first - 1]):
                first -= 1
            loops.append((first + 1, end + 1))
    return loops, stray


def compile_and_report(command, source, folder):
    """gcc's words about each line: {line: [(kind, text)]}."""
    words = command + ["-fopt-info-vec-optimized", "-fopt-info-vec-missed"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{shlex.join(words)}\n{done.stderr}")
    report = {}
    for line in (done.stderr + done.stdout).splitlines():
        match = REPORT.search(line)
        if match and pathlib.Path(line.split(":")[0]).name == source.name:
            report.setdefault(int(match[1]), []).append((match[2], match[3]))
    return report


def judge(source, command, folder, width):
    """Number of marked loops, and findings as lines of text."""
    loops, stray = marked_loops(source.read_text(encoding="utf-8"))
    report = compile_and_report(command, source, folder)
    findings = [f"{source.name}:{line}: a mark without a loop" for line in stray]
    for first, last in loops:
        said = [word for line in range(first, last + 1) for word in report.get(line, [])]
        if any(kind == "optimized" and f"loop vectorized using {width} byte vectors" in text for kind, text in said):
            continue
        reasons = sorted({text for kind, text in said if kind == "missed" or "vectors" in text})
        findings.append(f"{source.name}:{first}: not vectorised with {width}-byte vectors: {'; '.join(reasons)[:400]}")
    return len(loops), findings


def is_gcc(compiler):
    text = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout
    return "Free Software Foundation" in text


def commands_of(build):
    """The commands that compiled the AVX2 kernels, their objects thrown away: (command, source, folder)."""
    found = []
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if re.search(r"RILL_KERNELS_NAME=rill_\w*kernels_avx2", entry["command"]):
            command = shlex.split(entry["command"])
            command[command.index("-o") + 1] = "/dev/null"
            found.append((command, pathlib.Path(entry["file"]), entry["directory"]))
    return found


def self_test(compiler):
    text = r"""
#define KERNEL(NAME, BEFORE) \
    void NAME(float *restrict a, int n); \
    void NAME(float *restrict a, int n) { \
        for (int i = 1; i < n; ++i) /* vector */ \
            a[i] = a[i - BEFORE] * a[i] + 1.0f; \
    }
KERNEL(good_macro, 0)
KERNEL(bad_macro, 1)
void good(float *restrict a, const float *restrict b, int n);
void bad(float *a, int n);
void good(float *restrict a, const float *restrict b, int n) {
    /* vector */
    for (int i = 0; i < n; ++i) a[i] += 2.0f * b[i];
}
void bad(float *a, int n) {
    for (int i = 1; i < n; ++i) a[i] = a[i - 1] * a[i] + 1.0f; /* vector */
}
/* vector */
"""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "sample.c"
        source.write_text(text)
        command = [compiler, "-std=c17", "-O3", "-mavx2", "-c", str(source), "-o", "/dev/null"]
        loops, findings = judge(source, command, folder, 32)
    print("\n".join(findings))
    right = loops == 4 and [f.split(":")[1] for f in findings] == ["19", "9", "17"]
    print("the loops that cannot be vectorised and the stray mark are found" if right else "the checker is wrong")
    return 0 if right else 1


def main():
    build_or_compiler = sys.argv[-1]
    if "--self-test" in sys.argv:
        return self_test(build_or_compiler) if is_gcc(build_or_compiler) else SKIPPED
    commands = commands_of(pathlib.Path(build_or_compiler))
    if not commands or not is_gcc(commands[0][0][0]):
        print("skipped: needs gcc and AVX2 kernels")
        return SKIPPED
    failed = False
    for command, source, folder in commands:
        loops, findings = judge(source, command, folder, 32)
        print("\n".join(findings + [f"{source.name}: {loops} marked loops, {len(findings)} findings"]))
        unmarked = loops == 0 and "vector_size" not in source.read_text(encoding="utf-8")
        failed = failed or bool(findings) or unmarked
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
