#!/bin/sh
# Makes the models of the scenes again and compares them byte for byte with the committed ones: the generator is their
# source, and its results do not depend on the compiler's optimisation.
# usage: test_models.sh [CC]
set -eu
compiler=${1:-cc}
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

failed=0
for level in -O0 -O2; do
    mkdir "$work/models"
    "$compiler" -std=c17 -Wall -Wextra -Werror "$level" -ffp-contract=off "$root/tools/models/make_models.c" \
        "$root"/tools/models/model_*.c -lm -o "$work/make_models"
    "$work/make_models" "$work/models"
    # In both directions: a committed file that is not made is as wrong as one that differs.
    diff -r "$work/models" "$root/scenes/models" || failed=1
    rm -r "$work/models"
done

size=$(cat "$root"/scenes/models/* | wc -c)
echo "models: $size bytes"
test "$size" -lt 1600000 || { echo "more than 1.6 MB"; failed=1; }

# What a scene reads must be there, and what is there must be read by a scene.
for scene in "$root"/scenes/*.yaml; do
    for file in $(sed -n 's/.*\(mesh\|heightmap\|depth\|map\): *\(models\/[^ ,}]*\).*/\2/p' "$scene"); do
        test -f "$root/scenes/$file" || { echo "$scene: no $file"; failed=1; }
    done
done
for file in "$root"/scenes/models/*; do
    grep -q "models/$(basename "$file")" "$root"/scenes/*.yaml || { echo "no scene reads $file"; failed=1; }
done
exit $failed
