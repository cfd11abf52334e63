#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# checks.sh - in the guest, check the limits of the unit that the kernel enforces, and that the
# agent works within them
set -u
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C
# shellcheck source=../words.sh
. "${words:-/share/words.sh}"
slice=/sys/fs/cgroup/system.slice
unit=$slice/nodometerd.service
conf=/etc/nodometer/nodometer.conf
seen=/var/lib/nodometer/types	# the types that the unit can read on this node
trap 'echo $((failures > 0 || $? > 0)) >/share/status' EXIT

property() { systemctl show -P "$1" nodometerd; }

# in_group GROUP COMMAND...: run COMMAND as root in this cgroup, and so with its limits
in_group()
{
	sh -c 'echo $$ >"$0"; exec "$@"' "$@"
}

in_unit()
{
	in_group $unit/cgroup.procs "$@"
}

# is FILE VALUE: fail unless FILE in the unit's cgroup has the limit VALUE
is()
{
	[ "$(cat "$unit/$1")" = "$2" ] || fail "$1 is $(cat "$unit/$1"), not $2"
}

# counted FILE KEY: print the number of KEY in FILE of the unit's cgroup
counted()
{
	awk -v key="$2" '$1 == key { print $2 }' "$unit/$1"
}

same_agent()
{
	[ "$(property MainPID)" = "$pid" ] && nodometer status >/dev/null
}

# drop_in LINE...: add these lines to the unit by a drop-in, and restart it
drop_in()
{
	dir=/run/systemd/system/nodometerd.service.d
	mkdir -p $dir
	printf '%s\n' '[Service]' "ExecStartPre=/bin/sh -c 'nodometer types --all >$seen'" "$@" \
		>$dir/test.conf
	systemctl daemon-reload
	systemctl restart nodometerd || { journalctl -b -n 30 --no-pager; die 'it does not start'; }
	pid=$(property MainPID)
}

start()
{
	modprobe -a msr virtio_blk || fail 'no modules'
	ip link set lo up
	cp -a /share/install/. /
	systemd-sysusers
	systemd-tmpfiles --create nodometer.conf
	sed -i '/^\[types\]/a perf_sw = on' $conf
	echo 3 >/proc/sys/kernel/perf_event_paranoid
	setpriv --reuid=1000 --regid=1000 --clear-groups sleep 900 &
	drop_in
	nodometer status >/dev/null || fail 'it started, and does not answer'
}

identity()
{
	allowed=0000004000000004	# CAP_PERFMON is 38, CAP_DAC_READ_SEARCH 2: capability.h
	none=0000000000000000	# processes that the agent starts have no capability
	bound=000000c000000004	# also CAP_BPF (39), which the agent drops once it has started
	for set in "CapInh $none" "CapPrm $allowed" "CapEff $allowed" "CapBnd $bound" \
		"CapAmb $none"; do
		got=$(awk -v set="${set% *}:" '$1 == set { print $2 }' "/proc/$pid/status")
		[ "$got" = "${set#* }" ] || fail "${set% *} is $got"
	done
	nodometer status >/tmp/status
	grep -q '^seccomp  *on$' /tmp/status || fail "no filter of its own: $(cat /tmp/status)"
	! grep -q landlock /sys/kernel/security/lsm ||
		grep -q '^landlock ABI.* [1-9][0-9]*$' /tmp/status ||
		fail "landlock: $(cat /tmp/status)"
	[ "$(stat -c %U "/proc/$pid")" = nodometer ] || fail "runs as $(stat -c %U "/proc/$pid")"
}

active()
{
	awk '$2 == "active" { print $1 }' "$@" | sort
}

# absent TYPE REASON: fail unless TYPE is absent for REASON
absent()
{
	grep -q "^$1 *absent .*$2" $seen || { grep "^$1 " $seen; fail "$1 is not absent: $2"; }
}

# With perf_event_paranoid at 3, Debian's default, CAP_PERFMON does not help; the reason says what
# does.
paranoid()
{
	absent perf_sw 'perf_event_paranoid is 3.*only up to 2'
	echo 2 >/proc/sys/kernel/perf_event_paranoid
	drop_in CapabilityBoundingSet= CapabilityBoundingSet=CAP_DAC_READ_SEARCH \
		AmbientCapabilities= AmbientCapabilities=CAP_DAC_READ_SEARCH
	absent perf_sw 'perf_event_paranoid is 2 and CAP_PERFMON is missing'
	drop_in
}

# The unit's user, with its two capabilities, can read all types that root can.
types()
{
	nodometer types >/tmp/types
	active /tmp/types >/tmp/root
	active $seen >/tmp/unit
	sed -n 's/^!\([^ ]*\) .*/\1/p' /var/lib/nodometer/*/current | sort >/tmp/written
	diff /tmp/root /tmp/unit || { cat $seen; fail 'not the types that root has'; }
	diff /tmp/unit /tmp/written || fail 'not all that there are are written'
	grep -qx perf_sw /tmp/written || fail 'no perf_sw'
	awk 'NF == 0 { exit } $2 != "active" && NF < 3' $seen | grep . &&
		fail 'absent, and no reason'
	for type in job proc; do
		grep -qx " $type: yes" $seen || fail "no program in the kernel reads $type"
	done
	say "$(wc -l </tmp/written) types written"
}

memory()
{
	is memory.max $((64 << 20))
	peak=$(cat $unit/memory.peak 2>/dev/null || cat $unit/memory.current)
	[ "$peak" -lt $((32 << 20)) ] || fail "the agent took $peak bytes"
	[ "$(counted memory.events oom_kill)" = 0 ] || fail 'killed before anything was done'
	in_unit dd if=/dev/zero of=/dev/null bs=128M count=1 2>/dev/null
	[ $? = 137 ] || fail 'more than MemoryMax, and not killed'
	[ "$(counted memory.events oom_kill)" = 1 ] || fail 'not one was killed for memory'
	same_agent || fail 'the agent did not outlive what shared its limit'
	say "memory: the agent took $((peak / 1024)) KB at most; 128 MB are killed"
}

processor()
{
	is cpu.max '20000 100000'
	before=$(counted cpu.stat usage_usec)
	throttled=$(counted cpu.stat nr_throttled)
	read -r from _ </proc/uptime
	in_unit timeout 4 sh -c 'while :; do :; done'
	read -r to _ </proc/uptime
	used=$(($(counted cpu.stat usage_usec) - before))
	share=$(awk -v us="$used" -v a="$from" -v b="$to" \
		'BEGIN { printf "%d", us / (b - a) / 1e4 }')
	[ "$share" -le 30 ] || fail "$share % of a CPU used, 20 are allowed"
	[ "$(counted cpu.stat nr_throttled)" -gt "$throttled" ] || fail 'never throttled'
	say "processor: a loop got $share %"
}

tasks()
{
	is pids.max 32
	in_unit sh -c 'for i in $(seq 40); do sleep 2 & done; wait' 2>/dev/null
	[ "$(counted pids.events max)" -gt 0 ] || fail '40 processes, and none was refused'
	wait_until same_agent || fail 'the agent did not outlive what shared its limit'
	say 'tasks: 40 were refused'
}

# opens FILE [COMMAND]: succeed if FILE can be read, by COMMAND if given
opens()
{
	${2-} dd if="$1" of=/dev/null bs=8 count=1 2>/dev/null
}

devices()
{
	for file in /dev/vda /dev/cpu/0/msr; do
		opens $file || fail "root cannot read $file"
		opens $file in_unit && fail "$file can be read"
	done
	opens /dev/zero in_unit || fail '/dev/zero cannot be read'
	bash -c 'echo >/dev/udp/127.0.0.1/9' 2>/dev/null || fail 'no network at all'
	in_unit bash -c 'echo >/dev/udp/127.0.0.1/9' 2>/dev/null && fail 'a packet can be sent'
	say 'devices: closed; packets: denied'
}

# without_times: remove request ids, and the times at which cgroups disappeared, from marks
without_times() { sed 's/ request=[0-9]*\.[0-9]*//; s/\( source=cgroup\) at=[0-9.]*$/\1/' "$@"; }
marked() { without_times /var/lib/nodometer/*/current | grep -qx "$1"; }

# job: make a job without hooks, as slurmd does: create its cgroup, run a process there, remove the
# cgroup
job()
{
	scope=$slice/slurmstepd.scope
	task=$scope/job_77/step_0/user/task_0
	dir=$slice
	for name in slurmstepd.scope job_77 step_0 user task_0; do
		echo '+cpu +memory +pids' >"$dir/cgroup.subtree_control"
		dir=$dir/$name
		mkdir "$dir" || fail "no $dir"
	done
	in_group $task/cgroup.procs sleep 600 &
	first=$!
	wait_until marked '%begin 77 source=cgroup' || fail 'no begin of a job without a hook'
	nodometer status | grep '^job *77,.*from cgroup' || fail 'job 77 is not known'
	in_group $task/cgroup.procs dd if=/dev/zero of=/dev/shm/job bs=1M count=24 2>/dev/null
	nodometer mark middle || fail 'no mark'
	echo 1 >$task/cgroup.kill
	wait $first 2>/dev/null
	find $scope -depth -type d -exec rmdir {} + || fail 'the group does not go'
	wait_until marked '%end 77 source=cgroup' || fail 'no end'
	nodometer report 77 >/tmp/report || fail 'no report'
	grep -E '^ *memory, peak +(>= *)?2[4-9]\.' /tmp/report ||
		{ cat /tmp/report; fail 'what job 77 used'; }
	# The first job of a scheduler causes an extra sample, which may have a row of the job
	# before its begin mark.
	rows=$(sed -n '/^%begin 77 /,$p' /var/lib/nodometer/*/current | grep -c '^job 77 ')
	[ "$rows" = 3 ] || {
		grep -E '^([0-9]|%|!job|job 77 )' /var/lib/nodometer/*/current
		fail "$rows rows of the job, not 3: at begin, in its middle, its last"
	}
}

# delegated UID COMMAND: let systemd start user@UID.service, to which it delegates a cgroup, with
# COMMAND in place of the user manager
delegated()
{
	units=/run/systemd/system
	mkdir -p "$units/user@$1.service.d" "$units/user-runtime-dir@$1.service.d"
	printf '%s\n' '[Service]' PAMName= Type=exec ExecStart= "ExecStart=$2" \
		>"$units/user@$1.service.d/test.conf"
	printf '%s\n' '[Service]' ExecStart= ExecStart=/bin/true ExecStop= \
		>"$units/user-runtime-dir@$1.service.d/test.conf"
	systemctl daemon-reload
	systemctl start "user@$1.service" ||
		{ journalctl -b -n 20 --no-pager; fail "user $1 cannot: $2"; }
}

# A user with a session makes cgroups that look like those of Slurm and Flux, also with ids of
# running jobs: the agent must not take them for jobs. One mkdir(1) makes all of them, because
# starting a process is slow in this guest.
forged()
{
	sed -i '/^\[agent\]/a scheduler-users = root' $conf	# the agent looks for Flux jobs
	systemctl restart nodometerd && pid=$(property MainPID)
	nodometer begin --strict --timeout 60 real || fail 'no begin of a real job'
	cat >/run/forge <<-'SCRIPT'
		cd "/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)" || exit 1
		mkdir -p slurmstepd.scope/job_999/step_0 system.slice/slurmstepd.scope/job_998 \
			app.slice/x-shell-0-FORGED.service x-shell-0-real.service \
			$(seq -f 'x-shell-0-FORGED%g.service' 100) done || exit 1
		rmdir x-shell-0-real.service
		exec sleep 600
	SCRIPT
	theirs=/sys/fs/cgroup/user.slice/user-65534.slice/user@65534.service
	delegated 65534 '/bin/sh /run/forge'
	wait_until test -d $theirs/done || { ls -l $theirs; fail 'no forged groups'; }
	[ "$(stat -c %u $theirs $theirs/done | uniq)" = 65534 ] ||
		fail "not delegated: $(ls -ld $theirs)"
	[ "$(find $theirs -name '*FORGED*' | wc -l)" = 101 ] || fail 'not all forged groups'
	mkdir -p $slice/slurmstepd.scope/job_78
	wait_until marked '%begin 78 source=cgroup' || fail 'no begin of job 78'
	rmdir $slice/slurmstepd.scope/job_78 $slice/slurmstepd.scope
	wait_until marked '%end 78 source=cgroup' || fail 'no end of job 78'
	nodometer end --strict --timeout 60 real || fail 'no end of a real job'
	grep -hE '^%(begin|end) ' /var/lib/nodometer/*/[0-9]* | without_times >/tmp/marks
	grep -vE '^%(begin|end) (7[78] source=cgroup|real source=hook)$' /tmp/marks && fail 'forged'
	[ "$(grep -c ' real source=hook$' /tmp/marks)" = 2 ] || fail 'marks of the real job'
	systemctl stop user@65534.service
	say "forged: $(wc -l </tmp/marks) marks of real jobs, none of a user's groups"
}

# The log must have all expected messages of the agent, and of systemd about the agent, and no
# others.
journal()
{
	journalctl -u nodometerd --no-pager -o cat >/tmp/journal
	grep -q 'samples .* into /var/lib/nodometer/' /tmp/journal || fail 'the journal has nothing'
	grep -vE -e '^nodometerd [0-9.]+ samples .* into ' -e '^(Start|Stopp)(ing|ed) ' \
		-e ': (Deactivated successfully|Consumed .* CPU time)\.$' \
		-e ': A process of this unit has been killed by the OOM killer\.$' \
		-e '^[0-9]* marks that hooks had left are made$' /tmp/journal &&
		fail 'unexpected in the journal'
	sort /tmp/journal | uniq -c
}

# The guest's landlock is older than that of most machines where the list of calls is tested.
calls()
{
	folder=$(sed -n 's/.* bin=\([^ ]*\).*/\1/p' /proc/cmdline)
	(cd "$folder" && srcdir=/share /share/tests/e2e/try_calls.sh) >/tmp/calls 2>&1 ||
		fail "$(cat /tmp/calls)"
	say "calls: $(tail -n 1 /tmp/calls)"
}

say "systemd is up on $(uname -r)"
start
identity
paranoid
types
memory
processor
tasks
devices
job
forged
[ "$(property NRestarts)" = 0 ] || fail 'it was restarted'
same_agent || fail 'another agent in the end'
calls
nodometer check /var/lib/nodometer/*/[0-9]* || fail 'nodometer check'
journal
say 'done'
finish
