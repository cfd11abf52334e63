#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# version.sh - the version stands in configure.ac alone, and NEWS begins with it
. "$(dirname "$0")/gate.sh"
init='AC_INIT(\[nodometer], \['
version=$(sed -n "s/^$init\\([0-9]*\\.[0-9]*\\.[0-9]*\\)].*/\\1/p" configure.ac)
[ -n "$version" ] || finish 0 'configure.ac: no version of three numbers'
number=$(echo "$version" | sed 's/\./\\./g')

# says TEXT: the places on standard input, each with this
says()
{
	sed "s/^\\([^:]*:[0-9]*\\):.*/\\1: $1/"
}

# sources: of the tree, but for what a build there has made
sources()
{
	find_in_tree ! -path 'tests/*' ! -name '*.o' | while read -r file; do
		[ -e "$file.in" ] || echo "$file"
	done
}

# Records that tests read name the version that wrote them; a version of a protocol is another's.
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
