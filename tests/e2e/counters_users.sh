#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# counters_users.sh - users may release the hardware counters for the job that they are in, if the
# configuration permits it
. "$(dirname "$0")/counters_lib.sh"
[ "$(id -u)" -eq 0 ] || skip "not root, who can become nobody"
command -v setpriv >/dev/null || skip "no setpriv"
case $runtime in
"$scratch"/*) runtime=$(open_folder) || exit 99 ;;
esac
tool=$runtime/nodometer
cp "$bin/nodometer" "$bin/nodometer-commands" "$runtime/"
chmod 755 "$tool" "$tool-commands"
nobody=$(id -u nobody)
# as_nobody CGROUPS COMMAND...: run "nodometer counters COMMAND..." as user nobody, in a process
# that seems to the agent to be in CGROUPS
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
job_cgroups=yes	# the test has its own tree of cgroups
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

# refused PATTERN CGROUPS COMMAND...: as_nobody CGROUPS COMMAND... must fail with a message that
# matches PATTERN, and must change nothing
refused() {
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
expect 1 nodometer counters yield 2>/dev/null	# root can use "release" instead

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

# A process outside of all jobs' cgroups belongs to the only job of the node, unless this job has a
# cgroup.
expect 0 as_nobody '0::/user.slice/user-1.slice/session-1.scope' yield
is "released" "$(released)" 61
expect 0 as_nobody '0::/user.slice/user-1.slice/session-1.scope' acquire 61
jobs_group=$root/sys/fs/cgroup/memory/slurm/uid_$nobody/job_61
mkdir "$jobs_group"
echo 4096 >"$jobs_group/memory.usage_in_bytes"
n=$(groups | wc -l)
refused 'cannot find out which job is yours' '0::/' yield
refused 'cannot find out which job is yours' "$other" yield
rm -r "$jobs_group"
expect 0 nodometer begin --strict 62
n=$(groups | wc -l)
refused 'cannot find out which job is yours' '0::/' yield
refused 'job 63 is your job, but was not begun' \
	"4:memory:/slurm/uid_$nobody/job_63" yield
expect 0 as_nobody "$mine" yield
is "released" "$(released)" 61
expect 0 nodometer end --strict 61
is "released" "$(released)" ""

# Repeated requests of a user do not fill the archive.
mine="4:memory:/slurm/uid_$nobody/job_62"
tries=0
# patiently VERB: retry VERB, because the agent refuses a user who connects more than 50 times a
# second
patiently() {
	until as_nobody "$mine" "$1" 2>"$scratch/err"; do
		grep -q -e 'refused this user' -e 'too many connections from this user' \
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
