#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# alone.sh - hooks and cron work without an agent and with an agent that hangs; all append to the
# same file of the archive
. "$(dirname "$0")/lib.sh"

not_free() {
	! flock -n "$archive/$host/lock" true
}

# Without an agent, the commands collect, begin and end write to the same file and share the list of
# jobs.
expect 1 nodometer status >"$scratch/out"
expect 0 nodometer begin 201
is "marks" "$(marks)" "%begin 201"
expect 0 nodometer begin 202
expect 0 nodometer collect
is "jobs" "$(last_jobs)" 201,202
expect 0 nodometer begin --strict 201 2>/dev/null
is "begin marks of one job" "$(count '^%begin 201$')" 1
expect 0 nodometer mark alone
is "mark" "$(marks | tail -n 1)" "%alone"
expect 0 nodometer end 202
expect 0 nodometer end --strict 299 2>/dev/null
is "jobs of an end without begin" "$(last_jobs)" 201,299
expect 0 nodometer collect cpu
is "jobs" "$(last_jobs)" 201
expect 1 nodometer begin --strict 'a,b' 2>/dev/null
expect 0 nodometer begin '' 2>/dev/null

# A file in the spool that is not a complete mark is removed, and the next hook reports it.
echo 'begin 205' >"$runtime/marks/soon.mark"
expect 0 nodometer mark spool 2>"$scratch/err"
grep -q 'marks/soon.mark was not written by a hook or the agent' "$scratch/err" ||
	fail "what is removed from the spool: $(cat "$scratch/err")"
expect 1 nodometer status >"$scratch/out"
grep -q '^job  *201' "$scratch/out" || fail "status does not show the job: $(cat "$scratch/out")"
is "files" "$(raw_files | wc -l)" 1
expect 0 nodometer rotate
is "files after rotate" "$(raw_files | wc -l)" 2
whole_archive

# With --stdout, nothing is written to the archive.
n=$(groups | wc -l)
nodometer collect --stdout >"$scratch/raw" || fail "collect --stdout"
is "groups" "$(groups | wc -l)" "$n"
whole "$scratch/raw"

# An agent that starts during a job appends to the archive's newest file and keeps the jobs.
start_agent
is "files" "$(raw_files | wc -l)" 2
is "jobs of its first group" "$(last_jobs)" 201
grep -q '^job  *201' "$scratch/status" || fail "the agent does not know the job"

# "collect TYPE" takes its own sample of only this type; "collect" asks the agent for all types.
types() {	# print the types of the newest record group
	raw_text | awk '$0 == "" { t = ""; split("", seen) }
		/^[a-z]/ && $1 != "nodometer" && !seen[$1]++ { t = t $1 " " } END { print t }'
}
expect 0 nodometer collect cpu
is "types of a sample of one type" "$(types)" 'cpu '
expect 0 nodometer collect
[ "$(types | wc -w)" -gt 3 ] || fail "only these types: $(types)"

# A hook with "--dir" writes the archive itself, without the agent. The agent takes over its job.
expect 0 nodometer begin --dir "$archive" 203
expect 0 nodometer collect
is "jobs" "$(last_jobs)" 201,203

# The agent hangs: a hook returns in time and has written the mark itself.
kill -s STOP "$agent"
begin() {
	expect 0 bounded 30 begin 204 2>"$scratch/err"
}
quick 2500 begin
is "mark beside an agent that hangs" "$(marks | tail -n 1)" "%begin 204"
is "jobs" "$(last_jobs)" 201,203,204
kill -s CONT "$agent"
expect 0 nodometer collect
is "jobs of the agent's next group" "$(last_jobs)" 201,203,204
# If a hook timed out while it wrote its mark, the next hook finds that mark and does not write it
# again.
is "begin marks of the job" "$(marks | grep -cx "%begin 204")" 1

# The agent was stopped while it held the archive's lock: the hook leaves its mark in the spool for
# the next process.
kill -s STOP "$agent"
(flock 9 && exec sleep 60) 9>>"$archive/$host/lock" &
holder=$!
pids="$pids $holder"
wait_until 5 not_free
expect 0 bounded 30 end 204 2>"$scratch/err"
grep -q "\"204\" is left in $runtime/marks" "$scratch/err" || fail "end says: $(cat "$scratch/err")"
is "end marks while the lock is held" "$(count '^%end 204$')" 0
expect 3 bounded 30 end --strict --timeout 8 205 2>/dev/null	# a busy machine is slow to start
expect 1 nodometer status >"$scratch/out" 2>/dev/null
grep -q 'marks not yet written  *2$' "$scratch/out" || fail "status says: $(cat "$scratch/out")"
kill "$holder"
wait "$holder" 2>/dev/null
forget "$holder"
kill -s CONT "$agent"
ended() { [ "$(count '^%end 20[45]$')" -eq 2 ]; }
wait_until 5 ended
raw_text | grep -q '^%end 204 source=hook at=[0-9.]*$' || fail "no time of its own"
expect 0 nodometer collect
is "jobs" "$(last_jobs)" 201,203
is "marks left" "$(left_marks)" ''
expect 0 nodometer end 201
expect 0 nodometer end 203
is "end marks" "$(count '^%end 20[1345]$')" 4

# A hook times out while the agent waits for the jobs lock: both the hook and the agent leave the
# hook's request in the spool.
left() { find "$runtime/marks" -name '*.mark' | wc -l; }
expect 0 nodometer begin 206
(flock 9 && exec sleep 60) 9>>"$runtime/marks/lock" &
holder=$!
pids="$pids $holder"
jobs_are_held() { ! flock -n "$runtime/marks/lock" true; }
wait_until 5 jobs_are_held
expect 0 nodometer end --timeout 1 206 2>/dev/null
for _ in $(seq 40); do	# a busy machine starts a hook too late: then the agent is not asked
	[ "$(left)" -lt 2 ] || break
	sleep 0.05
done
kill "$holder" && wait "$holder" 2>/dev/null
forget "$holder"
nothing_left() { [ "$(left)" -eq 0 ]; }
wait_until 10 nothing_left
is "end marks of a request that was left twice" "$(count '^%end 206$')" 1
stop_agent
whole_archive
