#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# many_jobs.sh - with the largest number of jobs on a node, one more is refused with a reason, and
# no job is lost
. "$(dirname "$0")/lib.sh"

# Write the agent's list of jobs directly, which is faster than running as many hooks.
write_config
expect 0 nodometer begin 0
most=$(sed -n 's/^#define JOBS_MAX *\([0-9]*\).*/\1/p' "$srcdir/lib/recorder/jobs.h")
since=$(sed -n 's/^0 \([0-9.]*\) .*/\1/p' "$runtime/jobs")
seq -f "%g $since hook" 1 $((most - 1)) >>"$runtime/jobs"
start_agent
expect 0 nodometer collect
is "jobs" "$(last_jobs | tr ',' '\n' | sort -n | uniq | wc -l)" "$most"
expect 1 nodometer begin --strict one-more 2>"$scratch/err"
grep -q 'one-more is not marked: too many jobs own this node' "$scratch/err" ||
	fail "begin says: $(cat "$scratch/err")"
expect 0 nodometer begin one-more 2>/dev/null
is "begin marks" "$(count '^%begin one-more$')" 0
expect 0 nodometer begin --strict 7 2>/dev/null	# this job is in the list already

expect 0 nodometer end --strict 7
expect 0 nodometer begin --strict one-more
is "jobs" "$(last_jobs | tr ',' '\n' | grep -cx -e one-more -e 7)" 1
stop_agent

# Without an agent, the refusal has the same message.
expect 1 nodometer begin --strict another 2>"$scratch/err"
grep -q 'another is not marked: too many jobs own this node' "$scratch/err" ||
	fail "begin says: $(cat "$scratch/err")"
whole_archive
