#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - for the tree of each test case, "nodometer collect" prints the expected text
#
# TYPE/CASE/root/ is the tree that the collector sees as /. TYPE/CASE/expected is the expected text,
# without what differs between runs: of the lines with $, only $below is there; there are no rows of
# type nodometer; TIME replaces the time. "run.sh TYPE/CASE..." runs only these cases. UPDATE=1
# writes the expected files again; review the changes with git diff.
set -u
: "${NODOMETER:=nodometer}" "${srcdir:=.}"
command -v "$NODOMETER" >/dev/null || { echo "skipped: $NODOMETER was not built"; exit 77; }
here=$srcdir/tests/collectors
out=$(mktemp -d) || exit 99
trap 'rm -rf "$out"' EXIT
# Use another runtime directory, so that jobs and marks of an agent on this machine do not appear.
printf '[agent]\nruntime-dir = %s\njob-file =\n' "$out" >"$out/conf"

clean() {
	sed -e '/^\$below /p' -e '/^\$/d' -e '/^!nodometer /d' -e '/^nodometer /d' \
		-e 's/^[0-9][0-9.]* /TIME /'
}

run_case() {	# TYPE/CASE
	"$NODOMETER" collect --config "$out/conf" --stdout --root "$here/$1/root" "${1%%/*}" \
		>"$out/raw" 2>"$out/err"
	status=$?
	clean <"$out/raw" >"$out/got"
	if [ $status -ne 0 ]; then
		echo "$1: exit status $status: $(cat "$out/err")"
		return 1
	fi
	[ -z "${UPDATE:-}" ] || cp "$out/got" "$here/$1/expected"
	diff -u "$here/$1/expected" "$out/got"
}

[ $# -gt 0 ] || set -- "$here"/*/*/root
failed=0
for case in "$@"; do
	case=${case#"$here"/}
	run_case "${case%/root}" || { echo "FAIL: ${case%/root}"; failed=$((failed + 1)); }
done
echo "$# cases, $failed failed"
[ $failed -eq 0 ]
