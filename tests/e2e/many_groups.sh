#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# many_groups.sh - if there are more cgroups than the agent can watch, it reports this, and hooks
# still work
#
# The agent begins at most 64 jobs per second: wait for the first 100, or with ALL=1 (run-tests) for
# all.
job_cgroups=yes
. "$(dirname "$0")/lib.sh"

root=$scratch/root
groups=$root/sys/fs/cgroup/cpuacct/slurm/uid_0
most=$(sed -n 's/^#define JOB_DIRS_MAX *//p' "$srcdir/collectors/job_dirs.h")
mkdir -p "$root/proc"
echo '100.00 200.00' >"$root/proc/uptime"
printf 'cpu  1 2 3 4\ncpu0 1 2 3 4\n' >"$root/proc/stat"
seq -f "$groups/job_%g" $((most + 100)) | xargs mkdir -p
started() { [ "$(count '^%begin [0-9]')" -ge "$1" ]; }
none_left() { expect 0 nodometer collect && [ "$(last_jobs)" = - ]; }

start_agent --root "$root"
is "warnings" "$(grep -c "more than $most jobs have control groups: the others are" "$log")" 1
# While the jobs that cgroups show begin one after another, a hook does not wait for them.
expect 0 nodometer begin --strict hook.1
begun=100
[ -z "${ALL:-}" ] || begun=$most
wait_until 60 started "$begun"
expect 0 nodometer begin --strict hook.2
expect 0 nodometer collect
[ "$(last_jobs | tr ',' '\n' | wc -l)" -ge $((begun + 2)) ] || fail "jobs: $(last_jobs)"
expect 0 nodometer end --strict hook.1
rm -r "$root/sys"
expect 0 nodometer end --strict hook.2
wait_until 60 none_left
is "begins, of which each is of another job" "$(marks | grep '^%begin' | sort -u | wc -l)" \
	"$(count '^%begin')"
is "ends" "$(count '^%end')" "$(count '^%begin')"
stop_agent
whole_archive
