#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# without.sh - without.sh GCC LIBRARY: make a build without LIBRARY; make check passes, and each
# skip has a reason
#
# Runs in an empty folder beside GCC, a tested build with all libraries. Compiles only sources that
# name the library's macro. Runs only unit tests that differ from those of GCC, scripts that name
# the library, and a fifth of the scripts that call programs that differ. Many libraries change the
# front end and the agent, so only three scripts run for these two. ALL=1 runs all tests,
# BUILD_ONLY=1 none.
set -u
gcc=$1 library=$2
src=$(sed -n 's/^top_srcdir = //p' "$gcc/Makefile")
# shellcheck source=which.sh
. "$src/tests/which.sh"
# shellcheck source=objects.sh
. "$src/tests/objects.sh"
macro=HAVE_$(echo "$library" | tr '[:lower:]' '[:upper:]')

objects_beside "$gcc" "--without-$library"
grep -q "define $macro" config.h && { echo "FAIL: --without-$library leaves $macro"; exit 1; }

# same PROGRAM: succeed if the program is the same in this build and in GCC
same() { cmp -s "$1" "$gcc/$1"; }

unit=$(list UNIT) scripts="$(list LONG_TESTS) $(list SCRIPT_TESTS)"
# Build "all" before the unit tests, not at the same time, because "all" starts another make.
units='unit-tests'
if [ -z "$unit" ] || [ -n "${BUILD_ONLY:-}" ]; then
	units=''
fi
{ make "-j$(nproc)" all && { [ -z "$units" ] || make "-j$(nproc)" $units; }; } >built 2>&1 ||
	{ grep -v '^  [A-Z]* ' built | tail -n 40; exit 1; }
[ -z "${BUILD_ONLY:-}" ] || exit 0
differ='' tests='' uses=
for program in $(cd "$gcc" && find nodometer* -type f -perm -u+x); do
	same "$program" || differ="$differ $program"
done
echo "programs that differ:${differ:- none}"
# named PATTERN SCRIPT...: print those of the scripts that contain a word matching PATTERN
named()
{
	pattern=$1
	shift
	(cd "$src" && grep -lwiE "$pattern" "$@")
}
for program in $differ; do
	case $program in
	nodometer | nodometerd)
		tests='tests/collectors/run.sh tests/e2e/marks.sh tests/e2e/control.sh' ;;
	*)	# scripts call the program as "$bin/nodometer" top, as "$top", or in a loop
		name=${program#nodometer-}
		uses="$uses|nodometer[\"}]*[- ]$name|[$][{]?$name|nodometer-[$][{]?[a-z]+" ;;
	esac
done
# shellcheck disable=SC2046,SC2086 # lists of words
if [ "${ALL:-0}" = 1 ]; then
	tests=$scripts
elif [ -n "$differ" ]; then
	tests="$tests $(named "${library#lib}|lib${library#lib}|$macro" $scripts)"
	[ -z "$uses" ] || tests="$tests $(named "${uses#|}" $(part_of_scripts))"
fi
for test in $unit $(list LONG_UNIT); do
	if [ "${ALL:-0}" = 1 ] || ! same "$test"; then
		tests="$tests $test"
	fi
done
# shellcheck disable=SC2086 # a list of words
make "-j$(($(nproc) * 4))" check TESTS="$(printf '%s\n' $tests | sort -u | tr '\n' ' ')" >checked
status=$?
cat checked
[ $status -eq 0 ] || exit $status
[ -n "$unit" ] || tail -n 5 checked | grep -q '^none of the [1-9][0-9]* unit tests ran: ' ||
	{ echo 'FAIL: the last lines do not say that no unit test ran'; exit 1; }
find tests -name '*.trs' -exec grep -l '^:test-result: SKIP' {} + >skipped
while read -r test; do
	grep -v '^SKIP [^ ]* (exit status' "${test%.trs}.log" | grep -q '[^ ]' ||
		{ echo "FAIL: ${test%.trs} is skipped and does not say why"; status=1; }
done <skipped
exit $status
