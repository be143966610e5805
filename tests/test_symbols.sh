#!/bin/sh
# The shared library exports exactly the functions that tools/api_dump.py finds in the public header, nothing else.
# usage: test_symbols.sh LIBRILL_SO [NM] [PYTHON]
set -eu
library=$1
nm=${2:-nm}
python=${3:-python3}
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

"$nm" -D --defined-only "$library" | awk '{ print $NF }' | sort >"$work/exported"
"$python" "$root/tools/api_dump.py" >"$work/api.json"
"$python" -c 'import json, sys; print(*(f["name"] for f in json.load(sys.stdin)["functions"]), sep="\n")' <"$work/api.json" |
    sort >"$work/declared"
test -s "$work/declared"
if ! diff "$work/declared" "$work/exported" >"$work/diff"; then
    echo "< declared in rill.h, > exported by $(basename "$library"):"
    cat "$work/diff"
    exit 1
fi
echo "$(wc -l <"$work/exported") functions, all of them public"
