#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# budgets.sh - the build system stays small enough to be read
. "$(dirname "$0")/gate.sh"

# over LIMIT WHAT: print a violation if standard input has more than LIMIT lines
over()
{
	lines=$(wc -l)
	[ "$lines" -le "$1" ] || echo "$2: $lines lines, the budget is $1"
}

# rules FILE...: print all lines of automake fragments that do not only list files
rules()
{
	awk '{
		line = $0
		sub(/^[A-Za-z_]+ *\+?= */, "", line)
		n = split(line, word, " ")
		for (i = 1; i <= n && word[i] ~ /^(\\|[a-z_]+\/.*)$/; i++)
			;
		if (i <= n || n == 0)
			print
	}' "$@"
}

# shellcheck disable=SC2046,SC2094 # file names hold no blanks
finish 0 "$({
	rules Makefile.am $(find_in_tree -name '*.am') | over 300 'all automake rules'
	for script in configure.ac:200 quickstart:99 run-tests:99; do
		over "${script#*:}" "${script%:*}" <"${script%:*}"
	done
} 2>&1)"
