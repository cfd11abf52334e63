#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# man.sh - the manual pages are clean mdoc
. "$(dirname "$0")/gate.sh"
need mandoc
[ -d man ] || skip "there is no manual page yet"

pages=$(find man -name '*.[1-9]' | sort)
[ -n "$pages" ] || skip "there is no manual page yet"
# shellcheck disable=SC2086 # file names hold no blanks
out=$(mandoc -Tlint -Wwarning $pages 2>&1)
status=$?
[ -n "$out" ] || finish $status ""
finish 0 "$out"
