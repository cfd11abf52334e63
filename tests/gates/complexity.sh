#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# complexity.sh - the cyclomatic complexity of each function is at most 15; a switch counts as one
. "$(dirname "$0")/gate.sh"
need pmccabe

# shellcheck disable=SC2046 # file names hold no blanks
table=$(pmccabe $(c_files | grep '\.c$')) || finish $? "$table"
finish 0 "$(printf '%s\n' "$table" | awk '
$1 > 15 {
	sub(/\(/, ":", $6)
	sub(/\):?$/, "", $6)
	print $6 ": " $7 " has complexity " $1
}
END { if (NR == 0) print "pmccabe saw no function" }')"
