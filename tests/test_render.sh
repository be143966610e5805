#!/bin/bash
# `rill render` as a user meets it: files, sizes, complaints, exit codes.
# usage: test_render.sh RILL [SOURCE_TREE]
set -u
rill=$(realpath "$1")
tree=$(realpath "${2:-$(dirname "$0")/..}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cp "$tree"/tests/data/{tiny.yaml,broken.yaml,step.obj} .

about=render
. "$tree/tests/shared/checks.sh"
says() { grep -qF -- "$1" out.txt; }
complains() { grep -qF -- "$1" err.txt; }
# The width and height that a PNG says it has.
png_size() { od -An -tu1 -j16 -N8 "$1" | awk '{ print $3 * 256 + $4 "x" $7 * 256 + $8 }'; }

# ------------------------------------------------------------------------------------------------------------- usage
is "help" gives 0 --help
is "help names the overlays" says meniscus
is "no output" gives 2 tiny.yaml
is "says what it expects" complains "expected -o FILE.png or -o FILE.mp4"
is "an unknown ending" gives 2 tiny.yaml -o x.jpg
is "a size that is none" gives 2 tiny.yaml -o x.png --size 320
is "says what a size is" complains "as in 1280x720"
is "a size that is too large" gives 2 tiny.yaml -o x.png --size 320x1000000
is "a camera of five numbers" gives 2 tiny.yaml -o x.png --camera "0 0 1 2 3"
is "a camera that looks at itself" gives 2 tiny.yaml -o x.png --camera "0 0 1 0 0 1 35"
is "an unknown overlay" gives 2 tiny.yaml -o x.png --overlay deph
is "names the known ones" complains "none, wireframe, layers, depth, velocity, normals, meniscus, tiles or forces"
is "a broken scene" gives 3 broken.yaml -o x.png
is "nothing was written" test ! -e x.png

# ----------------------------------------------------------------------------------------------------------- pictures
is "a still" gives 0 tiny.yaml -o a.png --size 96x54 --samples 2
if complains "no graphics"; then
    echo "skipped: $(cat err.txt)"
    exit 77
fi
is "has the size" test "$(png_size a.png)" = 96x54
is "the same again" gives 0 tiny.yaml -o b.png --size 96x54 --samples 2
is "has the same bytes" cmp -s a.png b.png
is "an earlier moment" gives 0 tiny.yaml -o b.png --size 96x54 --samples 2 --at 0
is "looks different" test "$(cmp a.png b.png >/dev/null 2>&1; echo $?)" = 1
is "another camera" gives 0 tiny.yaml -o c.png --size 96x54 --samples 2 --camera "0.03,-0.03,0.04 0.008,0.006,0 50"
is "looks different too" test "$(cmp a.png c.png >/dev/null 2>&1; echo $?)" = 1
is "an overlay" gives 0 tiny.yaml -o d.png --size 96x54 --samples 1 --overlay depth
is "OpenGL ES, many samples" gives 0 tiny.yaml -o e.png --size 96x54 --samples 16 --gles
is "a folder that is not there" gives 4 tiny.yaml -o no_such/x.png --size 4096x4096 --samples 4096
is "is missed before anything is drawn" complains "no_such/x.png: cannot be written: there is no such folder"
ln -s /dev/full full.png
is "a full disk" gives 4 tiny.yaml -o full.png --size 96x54 --samples 1
is "is called that" complains "No space left on device"

# ------------------------------------------------------------------------------------------------------ on a terminal
is "a still on a terminal" on_terminal tiny.yaml -o t.png --size 96x54 --samples 3
is "shows the run" grep -q '^\[[#.]*\] .* %  t = .* s, .* x real time' bar.txt
is "and the samples" grep -q '^\[[#.]*\] .* %  drawing, sample .* of 3' bar.txt
is "in lines that fit" test "$(awk 'length > 79' bar.txt | wc -l)" = 0
is "and says what it wrote" grep -q '^t.png: 96 x 54$' bar.txt

"$rill" render tiny.yaml -o long.png --size 640x360 --samples 4096 >out.txt 2>err.txt &
drawing=$!
until [ ! -e /proc/$drawing/status ] || grep -q '^SigCgt:.*[2367abef]$' /proc/$drawing/status; do sleep 0.02; done
sleep 0.3
kill -INT $drawing # it is caught by now
wait $drawing
is "Ctrl-C gives a still up" test $? = 4
is "and says so" complains "stopped before its end; nothing was written"
is "nothing was written" test ! -e long.png

# ------------------------------------------------------------------------------------------------------------- movies
mkdir bin
is "a movie without ffmpeg" env PATH="$work/bin" "$rill" render tiny.yaml -o m.mp4 --size 64x36 --samples 1 --fps 20 \
    >out.txt 2>err.txt
is "says so" complains "found no program ffmpeg"
is "becomes pictures" test "$(ls m_0000?.png | wc -l)" = 3
if command -v ffmpeg >/dev/null; then
    is "a movie" gives 0 tiny.yaml -o m.mp4 --size 64x36 --samples 1 --fps 20
    is "is one" grep -qF ftyp m.mp4
    printf '#!/bin/sh\nexit 1\n' >bin/ffmpeg
    chmod +x bin/ffmpeg
    PATH="$work/bin:$PATH" "$rill" render tiny.yaml -o n.mp4 --size 64x36 --samples 1 >out.txt 2>err.txt
    is "an ffmpeg that fails is a failure" test $? = 4
fi

# ---------------------------------------------------------------------------------------------------------- no graphics
__EGL_VENDOR_LIBRARY_DIRS="$work" __EGL_VENDOR_LIBRARY_FILENAMES="$work/none.json" \
    "$rill" render tiny.yaml -o x.png --size 64x36 >out.txt 2>err.txt
is "no graphics is a failure of the machine" test $? = 4
is "says what to install" complains "apt-get install"

echo "1..$count"
echo "# $((count - failed)) passed, $failed failed"
[ $failed -eq 0 ]
