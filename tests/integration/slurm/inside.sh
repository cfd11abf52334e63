#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# inside.sh - in run.sh's copy of this system, test a Slurm and all ways in which jobs begin and end
#
# Usage: inside.sh JOBS AT-ONCE ROUNDS. At the end, run JOBS short jobs on all nodes, AT-ONCE at a
# time; then, ROUNDS times, run 80 jobs on two nodes each, beside 20 busy processes.
set -u
total=$1
at_once=$2
rounds=$3
nodes='n1 n2 n3 n4'
S=/tmp/slurm
export SLURM_CONF=$S/slurm.conf
cd /tmp || exit 1
# shellcheck source=../words.sh
. "${words:-/tmp/words.sh}"
# shellcheck source=../slurm.sh
. "${slurm:-/tmp/slurm.sh}"

# controller JOB...: for jobs that are over, print "JOB start|end SECONDS", the times that slurmctld
# recorded
controller()
{
	sed -n 's/^JobId=\([0-9]*\) .*StartTime=\([^ ]*\) EndTime=\([^ ]*\).*/\1 \2 \3/p' \
		$S/completed | awk -v jobs=" $* " '
		function seconds(time) { gsub(/[-T:]/, " ", time); return mktime(time) }
		index(jobs, " " $1 " ") {
			print $1, "start", seconds($2)
			print $1, "end", seconds($3)
		}'
}

# report JOB...: print "JOB start|end NODE SECONDS.FRACTION" from the job's report, for each node
# and then for "all"
report()
{
	for id; do
		nodometer report "$id" --json || fail "no report of job $id" >&2
	done | jq -r '. as $all | .hosts + [$all + { host: "all" }] | .[] |
		"\($all.job) start \(.host) \(.start)", "\($all.job) end \(.host) \(.end)"'
}

# witness: record as SINCE UNTIL LATE, in seconds, when this machine was late and by how much. Start
# processes that sleep for a twentieth of a second, one after another.
witness()
{
	while :; do
		before=$EPOCHREALTIME
		sleep 0.05
		echo "$before $EPOCHREALTIME"
	done | awk '$2 - $1 > 0.1 { print $1, $2, $2 - $1 - 0.05; fflush() }' >$S/late
}

# agree NODES JOB...: reports of NODES nodes must agree to a second with the controller's times
agree()
{
	times=$((($1 + 1) * 2 * ($# - 1)))
	shift
	controller "$@" >$S/controller
	report "$@" >$S/reports
	awk -v times="$times" -f /tmp/agree.awk $S/late $S/controller $S/reports ||
		fail 'reports and controller do not agree to a second'
}

agents "summary-dir = $S"
munge_up
witness &
start "$with_hooks"
say 'Slurm has four idle nodes'

# Ordinary jobs. The controller writes whole seconds.
array=$(submit --array=1-3 -- sleep 0.2)
one=$(submit -w n1 -- sleep 1)
two=$(submit -w n1 -- sleep 1)
failing=$(submit -N4 -- 'exit 3')
steps=$(submit -w n4 -- 'srun true; srun sleep 0.2 & srun true; wait')
settle 60
whole n4 "$steps"
whole n1 "$one"
whole n1 "$two"
for n in $nodes; do
	whole "$n" "$failing"
	marks "$n" | grep -qx "%end $failing source=hook exit=3:0" ||
		fail "$n: how job $failing ended"
done
[ "$(grep -c '^JobId=' $S/completed)" = 7 ] || { cat $S/completed; fail 'not seven jobs'; }
# shellcheck disable=SC2046 # a list of numbers
agree 1 $(seq "$array" $((array + 6)) | grep -vx "$failing")
agree 4 "$failing"
given='source=hook cpus=1 user=root partition=main nodes=1 restart=0 uid=0'
marks n1 | grep -qx "%begin $one $given" ||
	{ marks n1; fail "attributes of job $one"; }
for id in $one $two; do
	want="^{\"job\":\"$id\",.*\"elapsed_s\":[1-9].*\"cpu_user\":.*}$"
	[ "$(grep -c "$want" $S/n1.jsonl)" = 1 ] ||
		{ cat $S/n1.jsonl; fail "the summary of job $id"; }
done
say 'an array, two jobs at once on a node, one that fails, one of steps'

# Two components of a heterogeneous job, each a job on its own nodes, begin and end together.
printf '%s\n' '#!/bin/sh' 'srun --het-group=0,1 sleep 0.5' >$S/components
het=$(sbatch --parsable -o /dev/null --chdir=/tmp -w n1 : -w n2 $S/components)
settle 60
whole n1 "$het"
whole n2 $((het + 1))
[ "$(marks n1 | grep -c " $((het + 1)) ")" = 0 ] || fail 'n1 has marks of the job on n2'
agree 1 "$het" $((het + 1))
say 'a heterogeneous job'

cancelled=$(submit -w n2 -- sleep 100)
requeued=$(submit -w n3 --requeue -- 'sleep 2; test $SLURM_RESTART_COUNT || sleep 100')
deaf=$(submit -w n4 -- 'trap "" TERM; sleep 100; sleep 100')
for id in "$cancelled" "$requeued" "$deaf"; do
	wait_until running "$id" || fail "job $id does not start"
done
scancel "$cancelled"
scancel "$deaf"
scontrol requeue "$requeued"
sleep 2	# slurmd would take a rerun within a second of the first run's end for the first run
for _ in $(seq 30); do
	running "$requeued" && break
	scontrol update JobId="$requeued" StartTime=now 2>/dev/null
	sleep 1
done
settle 60
whole n2 "$cancelled"
whole n4 "$deaf"
got=$(marks n3 | awk -v id="$requeued" '$2 == id { print $1 }' | tr '\n' ' ')
[ "$got" = '%begin %end %begin %end ' ] || fail "n3: marks of requeued job $requeued: $got"
say 'cancelled, requeued, deaf to SIGTERM'

# Test an agent that is killed, is absent, or hangs.
killed=$(submit -w n1 -- sleep 3)
wait_until running "$killed" || fail 'a job does not start'
kill -KILL "${pid[n1]}"
wait "${pid[n1]}" 2>/dev/null
agent n1
nodometer status --config /etc/nodometer/n1.conf | grep -q "^job *$killed," ||
	fail 'an agent that was killed has forgotten its job'
stop_agent n2
without=$(submit -w n2 -- true)
settle 30
whole n1 "$killed"
whole n2 "$without"
agent n2
kill -STOP "${pid[n3]}"
hung=$(submit -w n3 -- touch $S/hung)
for hook in prolog epilog; do
	before=$(date +%s%N)
	env -i SLURM_JOB_ID=9999 SLURMD_NODENAME=n3 $hooks/$hook \
		>/dev/null 2>&1 || fail "$hook: status $? while the agent hangs"
	took=$((($(date +%s%N) - before) / 1000000))
	[ $took -lt 2500 ] || fail "$hook took $took ms while the agent hangs"
	say "$hook: $took ms while the agent hangs"
done
early=$(submit -w n3 -- sleep 100)
wait_until running "$early" || fail 'a job does not start while the agent hangs'
scancel "$early"	# the job's prolog is still running
settle 30
[ -e $S/hung ] || fail 'a job did not run while the agent hung'
kill -CONT "${pid[n3]}"
wait_until nodometer status --config /etc/nodometer/n3.conf || fail 'no answer after SIGCONT'
whole n3 "$hung"
whole n3 "$early"
drained 'agents that die or hang'
say 'an agent killed, absent, stopped'

# launched NAME STATUS COMMAND...: run COMMAND in folder NAME as an ordinary user. It must exit with
# STATUS, give one report of all nodes, one begin and end on each, and leave nothing behind.
launched()
{
	name=$1 want=$2
	shift 2
	rm -f ended
	setpriv --reuid 65534 --regid 65534 --clear-groups "$@" >"$name.out" 2>"$name.page"
	status=$? now=$EPOCHREALTIME
	[ $status = "$want" ] || { cat "$name.page"; fail "$name: status $status, not $want"; }
	[ "$(wc -l <ended)" = 64 ] || fail "$name: not 64 ranks: $(cat ended)"
	[ "$(grep -c '^Job [^i]' "$name.page")" = 1 ] || { cat "$name.page"; fail "$name: pages"; }
	grep -q '^  nodes  *4: n1, n2, ' "$name.page" || fail "$name: nodes of the page"
	for n in $nodes; do
		got=$(cat "$name/$n"/[0-9]* | grep -a '^%' | cut -d ' ' -f 1 | tr '\n' ' ')
		[ "$got" = '%begin %end ' ] || fail "$name: marks of $n: $got"
	done
	[ "$(find "$name" -mindepth 1 -maxdepth 1 | wc -l)" = 4 ] ||
		{ find "$name"; fail "$name: something is left"; }
	sort -n ended | awk -v name="$name" -v now="$now" 'END {
		printf "%s: status and page %.0f ms after the last rank\n", name, (now - $1) * 1000
	}'
}
mkdir $S/user
chown 65534:65534 $S/user
cd $S/user || exit 1
printf '%s\n' '#!/bin/bash' 'for ((i = 0; i < 20000; i++)); do :; done' 'sleep 1' \
	'echo $EPOCHREALTIME >>ended' 'exit ${1:-0}' >x
chmod 755 x
launched before 3 nodometer run -o before -- srun -n 64 -N 4 ./x 3
launched below 0 srun -n 64 -N 4 nodometer run -o below -- ./x
cd /tmp || exit 1
settle 30
say 'nodometer run, before srun and below it'

# Run many jobs on all nodes, at once only as many as two processors can launch without delay.
# Slurm's start and end of each job must agree with the report.
first=$(submit -N4 --array="1-$total%$at_once" -- true)
settle 600
drained "$total jobs"
say "$total jobs on four nodes"
for n in $nodes; do
	got=$(marks "$n" | awk -v from="$first" '
		$2 + 0 < from || $2 == 9999 { next }
		$1 == "%begin" { if (b[$2]++ || e[$2]) bad++; begins++ }
		$1 == "%end" { if (e[$2]++ || !b[$2]) bad++; ends++ }
		END { print begins + 0, ends + 0, bad + 0 }')
	[ "$got" = "$total $total 0" ] || fail "$n: begins, ends, out of order: $got"
	nodometer check "/var/lib/nodometer/$n/"[0-9]* || fail "$n: nodometer check"
done
# shellcheck disable=SC2046 # a list of numbers
agree 4 $(sed -n "s/^JobId=\([0-9]*\) .* ArrayJobId=$first .*/\1/p" $S/completed)
[ "$(cut -d' ' -f1 $S/controller | sort -u | wc -l)" = "$total" ] ||
	fail "not $total jobs compared"
say 'as many begins and ends on each, no node drained, reports as the controller says'

# A hook that timed out requests its mark again, perhaps while the agent is writing it: the mark
# must appear once.
loops=
for _ in $(seq $((rounds ? 20 : 0))); do
	sh -c 'while :; do :; done' &
	loops="$loops $!"
done
for round in $(seq "$rounds"); do
	first=$(submit -N2 --array=1-80%8 -- true)
	settle 600
	got=$(for n in $nodes; do
		marks "$n" | awk -v n="$n" -v from="$first" '
			($1 != "%begin" && $1 != "%end") || $2 + 0 < from { next }
			$1 == last[$2] { doubled++; print n ": " $0 >"/dev/stderr" }
			{ last[$2] = $1; marks++ }
			END { print marks + 0, doubled + 0 }'
	done | awk '{ marks += $1; doubled += $2 } END { print doubled, "of", marks }')
	say "load $(cut -d ' ' -f 1 /proc/loadavg), round $round: marks twice: $got"
	[ "${got%% *}" = 0 ] || fail "marks twice beside a load: $got"
done
# shellcheck disable=SC2086 # a list of numbers
[ -z "$loops" ] || { kill $loops; wait $loops; } 2>/dev/null
# a late prolog may have drained its node
scontrol update NodeName="${nodes// /,}" State=RESUME 2>/dev/null
settle 60

# hooks_are PROLOG EPILOG: after reading its configuration, the controller must report these hooks
# or none. Slurm 24.05 and later writes Prolog[0] for Prolog, and no line without a hook.
hooks_are()
{
	scontrol reconfigure
	got=$(scontrol show config |
		sed -n 's/^\(Prolog\|Epilog\)\(\[0\]\)\{0,1\}  *= //p' | grep -vxF '(null)' |
		paste -sd ' ')
	[ "$got" = "$2${2:+ }$1" ] || fail "the controller has ${got:-no hooks}, not $2 $1"
}

sed -i '/^\(Prolog\|Epilog\)=/d' $SLURM_CONF
cp -p $SLURM_CONF $S/before
hooks_are '' ''
nodometer install-hooks --apply slurm >/dev/null || fail 'install-hooks --apply'
hooks_are $hooks/prolog $hooks/epilog
nodometer install-hooks --remove slurm >/dev/null || fail 'install-hooks --remove'
cmp $S/before $SLURM_CONF || fail 'install-hooks --remove leaves something'
hooks_are '' ''
say 'hooks installed and removed'

# Without hooks, each agent finds the cgroups of its own node's jobs.
if [ ! -d /sys/fs/cgroup/memory ]; then
	say 'skipped: jobs without hooks: no version 1 of control groups here'
	finish
fi
stop
rm -rf $S/state $S/spool.*
cat >$S/cgroup.conf <<'CONF'
CgroupPlugin=cgroup/v1
CgroupMountpoint=/sys/fs/cgroup
CgroupAutomount=no
ConstrainCores=yes
ConstrainRAMSpace=yes
ConstrainDevices=no
CONF
start 'ProctrackType=proctrack/cgroup
TaskPlugin=task/cgroup
JobAcctGatherType=jobacct_gather/cgroup
SelectTypeParameters=CR_CPU_Memory
DefMemPerCPU=100
FirstJobId=50001'
short=$(submit -w n1 -- sleep 1)
wide=$(submit -N4 -- 'srun sleep 2')
stopped=$(submit -w n2 -- sleep 100)
wait_until running "$stopped" || fail 'a job does not start'
sleep 1
nodometer status --config /etc/nodometer/n2.conf | grep -q "^job *$stopped,.*from cgroup" ||
	fail "no job $stopped from a control group"
scancel "$stopped"
settle 60
sleep 1
whole n1 "$short"
whole n2 "$stopped"
for n in $nodes; do
	whole "$n" "$wide"
	marks "$n" | grep -qx "%begin $wide source=cgroup" || fail "$n: source of job $wide"
done
find /sys/fs/cgroup -depth -type d -path '*/slurm_n[1-4]*' -exec rmdir {} + 2>/dev/null
say 'without hooks: an array of nodes, one that is cancelled'
finish
