#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# steps.sh - run-tests counts passes, failures and skips, and gives the reason of each skip
. "$(dirname "$0")/gate.sh"
log=$(mktemp -d) || exit 99
made=$log.made
trap 'rm -rf "$log" "$made"' EXIT
mkdir -p "$made/tests/unit"
began=$(date +%s)
. tests/steps.sh
. tests/parts.sh
minutes=55

# These files are in the format of automake and cmocka.
cat >"$made/check.txt" <<'END'
PASS: tests/a.sh
SKIP: tests/b.sh
SKIP: tests/c.sh
# TOTAL: 3
# PASS:  1
# SKIP:  2
# XFAIL: 0
# FAIL:  0
END
printf 'words\nSKIP: no perl\nSKIP tests/b.sh (exit status: 77)\n' >"$made/tests/b.log"
printf '[ RUN      ] it_counts\nskipped: no hwloc\n[  SKIPPED ] it_counts\n' \
	>"$made/tests/unit/test_x.log"

{
	step good . 5 true
	step check "$made" 5 cat check.txt
	step absent . 5 sh -c 'echo; echo "skipped: no kernel"; exit 77' &
	step bad . 5 sh -c 'echo out of ideas; exit 3'
	step spin . 60 sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
	wait
	step slow . 0.1 sleep 5
	began=$((began - minutes * 60))
	step late . 5 true
	rest=0 began=$(($(date +%s) - minutes * 60 + 2))
	step endless . 5 sleep 5
	began=$(($(date +%s) - minutes * 60 + 2))
	step broken . 5 sh -c 'echo FAIL: tests/d.sh; sleep 5'
	summary
} >"$made/out" 2>&1
status=$?

# Three steps are repeated alone, the shortest first: a check with one test that fails only beside
# others, a step that passes once and then fails, and a longer step that always fails. The last step
# builds packages and so reports tests, but is repeated whole.
mkdir "$log/more"
cat >"$made/Makefile" <<'END'
check:
	@if [ "$(TESTS)" = 'tests/e.sh ' ]; then \
		printf 'PASS: tests/e.sh\n# TOTAL: 1\n# PASS: 1\n# FAIL: 0\n'; \
	else \
		printf 'FAIL: tests/e.sh\n# TOTAL: 2\n# PASS: 1\n# FAIL: 1\n'; false; \
	fi
END
(
	log=$log/more began=$(date +%s) minutes=55 rest=25
	step busy "$made" 5 make -j6 check
	step always . 5 sh -c 'sleep 2; echo "# TOTAL: 1"; false'
	step luck "$made" 5 sh -c 'echo x >>runs; [ "$(wc -l <runs)" = 2 ]'
	failed_steps | paste -sd ' ' >"$made/order"
	failed_again
	summary
) >>"$made/out" 2>&1
more=$?
took=', [0-9]* s, CPU time [0-9.]* s$'
sed "s/$took//" "$made/out" >"$made/said"	# remove the times, which differ in each run

# Three workers run four lines, each line once; a worker without a line ends.
printf 'echo %s >>"$made/done"\n' a b c d | (log=$made && at_once 3)
lines=$(sort "$made/done" | tr -d '\n')

# says LINE: the output must have this line
says()
{
	grep -qxF -- "$1" "$made/said" || echo "run-tests: does not say \"$1\""
}
wrong=$(
	[ "$lines" = abcd ] || echo "run-tests: of the lines a, b, c and d, $lines were done"
	[ $status = 1 ] || echo "run-tests: status $status though two steps failed"
	says '  good                     PASS'
	says '  absent                   SKIP (no kernel)'
	says '  bad                      FAIL (status 3)'
	says '  slow                     FAIL (not done after 0.1 s)'
	says 'out of ideas'
	says '  tests/b.sh: no perl'
	says '  tests/c.sh'
	says '  it_counts: no hwloc'
	says '  absent: no kernel'
	says '  late: not begun, as 55 min were over'
	says '  endless: ended, as 55 min were over'
	says '  broken                   FAIL (not done after 5 s)'
	says '4 passed, 3 failed, 3 skipped'
	grep -q "^  good .*$took" "$made/out" || echo 'run-tests: no CPU time of a step'
	spent=$(sed -n 's/^  spin .*CPU time \(.*\) s$/\1/p' "$made/out")
	case ${spent:-0.0} in 0.0) echo 'run-tests: a loop without CPU time' ;; esac
	sed -n 's/^All steps took \(.*\) s of CPU time on .*/\1/p' "$made/out" | head -n 1 |
		awk -v one="$spent" '{ more = $1 >= one } END { exit !more }' ||
		echo 'run-tests: all steps took less CPU time than one'
	says '  broken: tests/d.sh'
	[ "$(cat "$made/order")" = 'busy luck always' ] ||
		echo "run-tests: repeats $(cat "$made/order"), not the shortest step first"
	[ $more = 1 ] || echo "run-tests: status $more though a step failed twice"
	says '  busy                     PASS (unstable: it failed, then passed twice alone)'
	says '  always                   FAIL (status 1)'
	says '  luck                     FAIL (status 1)'
	says '  busy: tests/e.sh'
	says '3 passed, 2 failed, 0 skipped'
)
[ -z "$wrong" ] || cat "$made/out"
finish 0 "$wrong"
