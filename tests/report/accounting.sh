#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# accounting.sh - a report takes a job's user, account, partition and name from its marks rather
# than from sacct
. "$(dirname "$0")/lib.sh"

mkdir -p "$work/a/n1"
cat >"$work/a/n1/1700000000" <<'END'
$hpcperfstats 1.0.2
$hostname n1
!vm pgpgin,E

1700000000 7,8
%begin 7 user=ann account=phys partition=long name=first nodes=1
%begin 8
vm - 1

1700000600 7,8
%end 7
%end 8
vm - 2

END
cat >"$work/sacct" <<'END'
JobID|JobIDRaw|JobName|User|Account|Partition|State|ExitCode|TimelimitRaw|NNodes
7|7|other|eve|chem|short|COMPLETED|0:0|60|9
8|8|second|bob|bio|small|COMPLETED|0:0|60|1
END

"$bin/nodometer-jobs" --dir "$work/a" --sacct "$work/sacct" --csv >"$work/out" 2>"$work/said" ||
	fail "jobs: $(cat "$work/said")"
for wanted in 7,phys,long,first,ann 8,bio,small,second,bob; do
	id=${wanted%%,*} rest=${wanted#*,}
	got=$(sed -n "/^$id,/p" "$work/out" | awk -F , '{ print $10 "," $11 "," $12 "," $2 }')
	[ "$got" = "$rest" ] || fail "jobs: user or account of job $id: $got, not $rest"
done
"$bin/nodometer-jobs" --dir "$work/a" --sacct "$work/sacct" --csv --user eve >"$work/out" 2>&1
! grep -q '^7,' "$work/out" || fail "jobs: user eve has a job of ann: $(cat "$work/out")"

# report TITLE NAME: check the first two lines of the page
report() {
	job=${1#Job }
	job=${job%% *}
	"$bin/nodometer-report" --dir "$work/a" --sacct "$work/sacct" "$job" >"$work/out" \
		2>"$work/said" || fail "report $job: $(cat "$work/said")"
	head -n 2 "$work/out" >"$work/head"
	printf '%s\n' "$1" "  name      $2" | diff - "$work/head" ||
		fail "head of the page of job $job"
}
report 'Job 7  (ann, account phys, partition long)  COMPLETED, exit 0:0' first
report 'Job 8  (bob, account bio, partition small)  COMPLETED, exit 0:0' second
exit $failed
