#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# forged.sh - cgroups that an ordinary user makes start, move or end no job, and cost the agent
# almost no reads
job_cgroups=yes
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" -eq 0 ] || skip "needs root, to become another user"
command -v setpriv >/dev/null || skip "no setpriv"
runtime=$(mktemp -d "${TMPDIR:-/tmp}/nodometer.XXXXXX") || exit 99
chmod 755 "$runtime"
root=$runtime/root
cgroups=$root/sys/fs/cgroup
scope=$cgroups/system.slice/slurmstepd.scope
mkdir -p "$root/proc" "$scope"
printf 'cpu  1 2 3 4\ncpu0 1 2 3 4\n' >"$root/proc/stat"
echo '100.00 50.00' >"$root/proc/uptime"
# owned UID: print the subtree that systemd delegates to a user
owned() {
	mkdir -p "$cgroups/user.slice/user-$1.slice/user@$1.service"
	chown "$1" "$cgroups/user.slice/user-$1.slice/user@$1.service"
	echo "$cgroups/user.slice/user-$1.slice/user@$1.service"
}
mine=$(owned 65534)
as_user() {	# UID COMMAND...
	uid=$1
	shift
	setpriv --reuid "$uid" --regid "$uid" --clear-groups "$@"
}
as_user 65534 mkdir "$mine/init.scope" || skip "user 65534 cannot write below $runtime"
# forge UID DIR: as user UID, make and remove cgroups in DIR, named like those that Flux makes for
# many jobs, including jobs that are running
forge() {
	# shellcheck disable=SC2016 # the inner shell's
	as_user "$1" sh -c '
		all="$(seq -f "$0/x-shell-0-FORGED%g.service" 400) $0/x-shell-0-1.service
			$0/x-shell-0-hooked.service $0/app.slice"
		for i in 1 2 3; do
			mkdir $all && mkdir "$0/app.slice/x-shell-0-FORGED.service" || exit 1
			for f in $all; do echo usage_usec 9 >$f/cpu.stat; done
			[ $i = 3 ] || rm -r $all
		done' "$2"
}
job() {
	mkdir "$scope/job_$1" && echo usage_usec 5 >"$scope/job_$1/cpu.stat"
}
begin_is_marked() {
	[ "$(count "^%begin $1\$")" -eq 1 ]
}
reads() {	# print this thread's reads: those of the process include its ended children
	sed -n 's/^syscr: //p' "/proc/$agent/task/$agent/io"
}
# scheduler-users has a user besides root, which enables Flux. Type job is off while the agent's
# reads are counted, because it reads the cgroups of running jobs in each sample.
write_config 'scheduler-users = root, 990' '[types]' 'job = off'
start_agent --root "$root"
expect 0 nodometer begin --strict hooked
job 1
wait_until 5 begin_is_marked 1

# Compare the reads for the start of a job with the reads while a user makes and removes 1,200
# cgroups.
before=$(reads)
job 2
wait_until 5 begin_is_marked 2
alone=$(($(reads) - before))
before=$(reads)
forge 65534 "$mine" || fail "user 65534 cannot make its groups"
job 3
wait_until 5 begin_is_marked 3
besides=$(($(reads) - before))
echo "reads for the begin of a job: $alone, while somebody makes groups: $besides"
[ "$besides" -le $((alone + 20)) ] || fail "$besides reads, $alone without the user's groups"

write_config 'scheduler-users = root, 990'
kill -s HUP "$agent"
has_rows() { raw_text | grep -q '^job 3 '; }
wait_until 10 has_rows

expect 0 nodometer collect
as_user 65534 sh -c 'rm -r "$0"/*' "$mine"
job 4
wait_until 5 begin_is_marked 4
is "jobs" "$(last_jobs)" hooked,1,2,3,4
is "marks" "$(marks | tr '\n' ' ')" '%begin hooked %begin 1 %begin 2 %begin 3 %begin 4 '
is "rows of jobs" "$(raw_text | sed -n 's/^job \([^ ]*\) .*/\1/p' | grep -vcx '[1-4]')" 0

# Cgroups with Flux' names are jobs if they are in the subtree of the scheduler's own user, 990.
theirs=$(owned 990)
as_user 990 mkdir "$theirs/imp-shell-0-f2.service"
wait_until 5 begin_is_marked f2

# However many cgroups appear, at most 64 jobs begin with one record group, and the table of jobs
# keeps room for hooks.
seq -f "$scope/job_1%04g" 300 | xargs mkdir
many() {
	[ "$(count '^%begin 1[0-9][0-9]')" -ge 180 ]
}
wait_until 15 many
most=$(raw_text | awk '/^$/ { n = 0 } /^%begin 1[0-9][0-9]/ && ++n > most { most = n }
	END { print most }')
[ "$most" -le 64 ] || fail "$most jobs begin with one record group"
for id in a b c d; do
	expect 0 nodometer begin --strict "hooked-$id"
done
expect 0 nodometer end --strict hooked
stop_agent
whole_archive
