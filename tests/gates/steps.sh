#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# steps.sh - run-tests counts what passed, failed and skipped, and names each skip with its reason
. "$(dirname "$0")/gate.sh"
log=$(mktemp -d) || exit 99
made=$log.made
trap 'rm -rf "$log" "$made"' EXIT
mkdir -p "$made/tests/unit"
began=$(date +%s)
. tests/steps.sh
minutes=55

# As automake and cmocka leave it.
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
printf 'words\nSKIP: no perl\nSKIP tests/b.sh (exit status: 77)\n' >"$made/tests/b.sh.log"
printf '[ RUN      ] it_counts\nskipped: no hwloc\n[  SKIPPED ] it_counts\n' \
	>"$made/tests/unit/test_x.log"

{
	step good . 5 true
	step check "$made" 5 cat check.txt
	step absent . 5 sh -c 'echo; echo "skipped: no kernel"; exit 77' &
	step bad . 5 sh -c 'echo out of ideas; exit 3'
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

# Once more: a check of which one test fails beside others, a step that fails always.
mkdir "$log/more"
printf 'check:\n\t@%s; false\nrecheck:\n\t@%s\n' \
	'printf "FAIL: tests/e.sh\n# TOTAL: 2\n# PASS: 1\n# FAIL: 1\n"' \
	'printf "PASS: tests/e.sh\n# TOTAL: 1\n# PASS: 1\n# FAIL: 0\n"' >"$made/Makefile"
(
	log=$log/more began=$(date +%s) minutes=55 rest=25
	step busy "$made" 5 make -j6 check
	step worse . 5 false
	failed_again
	summary
) >>"$made/out" 2>&1
more=$?
sed -i 's/, [0-9]* s$//' "$made/out"	# how long each took

# says LINE
says()
{
	grep -qxF -- "$1" "$made/out" || echo "run-tests: does not say \"$1\""
}
wrong=$(
	[ $status = 1 ] || echo "run-tests: status $status though two steps failed"
	says 'good                     PASS'
	says 'absent                   SKIP (no kernel)'
	says 'bad                      FAIL (status 3)'
	says 'slow                     FAIL (not done after 0.1 s)'
	says 'out of ideas'
	says '  tests/b.sh: no perl'
	says '  tests/c.sh'
	says '  it_counts: no hwloc'
	says '  absent: no kernel'
	says 'late                     NOT DONE'
	says 'endless                  NOT DONE'
	says '  late: not begun, as 55 min were over'
	says '  endless: ended, as 55 min were over'
	says 'broken                   FAIL (not done after 5 s)'
	says '3 passed, 3 failed, 3 skipped'
	says '  broken: tests/d.sh'
	[ $more = 1 ] || echo "run-tests: status $more though a step failed twice"
	says 'busy                     PASS (alone, after it failed)'
	says 'worse                    FAIL (status 1)'
	says '  busy: tests/e.sh'
	says '3 passed, 1 failed, 0 skipped'
)
[ -z "$wrong" ] || cat "$made/out"
finish 0 "$wrong"
