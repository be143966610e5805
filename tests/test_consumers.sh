#!/bin/sh
# Installs a build into a temporary prefix and builds a consumer against it: through the CMake package and through
# pkg-config, shared and static, as C and as C++. Each program is run.
# usage: test_consumers.sh BUILD_FOLDER [CMAKE]
set -eu
build=$1
cmake=${2:-cmake}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

"$cmake" --install "$build" --prefix "$work/usr" >"$work/install.log"
# Moved after installing: a package that remembers where it was built or installed is not one.
mv "$work/usr" "$work/moved"
prefix=$work/moved
libdir=$(dirname "$(find "$prefix" -name librill.a)")

"$cmake" -S "$here/consumer" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" >"$work/configure.log"
"$cmake" --build "$work/cmake" >"$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
passed=0
for program in c_rill c_rill_shared cxx_rill cxx_rill_shared; do
    printf 'cmake, %s: ' "$program"
    "$work/cmake/$program"
    passed=$((passed + 1))
done

export PKG_CONFIG_PATH="$libdir/pkgconfig"
cp "$here/consumer/consumer.c" "$work/consumer.cpp"
flags="-Wall -Wextra -Wpedantic -Werror"
for compiler in cc c++; do
    source=$here/consumer/consumer.c
    [ "$compiler" = c++ ] && source=$work/consumer.cpp
    # shellcheck disable=SC2046,SC2086
    "$compiler" $flags "$source" $(pkg-config --cflags --libs rill) -o "$work/shared"
    # All static: whatever Libs.private forgets is an undefined symbol.
    # shellcheck disable=SC2046,SC2086
    "$compiler" $flags "$source" -static $(pkg-config --static --cflags --libs rill) -o "$work/static"
    printf 'pkg-config, %s, shared: ' "$compiler"
    LD_LIBRARY_PATH=$libdir "$work/shared"
    printf 'pkg-config, %s, static: ' "$compiler"
    "$work/static"
    passed=$((passed + 2))
done

# The shared programs must really be using the shared library.
LD_LIBRARY_PATH='' "$work/shared" >/dev/null 2>&1 && { echo "the shared program does not use librill.so"; exit 1; }
test "$(pkg-config --modversion rill)" = "$("$work/static" | sed 's/^rill \([^:]*\):.*/\1/')"
echo "$passed passed, 0 failed"
