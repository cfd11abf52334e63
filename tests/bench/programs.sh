#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# programs.sh - compare the cost of types proc and job at 1 Hz: read by BPF programs, or from files
#
# Runs as root in the build folder: 4,000 processes of a user and 200 jobs with cgroups of version 2
# (PROCESSES=n, JOBS=n), a sample each second for SECONDS_EACH (15) seconds, with cold caches as on
# a real node.
set -u
processes=${PROCESSES:-4000} jobs=${JOBS:-200} seconds=${SECONDS_EACH:-15}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/programs.XXXXXX") || exit 1
groups=/sys/fs/cgroup
[ -e $groups/cgroup.controllers ] || groups=$groups/unified
slice=$groups/bench$$.slice scope=$groups/bench$$.slice/slurmstepd.scope
started=
finish()
{
	[ -z "$started" ] || kill $started
	wait
	find "$slice" -depth -type d -exec rmdir {} + 2>/dev/null
	rm -rf "$tmp"
}
trap finish EXIT
trap 'exit 1' INT TERM

mkdir -p "$scope" || exit 1
for dir in "$groups" "$slice" "$scope"; do
	for controller in cpu memory io pids; do
		echo +$controller >"$dir/cgroup.subtree_control"
	done
done 2>/dev/null
for job in $(seq "$jobs"); do
	mkdir -p "$scope/job_$job/step_0/user/task_0"
done
setpriv --reuid=4711 --regid=4711 --clear-groups bash -c "trap 'kill \$(jobs -p); exit' TERM
	for i in \$(seq $processes); do sleep 100000 & done; : >&3; wait" 3>"$tmp/ready" &
started=$!
until [ "$(pgrep -c -u 4711 sleep)" -ge "$processes" ]; do
	sleep 0.5
done

# cost BPF: run the agent with "bpf = BPF", yes or no; print the median CPU times of the types proc
# and job in us, and the agent's memory in KB
cost()
{
	mkdir "$tmp/$1" "$tmp/$1/run" || exit 1
	{
		printf '[agent]\ndir = %s\nruntime-dir = %s\n' "$tmp/$1" "$tmp/$1/run"
		printf 'interval = 1s\n'
		printf 'job-file =\nbpf = %s\n[types]\n' "$1"
		./nodometer types --json | jq -r '.types[].name |
			select(. != "proc" and . != "job" and . != "nodometer") | . + " = off"'
	} >"$tmp/conf"
	./nodometerd --foreground --config "$tmp/conf" 2>"$tmp/log" &
	agent=$!
	sleep "$seconds"
	rss=$(awk '/VmRSS/ { print $2 }' /proc/$agent/status)
	./nodometer status --config "$tmp/conf" | grep 'read by BPF' >&2
	kill $agent
	wait $agent
	for type in proc job; do
		awk -v type="$type" '$1 == "nodometer" && $2 == type { print $3 / 1000 }' \
			"$tmp/$1"/*/current | tail -n +5 | sort -n |
			awk '{ v[NR] = $1 } END { printf "%d ", v[int((NR + 1) / 2)] }'
	done
	echo "$rss"
}
printf '%-8s %12s %12s %12s %10s\n' way 'proc us' 'job us' 'both ms' 'RSS KB'
for way in no yes; do
	read -r proc job rss < <(cost $way)
	printf '%-8s %12s %12s %12s %10s\n' "bpf=$way" "$proc" "$job" \
		"$(((proc + job) / 1000)).$(((proc + job) % 1000 / 100))" "$rss"
done
