# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# which.sh - list all tests of a build folder, and the part of them that builds after the first one
# repeat

# list VARIABLE: print the words of VARIABLE in the Makefile of this folder
# shellcheck disable=SC2016 # make expands it
list() { printf 'include Makefile\nlist:\n\t@echo $(%s)\n' "$1" | MAKEFLAGS='' make -s -f - list; }

# is_all: succeed in a run before a release, in which nothing is left out
is_all() { [ "${TIER:-}" = all ]; }

# few_inputs: let unit tests that take random or cut inputs take fewer, because an emulator or a
# sanitizer slows them down by a factor of 30
few_inputs() { export SLOW_FLEETS=1 OWN_SEEDS=100 MODEL_SEEDS=5 SESSIONS=5 CUT_STEP=29; }

# part_of_scripts: print every fifth script of "make check", or in a run before a release all
# scripts, the long ones too
part_of_scripts()
{
	if is_all; then
		list LONG_TESTS
		list SCRIPT_TESTS
	else
		list SCRIPT_TESTS | tr ' ' '\n' | awk 'NR % 5 == 0'
	fi | tr '\n' ' '
}

# part_of_tests: print the scripts of part_of_scripts and all unit tests
# shellcheck disable=SC2016 # make expands them
part_of_tests()
{
	part_of_scripts
	echo '$(LONG_UNIT) $(UNIT)'
}

# makeflags_of TESTS: print a value of MAKEFLAGS that limits "make check" to TESTS, even if the build
# of a package starts it
makeflags_of() { echo "-- TESTS=$(echo "$1" | sed 's/\$/$$/g; s/ /\\ /g')"; }

# part_makeflags: print a value of MAKEFLAGS for the tests of part_of_tests
part_makeflags() { makeflags_of "$(part_of_tests)"; }
