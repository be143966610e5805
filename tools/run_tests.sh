#!/bin/sh
# Builds and runs every test: all of them in the plain build, the unit tests again under the sanitizers. Goes on after a
# failure, and ends with the line `N passed, N failed`. Exit code 0 only if nothing failed.
#
# LONG=1: all seeds under the sanitizers too, instead of a part of them (ALONE_PART in tests/CMakeLists.txt), and all versions
# of the kernels, which are one C file each.
set -u
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}
results=build/results
sanitized="-DRILL_WIDE_KERNELS=OFF"
[ -z "${LONG:-}" ] || sanitized="-DRILL_ALONE_PART=1"
mkdir -p $results
rm -f $results/*

# build PRESET TARGET [WITH...]: what it says is kept until somebody asks.
build() {
    preset=$1
    target=$2
    shift 2
    options=
    [ "$preset" = release ] || options=$sanitized
    "$@" cmake --preset "$preset" -U RILL_ALONE_PART -U RILL_WIDE_KERNELS $options >$results/"$preset".log 2>&1 &&
        "$@" cmake --build --preset "$preset" -j "$jobs" --target "$target" >>$results/"$preset".log 2>&1
    echo $? >$results/"$preset".built
}

# run PRESET CTEST_ARGUMENTS...: leaves what the tests of a preset that has been built said in $results.
run() {
    preset=$1
    shift
    echo "== $preset"
    if [ "$(cat $results/"$preset".built)" != 0 ]; then
        cat $results/"$preset".log
        echo "$preset: does not build" >$results/"$preset".broken
        return
    fi
    # Counting needs the whole output of tests, passed ones too.
    ctest --preset "$preset" -j "$jobs" --output-junit "$PWD/$results/$preset.xml" \
        --test-output-size-passed 1000000 --test-output-size-failed 1000000 "$@" ||
        echo "$preset: tests failed"
}

# The next build takes the time that tests leave over: some of them run alone, or wait, and two never end together.
build release all
build asan unit_tests nice -n 19 &
run release
wait
build tsan unit_tests nice -n 19 &
run asan -L unit
wait
run tsan -L unit -E '^example_(hello|pour|rewind)$'
exec python3 tools/count_tests.py $results
