#!/bin/sh
# Draws the pictures of docs/gallery.md, one per scene, into docs/images. usage: make_gallery.sh RILL [SCENE...|overlays]
set -eu
rill=$(realpath "$1")
shift
cd "$(dirname "$0")/.."
mkdir -p out/gallery docs/images
command -v ffmpeg >/dev/null || { echo "make_gallery.sh needs ffmpeg, to make WebP files" >&2; exit 4; }

# scene, the moment (s), size
list="
surgery 2.4 1280x720
spilled_coffee 0.62 800x450
saucer 1.8 800x450
three_layers 1.5 800x450
passages 2.2 800x450
cave 6 800x450
breathing 1.6 800x450
manifold 4.2 800x450
u_bend 0.7 800x450
squeeze 3 800x450
lock_gate 1.4 800x450
tilted_tray 0.55 800x450
dam_break 0.5 800x450
thacker_bowl 0.05 800x450
wave 0.11 800x450
rain_on_terrain 9 800x450
boats 1.5 800x450
laden 3 800x450
spheres 0.9 800x450
drift 9 800x450
dominoes 0.3 800x450
ice 1.2 800x450
light_ball 0.25 800x450
heavy_ball 0.2 800x450
moving_ball 0.25 800x450
moving_ball_viscous 0.25 800x450
viscosity_a 1.2 400x360
viscosity_b 1.2 400x360
viscosity_c 1.2 400x360
viscosity_d 1.2 400x360
drops 5 960x540
rivulet 2.5 800x450
window 1.2 960x540
pool 1.2 960x540
sca 1.8 800x450
interactive 1.1 800x450
edge_drip 2.9 800x450
dew 2.2 800x450
rain_on_pane 4.2 800x450
"
# keep NAME: from out/gallery to docs/images, and not too large.
keep() {
    ffmpeg -nostdin -loglevel error -y -i "out/gallery/$1.png" -c:v libwebp -quality 88 "docs/images/$1.webp"
    bytes=$(wc -c <"docs/images/$1.webp")
    [ "$bytes" -lt 300000 ] || { echo "$1.webp has $bytes bytes, expected less than 300000" >&2; exit 1; }
}

# wanted NAME ARGUMENTS...: whether a name is among the arguments, or there are none.
wanted() {
    name=$1
    shift
    case " $* " in "  " | *" $name "*) return 0 ;; esac
    return 1
}

echo "$list" | while read -r scene moment size; do
    [ -n "$scene" ] && wanted "$scene" "$@" || continue
    "$rill" render "scenes/$scene.yaml" -o "out/gallery/$scene.png" --at "$moment" --size "$size" --samples 40 </dev/null
    keep "$scene"
done
# overlay, scene, the moment (s), another camera
overlays="
wireframe three_layers 1.5 0.15 -0.035 0.09 0.048 0.045 0.016 38
layers three_layers 1.5 0.15 -0.035 0.09 0.048 0.045 0.016 38
depth three_layers 1.5 0.15 -0.035 0.09 0.048 0.045 0.016 38
velocity three_layers 1.5 0.15 -0.035 0.09 0.048 0.045 0.016 38
normals three_layers 1.5 0.15 -0.035 0.09 0.048 0.045 0.016 38
meniscus tilted_tray 0.55 -0.035 -0.07 0.1 0.068 0.045 -0.002 45
tiles lock_gate 0.6 0.22 -0.1 0.13 0.085 0.03 0.008 38
forces spheres 3 0.44 -0.18 0.27 0.16 0.1 0.01 30
"
echo "$overlays" | while read -r overlay scene moment camera; do
    [ -n "$overlay" ] && wanted overlays "$@" || continue
    "$rill" render "scenes/$scene.yaml" -o "out/gallery/overlay_$overlay.png" --at "$moment" --size 400x225 --samples 24 \
        --overlay "$overlay" --camera "$camera" </dev/null
    keep "overlay_$overlay"
done
