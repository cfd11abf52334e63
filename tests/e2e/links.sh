#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# links.sh - a program that only needs descriptions of types is not linked with the collectors
: "${srcdir:=.}" "${NODOMETER:=$PWD/nodometer}"

# symbols FILE...: print the global symbols that each file defines
symbols()
{
	nm "$@" | awk 'NF == 3 && $2 ~ /[A-TV-Z]/ { print $3 }' | sort -u
}

cd "$(dirname "$NODOMETER")" || exit 1
[ -n "$(command -v nm)" ] || { echo "SKIP: no nm"; exit 77; }
[ -n "$(symbols nodometer)" ] || { echo "SKIP: the programs are stripped"; exit 77; }

collectors=$(symbols nodometer-commands | grep '_collector$')
[ -n "$collectors" ] ||
	{ echo "FAIL: nodometer-commands has no collector by which to know one"; exit 1; }
status=0
for program in nodometer nodometer-send nodometer-report nodometer-xrootd man/types_page; do
	[ -e "$program" ] || continue
	carried=$(symbols "$program" | grep -xF "$collectors")
	[ -z "$carried" ] || {
		echo "FAIL: $program carries $carried"
		status=1
	}
done
exit $status
