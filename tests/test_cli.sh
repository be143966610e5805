#!/bin/bash
# The command line as a user meets it: outputs, files, exit codes.
# usage: test_cli.sh RILL [SOURCE_TREE]
set -u
rill=$(realpath "$1")
tree=$(realpath "${2:-$(dirname "$0")/..}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cp "$tree"/tests/data/{tiny.yaml,broken.yaml,step.obj} .

about=
. "$tree/tests/shared/checks.sh"
says() { grep -qF -- "$1" out.txt; }       # stdout has this text
complains() { grep -qF -- "$1" err.txt; }  # stderr has this text
silent() { [ ! -s "$1" ]; }
column() { head -1 "$1" | tr ',' '\n' | grep -nxF "$2" | cut -d: -f1; }
values() { tail -n +2 "$1" | cut -d, -f"$(column "$1" "$2")"; }

# ------------------------------------------------------------------------------------------------------- help and usage
is "help" gives 0 --help
is "help names the commands" says validate
version=$(sed -n 's/^#define RILL_VERSION_\(MAJOR\|MINOR\|PATCH\) //p' "$tree/include/rill/rill.h" | paste -sd.)
is "version" gives 0 --version
is "version is the header's" test "$(cat out.txt)" = "rill $version"
for command in run bake check info hash validate bench; do
    is "$command --help" gives 0 $command --help
    is "$command --help says how" says "usage: rill $command"
    is "$command refuses unknown options" gives 2 $command --no-such-option
    is "and names it" complains --no-such-option
done
is "no command is bad usage" gives 2
is "an unknown command is bad usage" gives 2 simulate
for command in run bake check info hash; do
    is "$command without a file is bad usage" gives 2 $command
done
is "two scenes to run are too many" gives 2 run tiny.yaml tiny.yaml
is "an option without its value" gives 2 run tiny.yaml --until
is "a value that is no number" gives 2 run tiny.yaml --until soon
is "it says what was expected" complains "found 'soon' for --until, expected a number from 0 to 1e+09"
is "a negative time" gives 2 run tiny.yaml --until -1
is "half a thread" gives 2 run tiny.yaml --threads 1.5
is "no threads" gives 2 hash tiny.yaml --steps 1 --threads=0
is "simd is on or off" gives 2 hash tiny.yaml --steps 1 --simd maybe
is "hash needs --steps" gives 2 hash tiny.yaml

# ---------------------------------------------------------------------------------------------------------------- check
is "check a good scene" gives 0 check tiny.yaml
is "it is ok" test "$(cat out.txt)" = "tiny.yaml: ok"
is "check a broken scene" gives 1 check broken.yaml
cat >expected.txt <<'END'
broken.yaml:3:23: found 0 for bed.grid.cells.1, expected a whole number from 1 to 32768
broken.yaml:6:27: no_such.stl: found no readable file (No such file or directory), expected one
broken.yaml:7:11: found the unknown key 'viscosty' in the liquid, expected preset, density, viscosity, surface_tension, contact_angle or drying, did you mean 'viscosity'?
broken.yaml:8:33: found the key 'until' again, expected it once
broken.yaml: 4 errors
END
is "everything wrong at once, with its place" cmp expected.txt out.txt
is "check a missing file" gives 3 check no_such.yaml
is "check a folder" gives 3 check .
is "check several: the worst counts" gives 1 check tiny.yaml broken.yaml tiny.yaml
is "the good ones are ok all the same" test "$(grep -c ': ok$' out.txt)" = 2
is "check with --set" gives 1 check tiny.yaml --set liquid.viscosity=thick
is "it names the option" says "--set liquid.viscosity=thick: found the text 'thick' for liquid.viscosity, expected"
is "check finds what only the bed knows" gives 1 check tiny.yaml --set sources.0.at=[9,9,9]
is "with its place" grep -q '^tiny.yaml:15:5: ' out.txt
for scene in "$tree"/scenes/*.yaml; do
    is "check $(basename "$scene")" gives 0 check "$scene"
done
# The documents must not lag: the example is a scene, the table of liquids is the library's.
sed -n '/^rill: 1 /,/^```/{/^```/d;p}' "$tree/docs/scene-format.md" >example.yaml
is "there is an example in docs/scene-format.md" test "$(wc -l <example.yaml)" -gt 15
is "it is a good scene" gives 0 check example.yaml
presets=0
while IFS='|' read -r _ name density viscosity tension angle _; do
    presets=$((presets + 1))
    "$rill" info tiny.yaml --set "liquid.preset=$(echo $name)" >out.txt 2>err.txt
    is "the documented $(echo $name)" awk -v d="$density" -v v="$viscosity" -v t="$tension" -v a="$angle" \
        '/^ +liquid/ { split($0, w, /[ ,]+/); good = w[4] == d + 0 && w[7] == v + 0 && w[11] == t + 0 && w[15] == a + 0 }
         END { exit !good }' out.txt
done < <(sed -n '/^| preset/,/^$/p' "$tree/docs/scene-format.md" | tail -n +3 | grep '|')
is "are thirteen" test $presets -eq 13
is "a full disk is noticed" bash -c '"$0" check tiny.yaml >/dev/full 2>/dev/null; [ $? -eq 4 ]' "$rill"

# ------------------------------------------------------------------------------------------------------------------ run
is "run" gives 0 run tiny.yaml
is "results are in out/<scene>" test -s out/tiny/log.csv
is "and it says so" says "results: out/tiny/log.csv"
is "no bar and no complaints without a terminal" silent err.txt
is "volumes by name" grep -q '^  poured .* ml   fill [0-9.]*, tap ' out.txt
is "drained by name" grep -q '^  drained .*drain ' out.txt
log=out/tiny/log.csv
is "the columns of log.csv" test "$(head -1 $log)" = \
    "time,substeps,volume,airborne,in_transit,poured,drained,ledger_error,max_speed,awake,pool level,shelf_depth,edge_speed,on_shelf"
is "one row per frame and one for the start" test "$(wc -l <$log)" = 12
is "times are k * frame" test "$(values $log time | sed -n 4p)" = 0.029999999999999999
is "the end is exact" test "$(values $log time | tail -1)" = "0.10000000000000001"
is "the ledger's error is zero" test "$(values $log ledger_error | sort -u)" = 0
is "sub-steps are counted" test "$(values $log substeps | head -2 | tr '\n' ' ' | cut -c1-2)" = "0 "
is "every frame has some" bash -c "! tail -n +3 $log | cut -d, -f2 | grep -qx 0"
is "run a scene with a body" gives 0 run "$tree/scenes/heavy_ball.yaml" --out ball --until 0.025
is "says where it is" says "results: ball/log.csv, bodies.csv"
is "in one row per frame" test "$(grep -c ',ball,0.1' ball/bodies.csv)" = 5
is "where probes see it, too" test "$(values ball/log.csv ball_z | sed -n 3p)" = "$(values ball/bodies.csv z | sed -n 3p)"
is "while it falls" test "$(values ball/log.csv ball_z | sort -ru | tr '\n' ' ')" = "$(values ball/log.csv ball_z | tr '\n' ' ')"
is "the fill is booked as poured at the start" test "$(values $log volume | head -1)" = "$(values $log poured | head -1)"
is "something was poured later" test "$(values $log poured | head -1)" != "$(values $log poured | tail -1)"
is "something was drained" test "$(values $log drained | tail -1)" != 0
is "the shelf got wet" test "$(values $log on_shelf | tail -1)" != 0
is "volume, in the air too, = poured - drained" awk -F, 'NR > 1 { e = $3 + $4 + $5 - $6 + $7; if (e > 1e-18 || e < -1e-18) exit 1 }' $log

is "run to another end" gives 0 run tiny.yaml --until 0.025 --out short
is "the last frame is shortened" test "$(values short/log.csv time | tr '\n' ' ')" = \
    "0 0.01 0.02 0.025000000000000001 "
is "frames before it are the same" cmp <(head -4 short/log.csv) <(head -4 $log)
is "run to the start" gives 0 run tiny.yaml --until 0 --out nothing
is "has one row" test "$(wc -l <nothing/log.csv)" = 2
is "folders are made" gives 0 run tiny.yaml --until 0 --out a/b/c/
is "all of them" test -s a/b/c/log.csv
is "run with --set" gives 0 run tiny.yaml --set run.until=0.02 --set sources.0.rate=0 --out dry
is "no tap: nothing more poured" test "$(values dry/log.csv poured | sort -u | wc -l)" = 1
is "a bad --set is bad input" gives 3 run tiny.yaml --set liquid.viscosty=1 --out bad
is "and named" complains "--set liquid.viscosty=1: found the unknown key 'viscosty'"
is "nothing was run" test ! -e bad
is "a broken scene is bad input" gives 3 run broken.yaml
is "so is a missing one" gives 3 run no_such.yaml
is "warnings name the remedy" gives 0 run tiny.yaml --set solver.max_substeps=1 --out slow
is "once" test "$(grep -c 'raise solver.max_substeps' err.txt)" = 1

is "threads do not change results" gives 0 run tiny.yaml --threads 2 --out two
is "to the last digit" cmp $log two/log.csv
is "nor does scalar code" gives 0 run tiny.yaml --simd off --out scalar
is "to the last digit either" cmp $log scalar/log.csv

# --------------------------------------------------------------------------------------------------------------- arrays
is "run with arrays" gives 0 run tiny.yaml --fields --every 0.03 --out fields
is "at the start, every 0.03 s and at the end" test "$(cd fields && echo depth_*)" = \
    "depth_00000.npy depth_00001.npy depth_00002.npy depth_00003.npy depth_00004.npy"
is "velocities too" test "$(cd fields && echo velocity_* | wc -w)" = 5
is "their times are listed" test "$(cut -d, -f2 fields/fields.csv | tail -n +2 | tr '\n' ' ')" = \
    "0 0.029999999999999999 0.059999999999999998 0.089999999999999997 0.10000000000000001 "
for array in base ceiling depth_00002; do
    is "$array.npy" gives 0 info fields/$array.npy
    is "has layers, rows and columns" grep -qE '^ +shape +2 x 12 x 16$' out.txt
done
is "absent columns are NaN" grep -qE '^ +NaN +144 values' out.txt
is "velocity" gives 0 info fields/velocity_00004.npy
is "has two parts" grep -qE '^ +shape +2 x 12 x 16 x 2$' out.txt
is "arrays every frame" gives 0 run tiny.yaml --fields --until 0.03 --out each
is "are four" test "$(cd each && echo depth_* | wc -w)" = 4
# A lid over everything, from the second frame on: one layer more.
lid='{ name: lid, shape: box, min: [0, 0, 0.04], max: [1, 1, 0.05], move: [ { time: 0, visible: false }, { time: 0.02, visible: true } ] }'
is "run with a solid that moves" gives 0 run tiny.yaml --set "bed.solids.3=$lid" --fields --until 0.03 --out moving
is "writes floors and ceilings each time" test "$(cd moving && echo base* ceiling*)" = "$(for array in base ceiling; do
    echo ${array}_0000{0,1,2,3}.npy; done | paste -sd' ')"
is "two layers before" gives 0 info moving/base_00001.npy
is "are two" grep -qE '^ +shape +2 x 12 x 16$' out.txt
is "three layers after" gives 0 info moving/base_00002.npy
is "are three" grep -qE '^ +shape +3 x 12 x 16$' out.txt
is "and depths as well" gives 0 info moving/depth_00003.npy
is "of three layers" grep -qE '^ +shape +3 x 12 x 16$' out.txt
is "the ledger is right all the while" test "$(values moving/log.csv ledger_error | sort -u)" = 0

# ------------------------------------------------------------------------------------------------------- disk and Ctrl-C
echo x >file
is "a file in the way of the folder" gives 4 run tiny.yaml --out file
is "a file in the way of a folder above" gives 4 run tiny.yaml --out file/sub
mkdir full full2
ln -s /dev/full full/log.csv
is "a full disk" gives 4 run tiny.yaml --out full
is "is named" complains "full/log.csv: cannot be written: No space left on device"
ln -s /dev/full full2/depth_00001.npy
is "a full disk for arrays" gives 4 run tiny.yaml --fields --out full2
is "is named as well" complains "full2/depth_00001.npy: cannot be written: No space left on device"

"$rill" run tiny.yaml --until 1e6 --fields --every 1e5 --out stopped >out.txt 2>err.txt &
runner=$!
for _ in $(seq 100); do
    [ -f stopped/log.csv ] && [ "$(wc -l <stopped/log.csv)" -gt 20 ] && break
    sleep 0.05
done
kill -INT $runner
wait $runner
is "Ctrl-C stops cleanly" test $? -eq 0
is "it says that it stopped" says "stopped before its end"
is "rows are whole" bash -c "[ -z \"\$(awk -F, 'NF != 14' stopped/log.csv)\" ] && [ -z \"\$(tail -c1 stopped/log.csv | tr -d '\n')\" ]"
is "arrays of the end are written" test -s stopped/depth_00001.npy

# ------------------------------------------------------------------------------------------------------------ info, hash
is "info of a scene" gives 0 info tiny.yaml
is "counts layers" grep -qE '^ +layers +2$' out.txt
is "counts columns" grep -qE '^ +columns +240 ' out.txt
is "tells the quantum" grep -qE '^ +quantum +[0-9.e-]+ m$' out.txt
is "has nothing to tell" bash -c "grep -qx 'fitted to the cells: nothing' out.txt && grep -qx 'not represented: nothing' out.txt"
is "counts slivers" gives 0 info tiny.yaml --set bed.min_opening=0.05
is "and says what became of them" grep -qE '^ +slivers merged +[1-9][0-9]* voids lower than min_opening, filled$' out.txt
is "info of a mesh" gives 0 info step.obj --scale 0.001
is "counts triangles" grep -qE '^ +triangles +12$' out.txt
is "tells its box" says "0, 0, -0.001 to 0.004, 0.012, 0.001 m"
is "knows that it is closed" grep -qE '^ +closed mesh parts +1' out.txt
is "info with a cell size" gives 0 info step.obj --scale 0.001 --cell 0.001
is "uses it" grep -qE '^ +grid +6 x 14 cells of 0.001 m' out.txt
printf 'v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 2 3 4\n' >upright.obj
is "info of an upright sheet" gives 0 info upright.obj
is "it says why there is nothing" says "and no floor: what stands upright alone has none; turn a y-up model"
is "a cell size that is too small" gives 2 info step.obj --cell 1e-6
is "info of a picture" gives 0 info "$tree/scenes/models/landscape.png"
is "info of nothing" gives 3 info no_such.stl
is "info of a broken scene" gives 3 info broken.yaml
is "a mesh is no scene" gives 3 run step.obj
is "it says what to do with it" complains "it is a mesh, not a scene: see 'rill info step.obj', or name it in a scene as a solid, { mesh: step.obj }"
printf 'II*' >dem.tif
is "nor is a picture" gives 3 check dem.tif
is "it says what is read instead" complains ".npy or 16-bit .png"
is "a scene is no mesh" gives 3 run tiny.yaml --set 'bed.solids.0={ mesh: tiny.yaml }'
is "it says so" complains "a mesh is meant, and this is a scene"

is "hash" gives 0 hash tiny.yaml --steps 5
is "prints 16 digits and nothing else" grep -qxE '[0-9a-f]{16}' out.txt
is "on one line" test "$(wc -l <out.txt)" = 1
one=$(cat out.txt)
is "hash with threads" gives 0 hash tiny.yaml --steps 5 --threads 3
is "is the same" test "$(cat out.txt)" = "$one"
is "hash without vectors" gives 0 hash tiny.yaml --steps 5 --simd off
is "is the same too" test "$(cat out.txt)" = "$one"
is "hash of more frames" gives 0 hash tiny.yaml --steps 6
is "is another" test "$(cat out.txt)" != "$one"
is "hash of another liquid" gives 0 hash tiny.yaml --steps 5 --set liquid.viscosity=1e-3
is "is another as well" test "$(cat out.txt)" != "$one"
is "hash of a broken scene" gives 3 hash broken.yaml --steps 1

echo "1..$count"
echo "# $((count - failed)) passed, $failed failed"
[ $failed -eq 0 ]
