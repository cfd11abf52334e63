#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# named_counters.sh - events in section [counters] are counted; a wrong event is refused with its
# line number
#
# The test uses the kernel's software events, which exist on every machine, if perf_event_open(2) is
# permitted.
. "$(dirname "$0")/lib.sh"

write_config 'interval = 250ms' '[counters]' 'faults = software/config=2/,software/config=3/u'
nodometer types --all | grep '^pmc_faults ' >"$scratch/state"
grep -q ' active ' "$scratch/state" || { echo "skipped: $(cat "$scratch/state")"; exit 77; }
start_agent
n=0
wait_until 10 goes_on 2
raw_text >"$scratch/raw"
grep -q '^!pmc_faults config_2,E config_3:u,E$' "$scratch/raw" || fail 'no schema line'
grep -q '^%counters_restart pmc_faults' "$scratch/raw" || fail 'no mark'
is 'rows of the last record' "$(tac "$scratch/raw" | sed '/^$/q' | grep -c '^pmc_faults ')" \
	"$(getconf _NPROCESSORS_ONLN)"
nodometer types --schema --json pmc_faults |
	grep -q '"type":"pmc_faults",.*"key":"config_2",.*"here":true' || fail 'no JSON schema'
awk '$1 == "pmc_faults" { n += $3 } END { exit !n }' "$scratch/raw" || fail 'no page fault at all'
echo "resident: $(sed -n 's/^VmRSS:[[:space:]]*//p' "/proc/$agent/status")"

# An event with a mistake is refused with its line number, and the agent keeps its configuration.
write_config 'interval = 250ms' '[counters]' 'faults = software/config=2/' 'odd = msr//'
line=$(wc -l <"$conf")
expect 1 nodometer config check 2>"$scratch/err"
grep -q "^$conf:$line: " "$scratch/err" || fail "check: $(cat "$scratch/err")"
# An event name that this node lacks is refused in the same way; without libpfm4, every event name
# is.
sed "${line}s|=.*|= nosuch::EVENT|" "$conf" >"$scratch/odd"
nodometer config check "$scratch/odd" >"$scratch/err" 2>&1
grep -q "^$scratch/odd:$line: .*\(nosuch\|event names need libpfm4\)" "$scratch/err" ||
	fail "check: $(cat "$scratch/err")"
kill -s HUP "$agent"
wait_until 10 log_says "$conf:$line: "
stop_agent
