#!/bin/sh
# Draws the pictures of docs/gallery.md, one per scene, into docs/images. usage: make_gallery.sh RILL [SCENE...]
set -eu
rill=$(realpath "$1")
shift
cd "$(dirname "$0")/.."
mkdir -p out/gallery docs/images
command -v ffmpeg >/dev/null || { echo "make_gallery.sh needs ffmpeg, to make WebP files" >&2; exit 4; }

# scene, the moment (s), size
list="
surgery 2.4 1280x720
spilled_coffee 0.7 960x540
saucer 4.5 960x540
three_layers 2.5 960x540
passages 3.6 960x540
cave 4 960x540
breathing 1.7 960x540
manifold 2.6 960x540
u_bend 0.7 960x540
squeeze 3 960x540
lock_gate 1.4 960x540
tilted_tray 0.55 960x540
dam_break 0.55 960x540
thacker_bowl 0.15 960x540
rain_on_terrain 7 960x540
viscosity_a 1.2 480x400
viscosity_b 1.2 480x400
viscosity_c 1.2 480x400
viscosity_d 1.2 480x400
"
echo "$list" | while read -r scene moment size; do
    [ -n "$scene" ] || continue
    case " $* " in "  " | *" $scene "*) ;; *) continue ;; esac
    "$rill" render "scenes/$scene.yaml" -o "out/gallery/$scene.png" --at "$moment" --size "$size" --samples 64
    ffmpeg -loglevel error -y -i "out/gallery/$scene.png" -c:v libwebp -quality 88 "docs/images/$scene.webp"
    bytes=$(wc -c <"docs/images/$scene.webp")
    [ "$bytes" -lt 300000 ] || { echo "$scene.webp has $bytes bytes, expected less than 300000" >&2; exit 1; }
done
