#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# budgets.sh - the build system stays small enough to be read
. "$(dirname "$0")/gate.sh"

# over FILES-AND-LIMIT: says so where the files together have more lines than the limit
over()
{
	limit=$1
	what=$2
	shift 2
	lines=$(cat -- "$@" | wc -l)
	[ "$lines" -le "$limit" ] || echo "$what: $lines lines, the budget is $limit"
}

# shellcheck disable=SC2046 # file names hold no blanks
finish 0 "$(over 200 configure.ac configure.ac 2>&1
	over 300 'all automake fragments' Makefile.am $(find_in_tree -name '*.am') 2>&1
	over 99 quickstart quickstart 2>&1
	over 99 run-tests run-tests 2>&1)"
