#!/usr/bin/env python3
"""Runs the tests of a preset that has been built, one after the other, and prints the processor seconds of each, most first.

    time_tests.py PRESET [CTEST_ARGUMENTS...]       for example: time_tests.py asan -L unit

Unlike the time by the clock, these hardly change when others use the machine, and they add up: what `make test` takes is their
sum and that of the builds, over the number of processors.
"""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def run(test):
    """Processor seconds, with those of all programs that it starts and waits for, and whether it passed."""
    properties = {x["name"]: x["value"] for x in test["properties"]}
    environment = dict(os.environ, **dict(x.split("=", 1) for x in properties.get("ENVIRONMENT", [])))
    process = subprocess.Popen(test["command"], cwd=properties["WORKING_DIRECTORY"], env=environment,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime, code in (0, properties.get("SKIP_RETURN_CODE"))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    listing = subprocess.run(["ctest", "--preset", sys.argv[1], "--show-only=json-v1", *sys.argv[2:]], cwd=ROOT, check=True,
                             stdout=subprocess.PIPE)
    rows = [(*run(test), test["name"]) for test in json.loads(listing.stdout)["tests"]]
    for seconds, passed, name in sorted(rows, reverse=True):
        print(f"{seconds:8.2f} s  {name}{'' if passed else '  FAILED'}")
    print(f"{sum(row[0] for row in rows):8.2f} s  together")
    return 0 if all(row[1] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
