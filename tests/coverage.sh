#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# coverage.sh - print how many lines and branches tests run, for each folder of modules or, with
# FILES=1, for each file
#
# usage: coverage.sh [TEST...]      in a build folder: ../configure --enable-coverage CFLAGS=-O0
# Sets all counters to zero and runs make check, or only the given tests. A process that is killed
# writes no counters. The variable GCOV names the gcov of the compiler.
set -u
LC_ALL=C
export LC_ALL
grep -q '^#define COVERAGE' config.h 2>/dev/null ||
	{ echo 'no build folder that was configured with --enable-coverage'; exit 1; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM

# Create the files with counters first, because processes of other users write them, but cannot
# create files here.
{ make && make check TESTS=; } >"$tmp/log" 2>&1 || { tail "$tmp/log"; exit 1; }
find . -name '*.gcno' | sed 's/gcno$/gcda/' >"$tmp/counters"
xargs rm -f <"$tmp/counters"
(umask 0; xargs touch <"$tmp/counters") || exit 1
[ $# = 0 ] || set -- TESTS="$*" check_PROGRAMS="$(printf '%s\n' "$@" | grep '/unit/' | tr '\n' ' ')"
GCOV_ERROR_FILE=/dev/null make -k check "$@" >"$tmp/log" 2>&1
echo "make check $*: status $?"
grep -E '^(FAIL|ERROR):' "$tmp/log"

# If several programs compile the same source, count the source once, with the numbers of the
# program that ran most of it.
find . -name '*.gcda' -size +0 ! -path './tests/*' | while read -r file; do
	${GCOV:-gcov} -b -n "$file" 2>/dev/null
done | awk -v files="${FILES:-}" '
	function part(a, b) { return b ? sprintf("%5.1f %% of %6d", 100 * a / b, b) : "" }
	function row(name) {
		return sprintf("%-40s %18s %18s", name, part(run[name], lines[name]),
			part(taken[name], branches[name]))
	}
	function add(name, file,   i) {
		lines[name] += all[file, "Lines"]
		run[name] += done[file, "Lines"]
		branches[name] += all[file, "Taken"]
		taken[name] += done[file, "Taken"]
	}
	/^File / {
		file = $2
		gsub(/\047|^\047(\.\.\/)*/, "", file)
		while (sub(/^\.\.\//, "", file))
			;
		next
	}
	$1 == "Function" || file ~ /^\/|^tests\// { next }
	match($0, /^(Lines|Taken)/) {
		what = substr($0, 1, RLENGTH)
		n = $NF * substr($0, index($0, ":") + 1) / 100
		if (!((file, what) in all) || n > done[file, what]) {
			all[file, what] = $NF
			done[file, what] = int(n + 0.5)
			known[file] = 1
		}
	}
	END {
		printf "%-40s %18s %18s\n", "", "lines", "branches taken"
		for (file in known) {
			room = file
			sub("/.*", "", room)
			rooms[room] = 1
			add(room, file)
			add("all", file)
			if (files) {
				add(file, file)
				print row(file) | "sort"
			}
		}
		for (room in rooms)
			print row(room) | "sort"
		close("sort")
		print row("all")
	}'
