# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# slurm.sh - start Slurm for a test, run jobs, and read the agents' records of these jobs
#
# Source this file after words.sh, inside a container or a guest. Set first: $S, the folder for all
# files of Slurm; $nodes, the names of its nodes; $cpus, the processors of each node; $SLURM_CONF,
# its configuration.

# munge_up: start munge, which authenticates Slurm's programs to each other, with a new key
munge_up()
{
	mkdir -p "$S/munge" "$S/state" "$S/log"
	chmod 755 "$S" "$S/munge"
	head -c 128 /dev/urandom >"$S/munge/key"
	chmod 400 "$S/munge/key"
	munged --foreground -f --key-file="$S/munge/key" --socket="$S/munge/socket" \
		--pid-file="$S/munge/pid" --log-file="$S/munge/log" \
		--seed-file="$S/munge/seed" >"$S/munge/out" 2>&1 &
	wait_until munge -S "$S/munge/socket" -n || die 'no munged'
}

# configure LINES: write Slurm's configuration, with LINES and log times in milliseconds. Limit how
# many jobs the controller launches at once: otherwise its message that a prolog may run comes late,
# and slurmd drains the node.
configure()
{
	cat >"$SLURM_CONF" <<CONF
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
LogTimeFormat=iso8601_ms
SlurmctldDebug=debug
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
		echo "NodeName=$n NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=$port CPUs=${cpus:-16}" \
			"RealMemory=1000" >>"$SLURM_CONF"
	done
	echo "PartitionName=main Nodes=${nodes// /,} Default=YES OverSubscribe=FORCE:4" \
		>>"$SLURM_CONF"
}

# Configuration for a Slurm without cgroups that runs the installed hooks.
hooks=/usr/libexec/nodometer/hooks/slurm
# shellcheck disable=SC2034 # of those who source it
with_hooks="ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectTypeParameters=CR_CPU
PrologFlags=Alloc
Prolog=$hooks/prolog
Epilog=$hooks/epilog"

declare -A pid
# agent NODE [CONFIGURATION]: start the agent of NODE, and wait until it answers
agent()
{
	nodometerd --config "${2:-/etc/nodometer/$1.conf}" 2>>"$S/agent.$1" &
	pid[$1]=$!
	wait_until nodometer status --config "${2:-/etc/nodometer/$1.conf}" ||
		{ cat "$S/agent.$1"; die "no agent of $1"; }
}
stop_agent()
{
	kill -TERM "${pid[$1]}"
	wait "${pid[$1]}"
}

# agents [LINE...]: start an agent for each node. Its configuration has these lines, at the path
# where the hooks look for it. It records few types, because many reports read the whole archive.
agents()
{
	mkdir -p "$S" /etc/nodometer
	for n in $nodes; do
		{
			printf '%s\n' '[agent]' "hostname = $n" "runtime-dir = /run/nodometer-$n" \
				'job-file =' "$@" '[types]'
			printf '%s = off\n' block net numa proc ps psi sysv_shm tmpfs vfs vm
		} >"/etc/nodometer/$n.conf"
		agent "$n"
	done
}

# daemon NAME [CONFIGURATION]: start slurmctld, or the slurmd of node NAME
daemon()
{
	case $1 in
	slurmctld) slurmctld -D >>"$S/out" 2>&1 & ;;
	*) slurmd -D -N "$1" -f "${2:-$SLURM_CONF}" >>"$S/out" 2>&1 & ;;
	esac
	pid[d$1]=$!
}
stop_daemon()
{
	# Use SIGKILL: slurmd ignores a SIGTERM that comes just before it begins to wait.
	case $1 in slurmctld) kill "${pid[d$1]}" ;; *) kill -KILL "${pid[d$1]}" ;; esac
	wait "${pid[d$1]}" 2>/dev/null
}

# start LINES: start Slurm with these lines in its configuration
start()
{
	configure "$1"
	for daemon in slurmctld $nodes; do daemon "$daemon"; done
	wait_until idle || { tail "$S"/log/* "$S/out"; die 'no Slurm'; }
}
stop()
{
	for daemon in slurmctld $nodes; do stop_daemon "$daemon"; done
}

idle()
{
	[ "$(sinfo -h -N -t idle -o %N | sort -u | wc -l)" = "$(echo "$nodes" | wc -w)" ]
}

empty()
{
	[ -z "$(squeue -h)" ] && idle
}

drained()
{
	[ -z "$(sinfo -h -R)" ] || { sinfo -R; fail "$1: a node is drained"; }
}

# submit OPTION... [-- COMMAND...]: submit a job and print its id
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

# settle SECONDS: wait up to SECONDS until no job is left and all nodes are idle
settle()
{
	for _ in $(seq $(($1 * 2))); do
		! empty || return 0
		sleep 0.5
	done
	squeue | head
	sinfo -R
	die "jobs did not end in $1 s"
}

# marks NODE: print all marks of NODE's archive, file by file
marks()
{
	for f in /var/lib/nodometer/"$1"/[0-9]*; do
		case $f in *.zst) zstd -qdc "$f" ;; *) cat "$f" ;; esac
	done | grep '^%' | sed 's/ request=[0-9]*\.[0-9]*//'
}

# whole NODE JOB: fail unless NODE has exactly one begin and one end of JOB
whole()
{
	got=$(marks "$1" | marks_of "$2")
	[ "$got" = '%begin %end ' ] || fail "$1: marks of job $2: $got"
}
