# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# measure.sh - run Slurm jobs that measure their own CPU time, and compare it with the jobs' reports
#
# Source this file after slurm.sh.

# measure NUMBER: submit NUMBER jobs that use a second or more of CPU time and store how much; every
# third job has two steps, every fourth a child process
measure()
{
	rm -f "$S"/times.*
	cat >"$S/work" <<'WORK'
#!/bin/sh
# work TIMES FILE [CHILD]: use CPU time, run CHILD in the same way, then append the CPU time of this
# process and its children to FILE
i=0
while [ $i -lt $(($1 * 100000)) ]; do
	i=$((i + 1))
done
[ $# -lt 3 ] || "$3" "$1" "$2.child"
times >>"$2"
WORK
	chmod 755 "$S/work"
	for i in $(seq "$1"); do
		work="$S/work $((${units:-10} + i % 7)) $S/times.\$SLURM_JOB_ID"
		case $((i % 12)) in
		3|6|9) work="srun -n1 $work; srun -n1 $work" ;;
		4|8)   work="$work $S/work" ;;
		esac
		submit -n1 -- "$work" >/dev/null
	done
}

# used JOB: print the CPU time that the job has measured, in seconds; the parent's second line
# includes its child
used()
{
	sed 's/m/ /g; s/s//g' "$S/times.$1" | awk '{ sum += 60 * $1 + $2 + 60 * $3 + $4 }
		END { printf "%.2f\n", sum }'
}

# whole_times: all reports together must have at least 95 % of the measured CPU time, and a report
# with a lower value must say "at least". A job may have used up to 5 % and $slack seconds more than
# it measured.
whole_times()
{
	for file in "$S"/times.*; do
		id=${file##*.}
		case $id in child) continue ;; esac
		nodometer report "$id" --json >"$S/report" || { fail "no report of job $id"; continue; }
		jq -r --arg id "$id" --arg used "$(used "$id")" '
			[.figures[] | select(.figure == "job.cpu")][0] |
			"\($id) \($used) \(.total // 0) \(.at_least)"' "$S/report"
	done >"$S/compared"
	awk -v slack="${slack:-0.5}" '
		{ printf "job %s: %.2f s measured, %.2f s reported, %.1f %%%s\n", $1, $2, $3,
			100 * $3 / $2, $4 == "false" ? "" : ", at least" }
		$2 < 1 { next }
		{ measured += $2; reported += $3 < $2 ? $3 : $2; n++ }
		$4 == "false" && $3 < 0.95 * $2 { print "FAIL: a plain total is too small"; bad = 1 }
		$3 > 1.05 * $2 + slack { print "FAIL: more than there was"; bad = 1 }
		END {
			printf "%d jobs of 1 s or more: %.1f %% of %.2f s\n", n,
				100 * reported / measured, measured
			exit bad || n == 0 || reported < 0.95 * measured
		}' "$S/compared" || fail 'processor time of jobs'
}
