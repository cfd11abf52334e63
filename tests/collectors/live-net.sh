#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# live-net.sh - each counter that nodometer reads by rtnetlink equals the sysfs file of the same
# name
#
# This test needs the running kernel, because nodometer reads files instead of rtnetlink in a
# captured tree. Counters that change during the test are not compared.
set -u
: "${NODOMETER:=nodometer}"
command -v "$NODOMETER" >/dev/null || { echo "skipped: $NODOMETER was not built"; exit 77; }
[ -d /sys/class/net/lo ] || { echo "skipped: no /sys/class/net"; exit 77; }
out=$(mktemp -d) || exit 99
trap 'rm -rf "$out"' EXIT

counters() {	# "INTERFACE KEY VALUE" of interfaces that are up
	for i in /sys/class/net/*; do
		[ $(($(cat "$i/flags" 2>/dev/null || echo 0) & 1)) -eq 1 ] || continue
		for file in "$i"/statistics/*; do
			echo "${i##*/} ${file##*/} $(cat "$file")"
		done
	done
}

counters >"$out/before"
"$NODOMETER" collect --stdout net >"$out/net" || exit 1
counters >"$out/after"
awk '
	FILENAME ~ /net$/ && $1 == "!net" {
		for (i = 2; i <= NF; i++) {
			split($i, option, ",")
			key[i + 1] = option[1]
		}
	}
	FILENAME ~ /net$/ && $1 == "net" {
		for (i = 3; i <= NF; i++)
			got[$2, key[i]] = $i
	}
	FILENAME ~ /before$/ { before[$1, $2] = $3 }
	FILENAME ~ /after$/ && before[$1, $2] == $3 && $2 != "rx_otherhost_dropped" {
		n++
		if (got[$1, $2] "" != $3 "") {
			print $1, $2 ": " got[$1, $2] ", in sysfs " $3
			wrong++
		}
	}
	END { print n + 0 " counters, " wrong + 0 " wrong"; exit wrong > 0 || n == 0 }
' "$out/net" "$out/before" "$out/after"
