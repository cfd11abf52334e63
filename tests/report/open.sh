#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# open.sh - a run without an end mark lasts until its node no longer names the job
. "$(dirname "$0")/jobs_lib.sh"

# jobs_are WHAT LINES: fail unless nodometer jobs, with and without --used, prints LINES. WHAT
# describes the case in the error message.
jobs_are()
{
	for options in '' --used; do
		"$bin/nodometer-jobs" --dir "$dir" --csv $options 2>"$work/said" |
			cut -d, -f1,3,4,5,7,8 | tail -n +2 >"$work/out"
		[ "$(cat "$work/out")" = "$2" ] ||
			fail "$1, jobs $options: $(cat "$work/out" "$work/said")"
	done
}

# report_has WHAT NODES: the report of job 7 must show NODES nodes and no other run of the id
report_has()
{
	"$bin/nodometer-report" --dir "$dir" 7 >"$work/out" 2>&1
	if ! grep -q "^  nodes     $2:" "$work/out" || grep -q 'Other runs' "$work/out"; then
		fail "$1: $(cat "$work/out")"
	fi
}

# On three nodes, the job begins within milliseconds, and each node has only one sample.
dir=$work/begun
for n in 1 2 3; do
	file n$n 1700000000 <<END
1700000000.00$n 7 %begin 7 user=ann nodes=3
END
done
jobs_are 'three nodes with one sample each' '7,3,1700000000.001000,0.002000,0,3'
report_has 'three nodes with one sample each' 3

# The first node dies before its second sample, and is back an hour later; the job continues on the
# others.
dir=$work/died
file n1 1700000000 <<END
1700000000.001 7 %begin 7 user=ann nodes=3
1700003600 -
END
for n in 2 3; do
	file n$n 1700000000 <<END
1700000000.00$n 7 %begin 7 user=ann nodes=3
1700000600 7
1700001200 - %end 7
END
done
jobs_are 'a node died before its second sample' '7,3,1700000000.001000,1199.999000,2,3'
report_has 'a node died before its second sample' 3
grep -q 'No end mark on 1 of 3 nodes: n1' "$work/out" || fail "no end mark: $(cat "$work/out")"
if "$bin/nodometer-tidy" --compress "$dir/n1" && [ -e "$dir/n1/1700000000.zst" ]; then
	jobs_are 'a dead node, from its index' '7,3,1700000000.001000,1199.999000,2,3'
fi

# The scheduler uses the id again after the first node was booted, so there are two runs. The node's
# records after the boot are in another file, which does not name the job.
dir=$work/again
file n1 1700000000 <<END
1700000000.001 7 %begin 7 user=ann
END
file n1 1700000300 <<END
1700000300 -
1700000900 -
END
file n2 1700000000 <<END
1700000000 -
1700000900 7 %begin 7 user=ann
1700001500 - %end 7
END
jobs_are 'an id used again after a boot' '7,1,1700000000.001000,0.000000,0,
7,1,1700000900.000000,600.000000,1,'

# A job of one node is started again on another node while its first node is down.
dir=$work/elsewhere
file n1 1700000000 <<END
1700000000.001 7 %begin 7 user=ann nodes=1
END
file n2 1700000000 <<END
1700000060 7 %begin 7 user=ann nodes=1
1700000660 - %end 7
END
jobs_are 'a job of one node started again elsewhere' '7,1,1700000000.001000,0.000000,0,1
7,1,1700000060.000000,600.000000,1,1'

# Both nodes begin the job again: the first run has no end mark, but has ended.
dir=$work/requeued
for n in 1 2; do
	file n$n 1700000000 <<END
1700000000.00$n 7 %begin 7 user=ann nodes=2
1700000300 -
1700000900.00$n 7 %begin 7 user=ann nodes=2
END
done
jobs_are 'two nodes that began twice' '7,2,1700000000.001000,0.001000,0,2
7,2,1700000900.001000,0.001000,0,2'

# The report of a running job says when the next sample is due: at the next multiple of the
# interval. The report of a job in an old archive does not.
now=$(date +%s)
at=$((now / 600 * 600))
dir=$work/runs
file n1 $((at - 1300)) <<END
$((at - 1300)) 7 %begin 7 user=ann
$((at - 1200)) 7
$((at - 600)) 7
$at 7
END
report_has 'a job that runs' 1
due=$(date -d "@$((at + 600))" '+%Y-%m-%d %H:%M:%S UTC')
grep -q "^  next      $due (the next sample [iw]*s due)" "$work/out" ||
	fail "the next sample: $(cat "$work/out")"
grep -q '^Job 7  (ann)  RUNNING$' "$work/out" || fail "the state: $(cat "$work/out")"
dir=$work/old
file n1 1700000000 <<END
1700000000 7 %begin 7 user=ann
1700000600 7
1700001200 7
1700001800 7
END
report_has 'a job of an old archive' 1
grep '^  next ' "$work/out" && fail 'the next sample of an old job'
grep 'RUNNING' "$work/out" && fail 'an old job runs'

# The report of a host says if its records end before now, unless an earlier time was selected.
dir=$work/silent
file n1 $((at - 9600)) <<END
$((at - 9600)) -
$((at - 9000)) -
$((at - 8400)) -
$((at - 7800)) -
END
"$bin/nodometer-report" --dir "$dir" --host n1 >"$work/out"
grep -q '^  n1: silent since .*, for 2:[0-9:]* until now$' "$work/out" ||
	fail "a silent host: $(cat "$work/out")"
"$bin/nodometer-report" --dir "$dir" --host n1 --until -2h >"$work/out"
grep -q '^Complete: no gaps' "$work/out" || fail "a host at that time: $(cat "$work/out")"
exit "$failed"
