# What the shell tests share: counting checks, and running rill. Sourced; `about` is the command of rill it is about, or empty.
count=0
failed=0
# is WHAT COMMAND...: the command must succeed.
is() {
    local what=$1
    shift
    count=$((count + 1))
    if "$@"; then
        echo "ok $count - $what"
    else
        echo "not ok $count - $what"
        sed 's/^/# /' out.txt err.txt 2>/dev/null | head -20
        failed=$((failed + 1))
    fi
}
# gives CODE ARGUMENTS...: rill must leave with that code; its output is in out.txt and err.txt.
gives() {
    local code=$1 got
    shift
    "$rill" $about "$@" >out.txt 2>err.txt
    got=$?
    [ "$got" -eq "$code" ] || { echo "# rill $about $*: exit code $got, expected $code"; return 1; }
}
# on_terminal ARGUMENTS...: the same on a terminal of 80 columns; what its bar showed is in bar.txt, a line each.
on_terminal() {
    script -qec "stty cols 80; '$rill' $about $*" /dev/null </dev/null >out.txt 2>err.txt || return 1
    tr '\r' '\n' <out.txt | sed 's/\x1b\[K//g' >bar.txt
}
