#!/bin/sh
# The shared library exports exactly what the public header declares, nothing else.
# usage: test_symbols.sh LIBRILL_SO [NM]
set -eu
library=$1
nm=${2:-nm}
header=$(dirname "$0")/../include/rill/rill.h
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

"$nm" -D --defined-only "$library" | awk '{ print $NF }' | sort >"$work/exported"
tr '\n' ' ' <"$header" | grep -oE 'RILL_API [^;(]*\(' | grep -oE 'rill_[a-z0-9_]+ *\($' | tr -d ' (' | sort -u >"$work/declared"
test -s "$work/declared"
if ! diff "$work/declared" "$work/exported" >"$work/diff"; then
    echo "< declared in rill.h, > exported by $(basename "$library"):"
    cat "$work/diff"
    exit 1
fi
echo "$(wc -l <"$work/exported") functions, all of them public"
