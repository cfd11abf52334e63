#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# version.sh - only configure.ac has the version, and NEWS begins with it
. "$(dirname "$0")/gate.sh"
init='AC_INIT(\[nodometer], \['
version=$(sed -n "s/^$init\\([0-9]*\\.[0-9]*\\.[0-9]*\\)].*/\\1/p" configure.ac)
[ -n "$version" ] || finish 0 'configure.ac: no version of three numbers'
number=$(echo "$version" | sed 's/\./\\./g')

# says TEXT: print each place on standard input, followed by TEXT
says()
{
	sed "s/^\\([^:]*:[0-9]*\\):.*/\\1: $1/"
}

# sources: print the files of the tree, without files that a build made there
sources()
{
	find_in_tree ! -path 'tests/*' ! -name '*.o' | while read -r file; do
		[ -e "$file.in" ] || echo "$file"
	done
}

# Tests are not searched, because records there name the version that wrote them. The version of a
# protocol is ignored.
# shellcheck disable=SC2046 # file names hold no blanks
finish 0 "$({
	grep -nIiE "(nodometer|version|\\<ver)[^0-9]{0,25}\\<v?$number\\>" ./*.md configure.ac \
		Makefile.am quickstart run-tests $(sources) |
		grep -v -e "^configure\.ac:[0-9]*:$init" -e X-Prometheus-Remote-Write |
		says 'the version is in configure.ac, and nowhere else'
	grep -n '^\.Os' man/*.[1-9] man/*.in | grep -v ':\.Os nodometer$' |
		says 'make install adds the version'
	sed 1q NEWS | grep -qE "^nodometer $number \\(" || echo "NEWS:1: is not of $version"
	grep -nE '^nodometer [0-9]' NEWS |
		grep -vE '^[0-9]+:nodometer [0-9.]+ \((20[0-9-]{8}|not yet released)\)$' |
		sed 's/^/NEWS:/' | says 'is not "nodometer X.Y.Z (YYYY-MM-DD)"'
} 2>&1)"
