#!/bin/sh
# The library compiles without a warning with other compilers, for other processors and C libraries and without threads, from
# the same source, and gives the same bits as here wherever its programs run.
# usage: test_compilers.sh LIBRILL FOLDER CC      builds in FOLDER; exit code 77: a compiler is missing, the others are fine
set -eu
library=$1
folder=$2
cc=$3
root=$(cd "$(dirname "$0")/.." && pwd)
hash=$root/tests/arm/arm_hash.c
passed=0
failed=0
missing=

# As cmake/RillCompile.cmake has it, without optimisation, which takes most of the time; but the kernels, in which programs
# without it spend nine tenths of theirs.
flags="-std=c17 -O0 -Wall -Wextra -Wconversion -Wshadow -Wundef -Wvla -Werror -ffp-contract=off -fvisibility=hidden"
flags="$flags -D_POSIX_C_SOURCE=200809L -DRILL_BUILDING -I$root/src -I$root/include"

# compile NAME COMPILER ARGUMENTS...: all of src/ into FOLDER/NAME/*.o, by one call, which is quicker than by files
compile() {
    name=$1
    shift
    rm -rf "${folder:?}/$name"
    mkdir -p "$folder/$name"
    (
        cd "$folder/$name"
        find "$root/src" -name '*.c' ! -name '*kernels.c' -exec "$@" $flags -c {} + && "$@" $flags -O1 -c "$folder"/kernels/*.c
    ) >"$folder/$name/log" 2>&1
}

# judge NAME WHAT GOT WANTED
judge() {
    if [ "$3" = "$4" ]; then
        passed=$((passed + 1))
        echo "ok: $1: $2"
    else
        failed=$((failed + 1))
        echo "not ok: $1: $2: $3 instead of $4"
        tail -n 20 "$folder/$1/log"
    fi
}

# runs NAME PROGRAM... -- COMPILER ARGUMENTS...: compiles the library, links tests/arm/arm_hash.c to FOLDER/NAME/hash.js and runs it
runs() {
    name=$1
    shift
    run=
    while [ "$1" != -- ]; do
        run="$run $1"
        shift
    done
    shift
    if ! command -v "$1" >/dev/null || ! echo 'int main(void) { return 0; }' | "$@" -x c - -o "$folder/probe.js" 2>/dev/null; then
        missing="$missing $name"
        return 0
    fi
    got="no program"
    if compile "$name" "$@" && "$@" -O0 "-I$root/include" "$hash" "$folder/$name"/*.o $link -o "$folder/$name/hash.js" \
        >>"$folder/$name/log" 2>&1; then
        got=$($run "$folder/$name/hash.js") || got="exit code $?"
    fi
    judge "$name" "the same bits" "$got" "$here"
}

mkdir -p "$folder"
rm -rf "$folder/kernels"
mkdir "$folder/kernels"
for file in "$root"/src/*/*kernels.c; do
    table=$(basename "$file" .c)
    for version in scalar base; do
        printf '#define RILL_KERNELS_NAME rill_%s_%s\n#include "%s"\n' "$table" $version "$file" \
            >"$folder/kernels/${table}_$version.c"
    done
done
"$cc" -O2 "-I$root/include" "$hash" "$library" -lm -lpthread -o "$folder/hash_here"
here=$("$folder/hash_here")

link="-lm -lpthread"
runs clang -- clang -Wno-pass-failed
# Debian keeps the headers of the kernel where only the 64-bit compiler looks.
runs m32 -- "$cc" -m32 -msse2 -mfpmath=sse -idirafter "/usr/include/$("$cc" -print-multiarch)"
link=-lm
runs musl_without_threads -- musl-gcc -DRILL_NO_THREADS -static
if command -v node >/dev/null; then
    link="-sSINGLE_FILE=1 -sALLOW_MEMORY_GROWTH=1"
    runs emscripten node -- emcc -Wno-pass-failed -DRILL_NO_THREADS
else
    missing="$missing emscripten"
fi

# The DLL exports what the header declares, and a program links it.
cross=x86_64-w64-mingw32
if command -v $cross-gcc >/dev/null; then
    got="no DLL"
    if compile mingw $cross-gcc -Wno-float-conversion -DRILL_SHARED && (
        cd "$folder/mingw"
        $cross-gcc -shared -static ./*.o -lpthread -Wl,--no-undefined -Wl,--out-implib,librill.dll.a -o librill.dll &&
            $cross-gcc -DRILL_SHARED "-I$root/include" "$hash" librill.dll.a -o hash.exe
    ) >>"$folder/mingw/log" 2>&1; then
        got=$($cross-objdump -p "$folder/mingw/librill.dll" | sed -n '/Ordinal\/Name Pointer/,/^$/p' |
            awk '/\[/ && !/Table/ { print $NF }' | sort | tr '\n' ' ')
    fi
    judge mingw "a DLL that exports the public functions alone" "$got" \
        "$(python3 "$root/tools/api_dump.py" --functions | sort | tr '\n' ' ')"
else
    missing="$missing mingw"
fi

test -z "$missing" || echo "no compiler for:$missing"
echo "$passed passed, $failed failed"
test "$failed" -eq 0 || exit 1
test -z "$missing" || exit 77
