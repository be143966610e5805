#!/bin/sh
# Bakes a small scene as .usda, lets an independent USD library (TinyUSDZ, from npm) read it and write it again, and compares:
# every sample in time of every attribute of the liquid. Not a part of `make test`, as it needs Node.js and a network.
# usage: check_usd.sh [RILL]     leaves with 77 if there is no npm
set -eu
tree=$(cd "$(dirname "$0")/.." && pwd)
rill=$(realpath "${1:-$tree/build/rill}")
if ! command -v npm >/dev/null; then
    echo "npm is missing. On Debian: apt-get install --no-install-recommends nodejs npm"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$rill" bake "$tree/tests/data/tiny.yaml" -o "$work/bake" --format usda >/dev/null
cd "$work"
npm install --silent --no-audit --no-fund tinyusdz@0.9.0-rc10 >npm.txt 2>&1 || { cat npm.txt; exit 1; }
cp node_modules/tinyusdz/tinyusdz.js tinyusdz.mjs # a module, which its package does not say
cp "$tree/tools/check_usd.mjs" .
node check_usd.mjs node_modules/tinyusdz/tinyusdz.wasm bake/bake.usda
