#!/usr/bin/env python3
"""Adds up what the tests said and prints `N passed, N failed` as the last line; exit code 1 if anything failed.

Before that come the ten slowest tests, by the clock, and the processor seconds of all that the calling shell has waited for.

    count_tests.py FOLDER

Reads ctest's JUnit files in the folder. A cmocka program counts by its cases and a script that ends with its own
`N passed, N failed` by those; any other test counts as one. A file *.broken (a build that failed) is one failure.
"""
import pathlib
import re
import resource
import sys
import xml.etree.ElementTree as xml

OWN_COUNT = re.compile(r"^(?:# )?(\d+) passed, (\d+) failed\s*$", re.MULTILINE)
CMOCKA_PASSED = re.compile(r"^\[  PASSED  \] (\d+) test\(s\)\.", re.MULTILINE)
CMOCKA_FAILED = re.compile(r"^\[  FAILED  \] (?:.*: )?(\d+) test\(s\), listed below:", re.MULTILINE)


def count(case):
    """Passed and failed of one ctest entry, None if it was skipped."""
    status = case.get("status")
    skipped = case.find("skipped")
    if skipped is not None and skipped.get("message", "").startswith("SKIP_RETURN_CODE"):
        return None  # any other test that did not run, for want of its program say, is a failure
    text = case.findtext("system-out") or ""
    own = OWN_COUNT.findall(text)
    if own:
        passed, failed = map(int, own[-1])
    elif CMOCKA_PASSED.search(text):
        passed = sum(map(int, CMOCKA_PASSED.findall(text)))
        failed = sum(map(int, CMOCKA_FAILED.findall(text)))
    else:
        passed, failed = (1, 0) if status == "run" else (0, 1)
    if status != "run" and failed == 0:
        failed = 1  # crashed, timed out or leaked after its last case
    return passed, failed


def print_times(times):
    """What is worth cutting. tools/time_tests.py tells the work of a test from its waiting for others."""
    for seconds, name in sorted(times, reverse=True)[:10]:
        print(f"{seconds:7.1f} s  {name}")
    # A shell that has become this program by `exec` leaves it what its children used.
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{used.ru_utime + used.ru_stime:7.1f} processor seconds, of builds and tests together")


def main():
    folder = pathlib.Path(sys.argv[1])
    passed = failed = 0
    times = []
    for file in sorted(folder.glob("*.xml")):
        for case in xml.parse(file).getroot().iter("testcase"):
            counted = count(case)
            times.append((float(case.get("time") or 0), f"{file.stem} {case.get('name')}"))
            if counted is None:
                print(f"skipped: {file.stem} {case.get('name')}")
                continue
            passed += counted[0]
            failed += counted[1]
            if counted[1]:
                print(f"FAILED: {file.stem} {case.get('name')}")
    for file in sorted(folder.glob("*.broken")):
        print(f"FAILED: {file.read_text().strip()}")
        failed += 1
    print_times(times)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
