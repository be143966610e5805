#!/bin/sh
# Installs the Debian packages that are missing, by name; says nothing and needs no network when all are there.
# usage: install_packages.sh build|test|blender|usd|format
set -eu
build="build-essential cmake pkg-config libyaml-dev libassimp-dev libpng-dev"
build="$build libode-dev" # bodies that touch
build="$build libepoxy-dev libegl1-mesa-dev libgl1-mesa-dri libcglm-dev ffmpeg" # pictures and movies
build="$build libglfw3-dev libimgui-dev fonts-dejavu-core" # the window
case ${1:-} in
build) wanted=$build ;;
test)
    wanted="$build libcmocka-dev clang libclang-rt-14-dev python3 python3-jsonschema python3-yaml"
    wanted="$wanted gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user" # the same bits on another processor
    wanted="$wanted xvfb xdotool" # a window that nobody sees
    ;;
blender) wanted="$build blender python3-numpy" ;; # its glTF importer needs the latter
usd) wanted="$build nodejs npm" ;;
format) wanted="clang-format" ;;
*)
    echo "usage: $0 build|test|blender|usd|format" >&2
    exit 2
    ;;
esac

# On another system the packages have other names; CMake will say what it does not find.
command -v dpkg-query >/dev/null || exit 0

missing=
for package in $wanted; do
    status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
    [ "$status" = "install ok installed" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "These packages are missing, and installing them needs root or sudo:$missing" >&2
        exit 1
    fi
    as_root=sudo
fi
echo "Installing:$missing"
$as_root apt-get update -q
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
