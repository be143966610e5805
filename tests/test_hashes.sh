#!/bin/sh
# What every shipped scene comes to, bit by bit, at one and at three threads, with and without vector code: compares with
# tests/hashes.txt. A commit that changes results on purpose replaces the list, and says so.
# usage: test_hashes.sh RILL            compares
#        test_hashes.sh RILL --print    prints the list anew:  tests/test_hashes.sh build/rill --print >tests/hashes.txt
set -eu
rill=$1
root=$(cd "$(dirname "$0")/.." && pwd)
list=$root/tests/hashes.txt

# A second or so of each scene; longer where passages take a while to be flooded, shorter where a frame takes long.
steps_of() {
    case $1 in
    surgery) echo 100 ;;
    drift | laden | spilled_coffee) echo 15 ;;
    pool | wave | window) echo 8 ;;
    *) echo 30 ;;
    esac
}

if [ "${2:-}" = --print ]; then
    for scene in "$root"/scenes/*.yaml; do
        name=$(basename "$scene" .yaml)
        steps=$(steps_of "$name")
        echo "$name $steps $("$rill" hash "$scene" --steps "$steps")"
    done
    exit 0
fi

passed=0
failed=0
# expect SCENE STEPS HASH OPTIONS...
expect() {
    scene=$1
    steps=$2
    wanted=$3
    shift 3
    got=$("$rill" hash "$root/scenes/$scene.yaml" --steps "$steps" "$@") || got="exit code $?"
    if [ "$got" = "$wanted" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$scene, $steps frames, $*: $got instead of $wanted"
    fi
}

for scene in "$root"/scenes/*.yaml; do
    name=$(basename "$scene" .yaml)
    grep -q "^$name " "$list" || { failed=$((failed + 1)); echo "$name: not in tests/hashes.txt"; }
done
while read -r name steps wanted; do
    expect "$name" "$steps" "$wanted" --threads 1
    expect "$name" "$steps" "$wanted" --threads 3
    expect "$name" "$steps" "$wanted" --threads 1 --simd off
    expect "$name" "$steps" "$wanted" --threads 3 --simd off
done <"$list"
echo "$passed passed, $failed failed"
test "$failed" -eq 0 && test "$passed" -gt 0
