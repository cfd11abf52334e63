#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tcp_record.sh - test nodometer tcp record: record connections of the test, and read the file with
# Python's struct
command -v python3 >/dev/null || { echo 'SKIP: python3 is not installed'; exit 77; }
work=$(mktemp -d -p "$PWD") || exit 99
trap 'rm -rf "$work"' EXIT
if ! grep -q '^#define HAVE_MNL ' config.h; then
	./nodometer-tcp record -o "$work/x.pm" 2>"$work/said" && { echo 'FAIL: recorded'; exit 1; }
	grep -q 'built without libmnl' "$work/said" || { cat "$work/said"; echo 'FAIL'; exit 1; }
	echo 'SKIP: built without libmnl, and says so'
	exit 77
fi
PYTHONDONTWRITEBYTECODE=1 python3 "${srcdir:-.}/tests/tracers/tcp_record.py" "$PWD" "$work"
