#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tcp_events.sh - test nodometer tcp record --events and --job, in a network namespace of its own
command -v python3 >/dev/null || { echo 'SKIP: python3 is not installed'; exit 77; }
grep -q '^#define HAVE_MNL ' config.h || { echo 'SKIP: built without libmnl'; exit 77; }
unshare -n -m true 2>/dev/null || { echo 'SKIP: no namespaces for this user'; exit 77; }
work=$(mktemp -d -p "$PWD") || exit 99
trap 'rm -rf "$work"' EXIT
PYTHONDONTWRITEBYTECODE=1 unshare -n -m python3 "${srcdir:-.}/tests/tracers/tcp_events.py" \
	"$PWD" "$work"
