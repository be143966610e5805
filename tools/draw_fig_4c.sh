#!/bin/sh
# Draws Fig. 4c of Wang, Miller & Turk 2007 anew: a drop without the angular factor of their Eq. 18, and with it.
# usage: draw_fig_4c.sh RILL [PICTURE], by default docs/images/fig_4c.webp
set -eu
rill=$(realpath "$1")
cd "$(dirname "$0")/.."
picture=${2:-docs/images/fig_4c.webp}
command -v ffmpeg >/dev/null || { echo "draw_fig_4c.sh needs ffmpeg, to put pictures side by side" >&2; exit 4; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for angular in false true; do
    "$rill" render scenes/wang_drop.yaml --set "solver.wang.angular=$angular" --size 450x450 -o "$folder/$angular.png"
done
ffmpeg -nostdin -loglevel error -y -i "$folder/false.png" -i "$folder/true.png" -filter_complex hstack -quality 88 "$picture"
echo "$picture"
