#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Profiles a command on a commit and on the commit that it began from, and compares the two: docs/ci.md.
# It is asked by the environment:
#   BASE       the commit, branch or tag to compare with; what is compared is where the branch left it
#   COMMAND    a line for sh that runs Python, as "python3 -m pytest -q tests/bench"
#   PREPARE    one that is run before, each time the files were changed, without being profiled
#   RUNS       how often each is profiled, in turns (3)
#   FAIL_OVER  percent: exit with 4 if CPU time grew by more, and by more than chance; empty: never
#   OPTIONS    for the profiler, as "--event wall" ("-F 499")
#   OUT        a folder: comment.md, difference.svg, and the profiles in base/ and new/ (pyperf-compare)
#   PROGRAM    the profiler (pyperf-bpf)
set -eu

# The same file names on both sides: it is one work tree, whose files change.
side() { # NAME COMMIT NUMBER
    git checkout -q --detach "$2"
    # Files of one second and one size would pass for each other's byte code.
    export PYTHONPYCACHEPREFIX="$OUT/cache/$1"
    [ -z "$PREPARE" ] || sh -euc "$PREPARE" || fail "PREPARE failed on $1, $2"
    # shellcheck disable=SC2086
    "$PROGRAM" -q $OPTIONS -o "$OUT/$1/$3.pb.gz" -- sh -euc "$COMMAND" || fail "COMMAND failed on $1, $2"
}

fail() {
    echo "compare.sh: $*" >&2
    exit 1
}

# Read as a whole before anything is checked out: this file may be one of those that change.
main() {
    : "${BASE:?names no commit}" "${COMMAND:?names no command}"
    PROGRAM=${PROGRAM:-pyperf-bpf} RUNS=${RUNS:-3} PREPARE=${PREPARE:-} OPTIONS=${OPTIONS:--F 499}
    OUT=$(mkdir -p "${OUT:-pyperf-compare}" && cd "${OUT:-pyperf-compare}" && pwd)
    [ -z "$(git status --porcelain --untracked-files=no)" ] ||
        fail "files here were changed and not committed: they would not be those of the commit"
    new=$(git rev-parse HEAD)
    base=$(git rev-parse -q --verify "$BASE^{commit}") ||
        fail "'$BASE' is not in this clone: fetch more of it (fetch-depth: 0, GIT_DEPTH: 0)"
    base=$(git merge-base "$base" "$new" || echo "$base")
    back=$(git symbolic-ref -q --short HEAD || echo "$new")
    trap 'git checkout -q "$back"' EXIT
    trap 'exit 130' INT TERM
    rm -rf "$OUT/base" "$OUT/new" "$OUT/cache"
    mkdir -p "$OUT/base" "$OUT/new"
    run=0
    while [ "$run" -lt "$RUNS" ]; do
        run=$((run + 1))
        side base "$base" "$run"
        side new "$new" "$run"
    done
    code=0
    "$PROGRAM" diff ${FAIL_OVER:+--fail-over "$FAIL_OVER"} --format markdown --svg "$OUT/difference.svg" \
        "$OUT/base" "$OUT/new" >"$OUT/comment.md" || code=$?
    cat "$OUT/comment.md"
    exit $code
}

main
