#!/bin/sh
# Fails on C that clang-format would write otherwise; `make format` mends it. Versions write differently, so only the one that
# Debian 12 has is asked, 14: with another one, or none, the test is skipped (exit code 77).
# usage: check_format.sh [--self-test]
set -eu
cd "$(dirname "$0")/.."
case $(clang-format --version 2>/dev/null) in
*"version 14."*) ;;
*)
    echo "clang-format 14 is not here: tools/install_packages.sh format"
    exit 77
    ;;
esac
if [ "${1:-}" = --self-test ]; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    cp .clang-format "$folder"
    printf 'int good(void) {\n    return 1;\n}\n' >"$folder/good.c"
    printf 'int bad( void ){ return 1; }\n' >"$folder/bad.c"
    clang-format --dry-run -Werror "$folder/good.c"
    ! clang-format --dry-run -Werror "$folder/bad.c" 2>/dev/null
    echo "1 passed, 0 failed"
    exit 0
fi
find include src apps tests tools examples -name '*.[ch]' -exec clang-format --dry-run -Werror {} +
