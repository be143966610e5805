#!/bin/sh
# The library compiles for 64-bit ARM from the same source, with NEON, and gives the same bits as here.
# usage: test_arm.sh LIBRILL FOLDER CC CMAKE      cross-builds in FOLDER; exit code 77: no cross compiler or emulator
set -eu
library=$1
folder=$2
cc=$3
cmake=$4
root=$(cd "$(dirname "$0")/.." && pwd)
cross=aarch64-linux-gnu-gcc
command -v $cross >/dev/null && command -v qemu-aarch64 >/dev/null || exit 77

mkdir -p "$folder"
"$cmake" -S "$root" -B "$folder" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_C_COMPILER=$cross \
    -DCMAKE_BUILD_TYPE=Release -DRILL_WERROR=ON -DRILL_BUILD_APPS=OFF -DRILL_BUILD_TESTS=OFF \
    >"$folder/log" 2>&1 && "$cmake" --build "$folder" --target rill -j 2 >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
$cross -O2 -I "$root/include" "$root/tests/arm/arm_hash.c" "$folder/librill.a" -static -lm -lpthread -o "$folder/hash"
"$cc" -O2 -I "$root/include" "$root/tests/arm/arm_hash.c" "$library" -lm -lpthread -o "$folder/hash_here"

there=$(qemu-aarch64 "$folder/hash")
here=$("$folder/hash_here")
vectors=$(aarch64-linux-gnu-objdump -d "$folder/librill.a" | grep -c 'fmul.*\.4s' || true)
if [ "$there" = "$here" ] && [ "$vectors" -gt 50 ]; then
    echo "ok: $here on both, $vectors vector multiplications"
else
    echo "not ok: $there on ARM, $here here; $vectors vector multiplications"
    exit 1
fi
