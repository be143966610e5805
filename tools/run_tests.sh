#!/bin/sh
# Builds and runs every test: all of them in the plain build, the unit tests again under the sanitizers. Goes on after a
# failure, and ends with the line `N passed, N failed`. Exit code 0 only if nothing failed.
set -u
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}
results=build/results
mkdir -p $results
rm -f $results/*

# run PRESET TARGET CTEST_ARGUMENTS...: builds a preset and leaves what its tests said in $results.
run() {
    preset=$1
    target=$2
    shift 2
    echo "== $preset"
    if ! cmake --preset "$preset" >$results/"$preset".log 2>&1 ||
        ! cmake --build --preset "$preset" -j "$jobs" --target $target >>$results/"$preset".log 2>&1; then
        cat $results/"$preset".log
        echo "$preset: does not build" >$results/"$preset".broken
        return
    fi
    # Counting needs the whole output of tests, passed ones too.
    ctest --preset "$preset" -j "$jobs" --output-junit "$PWD/$results/$preset.xml" \
        --test-output-size-passed 1000000 --test-output-size-failed 1000000 "$@" ||
        echo "$preset: tests failed"
}

run release all
run asan unit_tests -L unit
run tsan unit_tests -L unit -E '^example_(hello|pour|rewind)$'
exec python3 tools/count_tests.py $results
