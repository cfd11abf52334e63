#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# restart.sh - a job continues when the agent is ended by SIGTERM, SIGINT or kill -9 and started
# again
. "$(dirname "$0")/lib.sh"

write_config 'interval = 200ms'

# kill_agent: kill the agent, and wait until its writer has noticed and ended, because the writer
# holds the archive's lock
kill_agent() {
	writer=$(cat "/proc/$agent/task/$agent/children")
	stop_agent KILL
	for child in $writer; do
		wait_until 10 is_gone "$child"
	done
}
is_gone() { [ ! -d "/proc/$1" ]; }

# owners_at_end JOB: print the jobs of the record group with the end mark of JOB, then each job of
# later record groups. A tick may add record groups until the agent has stopped.
owners_at_end() {
	raw_text | awk -v mark="^%end $1( |$)" 'blank { owner = $2; if (seen) after[owner] }
		{ blank = $0 == "" } $0 ~ mark { seen = 1; print owner }
		END { for (owner in after) if (owner != "-") print owner, "after its end" }'
}

for signal in TERM KILL INT; do
	job=40-$signal
	start_agent
	expect 0 nodometer begin "$job"
	case $signal in KILL) kill_agent ;; *) stop_agent $signal ;; esac
	start_agent
	is "jobs of the first group" "$(groups | tail -n 1 | cut -d ' ' -f 2)" "$job"
	grep -q "^job  *$job," "$scratch/status" || fail "the agent forgot $job"
	n=$(groups | wc -l)
	wait_until 5 goes_on 1
	expect 0 nodometer end "$job"
	stop_agent
	is "begin marks" "$(count "^%begin $job\$")" 1
	is "end marks" "$(count "^%end $job\$")" 1
	is "jobs in the end" "$(owners_at_end "$job")" "$job"
	! grep -qv " ended" "$runtime/jobs" || fail "the job is still in the state file"
done
whole_archive

# If half a row or other bytes follow the last record group, the record group with the mark stays,
# and these bytes are moved to the file "torn".
for tail in 'cpu 0 17' "$(printf 'x\n\n12 -\n\001\002\nnodometer - 5')"; do
	start_agent
	expect 0 nodometer mark "before $tail"
	kill_agent
	printf '%s' "$tail" >>"$archive/$host/current"
	start_agent
	stop_agent
	grep -q "current: its last ${#tail} bytes are not a complete record group" "$log" ||
		fail "the agent says: $(tail -n 3 "$log")"
	tail -c $((${#tail} + 1)) "$archive/$host/torn" >"$scratch/kept"
	printf '%s\n' "$tail" | cmp - "$scratch/kept" || fail "not kept: $(cat "$scratch/kept")"
done
expect 0 nodometer check "$archive/$host"/* >"$scratch/check"
is "marks before a torn tail" "$(count '^%before ')" 2
whole_archive

# All record groups are in one file, and the report of the job is complete.
header() { sed '/^$/q' "$1"; }
header "$(raw_files | head -n 1)" >"$scratch/first"
header "$(raw_files | tail -n 1)" >"$scratch/last"
[ "$(raw_files | wc -l)" -eq 1 ] ||
	fail "files: $(raw_files | wc -l), of the last: $(diff "$scratch/first" "$scratch/last" |
		sed -n 's/^>//p' | head -n 5 | tr '\n' ';')"
expect 0 nodometer report 40-KILL --json >"$scratch/report"
expect 0 nodometer report 40-KILL >"$scratch/report.txt"
grep -q 40-KILL "$scratch/report.txt" || fail "the report does not name its job"
grep -qi 'no end\|no begin' "$scratch/report.txt" &&
	fail "the report lacks an end of the job: $(cat "$scratch/report.txt")"

# A second agent for the same node reports this and exits; the first one continues, even if it
# hangs.
start_agent
for signal in CONT STOP; do
	kill -s $signal "$agent"
	expect 1 timeout 30 "$bin/nodometerd" --config "$conf" 2>>"$log"
done
kill -s CONT "$agent"
is "times it was said" "$(grep -c 'another nodometerd' "$log")" 2
expect 0 nodometer status >/dev/null
stop_agent
