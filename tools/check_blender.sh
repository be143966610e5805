#!/bin/sh
# Bakes a small scene in every format and lets Blender import it, without a window: the same triangles and the same size in
# all of them, z up, faces upwards. Not a part of `make test`, as Blender is large.
# usage: check_blender.sh [RILL]     leaves with 77 if there is no Blender
set -eu
tree=$(cd "$(dirname "$0")/.." && pwd)
rill=${1:-$tree/build/rill}
if ! command -v blender >/dev/null; then
    echo "Blender is missing. On Debian: apt-get install --no-install-recommends blender python3-numpy"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for format in obj ply glb usda; do
    "$rill" bake "$tree/tests/data/tiny.yaml" -o "$work/$format" --format $format >/dev/null
done
# Blender leaves with this code when the script fails; its chatter is of no interest.
blender --background --factory-startup --python-exit-code 1 --python "$tree/tools/check_blender.py" -- "$work" \
    >"$work/blender.txt" 2>&1 || { cat "$work/blender.txt"; exit 1; }
grep '^rill: ' "$work/blender.txt" | cut -c7-
