#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# inside.sh - what run.sh has done: one Slurm, every way in which a job may go
#
# inside.sh JOBS: so many short ones on all nodes in the end
set -u
total=$1
nodes='n1 n2 n3 n4'
S=/tmp/slurm
export SLURM_CONF=$S/slurm.conf
failures=0
cd /tmp || exit 1
say() { printf '%3d s: %s\n' "$SECONDS" "$*"; }
fail() { echo "FAIL: $*"; failures=$((failures + 1)); }
die() { fail "$*"; exit 1; }

# wait_until COMMAND...: up to 30 seconds until it succeeds, silently
wait_until()
{
	for _ in $(seq 300); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.1
	done
	return 1
}

# An agent for each node: its configuration is what the hooks look for.
agents()
{
	mkdir -p /etc/nodometer
	for n in $nodes; do
		cat >"/etc/nodometer/$n.conf" <<CONF
[agent]
hostname    = $n
runtime-dir = /run/nodometer-$n
job-file    =
summary-dir = $S
[types]
proc        = off
CONF
		agent "$n"
	done
}

declare -A pid
agent()
{
	nodometerd --config "/etc/nodometer/$1.conf" 2>>"$S/agent.$1" &
	pid[$1]=$!
	wait_until nodometer status --config "/etc/nodometer/$1.conf" || die "no agent of $1"
}

# slurm LINES: starts it, with these lines in its configuration, too. A slurmd drains its node when
# the controller, with too much to launch at once, is late with the message that a prolog may run.
slurm()
{
	mkdir -p $S/munge $S/state $S/log
	chmod 755 $S $S/munge
	head -c 128 /dev/urandom >$S/munge/key
	chmod 400 $S/munge/key
	munged --foreground -f --key-file=$S/munge/key --socket=$S/munge/socket \
		--pid-file=$S/munge/pid --log-file=$S/munge/log --seed-file=$S/munge/seed &
	cat >$SLURM_CONF <<CONF
ClusterName=test
SlurmctldHost=localhost
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$S/munge/socket
SlurmctldPort=16817
SlurmctldPidFile=$S/slurmctld.pid
SlurmdPidFile=$S/slurmd.%n.pid
SlurmdSpoolDir=$S/spool.%n
StateSaveLocation=$S/state
SlurmctldLogFile=$S/log/slurmctld
SlurmdLogFile=$S/log/%n
MpiDefault=none
SwitchType=switch/none
JobCompType=jobcomp/filetxt
JobCompLoc=$S/completed
SelectType=select/cons_tres
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1,default_queue_depth=1000
MaxJobCount=20000
ReturnToService=2
KillWait=2
InactiveLimit=0
PropagateResourceLimits=NONE
PrologEpilogTimeout=10
MessageTimeout=100
$1
CONF
	port=16900
	for n in $nodes; do
		mkdir -p "$S/spool.$n"
		port=$((port + 1))
		echo "NodeName=$n NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=$port CPUs=16" \
			"RealMemory=1000" >>$SLURM_CONF
	done
	echo 'PartitionName=main Nodes=n[1-4] Default=YES OverSubscribe=FORCE:4' >>$SLURM_CONF
	wait_until munge -S $S/munge/socket -n || die 'no munged'
	slurmctld -D &
	daemons=$!
	for n in $nodes; do
		slurmd -D -N "$n" &
		daemons="$daemons $!"
	done
	wait_until idle || { tail $S/log/*; die 'no Slurm'; }
} >$S.out 2>&1

idle()
{
	[ "$(sinfo -h -N -t idle -o %N | sort -u | wc -l)" = 4 ]
}

empty()
{
	[ -z "$(squeue -h)" ] && idle
}

drained()
{
	[ -z "$(sinfo -h -R)" ] || { sinfo -R; fail "$1: a node is drained"; }
}

# submit OPTION... [-- COMMAND...]: the job's id
submit()
{
	options=()
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	sbatch --parsable -o /dev/null --chdir=/tmp "${options[@]}" --wrap "$*"
}

running()
{
	[ "$(squeue -h -j "$1" -o %t)" = R ]
}

# marks NODE: its marks, of all files, as they were written
marks()
{
	for f in /var/lib/nodometer/"$1"/[0-9]*; do
		case $f in *.zst) zstd -qdc "$f" ;; *) cat "$f" ;; esac
	done | grep '^%'
}

# whole NODE JOB: one begin, one end
whole()
{
	got=$(marks "$1" | awk -v id="$2" '$2 == id { print $1 }' | tr '\n' ' ')
	[ "$got" = '%begin %end ' ] || fail "$1: marks of job $2: $got"
}

# agrees JOB: nodometer report and the controller, which writes whole seconds, to a second
agrees()
{
	want=$(sed -n "s/^JobId=$1 .*StartTime=\([^ ]*\) EndTime=\([^ ]*\).*/\1 \2/p" $S/completed)
	set -- "$1" "$(date -d "${want% *}" +%s)" "$(date -d "${want#* }" +%s)"
	nodometer report "$1" --json >$S/report || { fail "no report of job $1"; return; }
	for x in "start $2" "end $3"; do
		got=$(grep -o "\"${x% *}\":[0-9.]*" $S/report | head -n 1 | cut -d: -f2)
		apart=$((${got%.*} - ${x#* }))
		[ "${apart#-}" -le 1 ] ||
			fail "job $1: ${x% *} is $got for us, ${x#* } for Slurm"
	done
}

settle()
{
	for _ in $(seq "$1"); do
		! empty || return 0
		sleep 1
	done
	squeue | head
	sinfo -R
	die "jobs did not end in $1 s"
}

mkdir -p $S
agents
slurm 'ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectTypeParameters=CR_CPU
PrologFlags=Alloc
Prolog=/usr/libexec/nodometer/hooks/slurm/prolog
Epilog=/usr/libexec/nodometer/hooks/slurm/epilog'
say 'Slurm has four idle nodes'

# Jobs as they come. The controller writes whole seconds.
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
for id in $(seq "$array" $((array + 6))); do
	agrees "$id"
done
marks n1 | grep -q "^%begin $one source=hook user=root partition=main nodes=1 restart=0 uid=0$" ||
	{ marks n1; fail "attributes of job $one"; }
for id in $one $two; do
	want="^{\"job\":\"$id\",.*\"elapsed_s\":[1-9].*\"cpu_user\":.*}$"
	[ "$(grep -c "$want" $S/n1.jsonl)" = 1 ] ||
		{ cat $S/n1.jsonl; fail "the summary of job $id"; }
done
say 'an array, two jobs at once on a node, one that fails, one of steps'

# Two components, each a job of its own on its own nodes, begin and end as one.
printf '%s\n' '#!/bin/sh' 'srun --het-group=0,1 sleep 0.5' >$S/components
het=$(sbatch --parsable -o /dev/null --chdir=/tmp -w n1 : -w n2 $S/components)
settle 60
whole n1 "$het"
whole n2 $((het + 1))
[ "$(marks n1 | grep -c " $((het + 1)) ")" = 0 ] || fail 'n1 has marks of the job on n2'
agrees "$het"
agrees $((het + 1))
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
for _ in $(seq 150); do
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

# An agent that dies, is not there, or hangs.
killed=$(submit -w n1 -- sleep 3)
wait_until running "$killed" || fail 'a job does not start'
kill -KILL "${pid[n1]}"
wait "${pid[n1]}" 2>/dev/null
agent n1
nodometer status --config /etc/nodometer/n1.conf | grep -q "^job *$killed," ||
	fail 'an agent that was killed has forgotten its job'
kill -TERM "${pid[n2]}"
wait "${pid[n2]}"
without=$(submit -w n2 -- true)
settle 30
whole n1 "$killed"
whole n2 "$without"
agent n2
kill -STOP "${pid[n3]}"
hung=$(submit -w n3 -- touch $S/hung)
for hook in prolog epilog; do
	before=$(date +%s%N)
	env -i SLURM_JOB_ID=9999 SLURMD_NODENAME=n3 /usr/libexec/nodometer/hooks/slurm/$hook \
		>/dev/null 2>&1 || fail "$hook: status $? while the agent hangs"
	took=$((($(date +%s%N) - before) / 1000000))
	[ $took -lt 2500 ] || fail "$hook took $took ms while the agent hangs"
	say "$hook: $took ms while the agent hangs"
done
early=$(submit -w n3 -- sleep 100)
wait_until running "$early" || fail 'a job does not start while the agent hangs'
scancel "$early"	# its prolog is not done
settle 30
[ -e $S/hung ] || fail 'a job did not run while the agent hung'
kill -CONT "${pid[n3]}"
wait_until nodometer status --config /etc/nodometer/n3.conf || fail 'no answer after SIGCONT'
whole n3 "$hung"
whole n3 "$early"
drained 'agents that die or hang'
say 'an agent killed, absent, stopped'

# Many, each on all nodes.
first=$(submit -N4 --array="1-$total" -- true)
settle 900
for n in $nodes; do
	got=$(marks "$n" | awk -v from="$first" '
		$2 + 0 < from || $2 == 9999 { next }
		$1 == "%begin" { if (b[$2]++ || e[$2]) bad++; begins++ }
		$1 == "%end" { if (e[$2]++ || !b[$2]) bad++; ends++ }
		END { print begins + 0, ends + 0, bad + 0 }')
	[ "$got" = "$total $total 0" ] || fail "$n: begins, ends, out of order: $got"
	nodometer check "/var/lib/nodometer/$n/"[0-9]* || fail "$n: nodometer check"
done
drained "$total jobs"
nodometer report "$first" >/dev/null || fail 'no report of one of many'
say "$total jobs on four nodes: as many begins and ends on each, no node drained"

# No hooks: the agents find the control groups of jobs, each those of its own node.
if [ ! -d /sys/fs/cgroup/memory ]; then
	say 'skipped: jobs without hooks: no version 1 of control groups here'
	exit $((failures > 0))
fi
# shellcheck disable=SC2086 # a list of numbers
kill $daemons
# shellcheck disable=SC2086
wait $daemons 2>/dev/null
rm -rf $S/state $S/spool.*
cat >$S/cgroup.conf <<'CONF'
CgroupPlugin=cgroup/v1
CgroupMountpoint=/sys/fs/cgroup
CgroupAutomount=no
ConstrainCores=yes
ConstrainRAMSpace=yes
ConstrainDevices=no
CONF
slurm 'ProctrackType=proctrack/cgroup
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
exit $((failures > 0))
