#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - files of each dialect give the expected .json, .csv and .check
set -eu
here=$(cd "${srcdir:-.}/tests/formats" && pwd)
top=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
TZ=UTC
export TZ

same()
{
	if [ "${UPDATE:-}" ]; then
		cp "$2" "$1"
	elif ! diff -u "$1" "$2"; then
		failed=1
	fi
}

cd "$here"
for raw in *.raw; do
	name=${raw%.raw}
	"$top/nodometer-cat" "$raw" >"$work/json" 2>"$work/cat.err"
	"$top/nodometer-cat" --csv "$raw" >"$work/csv" 2>/dev/null
	"$top/nodometer-check" "$raw" >"$work/check" || :
	same "$name.json" "$work/json"
	same "$name.csv" "$work/csv"
	same "$name.check" "$work/check"

	# A file from a pipe, and a compressed file with any name, give the same output.
	"$top/nodometer-cat" - <"$raw" 2>/dev/null | cmp - "$work/json" || failed=1
	for packer in gzip zstd; do
		command -v $packer >/dev/null || continue
		$packer -c <"$raw" >"$work/packed"
		if "$top/nodometer-cat" "$work/packed" >"$work/again" 2>"$work/err"; then
			cmp "$work/again" "$work/json" || failed=1
		elif ! grep -q 'built without' "$work/err"; then
			cat "$work/err"
			failed=1
		fi
		head -c 60 "$work/packed" >"$work/cut"
		if "$top/nodometer-check" "$work/cut" >/dev/null; then
			echo "$raw: a cut $packer file was taken for whole"
			failed=1
		fi
	done
done

# parser.awk, an independent parser, accepts the example of the format's document, and finds the
# defects of the other files.
awk -f parser.awk seed.raw >/dev/null || failed=1
if awk -f parser.awk defects.raw >/dev/null; then
	echo "parser.awk accepts defects.raw"
	failed=1
fi

# Files that nodometer writes in both dialects are valid for both parsers.
if [ -x "$top/nodometer" ]; then
	printf '[agent]\ndialect = 2.3\n' >"$work/conf"
	"$top/nodometer" collect --stdout >"$work/own"
	"$top/nodometer" collect --stdout --config "$work/conf" >"$work/own.2.3"
	"$top/nodometer-check" "$work/own" "$work/own.2.3" || failed=1
	awk -f parser.awk "$work/own" || failed=1
	awk -f parser.awk -v host=1 "$work/own.2.3" || failed=1
fi

# Test filters of records, and wrong usage.
expect()
{
	want=$1
	shift
	got=$("$top/nodometer-cat" "$@" 2>/dev/null | wc -l)
	if [ "$got" -ne "$want" ]; then
		echo "nodometer-cat $*: $got lines, not $want"
		failed=1
	fi
}
expect 2 dialects.raw --type gpu
expect 1 --device 1 dialects.raw
expect 5 dialects.raw --job 13
expect 0 dialects.raw --job 1
expect 1 dialects.raw --since 1790000000.5
expect 5 dialects.raw --until 1790000000.25
expect 6 dialects.raw --since "2026-09-21 14:13" --until 2026-09-22
expect 5 seed.raw

status()
{
	want=$1
	shift
	got=0
	"$@" >/dev/null 2>&1 || got=$?
	if [ "$got" -ne "$want" ]; then
		echo "$*: exit $got, not $want"
		failed=1
	fi
}
status 0 "$top/nodometer-check" seed.raw dialects.raw
status 1 "$top/nodometer-check" seed.raw defects.raw
status 1 "$top/nodometer-check" parser.awk
status 1 "$top/nodometer-cat" /nonexistent seed.raw
status 2 "$top/nodometer-cat" --host n1 seed.raw
status 2 "$top/nodometer-cat" --since soon seed.raw
status 2 "$top/nodometer-check" --unknown seed.raw
status 0 "$top/nodometer-check" --version
status 0 "$top/nodometer-cat" seed.raw --help
exit $failed
