#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - run torture.py and crash.py in a build folder, on all cases and states or on a sample
#
# TORTURE_SECONDS=n: take a sample, n seconds of CPU time for torture.py and n/6 for crash.py.
# TORTURE_SEED=n: repeat the sample of an earlier run.
here=$(dirname "$0")
skip() { echo "SKIP: $*"; exit 77; }
command -v python3 >/dev/null || skip 'python3 is not installed'
command -v objdump >/dev/null || skip 'objdump is not installed'
case "${SAN:-}" in *sanitize*) skip 'a sanitizer and shim.c do not go together' ;; esac
[ -x ./nodometerd ] || { echo "there is no ./nodometerd in $PWD"; exit 99; }
export PYTHONDONTWRITEBYTECODE=1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/torture.XXXXXX") && chmod 755 "$scratch" || exit 99
trap 'rm -rf "$scratch"' EXIT
trap 'exit 99' INT TERM HUP
# shellcheck disable=SC2086 # a compiler command to split
${CC:-cc} -O1 -Wall -shared -fPIC -D_GNU_SOURCE -I "$here/../.." -o "$scratch/shim.so" \
	"$here/shim.c" || skip 'no compiler for shim.c'
seconds=${TORTURE_SECONDS:-0}
set -- "$PWD" "$scratch/shim.so" "$scratch" ${TORTURE_SEED:+--seed "$TORTURE_SEED"} "$@"
failed=0
python3 "$here/crash.py" --seconds $((seconds / 6)) "$@" || failed=1
python3 "$here/torture.py" --seconds "$seconds" --unreached torture.unreached "$@" || failed=1
exit $failed
