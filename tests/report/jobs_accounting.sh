#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# jobs_accounting.sh - jobs and report add a job's values from sacct; names may be in any script
. "$(dirname "$0")/jobs_lib.sh"
three_jobs

# The output of sacct has a job's id as users write it, its name and its state. The last line of a
# job counts; lines of steps and pending tasks do not.
cat >"$work/sacct" <<'END'
JobID|JobIDRaw|JobName|User|Account|Partition|State|ExitCode|TimelimitRaw|NNodes
6_1|7|first try|bob|phys|small|NODE_FAIL|1:0|60|1
6_1|7|sweep|bob|phys|small|CANCELLED by 1000|0:15|60|3
6_1.batch|7.batch|batch||||CANCELLED|0:15||1
6_[2-9]|6|sweep|bob|phys|small|PENDING|0:0|60|1
8|8|a|b|ann|phys|small|COMPLETED|0:0|60|1
END
lists --since 1700086401 --sacct "$work/sacct"
is 'with accounting' "\
JOB            USER       NODES  START                  LENGTH  STATE
6_1            bob            1  2023-11-26 12:00:00     0:00:00  CANCELLED
    name sweep"
grep -q "sacct:6: line left out: it does not have 10 columns" "$work/said" ||
	fail "said: $(cat "$work/said")"
lists --since 1700086401 --sacct "$work/sacct" --csv
is 'the same as CSV' "$columns,slurm_id,state,exit
7,bob,1,1701000000.000000,0.000000,1,0,,0,phys,small,sweep,6_1,CANCELLED,0:15"
lists --since 1700086401 --sacct - --json <"$work/sacct"
is 'the same as JSON' '{"job":"7","slurm_id":"6_1","name":"sweep","account":"phys",'\
'"partition":"small","state":"CANCELLED","exit":"0:15","user":"bob","nodes":1,'\
'"start":1701000000.000000,"length":0.000000,"begun":1,"ended":0,"samples":1,"schema":1}'

# A report accepts the id of the array or of one of its tasks, and adds values from sacct that the
# marks lack.
reports()
{
	"$bin/nodometer-report" --dir "$work/a" --since 1700086401 --sacct "$work/sacct" "$@" \
		>"$work/out" 2>"$work/said"
}
for name in 6 6_1 7; do
	reports $name 7 || fail "report $name: $(cat "$work/said")"
	for line in '  name      sweep' \
		'Job 7, 6_1  (bob, account phys, partition small)' \
		'  CANCELLED, exit 0:15 (signal 15: Terminated)' \
		'  The job had 3 nodes, there are records of 1: 2 missing'; do
		[ "$(grep -cFx "$line" "$work/out")" = 1 ] ||
			fail "report $name: $(cat "$work/out")"
	done
done
reports --json 6_1 || fail "report --json: $(cat "$work/said")"
has 'report --json' '^{"job":"7","slurm_id":"6_1",'
reports 6_2 && fail 'a task that did not run has a report'
printf 'JobID|State\n7|FAILED\n' >"$work/sacct"
for command in jobs 'report 7'; do
	# shellcheck disable=SC2086 # the command and its job
	refused "$command without JobIDRaw" \
		'expected the columns JobID and JobIDRaw: sacct --parsable2 --format=' $command \
		--dir "$work/a" --sacct "$work/sacct"
done
refused 'no file' 'none: No such file' jobs --dir "$work/a" --sacct "$work/none"

# sacct's output about many other jobs needs no memory besides its text.
awk 'BEGIN {
	print "JobID|JobIDRaw|JobName|State"
	for (i = 1; i <= 300000; i++)
		printf "%d|%d|x%d|FAILED\n", i, i, i
}' >"$work/sacct"
# shellcheck disable=SC3045 # only some shells, such as dash and bash, have ulimit -v
if (ulimit -v 150000 && "$bin/nodometer-jobs" --help) >/dev/null 2>&1; then
	(ulimit -v 150000 && "$bin/nodometer-jobs" --dir "$work/a" --sacct "$work/sacct" --json) \
		>"$work/out" 2>"$work/said" || fail "much accounting: $(cat "$work/said")"
	[ "$(grep -c '"slurm_id":"7".*"state":"FAILED"' "$work/out")" = 2 ] ||
		fail "much accounting: $(cat "$work/out")"
fi

# Names in any script, from marks and from sacct, are shown as text on every page.
rm -rf "$work/a"
file n1 1700000000 <<'END'
1700000000 5 %begin 5 user=j\303\274rgen account=M\303\274ller
1700000600 5 %attributes 5 name=Gr\303\266\303\237e\040\346\250\241\346\213\237
1700000600 5 %end 5
1700001200 6 %begin 6
1700001800 6 %end 6
END
{
	echo 'JobID|JobIDRaw|JobName|User|Account|Partition|State|ExitCode|TimelimitRaw|NNodes'
	echo '6|6|Größe 模拟|jürgen|Müller|p|COMPLETED|0:0|60|1'
} >"$work/sacct"
# shows PROGRAM TEXT LINES ARGUMENTS...: PROGRAM ARGUMENTS must print exactly LINES lines that
# contain TEXT
shows()
{
	program=$1 want=$2 lines=$3
	shift 3
	"$bin/nodometer-$program" "$@" --dir "$work/a" --sacct "$work/sacct" >"$work/out" \
		2>"$work/said"
	[ "$(grep -cF -- "$want" "$work/out")" = "$lines" ] ||
		fail "$program $*: not $lines times \"$want\": $(cat "$work/out" "$work/said")"
}
for job in 5 6; do
	shows report '  name      Größe 模拟' 1 $job
	shows report ', account Müller' 1 $job
	shows report '"user":"jürgen"' 1 $job --json
done
shows jobs '              jürgen         1  2023' 2
shows jobs ',jürgen,1,' 2 --csv
shows jobs ',Müller,' 2 --csv
shows jobs ',Größe 模拟' 2 --csv
shows jobs '"name":"Größe 模拟"' 2 --json
shows jobs '"name":"Größe 模拟"' 2 --used --json
shows jobs '<td>jürgen</td>' 2 --used --html
shows jobs ' jürgen ' 2 --user jürgen
shows jobs 'Größe 模拟            2 ' 1 --by name
shows jobs 'Müller                2 ' 1 --by account
# If sacct gives no state, the state from the marks is shown.
file n2 1700000000 <<'END'
1700000000 9 %begin 9
1700000600 9 %end 9 exit=3:0
END
printf '%s\n' 'JobID|JobIDRaw|JobName' '9_1|9|x' >"$work/few"
for option in '' --used; do
	# shellcheck disable=SC2086 # one word, or none
	lists --host n2 --json --sacct "$work/few" $option
	has "the state of the marks as JSON $option" \
		'"slurm_id":"9_1".*"state":"FAILED","exit":"3:0"'
	# shellcheck disable=SC2086 # one word, or none
	lists --host n2 --sacct "$work/few" $option
	[ "$(grep -c FAILED "$work/out")" = 1 ] ||
		fail "the state of the marks $option: $(cat "$work/out")"
done
rm -r "$work/a/n2"

"$bin/nodometer-site" --dir "$work/a" --out "$work/site" 2>"$work/said" ||
	fail "site: $(cat "$work/said")"
grep -qF 'Größe 模拟' "$work/site/users/j=C3=BCrgen/run-5-1700000000.html" ||
	fail "site: $(grep -rF 'Gr' "$work/site")"
exit $failed
