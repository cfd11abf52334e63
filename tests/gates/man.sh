#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# man.sh - the manual pages are clean mdoc, and nodometer-types(1) has every key of every type
made=$PWD/man/nodometer-types.1	# in the build folder, where this gate starts
. "$(dirname "$0")/gate.sh"
need mandoc
[ -s "$made" ] || finish 0 "man/nodometer-types.1: not there; run this with make check"

# missing_keys: print the keys of the schemas on standard input that the page lacks
missing_keys()
{
	awk -v page="$made" 'BEGIN {
		while ((getline line <page) > 0) {
			gsub(/\\%/, "", line)
			gsub(/\\-/, "-", line)
			if (sub(/^\.Ss /, "", line))
				type = line
			else if (sub(/^\.It Cm /, "", line))
				has[type, line]
		}
	}
	/^!/ {
		for (i = 2; i <= NF; i++) {
			sub(/,.*/, "", $i)
			n++
			if (!((substr($1, 2), $i) in has))
				print "man/nodometer-types.1: no " substr($1, 2) " " $i
		}
	}
	END { if (n < 1000) print "man/nodometer-types.1: only " n + 0 " keys were looked for" }'
}

# EXAMPLES come before OPTIONS, for new readers, although mandoc wants EXAMPLES after EXIT STATUS.
# shellcheck disable=SC2046 # file names hold no blanks
out=$(mandoc -Tlint -Wwarning $(find man -name '*.[1-9]' | sort) "$made" 2>&1 |
	grep -v 'sections out of conventional order: Sh ')
[ -n "$out" ] || finish 0 "$("$NODOMETER" types --schema | missing_keys)"
finish 0 "$out"
