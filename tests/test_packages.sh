#!/bin/sh
# tools/install_packages.sh, with a package manager that is made up here: it waits while that is busy, and gives up over any
# other failure, with what was said.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

# command NAME LINES...: a program of that name.
command() {
    name=$1
    shift
    printf '%s\n' '#!/bin/sh' "cd '$work'" "$@" >"$work/bin/$name"
    chmod +x "$work/bin/$name"
}
mkdir "$work/bin"
command dpkg-query 'exit 1' # nothing is installed
command sudo 'exec "$@"'
command sleep 'true'
command apt-get 'echo "$*" >>calls' \
    '[ "$(wc -l <calls)" -gt 2 ] || { echo "E: Could not get lock /var/lib/apt/lists/lock." >&2; exit 100; }' \
    'case "$(wc -l <calls) $*" in "4 "*install*) lock=dpkg/lock-frontend ;; "5 "*) lock=cache/apt/archives/lock ;; esac' \
    '[ -z "${lock:-}" ] || { echo "E: Could not get lock /var/$lock." >&2; exit 100; }' \
    '[ ! -e offline ] || { echo "E: Temporary failure resolving" >&2; exit 100; }'

install() { PATH="$work/bin:$PATH" "$root/tools/install_packages.sh" format >"$work/out" 2>"$work/err"; }
install || { echo "not ok: it did not wait for a busy package manager"; cat "$work/out" "$work/err"; exit 1; }
[ "$(grep -c ' update$' "$work/calls")" = 3 ] && [ "$(grep -c ' install .*clang-format$' "$work/calls")" = 3 ] ||
    { echo "not ok: other calls than three updates and three installs"; cat "$work/calls"; exit 1; }
! grep -qv 'DPkg::Lock::Timeout=[1-9]' "$work/calls" || { echo "not ok: apt-get does not wait for dpkg"; exit 1; }
touch "$work/offline"
! install || { echo "not ok: a failed update went unnoticed"; exit 1; }
grep -q "failure resolving" "$work/err" || { echo "not ok: it does not say what failed"; exit 1; }
! tail -1 "$work/calls" | grep -q install || { echo "not ok: it installs after a failed update"; exit 1; }
echo "ok: it waits, and gives up"
