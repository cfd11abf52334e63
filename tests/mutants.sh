#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# mutants.sh - make small changes in source files, one at a time, and count how many of them are
# noticed by tests
#
#   tests/mutants.sh FILE.c...
#
# Run this script in a build folder. It works in a copy. A change turns < into <= or == into !=,
# drops a "+1", negates a condition, drops a call (free() excepted: only a sanitizer notices that),
# or returns 0 for an error. TESTS names the tests to run; by default these are the unit tests that
# include a header of the file's folder, those named after the file first. COUNT (20) is the number
# of changes, and SEED (1) selects them. A change that does not compile does not count. Changes that
# no test notices are printed. CHECK=1 gives those to all scripts of "make check", too.
here=$(cd "$(dirname "$0")" && pwd)
top=$here/..
[ $# -gt 0 ] || { sed -n 's/^#   //p' "$0"; exit 2; }
for file; do
	[ -f "$top/$file" ] || { echo "there is no file $file"; exit 2; }
done
scratch=$(mktemp -d "${TMPDIR:-/tmp}/mutants.XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT
trap 'exit 99' INT TERM HUP
. "$here/copy.sh"

# changes FILE: print "FILE LINE CHANGE" for each possible change in the code of FILE; CHANGE is a
# command of sed
changes() {
	awk -v file="$1" '
	/^\/\*/ { comment = 1 }
	!comment && /^\t/ && !/^\t+(\/\*|\*|"|static const)/ {
		if (/ <= | >= /) print file, NR, "s/ \\([<>]\\)= / \\1 /"
		if (/ [<>] /) print file, NR, "s/ \\([<>]\\) / \\1= /"
		if (/ == /) print file, NR, "s/ == / != /"
		if (/ != /) print file, NR, "s/ != / == /"
		if (/ && /) print file, NR, "s/ && / || /"
		if (/ \|\| /) print file, NR, "s/ || / \\&\\& /"
		if (/ [+-] 1[^0-9]/) print file, NR, "s/ [+-] 1\\([^0-9]\\)/\\1/"
		if (/if \(!/) print file, NR, "s/if (!/if (/"
		if (/if \([a-z]/) print file, NR, "s/if (\\([^()]*\\))$/if (!(\\1))/"
		if (/^\t+[a-z_0-9]+\(.*\);$/ && !/^\t+free\(/)
			print file, NR, "s/^\\(\t*\\).*/\\1;/"
		if (/return -E/) print file, NR, "s/return -E[A-Z]*;/return 0;/"
	}
	/\*\// { comment = 0 }' "$top/$1"
}

# room_tests FILE: print the unit tests that include a header of the file's folder, directly or by a
# helper's header; tests that include the file's own header come first
room_tests() {
	room=$(dirname "${1#lib/}") includes='^#include "\(delivery/\|commands/\)\?'
	room=${room#delivery/} room=${room#commands/} stem=$(basename "$1" .c)
	(
		cd "$top" || exit
		grep -l "$includes$room/" tests/unit/*.h | while read -r header; do
			grep -l "^#include \"$header\"" tests/unit/test_*.c
		done
		grep -l "$includes$room/" tests/unit/test_*.c
	) | sed 's/\.c$//' | sort -u | while read -r test; do
		grep -q "^#include \".*$room/$stem\.h\"" "$top/$test.c"
		echo "$((1 + $?)) $test"
	done | sed "s,^. \(tests/unit/test_$stem\)\$,0 \1," | sort | cut -d ' ' -f 2
}

# passes TEST: build and run a test; succeed if it passes, skips or does not compile
passes() {
	path=$build/$1
	case $1 in
	*.sh) path=$scratch/src/$1; build all ;;
	*) rm -f "$path"; build "$1" || return 0 ;;
	esac
	(cd "$build" && srcdir=$scratch/src NODOMETER=$build/nodometer \
		timeout -k 5 120 "$path") >"$scratch/out" 2>&1
	case $? in 0 | 77) ;; *) return 1 ;; esac
}

# caught TEST...: succeed if one of the tests fails; each is built when it is its turn
caught() {
	for test; do
		passes "$test" || return 0
	done
	[ "${CHECK:-}" ] && build all && ! build -j"$(nproc)" check GATES= check_PROGRAMS= \
		TESTS="\$(SCRIPT_TESTS)"
}

# A test that fails anyway would notice every change.
for test in ${TESTS:-$(for file; do room_tests "$file"; done | sort -u)}; do
	passes "$test" || { echo "$test fails without a change"; exit 99; }
done
for file; do changes "$file"; done |
	awk -v seed="${SEED:-1}" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' | sort -n |
	cut -f 2- | head -n "${COUNT:-20}" >"$scratch/changes"
n=0 found=0
while read -r file line change; do
	tests=${TESTS:-$(room_tests "$file")}
	sed "$line $change" "$top/$file" >"$scratch/src/$file"
	# shellcheck disable=SC2046 # words
	if cmp -s "$top/$file" "$scratch/src/$file" || ! build $(libraries); then
		cp "$top/$file" "$scratch/src/$file"
		continue
	fi
	n=$((n + 1))
	# shellcheck disable=SC2086 # words
	if caught $tests; then
		found=$((found + 1))
	else
		printf 'survives: %s:%s: ' "$file" "$line"
		sed -n "$line s/^[	 ]*//p" "$scratch/src/$file"
	fi
	cp "$top/$file" "$scratch/src/$file"
done <"$scratch/changes"
echo "$found of $n changes were noticed ($((n ? 100 * found / n : 0)) %)"
