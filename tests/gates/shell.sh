#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shell.sh - every script is clean to shellcheck
. "$(dirname "$0")/gate.sh"
need shellcheck

# shellcheck disable=SC2046 # file names hold no blanks
out=$(shellcheck -x -P SCRIPTDIR -f gcc $(scripts) 2>&1)
status=$?
[ -n "$out" ] || finish $status ""
finish 0 "$out"
