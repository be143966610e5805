#!/bin/sh
# Compiles and runs the first C program of the README, so that it cannot lag behind the library.
# usage: test_readme.sh LIBRILL_A [CC]
set -eu
library=$1
compiler=${2:-cc}
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

awk '/^```c$/ { inside = 1; next } /^```/ && inside { exit } inside' "$root/README.md" >"$work/program.c"
test -s "$work/program.c" || { echo "README.md has no \`\`\`c block"; exit 1; }
"$compiler" -std=c17 -Wall -Wextra -Werror -I"$root/include" "$work/program.c" "$library" -lm -lpthread -o "$work/program"
cd "$work"
./program >output
cat output
test -s output || { echo "the README's program says nothing"; exit 1; }
