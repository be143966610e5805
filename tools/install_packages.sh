#!/bin/sh
# Installs the Debian packages that are missing, by name; says nothing and needs no network when all are there.
# usage: install_packages.sh build|test|blender|usd|format
set -eu
build="build-essential cmake pkg-config libyaml-dev libassimp-dev libpng-dev"
build="$build libode-dev" # bodies that touch
build="$build libfreetype-dev" # text that liquid is drawn into
build="$build libepoxy-dev libegl1-mesa-dev libgl1-mesa-dri libcglm-dev ffmpeg" # pictures and movies
build="$build libglfw3-dev libimgui-dev fonts-dejavu-core" # the window
case ${1:-} in
build) wanted=$build ;;
test)
    wanted="$build libcmocka-dev clang clang-format libclang-rt-14-dev python3 python3-jsonschema python3-yaml"
    wanted="$wanted gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user" # the same bits on another processor
    # Other compilers. Not gcc-multilib, which cannot be installed beside the compiler for ARM; what -m32 needs of it is this.
    wanted="$wanted libc6-dev-i386 lib32gcc-12-dev musl-tools gcc-mingw-w64-x86-64 emscripten nodejs"
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
# apt ARGUMENTS...: waits while another package manager is at work, ten minutes at most. Of the locks apt-get itself waits for
# that of dpkg alone.
apt() {
    for _ in $(seq 120); do
        errors=$($as_root env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600 "$@" 2>&1 >&3) &&
            return 0
        case $errors in
        *"Could not get lock"*) echo "Waiting for another package manager" && sleep 5 ;;
        *) break ;;
        esac
    done 3>&1
    echo "$errors" >&2
    return 1
}

echo "Installing:$missing"
apt update
# Packages that are in the way are not ours to remove: apt-get then says so, and gives up.
# shellcheck disable=SC2086
apt install -y --no-install-recommends --no-remove $missing
