#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tcp_report.sh - test nodometer tcp report on files with known numbers: sums, verdicts, rankings
command -v python3 >/dev/null || { echo 'SKIP: python3 is not installed'; exit 77; }
work=$(mktemp -d -p "$PWD") || exit 99
trap 'rm -rf "$work"' EXIT
PYTHONDONTWRITEBYTECODE=1 python3 "${srcdir:-.}/tests/tracers/tcp_report.py" "$PWD" "$work"
