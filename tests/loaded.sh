#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# loaded.sh - check that tests with waits or time limits pass while other processes use all CPUs
#
# loaded.sh [TEST...]: run the tests ROUNDS (10) times beside LOAD (6) processes that each use a
# whole CPU, in a build folder. Without TEST, run all tests of make check that wait for something.
# Failed tests are printed, and their logs are kept in loaded/.
srcdir=${srcdir:-..}
rounds=${ROUNDS:-10} load=${LOAD:-6} loops=''
[ -e Makefile ] || { echo "there is no Makefile in $PWD"; exit 1; }

# shellcheck disable=SC2086 # a list of processes
end_load() { [ -z "$loops" ] || kill $loops 2>/dev/null; }
trap end_load EXIT
trap 'exit 1' INT TERM

waiting() {
	(cd "$srcdir" && {
		grep -lE 'wait_until|bounded|sleep [0-9]|timeout ' tests/*/*.sh
		grep -lE 'usleep|alarm\(|pause|limit_ms|timeout|monotonic_ns' tests/unit/test_*.c |
			sed 's/\.c$//'
	}) | grep -vE '^tests/(bench|gates|fuzz|integration)/' | while read -r test; do
		! grep -qE "(^|[[:blank:]])$test( |\$)" "$srcdir"/*/*.am || echo "$test"
	done
}

[ $# -gt 0 ] || { # shellcheck disable=SC2046 # names hold no blanks
	set -- $(waiting); }
[ $# -gt 0 ] || { echo 'no test waits'; exit 1; }
programs=$(printf '%s\n' "$@" | grep '^tests/unit/' | tr '\n' ' ')
make -s check TESTS= check_PROGRAMS="$programs" >/dev/null || exit 1
for _ in $(seq "$load"); do
	sh -c 'while :; do :; done' &
	loops="$loops $!"
done

rm -rf loaded && mkdir loaded || exit 1
red=0
for round in $(seq "$rounds"); do
	make -k "-j$(($(nproc) * 2))" check GATES= TESTS="$*" check_PROGRAMS="$programs" \
		>loaded/out 2>&1
	# shellcheck disable=SC2013 # names hold no blanks
	for test in $(sed -n 's/^\(FAIL\|ERROR\): \(tests[^ ]*\).*/\2/p' loaded/out | sort -u); do
		red=$((red + 1))
		cp "${test%.sh}.log" "loaded/$round.${test##*/}.log"
		echo "round $round: $test: $(tail -n 1 "${test%.sh}.log" | cut -c 1-200)"
	done
	grep -q '^# TOTAL:' loaded/out || { tail -n 20 loaded/out; exit 1; }
	echo "round $round of $rounds, load $(cut -d ' ' -f 1 /proc/loadavg):" \
		"$(sed -n 's/^# \(TOTAL\|PASS\|SKIP\|FAIL\): */\1 /p' loaded/out | tr '\n' ' ')"
done
echo "$# tests, $rounds times beside a load of $load: $red red"
[ $red -eq 0 ]
