#!/usr/bin/env python3
"""Builds the fuzz targets with clang and runs each for a while; reports executions and findings.

    run_fuzz.py [--seconds N] [--build FOLDER] [--quick] [TARGET...]

Inputs that were worth keeping stay in FOLDER/corpus/TARGET and are the start of the next run, beside those of
tests/fuzz/seeds/TARGET; inputs that broke something are in FOLDER/findings/TARGET: FOLDER/tests/fuzz/TARGET FILE runs
one again. Ends with `N passed, N failed`, by target.
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SEEDS = {"fuzz_scene": "scenes/*.yaml"}  # beside tests/fuzz/seeds
LIMITS = ["-timeout=20", "-rss_limit_mb=2048", "-max_len=4096", "-len_control=0"]
# The entropic schedule counts the features of all inputs after each execution: half of the time where executions are short.
LIMITS += ["-entropic=0"]
LIMITS += ["-reload=0"]  # nobody else adds to the corpus
NUMBERS = ["fuzz_api", "fuzz_mesh", "fuzz_snapshot"]  # inputs are numbers, not text
LENGTHS = {"fuzz_api": 256, "fuzz_mesh": 144}  # bytes: short inputs, short executions
# Their library has memory of its own, which is checked and counted without malloc. What is left is the search's, whose freed blocks
# need not be kept apart by the hundred megabytes, past every cache, nor be looked through for leaks.
LIGHT = {"ASAN_OPTIONS": "quarantine_size_mb=4:malloc_context_size=4"}


# A fifth of the time to compile, and fewer executions: for short searches, of which compiling is most.
QUICK = ["-DCMAKE_C_FLAGS_DEBUG=-O0 -g1", "-DRILL_WIDE_KERNELS=OFF"]


def build(folder, options):
    configure = ["cmake", "--preset", "fuzz", "-B", folder, *options]
    for step in (configure, ["cmake", "--build", folder, "--target", "fuzz_targets", "-j", str(os.cpu_count() or 2)]):
        done = subprocess.run(step, cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, step))}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")


def run(program, folder, seconds):
    """Executions, inputs kept, findings, and the end of what was said."""
    name = program.name
    corpus, findings = folder / "corpus" / name, folder / "findings" / name
    seeds = sorted(ROOT.glob(f"tests/fuzz/seeds/{name}/*"))
    if seeds:  # whole: the search reads no more of them than LENGTHS
        again = subprocess.run([program, *seeds], cwd=folder, capture_output=True, text=True, errors="replace")
        if again.returncode != 0:
            return name, 0, 0, [], again.returncode, again.stderr
    corpus.mkdir(parents=True, exist_ok=True)
    findings.mkdir(parents=True, exist_ok=True)
    command = [program, corpus, f"-max_total_time={seconds}", f"-artifact_prefix={findings}/", "-print_final_stats=1"]
    command += LIMITS + ([f"-max_len={LENGTHS[name]}", "-detect_leaks=0"] if name in LENGTHS else [])
    for seed in seeds + list(ROOT.glob(SEEDS[name]) if name in SEEDS else ()):
        shutil.copy(seed, corpus / f"seed_{seed.name}")
    if name in NUMBERS:  # from nowhere: long sequences from the start, also beside what once broke something
        dice = random.Random(name)
        for i in range(32):
            (corpus / f"seed_{i}").write_bytes(dice.randbytes(dice.randrange(64, LENGTHS.get(name, 1024))))
    dictionary = ROOT / "tests" / "fuzz" / f"{name}.dict"
    if dictionary.exists():
        command.append(f"-dict={dictionary}")
    environment = dict(os.environ, **LIGHT) if name in LENGTHS else None
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, errors="replace")
    executed = re.search(r"stat::number_of_executed_units: (\d+)", done.stderr)
    found = re.findall(r"Test unit written to (.*)", done.stderr)
    count = int(executed[1]) if executed else 0
    # Without what is said of each input that is kept: of a finding the beginning matters, and the input, which comes last.
    lines = [x for x in done.stderr.splitlines() if not x.startswith(("#", "INFO", "\tNEW_FUNC"))]
    said = "\n".join(lines if len(lines) <= 80 else lines[:50] + ["..."] + lines[-30:])
    return name, count, len(list(corpus.iterdir())), found, done.returncode, said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=10, help="per target")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build-fuzz")
    parser.add_argument("--quick", action="store_true", help="compile without optimisation")
    parser.add_argument("target", nargs="*")
    options = parser.parse_args()
    folder = options.build.resolve()
    build(folder, QUICK if options.quick else [])
    programs = sorted(p for p in (folder / "tests" / "fuzz").glob("fuzz_*") if os.access(p, os.X_OK) and p.is_file())
    programs = [p for p in programs if not options.target or p.name in options.target]
    if not programs:
        sys.exit("no such fuzz target")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        for name, count, kept, found, code, said in pool.map(lambda p: run(p, folder, options.seconds), programs):
            broken = bool(found) or code != 0 or count == 0
            print(f"{name:14} {count:9} executions, {count // options.seconds:6} a second, {kept:5} inputs kept, "
                  f"{len(found)} findings", flush=True)
            if broken:
                failed += 1
                print(said)
                print("\n".join(f"finding: {f}" for f in found))
    print(f"{len(programs) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
