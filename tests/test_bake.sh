#!/bin/bash
# rill bake as a user meets it: files, reading them back, stopping, killing and going on, full disks.
# usage: test_bake.sh RILL READ_BAKE [SOURCE_TREE]
set -u
rill=$(realpath "$1")
reader=$(realpath "$2")
tree=$(realpath "${3:-$(dirname "$0")/..}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cp "$tree"/tests/data/{tiny.yaml,step.obj} .

about=bake
. "$tree/tests/shared/checks.sh"
reads() { "$reader" "$1" >out.txt 2>err.txt; }
says() { grep -qF -- "$1" out.txt; }
complains() { grep -qF -- "$1" err.txt; }
same() { diff -r "$1" "$2" >out.txt; }
list() { (cd "$1" && echo *); }
# await FILE: until it is there, for some seconds at most.
await() {
    for _ in $(seq 1000); do
        [ -e "$1" ] && return 0
        sleep 0.01
    done
    return 1
}

# ---------------------------------------------------------------------------------------------------------------- usage
is "an unknown format" gives 2 tiny.yaml --format fbx
is "is named, with those there are" complains "found 'fbx' for --format, expected obj, ply, glb or usda"
is "an unknown meniscus" gives 2 tiny.yaml --meniscus wet
is "is named too" complains "found 'wet' for --meniscus, expected tilt, lift or none"
is "an unknown form" gives 2 tiny.yaml --form cube
is "is named as well" complains "found 'cube' for --form, expected mesh or grids"
is "grids without opacity" gives 2 tiny.yaml --form grids --format obj
is "are refused" complains "found --form grids with --format obj"
is "a missing scene" gives 3 no_such.yaml
is "a wrong scene makes no folder" test ! -e out

# -------------------------------------------------------------------------------------------------------------- formats
for format in obj ply glb; do
    is "bake $format" gives 0 tiny.yaml -o $format --format $format --until 0.03
    is "it says where" says "results: $format/liquid_00000.$format to liquid_00003.$format, solids"
    is "its files" test "$(list $format)" = "frames.csv $(echo liquid_0000{0,1,2,3}.$format) solids.$format"
    is "read back" reads $format/liquid_00003.$format
    grep -o 'triangles .*' out.txt >>triangles.txt
    is "solids read back" reads $format/solids.$format
    is "have their triangles" says "triangles 36"
done
is "bake on a terminal" on_terminal tiny.yaml -o seen --until 0.03
is "shows how far it is" grep -q '^\[[#.]*\] .* %  t = .* s, .* x real time' bar.txt
is "in lines that fit" test "$(grep '^\[' bar.txt | awk 'length > 79' | wc -l)" = 0
is "the same triangles in all of them" test "$(sort -u triangles.txt | wc -l)" = 1
is "and there are some" test "$(grep -c 'triangles [1-9]' triangles.txt)" = 3
is "bake usda" gives 0 tiny.yaml -o usda --format usda --until 0.03
is "one file and the times" test "$(list usda)" = "bake.usda frames.csv"
is "no samples are left" test ! -e usda/.samples
is "read back" reads usda/bake.usda
is "all times" says "times 4 to 3 "
is "with the same triangles" says "$(head -1 triangles.txt)"
is "and the solids" test "$(grep -c '^prim /Rill/\(floor\|shelf\|step\) Mesh$' out.txt)" = 3
is "times are listed" test "$(paste -sd' ' usda/frames.csv)" = "number,time 0,0 1,0.01 2,0.02 3,0.03"
is "glb into out/<scene> without options" gives 0 tiny.yaml --until 0
is "one frame" test "$(list out/tiny)" = "frames.csv liquid_00000.glb solids.glb"
is "rill info reads what was baked" "$rill" info glb/liquid_00003.glb >out.txt

is "bake every 0.02 s, without solids" gives 0 tiny.yaml -o every --format usda --every 0.02 --until 0.035 --solids off
is "the start, every 0.02 s and the end" test "$(cut -d, -f2 every/frames.csv | paste -sd' ')" = "time 0 0.02 0.035"
is "read back" reads every/bake.usda
is "the last time lies between frames" says "times 3 to 3.5 "
is "no solids" test "$(grep -c ^prim out.txt)" = 2
lid='{ name: lid, shape: box, min: [0, 0, 0.04], max: [1, 1, 0.05], move: [ { time: 0, visible: false }, { time: 0.02, visible: true, translate: [0, 0, 0] }, { time: 0.03, translate: [0, 0, -0.01] } ] }'
is "bake with a solid that moves" gives 0 tiny.yaml -o moving --format obj --until 0.03 --set "bed.solids.3=$lid"
is "it has files of its own" test "$(cd moving && echo moving_*)" = "$(echo moving_0000{0,1,2,3}.obj)"
is "it is not there at first" test "$(grep -c '^v ' moving/moving_00001.obj)" = 0
is "then it is" test "$(grep -c '^v ' moving/moving_00002.obj)" = 8
is "and moves" bash -c '! cmp -s <(grep "^v " moving/moving_00002.obj) <(grep "^v " moving/moving_00003.obj)'
is "solids that stay are once" test "$(grep -c '^o ' moving/solids.obj)" = 3
is "the same as usda" gives 0 tiny.yaml -o moving_usda --format usda --until 0.03 --set "bed.solids.3=$lid"
is "read back" reads moving_usda/bake.usda
is "with the lid" says "prim /Rill/lid Mesh"
is "which hides" test "$(grep -c '"invisible"' moving_usda/bake.usda)" = 2
is "an empty world" gives 0 tiny.yaml -o dry --format glb --until 0 --set fill=[]
is "is a file as well" test -s dry/liquid_00000.glb
# Grids: 2 layers of cells, in all frames.
sizes() { grep -a '^element' "$@" | sed 's/.*element//' | sort -u | paste -sd' '; }
for format in ply glb usda; do
    is "bake grids as $format" gives 0 tiny.yaml -o grids_$format --form grids --format $format --until 0.03
done
is "of the same size in every frame" test "$(sizes grids_ply/liquid_*.ply | wc -w)" = 4
is "as meshes are not" test "$(sizes ply/liquid_*.ply | wc -w)" -gt 4
is "read back" reads grids_ply/liquid_00003.ply
grep -o 'triangles .*' out.txt >grids.txt
is "with other triangles than the mesh" test "$(cat grids.txt)" != "$(head -1 triangles.txt)"
is "glb has the same" reads grids_glb/liquid_00003.glb
is "triangles" says "$(cat grids.txt)"
is "usda too" reads grids_usda/bake.usda
is "has them" says "$(cat grids.txt)"
is "another form in the same folder" gives 2 tiny.yaml -o grids_glb --format glb --until 0.03
is "is refused" complains "form=grids"
# Bodies: where they are then in meshes, their own frame in samples, and a table beside both.
cp "$tree"/scenes/light_ball.yaml .
for format in ply usda; do
    is "bake a body as $format" gives 0 light_ball.yaml -o body_$format --format $format --until 0.03 --set bodies.0.position.2=0.06
done
is "with a table per frame" test "$(echo body_ply/bodies_*.csv | wc -w)" = 5
is "that has its name and place" awk -F, '$2 == "ball" && $3 > 0.08999 && $3 < 0.09001 { found = 1 } END { exit !found }' body_ply/bodies_00003.csv
is "the same for all formats" cmp body_ply/bodies_00003.csv body_usda/bodies_00003.csv
is "read back" reads body_ply/moving_00003.ply
is "usda too" reads body_usda/bake.usda
is "with the ball" says "prim /Rill/ball Mesh"
is "and where it is in every frame" test "$(grep -A5 xformOp:transform.timeSamples body_usda/bake.usda | grep -c ': ((')" = 5

# Without tension, by which columns at shores have the contact angle themselves.
for meniscus in tilt lift none; do
    is "bake with the meniscus: $meniscus" gives 0 tiny.yaml -o $meniscus --format ply --until 0.03 \
        --meniscus $meniscus --set solver.tension=false
    is "read back" reads $meniscus/liquid_00003.ply
    [ $meniscus = tilt ] || is "which is another mesh" bash -c "! cmp -s $meniscus/liquid_00003.ply tilt/liquid_00003.ply"
done
is "threads do not change results" gives 0 tiny.yaml -o threads --format usda --until 0.03 --threads 2
is "to the last byte" same usda threads

# ------------------------------------------------------------------------------------------------------ killed and resumed
# The frame that a folder's record has reached, 0 without one.
frame_of() { { grep -a -m1 '^frame ' "$1/.resume.rill" 2>/dev/null || echo frame 0; } | cut -d' ' -f2; }
# Frames of many sub-steps, and few vertices: some seconds in which to kill, and little to write.
slow='{ name: lid, shape: box, min: [0, 0, 0.04], max: [1, 1, 0.05], move: [ { time: 0, visible: false, translate: [0, 0, 0.01] }, { time: 18, visible: true }, { time: 200, translate: [0, 0, 0] } ] }'
long=(tiny.yaml --until 200 --set run.frame=1 --set solver.max_substeps=4000 --set solver.rest=false --set sources.0.until=199 --set "bed.solids.3=$slow")
for format in ply usda; do
    is "bake $format without a stop" gives 0 "${long[@]}" -o whole_$format --format $format
    kills=0
    for _ in 1 2 3; do
        before=$(frame_of killed_$format)
        "$rill" bake "${long[@]}" -o killed_$format --format $format >/dev/null 2>err.txt &
        runner=$!
        for _ in $(seq 1000); do # until it has recorded something, and then a little longer, anywhere in its work
            [ "$(frame_of killed_$format)" -gt "$before" ] && break
            sleep 0.005
        done
        sleep 0.0$((RANDOM % 10))
        kill -KILL $runner 2>/dev/null && kills=$((kills + 1))
        wait $runner 2>/dev/null
    done
    is "killed" test $kills -ge 1
    is "it goes on, also with other threads" gives 0 "${long[@]}" -o killed_$format --format $format --threads 2
    is "from where it was" complains "going on from t = "
    is "and ends in the same bytes" same whole_$format killed_$format
done
is "again: everything is there" gives 0 "${long[@]}" -o whole_ply --format ply
is "and it says so" says "all 201 frames are baked already; --fresh bakes them again"

# A limit on the size of files kills in the middle of a write, or is a full disk if the signal is ignored.
size=$(($(stat -c %s whole_usda/bake.usda) / 1024)) # about that of the samples; a record is there after half of them
{ (ulimit -f $((size * 6 / 10)); exec "$rill" bake "${long[@]}" -o cut --format usda) >/dev/null 2>&1; } 2>/dev/null
is "killed in the middle of a write" test $? -gt 128
is "no .usda yet" test ! -e cut/bake.usda
(trap '' XFSZ; ulimit -f $((size * 8 / 10)); exec "$rill" bake "${long[@]}" -o cut --format usda) >out.txt 2>err.txt
is "no room in the middle of a write" test $? -eq 4
is "is told" complains "cut/.samples: cannot be written: File too large"
is "with the remedy" complains "the same command goes on"
is "it goes on with room" gives 0 "${long[@]}" -o cut --format usda
is "from where it was" complains "going on from t = "
is "and ends in the same bytes" same whole_usda cut

"$rill" bake "${long[@]}" -o stopped --format usda >out.txt 2>err.txt &
runner=$!
await stopped/.resume.rill
sleep 0.05
kill -INT $runner
wait $runner
is "Ctrl-C stops cleanly" test $? -eq 0
is "it says how to go on" says "stopped before its end: the same command goes on from here"
is "what there is can be read" reads stopped/bake.usda
is "it goes on" gives 0 "${long[@]}" -o stopped --format usda
is "and ends in the same bytes" same whole_usda stopped

# ------------------------------------------------------------------------------------------------- full disks, other folders
mkdir full
ln -s /dev/full full/liquid_00002.obj.part
is "a full disk" gives 4 tiny.yaml -o full --format obj --until 0.03
is "is named" complains "full/liquid_00002.obj: cannot be written: No space left on device"
is "no half file is left" test ! -e full/liquid_00002.obj -a ! -e full/liquid_00002.obj.part
is "it goes on with room" gives 0 tiny.yaml -o full --format obj --until 0.03
is "to the same bytes" same obj full
mkdir full2
ln -s /dev/full full2/.resume.rill.part
is "a full disk at the start" gives 4 tiny.yaml -o full2
is "is named as well" complains "full2/.resume.rill: cannot be written: No space left on device"
echo x >file
is "a file in the way of the folder" gives 4 tiny.yaml -o file
is "a folder that cannot be made" gives 4 tiny.yaml -o /proc/no_such/folder

is "other options in the same folder are refused" gives 2 tiny.yaml -o obj --format ply --until 0.03
is "with what differs" complains "obj: found a bake with other options (format=obj form=mesh until=0.03 every=frame solids=on meniscus=tilt), expected format=ply"
is "and the remedy" complains "--fresh removes it and starts over; -o chooses another folder"
is "another --set too" gives 2 tiny.yaml -o obj --format obj --until 0.03 --set liquid.viscosity=1e-5
is "with the reason" complains "found a bake of another scene, or of this one before it, a file it names or a --set was changed"
sed 's/-1$/-2/' "$tree/tests/data/step.obj" >step.obj # deeper in the floor: the same bed, but not the same mesh
is "a changed mesh too" gives 2 tiny.yaml -o obj --format obj --until 0.03
cp "$tree/tests/data/step.obj" .
touch obj/mine.obj obj/liquid.obj obj/liquid_1.obj obj/liquid_00001.txt
is "--fresh starts over" gives 0 tiny.yaml -o obj --format ply --until 0.02 --fresh
is "with nothing of the old bake, and nobody else's files lost" test "$(list obj)" = \
    "frames.csv $(echo liquid.obj liquid_0000{0.ply,1.ply,1.txt,2.ply} liquid_1.obj mine.obj) solids.ply"
printf 'rill bake 1\nprogram' >ply/.resume.rill
is "a damaged record" gives 3 tiny.yaml -o ply --format ply --until 0.03
is "is named" complains "ply/.resume.rill: it is damaged: --fresh bakes everything again"
flock every sleep 30 &
holder=$!
for _ in $(seq 100); do
    flock -n every true || break
    sleep 0.02
done
is "two at once in one folder are one too many" gives 2 tiny.yaml -o every --fresh
is "and it says so" complains "another rill bake is at work in this folder"
kill $holder

mkdir gone
ln -s /dev/full gone/liquid_00150.ply.part
"$rill" bake "${long[@]}" -o gone --format ply >/dev/null 2>&1
rm gone/liquid_00001.ply
is "a frame that is gone is missed" gives 3 "${long[@]}" -o gone --format ply
is "by name" complains "gone/liquid_00001.ply: this frame was baked but is gone: --fresh bakes everything again"

echo "1..$count"
echo "# $((count - failed)) passed, $failed failed"
[ $failed -eq 0 ]
