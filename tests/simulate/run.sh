#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - run simulate.py in a build folder: SEEDS (200) histories of DAYS, from seed SEED (1) on
#
# The first five histories run twice, to check that a seed gives the same history to the byte.
here=$(dirname "$0")
skip() { echo "SKIP: $*"; exit 77; }
command -v python3 >/dev/null || skip 'python3 is not installed'
case "${SAN:-}" in *sanitize*) skip 'a sanitizer and shim.c do not go together' ;; esac
[ "$(uname -m)" = x86_64 ] || [ "$(uname -m)" = aarch64 ] || skip "not tried on $(uname -m)"
[ -x ./nodometerd ] || { echo "there is no ./nodometerd in $PWD"; exit 99; }
./nodometer-send --version >/dev/null 2>&1 || skip 'there is no sender'
export PYTHONDONTWRITEBYTECODE=1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/simulate.XXXXXX") && chmod 755 "$scratch" || exit 99
trap 'rm -rf "$scratch"' EXIT
trap 'exit 99' INT TERM HUP
# shellcheck disable=SC2086 # a compiler and its words
${CC:-cc} -O2 -Wall -shared -fPIC -D_GNU_SOURCE -I "$here/../.." -o "$scratch/sim.so" \
	"$here/shim.c" "$here/disk.c" "$here/world.c" -ldl || skip 'no compiler for shim.c'
python3 "$here/simulate.py" "$PWD" "$scratch/sim.so" "$scratch" --seed "${SEED:-1}" \
	--seeds "${SEEDS:-200}" --twice 5 ${DAYS:+--days "$DAYS"} "$@"
