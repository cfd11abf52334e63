#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# numbers.sh - puts what the benchmarks print now between the markers of NUMBERS.md
#
#   numbers.sh FILE [OUT]     runs in the build folder, as `make numbers`, half an hour
#
# A line "<!-- tests/bench/NAME.sh -->" of FILE names the program whose output stands below it, up
# to the line "<!-- end -->".  Where one fails or prints nothing FILE stays as it was.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
file=$1 to=${2:-$1}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM

names=$(sed -n 's|^<!-- tests/bench/\([a-z]*\)\.sh -->$|\1|p' "$file")
[ -n "$names" ] || { echo "$file: no markers"; exit 1; }
for name in $names; do
	echo "$name ..." >&2
	"$here/$name.sh" >"$tmp/$name" || { echo "$name.sh: status $?"; exit 1; }
	grep -q '[0-9]' "$tmp/$name" || { echo "$name.sh: prints no figures"; exit 1; }
done
awk -v tmp="$tmp" '
/^<!-- tests\/bench\/[a-z]*\.sh -->$/ {
	name = $2
	gsub(/tests\/bench\/|\.sh/, "", name)
	print
	print ""
	for (any = 0; (getline line <(tmp "/" name)) > 0; )
		if (any = any || line != "")
			print line == "" ? "" : "    " line
	print ""
	inside = 1
}
/^<!-- end -->$/ { inside = 0 }
!inside' "$file" >"$tmp/new"
cat "$tmp/new" >"$to"
