#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# job_exports.sh - the agent exports files for other programs: the job on each GPU, and summaries of
# jobs
. "$(dirname "$0")/lib.sh"

for dir in gpu dcgm "done"; do mkdir "$scratch/$dir"; done
write_config "gpu-job-dir = $scratch/gpu" "dcgm-job-dir = $scratch/dcgm" \
	"summary-dir = $scratch/done"
summaries=$scratch/done/$host.jsonl

# files: print "FOLDER/GPU LINES" for all GPUs that have a job
files() {
	(cd "$scratch" && for f in gpu/* dcgm/*; do
		[ ! -f "$f" ] || printf '%s %s|' "$f" "$(tr '\n' ' ' <"$f")"
	done)
}

start_agent
expect 0 nodometer begin --attr gpus=0-1 --attr uid=1000 --attr user=grouped \
	--attr 'account=a"b' -- 7
is "files" "$(files)" 'gpu/0 7 1000 |gpu/1 7 1000 |dcgm/0 7 |dcgm/1 7 |'
expect 0 nodometer begin 8
expect 0 nodometer end --summary -- 8 >"$scratch/line"
is "files" "$(files)" 'gpu/0 7 1000 |gpu/1 7 1000 |dcgm/0 7 |dcgm/1 7 |'
is "the summary of 8" "$(cat "$summaries")" "$(cat "$scratch/line")"

# The files still exist after a restart of the agent; a hook without an agent writes the same files.
stop_agent KILL
start_agent
expect 0 nodometer end 7
is "files" "$(files)" ''
tail -n 1 "$summaries" | grep -q '^{"job":"7",.*,"user":"grouped","account":"a\\"b"}$' ||
	fail "whose job 7 is: $(tail -n 1 "$summaries")"
stop_agent
expect 0 nodometer begin --attr gpus=3 -- 9
is "files" "$(files)" 'gpu/3 9 |dcgm/3 9 |'
expect 0 nodometer end 9
is "files" "$(files)" ''
is "jobs in the summaries" "$(sed 's/^{"job":"\([0-9]*\)".*}$/\1/' "$summaries" | tr '\n' ' ')" \
	'8 7 9 '

# If the folders of exports are missing, the agent only logs this.
rm -rf "$scratch/gpu" "$scratch/dcgm" "$scratch/done"
start_agent
expect 0 nodometer begin --strict --attr gpus=0 -- 10
expect 0 nodometer end --strict 10
for key in gpu-job-dir dcgm-job-dir summary-dir; do
	grep -q "$key: $scratch" "$log" || fail "the log does not name $key"
done
stop_agent

# A folder or a FIFO in place of a file that the agent exports stops neither the agent nor a job,
# and is reported once.
mkdir "$scratch/done"
mkfifo "$summaries" || fail "no mkfifo"
: >"$log"
start_agent
for job in 11 12 13; do
	expect 0 bounded 30 begin --strict $job
	expect 0 bounded 30 end --strict $job
done
is "messages" "$(grep -c "summary-dir: $summaries: is not a regular file" "$log")" 1
rm "$summaries"
echo kept >"$scratch/other"
ln -s "$scratch/other" "$summaries"
expect 0 bounded 30 begin --strict 14
expect 0 bounded 30 end --strict 14
is "what a link leads to" "$(cat "$scratch/other")" kept
grep -q "summary-dir: $summaries: is a symbolic link" "$log" || fail "the link is not named"
rm "$summaries"
expect 0 bounded 30 begin --strict 15
expect 0 bounded 30 end --strict 15
is "lines in the end" "$(grep -c '"job":"15"' "$summaries")" 1

# An error that occurs again is reported again if a summary was written in between.
mv "$summaries" "$scratch/moved"
ln -s "$scratch/other" "$summaries"
expect 0 bounded 30 begin --strict 16
expect 0 bounded 30 end --strict 16
is "messages" "$(grep -c "summary-dir: $summaries: is a symbolic link" "$log")" 2
mv "$scratch/moved" "$summaries"
stop_agent

# The site's price and carbon apply to the energy of a node: 7200000 J are 2 kWh.
root=$scratch/root
mkdir -p "$root/proc" "$root/sys/cray/pm_counters"
echo 100.00 100.00 >"$root/proc/uptime"
echo '5000 J 1593436788063063 us' >"$root/sys/cray/pm_counters/energy"
echo 1 >"$root/sys/cray/pm_counters/freshness"
printf '%s\n' 'low-cpu = 30' '[site]' "carbon = $scratch/grid" 'price = 0.25' \
	>"$scratch/advice.conf"
printf '%s\n' '2000-01-01T00:00:00 300' '2200-01-01T00:00:00 0' >"$scratch/grid"
write_config "summary-dir = $scratch/done" "advice = $scratch/advice.conf"
start_agent --root "$root"
# Give each sample a new freshness, because energy with the same freshness for two seconds is taken
# to come from a dead controller.
echo 2 >"$root/sys/cray/pm_counters/freshness"
expect 0 nodometer begin --strict 20
echo '7205000 J 1593436798063063 us' >"$root/sys/cray/pm_counters/energy"
echo 3 >"$root/sys/cray/pm_counters/freshness"
expect 0 bounded 30 end --summary 20 >"$scratch/line"
grep -q '"kwh":2,"co2_grams":600,"price":0.5,.*"node_energy":7.2e+06' "$scratch/line" ||
	fail "no costs: $(cat "$scratch/line")"
expect 0 nodometer begin --strict 21
echo 'price = much' >>"$scratch/advice.conf"
expect 0 bounded 30 end --summary 21 >"$scratch/line"
grep -q '"job":"21"' "$scratch/line" && ! grep -q kwh "$scratch/line" ||
	fail "costs of a wrong file: $(cat "$scratch/line")"
log_says 'advice.conf:5: expected carbon, price or pue' || fail 'a wrong file is not told'
stop_agent
whole_archive
