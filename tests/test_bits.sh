#!/bin/sh
# The same bits with other numbers of threads than test_hashes.sh has, which looks at vector code too, and from a build without
# optimisation and without threads of its own (RILL_THREADS=OFF), which cuts work into blocks for as many as it is asked for.
# usage: test_bits.sh RILL FOLDER [CMAKE]      builds the program at -O0 in FOLDER
set -eu
rill=$1
folder=$2
cmake=${3:-cmake}
root=$(cd "$(dirname "$0")/.." && pwd)

mkdir -p "$folder"
"$cmake" -S "$root" -B "$folder" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -DRILL_BUILD_TESTS=OFF \
    -DRILL_INSTALL=OFF -DRILL_WIDE_KERNELS=OFF -DRILL_BUILD_RENDER=OFF -DRILL_THREADS=OFF >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
"$cmake" --build "$folder" -j 2 --target rill_program >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }

passed=0
failed=0
# expect WHAT WANTED COMMAND...
expect() {
    what=$1
    wanted=$2
    shift 2
    got=$("$@") || got="exit code $?"
    if [ "$got" = "$wanted" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$what: $got instead of $wanted"
    fi
}

for scene in "$root"/scenes/*.yaml; do
    name=$(basename "$scene" .yaml)
    case $name in
    drift | interactive | pool | wave | window) steps=2 ;; # frames that take a second without optimisation
    *) steps=6 ;;
    esac
    wanted=$("$rill" hash "$scene" --steps $steps)
    echo "$name $wanted"
    expect "$name, 5 threads" "$wanted" "$rill" hash "$scene" --steps $steps --threads 5
    expect "$name, -O0" "$wanted" "$folder/rill" hash "$scene" --steps $steps --threads 2
    expect "$name, -O0, scalar" "$wanted" "$folder/rill" hash "$scene" --steps $steps --simd off
done
# Passages that have been flooded so far that threads share their nodes, in surgery and spilled_coffee; and smaller ones.
for flooded in surgery:120 spilled_coffee:30 passages:30 cave:30 u_bend:30 manifold:30; do
    scene=$root/scenes/${flooded%:*}.yaml
    steps=${flooded#*:}
    wanted=$("$rill" hash "$scene" --steps "$steps")
    expect "$flooded, 2 threads" "$wanted" "$rill" hash "$scene" --steps "$steps" --threads 2
done
echo "$passed passed, $failed failed"
test "$failed" -eq 0 && test "$passed" -gt 0
