#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - run 256 hooks at the same moment: beside 4,000 processes of a user, with a stopped agent,
# and without an agent
#
# The archive must have each begin and each end, in time order, and no job may be left over; each
# hook must end within 3 seconds with status 0. Then a disk hangs (fsfreeze(8)): the agent
# continues, hooks return, and their marks are written when the disk works again.
packages="e2fsprogs perl procps util-linux"
namespaces=-m
. "$(dirname "$0")/../lib.sh"

hooks=${HOOKS:-256} others=${OTHERS:-4000} longest=3000
archive=$scratch/archive
runtime=$scratch/run
conf=$scratch/nodometer.conf
host=node.test
current=$archive/$host/current

write_config()
{
	printf '%s\n' '[agent]' "dir = $archive" "runtime-dir = $runtime" "hostname = $host" \
		'job-file =' 'job-cgroups = no' "interval = ${1:-24h}" 'free-floor = 0' \
		'compress = no' >"$conf"
}
nodometer() { "$bin/nodometer" --config "$conf" "$@"; }
answers() { nodometer status >/dev/null 2>&1; }
start_agent()
{
	background "$bin/nodometerd" --foreground --config "$conf" 2>>"$scratch/log"
	agent=$started
	wait_until answers || die "no agent: $(tail "$scratch/log")"
}
text() { cat "$(dirname "$current")"/[0-9]*; }
# count PATTERN: print the number of lines in the archive that match PATTERN
count() { text | grep -c "$1"; }

# at_once COMMAND...: run all hooks at once, each with its number appended to the last word; print
# each hook's status and the milliseconds from the common start to its end
at_once()
{
	perl -MTime::HiRes=time,sleep -e 'my ($n, @command) = @ARGV;
		pipe(my $go, my $start) or die;
		for my $i (1 .. $n) {
			next if fork // die "fork: $!";
			close($start);
			sysread($go, my $none, 1);	# until all copies of $start are closed
			$command[-1] .= $i;
			exec(@command) or exit 127;
		}
		sleep 0.5;	# by now all processes wait
		my $then = time;
		close($start);
		while (wait > 0) {
			printf "%d %d\n", $? >> 8 || $? & 127, (time - $then) * 1000;
		}' "$hooks" "$@"
}

# burst VERB PREFIX: run all hooks at once, for jobs PREFIX.N, and check statuses and times
burst()
{
	at_once "$bin/nodometer" "$1" --config "$conf" "$2." >"$scratch/times" 2>>"$scratch/err"
	bad=$(grep -vc '^0 ' "$scratch/times")
	slowest=$(sort -k 2n "$scratch/times" | tail -n 1 | cut -d ' ' -f 2)
	say "$1 of $2: $(wc -l <"$scratch/times") hooks, slowest $slowest ms, bad status $bad"
	[ "$(wc -l <"$scratch/times")" -eq "$hooks" ] || fail "not all hooks came back"
	[ "$bad" -eq 0 ] || fail "$bad hooks of $2 did not end with 0"
	[ "$slowest" -le $longest ] || fail "a hook of $2 took $slowest ms"
}

all_marked() { [ "$(count "^%$1 $2\.")" -eq "$hooks" ]; }
left() {	# print requests and record groups with marks that the agent has not written yet
	find "$runtime/marks" -name '*.mark'
	"$bin/nodometer" status --config "$conf" --json | grep -o '"waiting": *[1-9][0-9]*'
}
nothing_left() { [ -z "$(left)" ]; }

# judge PREFIX: wait until the agent has written all marks, then check the marks of jobs PREFIX.N
judge()
{
	wait_until nothing_left || fail "marks stay on their way: $(left | wc -l)"
	for verb in begin end; do
		all_marked "$verb" "$1" || fail "$(count "^%$verb $1\.") of $hooks ${verb}s of $1"
	done
	ghosts=$(grep -c "^$1\.[0-9]* [0-9.]* hook" "$runtime/jobs")
	[ "$ghosts" -eq 0 ] || fail "$ghosts jobs of $1 own the node for good"
	text | awk 'blank && $1 ~ /^[0-9.]+$/ { if ($1 < last) bad = 1; last = $1 }
		{ blank = $0 == "" } END { exit bad }' || fail 'records are not in time order'
	"$bin/nodometer" check "$(dirname "$current")"/[0-9]* >"$scratch/check" ||
		fail "check: $(grep -v whole "$scratch/check" | head -n 5)"
	! grep 'same as the job.s previous mark' "$scratch/check" || fail 'marks stand twice'
	say "$1: $(text | awk 'blank { n++ } { blank = $0 == "" } END { print n }') records so far"
}

# crowd N: start N processes of another user
crowd()
{
	background setpriv --reuid=65534 --regid=65534 --clear-groups sh -c \
		"i=0; while [ \$i -lt $1 ]; do sleep 600 & i=\$((i + 1)); done; wait"
	crowd=$started
	crowded() { [ "$(pgrep -c -u 65534 -P "$crowd")" -ge "$1" ]; }
	wait_times 3 crowded "$1" && return
	[ "$(may_be)" -ge $(($1 + 1000)) ] ||
		skip "$(may_be) processes may be here, $1 of another user are wanted"
	die "only $(pgrep -c -P "$crowd") processes of another user"
}
# Print the lowest limit on the number of processes.
may_be()
{
	{
		echo 1000000
		# shellcheck disable=SC3045 # where sh has none, the other limits remain
		ulimit -u 2>/dev/null
		cat /proc/sys/kernel/threads-max /proc/sys/kernel/pid_max
		cat /sys/fs/cgroup/pids.max
		cat "/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)/pids.max"
	} 2>/dev/null | grep -x '[0-9][0-9]*' | sort -n | head -n 1
}
disperse()
{
	pkill -TERM -P "$crowd"
	stop "$crowd"
}

write_config
crowd "$others"
start_agent
burst begin crowd
burst end crowd
disperse
judge crowd

burst begin asleep-1
kill -STOP "$agent"
burst begin asleep
burst end asleep
kill -CONT "$agent"
judge asleep
burst end asleep-1
judge asleep-1
stop "$agent"

burst begin alone
burst end alone
judge alone

# Put the archive on its own file system, which can be frozen.
hang()
{
	archive=$scratch/disk
	current=$archive/$host/current
	truncate -s 64M "$scratch/image" && mkfs.ext4 -q "$scratch/image" && mkdir "$archive" ||
		die 'no file system is made'
	mount -o loop "$scratch/image" "$archive" || { cannot='no loop device'; return; }
	hooks=16
	write_config 250ms
	start_agent
	nodometer begin before
	fsfreeze -f "$archive" || die 'it does not freeze'
	sleep 1		# wait for a few ticks
	burst begin frozen
	burst end frozen
	a=$(date +%s%N)
	nodometer begin --strict last 2>/dev/null
	status=$? took=$((($(date +%s%N) - a) / 1000000))
	nodometer status >"$scratch/status" || fail 'the agent does not answer'
	grep -q '^archive hangs for' "$scratch/status" ||
		fail "status does not show it: $(cat "$scratch/status")"
	fsfreeze -u "$archive"
	[ "$status" -eq 3 ] || fail "a mark that waits: status $status, not 3"
	say "a begin beside a disk that hangs took $took ms"
	[ "$took" -le 1000 ] || fail 'the agent makes clients wait'
	judge frozen
	all_marked_last() { [ "$(count '^%begin last')" -eq 1 ]; }
	wait_until all_marked_last || fail 'the last mark is lost'
	missed=$(nodometer status | sed -n 's/^ticks missed  *//p')
	say "ticks missed: $missed"
	[ "$missed" -le 3 ] || fail "$missed ticks were missed"
	stop "$agent"
	fsfreeze -f "$archive"
	burst begin orphan
	fsfreeze -u "$archive"
	burst end orphan
	judge orphan
}
cannot=
hang
[ -z "$cannot" ] || [ "${failures:-0}" -gt 0 ] || skip "a disk that hangs is not tried: $cannot"
finish
