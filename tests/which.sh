# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# which.sh - which tests a build folder has, and which part of those that take turns runs today

# list VARIABLE: words of the Makefile in this folder
# shellcheck disable=SC2016 # make expands it
list() { printf 'include Makefile\nlist:\n\t@echo $(%s)\n' "$1" | MAKEFLAGS='' make -s -f - list; }

# turn N: from 0 to N - 1, another number each day
turn() { echo $(($(date +%s) / 86400 % $1)); }

# its_turn I N: one day of N; each day with TURNS=all
its_turn() { [ "${TURNS:-}" = all ] || [ "$(turn "$2")" = "$1" ]; }

# part_of_scripts: of those of "make check" another fifth each day, all with TURNS=all
part_of_scripts()
{
	{ list LONG_TESTS; list SCRIPT_TESTS; } | tr ' ' '\n' |
		awk -v turn="$(turn 5)" -v all="${TURNS:-}" 'all == "all" || NR % 5 == turn' |
		tr '\n' ' '
}

# part_of_tests: those, and all unit tests
# shellcheck disable=SC2016 # make expands them
part_of_tests()
{
	part_of_scripts
	echo '$(LONG_UNIT) $(UNIT)'
}
