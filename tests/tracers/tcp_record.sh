#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tcp_record.sh - nodometer tcp record of connections of our own, read by Python's struct
command -v python3 >/dev/null || { echo 'SKIP: python3 is not installed'; exit 77; }
grep -q '^#define HAVE_MNL ' config.h || { echo 'SKIP: built without libmnl'; exit 77; }
work=$(mktemp -d -p "$PWD") || exit 99
trap 'rm -rf "$work"' EXIT
PYTHONDONTWRITEBYTECODE=1 python3 "${srcdir:-.}/tests/tracers/tcp_record.py" "$PWD" "$work"
