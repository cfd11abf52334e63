#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - nodometer report on small archives: tests/report/CASE/{archive,args,expected}
#
# "expected" is what the command prints, errors included, and its exit code.
# UPDATE=1 writes it anew.

src=$(cd "${srcdir:-.}/tests/report" && pwd) || exit 99
report=$(pwd)/nodometer-report
out=$(mktemp) || exit 99
trap 'rm -f "$out"' EXIT
export TZ=UTC LC_ALL=C
unset JOURNAL_STREAM
failed=0

for args in "$src"/*/args; do
	dir=${args%/args}
	cd "$dir" || exit 99
	# shellcheck disable=SC2046 # the words of the file are the arguments
	"$report" $(cat args) >"$out" 2>&1
	echo "exit $?" >>"$out"
	if [ "${UPDATE:-0}" = 1 ]; then
		cp "$out" expected
	fi
	if ! diff -u expected "$out"; then
		echo "FAIL: ${dir##*/}"
		failed=1
	fi
	if grep -v -e '^nodometer report: ' -e '^{' "$out" | awk 'length > 80' | grep .; then
		echo "FAIL: ${dir##*/}: longer than 80 columns"
		failed=1
	fi
done
exit $failed
