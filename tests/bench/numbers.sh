#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# numbers.sh - run benchmarks, keep their output, and insert it between the markers of FILE
#
#   numbers.sh run NAME...    run tests/bench/NAME.sh; keep its output in tests/bench/NAME.out
#   numbers.sh FILE...        insert the kept outputs; first run benchmarks that have none
#
# Runs in the build folder, as `make bench` and `make numbers`. In a FILE, the output of NAME stands
# between the lines "<!-- tests/bench/NAME.sh -->" and "<!-- end -->". The marker "<!-- last line of
# tests/bench/NAME.sh -->" inserts only the last line of the output, as text. If a program fails, no
# FILE changes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM

run()
{
	echo "$1.sh ..." >&2
	rm -f "tests/bench/$1.out"
	{ "$here/$1.sh" || echo $? >"$tmp/status"; } | tee "$tmp/out"
	[ ! -e "$tmp/status" ] || { echo "$1.sh: status $(cat "$tmp/status")" && exit 1; }
	# discard an output with "NAME: no ...": the benchmark lacks a program or a permission
	! grep -q "^$1: no" "$tmp/out" || return 0
	grep -q '[0-9]' "$tmp/out" || { echo "$1.sh: prints no figures" && exit 1; }
	mv "$tmp/out" "tests/bench/$1.out"
}

if [ "$1" = run ]; then
	shift
	for name; do
		run "$name"
	done
	exit
fi
names=$(sed -n 's|^<!-- .*tests/bench/\([a-z]*\)\.sh -->$|\1|p' "$@" | sort -u)
[ -n "$names" ] || { echo "$*: no markers" && exit 1; }
for name in $names; do
	[ -e "tests/bench/$name.out" ] || run "$name"
	[ -e "tests/bench/$name.out" ] || { echo "$name.sh: not measured here" && exit 1; }
done
for file; do
	awk '
	/^<!-- .*tests\/bench\/[a-z]*\.sh -->$/ {
		from = $(NF - 1)
		sub("sh$", "out", from)
		text = ""
		while ((getline line <from) > 0) {
			if (line != "")
				last = line
			if (text != "" || line != "")
				text = text (line == "" ? "" : "    " line) "\n"
		}
		close(from)
		sub(/\n+$/, "\n", text)
		print
		print /last line/ ? last : "\n" text
		inside = 1
	}
	/^<!-- end -->$/ { inside = 0 }
	!inside' "$file" >"$tmp/new"
	cat "$tmp/new" >"$file"
done
