#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# json_schemas.sh - the JSON output of commands, and job summaries, match their JSON schemas
#
# A key of an output that its schema lacks is an error, and so is a key of a schema that no output
# of this test has.
. "$(dirname "$0")/lib.sh"
for python in python3 /usr/bin/python3 ''; do
	"$python" -c 'from jsonschema import Draft202012Validator' 2>/dev/null && break
done
[ -n "$python" ] || skip 'python3-jsonschema (4.0 or later) is not installed'
src=$(cd "$srcdir" && pwd)
out=$scratch/json
mkdir -p "$out" "$archive/n1"

# Report a job that failed, and a CPU whose counter grew by more than the elapsed time.
# shellcheck disable=SC2016 # properties, not variables
printf '%s\n' '$hpcperfstats 1.0.2' '$hostname n1' '!cpu user,E,U=cs' '' '1700000000 7' \
	'%begin 7 user=ann name=run account=phys partition=small' 'cpu 0 100' '' '1700000060 7' \
	'%end 7 state=FAILED exit=1:0' 'cpu 0 100000' >"$archive/n1/1700000000"
printf '%s\n' 'JobID|JobIDRaw|State|ExitCode' '6_1|7|FAILED|1:0' >"$scratch/sacct"

# Report jobs that succeeded and failed, on one node and several, with complete and torn records,
# and with missing values.
reports() { "$bin/nodometer-report" "$@" --json 2>/dev/null >>"$scratch/report"; }
lists() { "$bin/nodometer-jobs" --json "$@" 2>/dev/null >>"$out/jobs"; }
for args in "$src"/tests/report/*/args; do
	# shellcheck disable=SC2046 # the words of the file are the arguments
	(cd "${args%/args}" && reports $(cat args))
done
reports 6_1 --dir "$archive" --sacct "$scratch/sacct"
groups() { "$bin/nodometer-jobs" --json "$@" 2>/dev/null >>"$out/job-groups"; }
# nodometer-jobs stores rows of runs in the archive: use a copy
cp -r "$src/tests/report" "$scratch/cases"
chmod -R u+w "$scratch/cases"
for from in "$scratch"/cases/*/archive "$archive"; do
	lists --dir "$from"
	lists --dir "$from" --figures all
	groups --dir "$from" --by account
	groups --dir "$from" --by node --figures all
	lists --dir "$from" --used
	lists --dir "$from" --sacct "$scratch/sacct"
done
# Report jobs of a site that sets carbon and price of its energy.
printf '%s\n' '[site]' 'carbon = 350' 'price = 0.25' >"$scratch/advice"
cp -r "$src/tests/report/energy-sources/archive" "$scratch/copy" && chmod -R u+w "$scratch/copy"
reports 7 --dir "$scratch/copy" --advice "$scratch/advice"
lists --dir "$scratch/copy" --used --advice "$scratch/advice"
groups --dir "$scratch/copy" --by user --advice "$scratch/advice"
for node in 1 2 3 4 5 6 7 8; do mkdir -p "$scratch/slow/n$node"; done
awk -v DIR="$scratch/slow" -f "$src/tests/report/slow_archive.awk"
lists --dir "$scratch/slow" --used
mkdir -p "$scratch/two/n1"
printf '%s\n' '1 3600 3 8 2 1 llite 5' '2 3700 3 8 2 1 llite 5' '3 9000 3 2 2 1 nfs 5' |
	awk -v DIR="$scratch/two" -v NODE=n1 -f "$src/tests/report/compare_archive.awk"
for sets in '1,2 3' '3 2,1'; do
	# shellcheck disable=SC2086 # two words
	"$bin/nodometer-compare" $sets --json --dir "$scratch/two" >>"$out/compare" ||
		fail "no runs are compared: $sets"
done
"$bin/nodometer-nodes" --slow --json --dir "$scratch/slow" >"$out/nodes" || fail 'no slow nodes'
grep '^{' "$scratch/report" >"$out/report"
[ "$(wc -l <"$out/report")" -gt 80 ] || fail "only $(wc -l <"$out/report") reports"

# Show the status of an agent with jobs, a type in error, a CPU that disappears, and a sink that
# fails.
root=$scratch/root
mkdir -p "$root/proc/vmstat" "$scratch/state/$host"
printf '%s\n' 'cpu0 1 0 1 1 0 0 0' 'cpu1 1 0 1 1 0 0 0' >"$root/proc/stat"
printf '%s\n' 'nodometer cursor 1' 'file 1700000000' 'offset 9' 'time_us 1700000000000000' \
	'success_us 1700000000000000' 'receiver 2' 'failovers 1' \
	'why it is full' end >"$scratch/state/$host/archive"
mkdir -p "$root/sys/cray/pm_counters"
echo '5000 J 1593436788063063 us' >"$root/sys/cray/pm_counters/energy"
echo 1 >"$root/sys/cray/pm_counters/freshness"
mkdir "$scratch/done"
write_config "advice = $scratch/advice" "summary-dir = $scratch/done" \
	'[send]' "state-dir = $scratch/state" '[sink archive]' "dir = $scratch/central"
start_agent --root "$root"
echo 2 >"$root/sys/cray/pm_counters/freshness"	# the value must not stay the same for two seconds
expect 0 nodometer begin --attr user=ann --attr account=phys -- 6
echo '9000 J 1593436798063063 us' >"$root/sys/cray/pm_counters/energy"
echo 3 >"$root/sys/cray/pm_counters/freshness"
expect 0 bounded 30 end --summary 6 >>"$out/summary"
expect 0 nodometer begin 7
expect 0 nodometer begin 8
nodometer top --root "$root" --json --count 2 --delay 0.1 >"$out/top" || fail 'no top'
nodometer top --json --count 2 --delay 0.1 >>"$out/top" || fail 'no top of this machine'
nodometer status --json >"$out/status" || fail 'no status'
echo 'cpu0 2 0 1 1 0 0 0' >"$root/proc/stat"
for job in 7 8 7 9; do
	expect 0 bounded 30 end --summary $job 2>/dev/null >>"$out/summary"
done
stop_agent
nodometer top --root "$root" --json --delay 0.1 >>"$out/top" || fail 'no top without the agent'
expect 0 bounded 30 end --summary 10 --root "$root" 2>/dev/null >>"$out/summary"
cat "$scratch/done/$host.jsonl" >>"$out/summary"
nodometer status --json >>"$out/status"


# Report connections with and without the values that a verdict needs.
for pm in $(has tcp && echo lossy little); do
	"$bin/nodometer-tcp" report --json "$src/tests/fuzz/corpus/pm/$pm" >>"$out/tcp" ||
		fail "no report of $pm"
done

# Show a fleet with a node without records, and with two versions of nodometer.
for i in 1 2 3; do
	mkdir -p "$scratch/fleet/n$i" "$scratch/fleet/empty"
	printf '%s\n' "\$hpcperfstats 1.0.$((i / 3))" '!vm a' '' \
		"$(date +%s) -" 'vm - 1' >"$scratch/fleet/n$i/1700000000"
done
"$bin/nodometer-fleet" --dir "$scratch/fleet" --json >"$out/fleet"
if has tcp; then
	# Report the same connections together with an access that used one of them, in the form of
	# nodometer xrootd --fireflies.
	pm=$src/tests/fuzz/corpus/pm/lossy
	ports=$("$bin/nodometer-tcp" report --csv "$pm" |
		sed -n '2s/^\([0-9]*\)\.\([0-9]*\),.*/\1 \2/p')
	cat >"$scratch/access" <<X
{"filename":"/f","user":"a","vo":"cms","host":"h","read":1,"readv":2,"write":3,
"flow":{"src_ip":"::1","src_port":${ports% *},"dst_ip":"::1","dst_port":${ports#* },
"experiment_id":3,"activity_id":14,
"application":"x","start":1,"end":4000000000,"sent":5,"received":6}}
X
	tr -d '\n' <"$scratch/access" >"$scratch/line"
	"$bin/nodometer-tcp" report --json --join "$scratch/line" "$pm" >>"$out/tcp" ||
		fail 'no join'
fi

# Report operations on files that several processes share.
without=trace
[ ! -x "$bin/nodometer-trace" ] || {
	without=
	"$bin/nodometer-trace" report --json "$src/tests/tracers/shared.csv" >"$out/trace" ||
		fail 'no report of a trace'
}

"$python" "$src/tests/e2e/json_schemas.py" man/schemas "$src/man/schemas" "$out" $without \
	>"$scratch/said" ||
	fail "$(cat "$scratch/said")"
cat "$scratch/said"
