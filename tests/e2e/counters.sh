#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# counters.sh - jobs get the hardware counters, return them, and the archive records when
#
# The test needs no hardware counters: marks, state and permissions do not depend on them. The
# kernel's own counters stay open throughout, if the test may open them, and no other counter is
# open while a job has the hardware counters.
. "$(dirname "$0")/lib.sh"

root=$scratch/root
on_hardware='intel_skx_imc'	# any type of them: its reason is looked at
mkdir -p "$root/proc"
cp "$srcdir/tests/collectors/cpu/holes/root/proc/stat" "$root/proc/stat"

perf_fds() {	# of the agent
	find "/proc/$agent/fd" -lname 'anon_inode:\[perf_event\]' 2>/dev/null | wc -l
}
last_marks() {	# on one line, but for what the processor has
	raw_text | awk '/^%(begin|end) / { sub(" source=.*", "") }
		NF == 0 { marks = "" }
		/^%/ && (!/^%counters_restart/ || / perf_sw/) { marks = marks $0 ";" }
		END { print marks }'
}
why() {
	nodometer types --all | sed -n "s/^$on_hardware  *absent  *//p"
}
released() {
	value_of 'counters released to job'
}

write_config 'users =' '[types]' 'perf_sw = on' 'rapl = off' 'intel_rapl = off' 'amd64_rapl = off'
start_agent
software=0
if [ "$(perf_fds)" -gt 0 ]; then
	software=6
	[ ! -e /sys/bus/event_source/devices/msr/events/tsc ] || software=7
	software=$((software * $(getconf _NPROCESSORS_ONLN)))
fi
echo "the agent has $(perf_fds) perf events open, $software of them the kernel's own"
[ "$software" -eq 0 ] || is "marks at the start" "$(last_marks)" "%counters_restart perf_sw;"

# Only a started job can get the counters, once; the message says what to do.
expect 1 nodometer counters release 51 2>"$scratch/err"
grep -q 'job 51 does not own this node: "nodometer begin"' "$scratch/err" ||
	fail "release: $(cat "$scratch/err")"
expect 2 nodometer counters 2>/dev/null
expect 2 nodometer counters release 2>/dev/null
expect 2 nodometer counters yield 51 2>/dev/null
expect 2 nodometer counters steal 51 2>/dev/null
expect 2 nodometer counters --timeout 0 yield 2>/dev/null
expect 1 nodometer counters release a,b 2>/dev/null
expect 1 nodometer mark counters_release 51 2>/dev/null
is "released" "$(released)" ""

expect 0 nodometer begin --strict 51
expect 0 nodometer begin --strict 52
expect 0 nodometer counters release 51
is "marks" "$(last_marks)" "%counters_release 51;"
is "released" "$(released)" 51
is "reason" "$(why)" "counters released to job 51"
is "perf events" "$(perf_fds)" "$software"
n=$(groups | wc -l)
expect 0 nodometer counters release 51 2>"$scratch/err"
grep -q 'job 51 has the hardware counters already' "$scratch/err" || fail "$(cat "$scratch/err")"
expect 0 nodometer counters acquire 52 2>/dev/null
is "groups" "$(groups | wc -l)" "$n"
expect 0 nodometer counters release 52
is "released" "$(released)" 51,52
is "in JSON" "$(nodometer status --json | grep -c '"released":"51,52"')" 1

# The state survives every kind of end of the agent.
for signal in TERM KILL; do
	stop_agent $signal
	expect 1 nodometer status >"$scratch/out"
	grep -q '^counters released to job *51,52$' "$scratch/out" || fail "status without an agent"
	is "reason without an agent" "$(why)" "counters released to job 51,52"
	start_agent
	is "released" "$(released)" 51,52
	[ "$software" -eq 0 ] ||
		is "marks of a new agent" "$(last_marks)" "%counters_restart perf_sw;"
done
kill -s HUP "$agent"
wait_until 5 grep -q 'configuration read again' "$log"
is "released" "$(released)" 51,52

# The agent gets the counters back when the last job ends, or returns them.
expect 0 nodometer end --strict 51
is "marks" "$(last_marks)" "%end 51;%counters_acquire 51;"
is "released" "$(released)" 52
expect 0 nodometer counters acquire
is "marks" "$(last_marks)" "%counters_acquire 52;"
is "released" "$(released)" ""
case $(why) in
*released*) fail "still released: $(why)" ;;
esac
expect 0 nodometer counters acquire 2>"$scratch/err"
grep -q 'no job had the hardware counters' "$scratch/err" || fail "$(cat "$scratch/err")"
expect 0 nodometer counters release 52
expect 0 nodometer end --strict 52
is "marks" "$(last_marks)" "%end 52;%counters_acquire 52;"

# An agent that hangs may hold the counters: the command changes nothing and fails in time.
expect 0 nodometer begin --strict 53
kill -s STOP "$agent"
expect 1 bounded 30 counters --timeout 0.5 release 53 2>"$scratch/err"
kill -s CONT "$agent"
grep -q 'does not answer, and may hold' "$scratch/err" || fail "$(cat "$scratch/err")"
answers
is "released" "$(released)" ""

# Without an agent nobody holds the counters; a release applies to the next agent.
stop_agent
expect 0 nodometer counters yield 2>"$scratch/err"
grep -q 'no agent runs' "$scratch/err" || fail "yield: $(cat "$scratch/err")"
expect 0 nodometer counters release 53
is "marks" "$(last_marks)" "%counters_release 53;"
start_agent
is "released" "$(released)" 53
stop_agent
expect 0 nodometer counters acquire 53
is "marks" "$(last_marks)" "%counters_acquire 53;"
expect 0 nodometer end --strict 53
whole_archive

# Users may yield for the job they are in, if the configuration permits it.
[ "$(id -u)" -eq 0 ] || skip "the rest needs root, to become nobody"
command -v setpriv >/dev/null || skip "the rest needs setpriv"
case $runtime in
"$scratch"/*) runtime=$(open_folder) || exit 99 ;;
esac
tool=$runtime/nodometer
cp "$bin/nodometer" "$bin/nodometer-commands" "$runtime/"
chmod 755 "$tool" "$tool-commands"
nobody=$(id -u nobody)
# as_nobody CGROUPS COMMAND...: run COMMAND in a process that the agent sees in these control groups
as_nobody() {
	groups_of=$1
	shift
	(
		me=$(exec sh -c 'echo $PPID')
		mkdir "$root/proc/$me"
		echo "$groups_of" >"$root/proc/$me/cgroup"
		chown nobody "$root/proc/$me/cgroup"
		exec setpriv --reuid nobody --regid "$(id -g nobody)" --clear-groups \
			"$tool" --config "$runtime/conf" counters "$@"
	)
}
job_cgroups=yes	# from here in a tree of its own
configure() {
	write_config "$@"
	cp "$conf" "$runtime/conf"
	chmod 644 "$runtime/conf"
}
configure
start_agent --root "$root"
as_nobody '' --version >/dev/null 2>&1 || skip "nobody cannot run a copy of nodometer in $runtime"
mkdir -p "$root/sys/fs/cgroup/memory/slurm/uid_$nobody"
mine="4:memory:/slurm/uid_$nobody/job_61/step_0"
other="4:memory:/slurm/uid_1/job_61/step_0"
expect 0 nodometer begin --strict 61
n=$(groups | wc -l)

refused() {	# WHY CGROUPS COMMAND...
	say=$1
	shift
	expect 1 as_nobody "$@" 2>"$scratch/err"
	grep -q "$say" "$scratch/err" || fail "as nobody, $*: $(cat "$scratch/err")"
	is "released" "$(released)" ""
	is "groups" "$(groups | wc -l)" "$n"
}
refused 'counters = release-on-job' "$mine" yield
refused 'may not release' "$mine" release 61
refused 'may not acquire' "$mine" acquire
expect 1 nodometer counters yield 2>/dev/null	# root has release

configure 'counters = release-on-job'
stop_agent
start_agent --root "$root"
n=$(groups | wc -l)
refused 'may not release' "$mine" release 61
expect 0 as_nobody "$mine" yield
is "released" "$(released)" 61
is "marks" "$(last_marks)" "%counters_release 61;"
expect 0 as_nobody "$mine" yield 2>/dev/null
expect 1 as_nobody '0::/' acquire 62 2>/dev/null
is "released" "$(released)" 61
expect 0 as_nobody "$mine" acquire
is "released" "$(released)" ""
is "marks" "$(last_marks)" "%counters_acquire 61;"

# A process in no group belongs to the only job of the node, unless this job has a group.
expect 0 as_nobody '0::/user.slice/user-1.slice/session-1.scope' yield
is "released" "$(released)" 61
expect 0 as_nobody '0::/user.slice/user-1.slice/session-1.scope' acquire 61
jobs_group=$root/sys/fs/cgroup/memory/slurm/uid_$nobody/job_61
mkdir "$jobs_group"
echo 4096 >"$jobs_group/memory.usage_in_bytes"
n=$(groups | wc -l)
refused 'which job you belong to is not known' '0::/' yield
refused 'which job you belong to is not known' "$other" yield
rm -r "$jobs_group"
expect 0 nodometer begin --strict 62
n=$(groups | wc -l)
refused 'which job you belong to is not known' '0::/' yield
refused 'job 63 is the job that you belong to, and was not begun' \
	"4:memory:/slurm/uid_$nobody/job_63" yield
expect 0 as_nobody "$mine" yield
is "released" "$(released)" 61
expect 0 nodometer end --strict 61
is "released" "$(released)" ""

# Repeated requests of a user do not fill the archive.
mine="4:memory:/slurm/uid_$nobody/job_62"
tries=0
patiently() {	# VERB: a user who connects more often than 50 times a second is turned away
	until as_nobody "$mine" "$1" 2>"$scratch/err"; do
		grep -q -e 'turned this user away' -e 'too many connections of this user' \
			"$scratch/err" || return 1
		sleep 1
	done
}
while patiently yield && patiently acquire; do
	tries=$((tries + 1))
	[ $tries -lt 110 ] || fail "$tries times to and fro"
done
echo "$tries times to and fro"
grep -q 'too many requests\|may not acquire' "$scratch/err" || fail "$(cat "$scratch/err")"
expect 0 nodometer end --strict 62
stop_agent
