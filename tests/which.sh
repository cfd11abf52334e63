# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# which.sh - which tests a build folder has, and which of them a build beside the first one repeats

# list VARIABLE: words of the Makefile in this folder
# shellcheck disable=SC2016 # make expands it
list() { printf 'include Makefile\nlist:\n\t@echo $(%s)\n' "$1" | MAKEFLAGS='' make -s -f - list; }

# is_all: a run before a release, which leaves nothing out
is_all() { [ "${TIER:-}" = all ]; }

# part_of_scripts: each fifth script of "make check"; in a run before a release all of them
part_of_scripts()
{
	{ list LONG_TESTS; list SCRIPT_TESTS; } | tr ' ' '\n' |
		awk -v all="${TIER:-}" 'all == "all" || NR % 5 == 0' | tr '\n' ' '
}

# part_of_tests: these scripts and all unit tests
# shellcheck disable=SC2016 # make expands them
part_of_tests()
{
	part_of_scripts
	echo '$(LONG_UNIT) $(UNIT)'
}

# part_makeflags: a value of MAKEFLAGS with which "make check", started by whatever builds a package,
# runs these tests
part_makeflags() { echo "-- TESTS=$(part_of_tests | sed 's/\$/$$/g; s/ /\\ /g')"; }
