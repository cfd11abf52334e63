#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# jobs_used.sh - nodometer jobs --used reads each file once for all jobs and agrees with nodometer
# report
. "$(dirname "$0")/lib.sh"

# node HOST FIRST EACH JOBS: make a file of HOST with JOBS consecutive jobs, numbered from FIRST on,
# with three samples each. Each job runs on EACH nodes. Jobs with even numbers have marks. If EACH
# is 1, two of three jobs share the node with the previous or the next job.
node()
{
	mkdir -p "$work/a/$1"
	awk -v host="$1" -v first="$2" -v each="$3" -v jobs="$4" 'BEGIN {
		printf "$hpcperfstats 1.0.2\n$hostname %s\n", host
		print "!cpu user,E,U=cs system,E,U=cs idle,E,U=cs"
		print "!mem MemTotal,U=KB MemUsed,U=KB FilePages,U=KB Slab,U=KB"
		for (j = 0; j < jobs; j++)
			for (k = 0; k < 3; k++) {
				name = first + j
				time = 1700000000 + 100 * (3 * j + k)
				user += 100 * (name % 7)
				beside = ""
				if (each == 1 && j % 3 < 2)
					beside = "," (j % 3 ? name + 1 : name - 1)
				printf "\n%d %d%s\n", time, name, beside
				if (name % 2 == 0 && k == 0)
					printf "%%begin %d user=ann nodes=%d\n", name, each
				if (name % 2 == 0 && k == 2)
					printf "%%end %d exit=%d:0\n", name, name % 3
				printf "cpu 0 %d 0 %d\n", user, 100 * time - user
				printf "mem 0 8388608 %d 0 0\n", 1048576 + 1024 * name
			}
	}' >"$work/a/$1/1700000000"
}
node n1 1000 1 300
node n2 2000 2 50
node n3 2000 2 50
printf '\nnonsense\n' >>"$work/a/n3/1700000000"

# compare JOB...: jobs --used must print the values of the jobs' reports, but no values of shared
# nodes
compared=0
compare()
{
	for job; do
		"$bin/nodometer-report" --dir "$work/a" --json "$job" >"$work/report" \
			2>"$work/said" || fail "report $job: $(cat "$work/said")"
		grep "^{\"job\":\"$job\"," "$work/table" >"$work/row" || fail "no row of $job"
		for what in cpus memory; do
			want=$(grep -o "\"$what\":{\"used\":[^}]*}" "$work/report" | head -n 1)
			got=$(grep -o "\"$what\":{\"used\":[^}]*}" "$work/row")
			[ "$want" = "$got" ] || fail "job $job: \"$got\", report: \"$want\""
			compared=$((compared + ${#got}))
		done
	done
}
"$bin/nodometer-jobs" --dir "$work/a" --used --json >"$work/table" 2>"$work/said"
[ "$(wc -l <"$work/table")" = 351 ] || fail "not 351 jobs: $(wc -l <"$work/table")"
compare 999 1000 1001 1002 1150 1298 1299 2000 2001 2024 2049
[ "$compared" -gt 300 ] || fail "the nodes of 2000 to 2049 are not shared, and nothing is known"

# Stored rows have the findings of the settings of then, so they are not used with other settings.
cp -r "${srcdir:-.}/tests/report/found-idle-node/archive" "$work/found"
chmod -R u+w "$work/found"
echo 'idle-nodes = off' >"$work/advice"
"$bin/nodometer-jobs" --dir "$work/found" --keep || fail 'no --keep'
"$bin/nodometer-jobs" --dir "$work/found" --used --json --advice "$work/advice" >"$work/table"
grep -q '"findings":\["uneven"' "$work/table" ||
	fail "findings of other settings: $(cat "$work/table")"

# Figures of a job of several nodes belong to no single node.
"$bin/nodometer-jobs" --dir "$work/found" --by node --figures cpu.user --json >"$work/table"
grep '"name":"n1"' "$work/table" | grep -q '"figures":{}' ||
	fail "figures of one of four nodes: $(cat "$work/table")"
"$bin/nodometer-jobs" --dir "$work/found" --by user --figures cpu.user --json |
	grep -q '"figures":{"cpu.user":' || fail 'no figures of the user of the job'
# One file has the records of more nodes than jobs may be open at once, and one job ran on all of
# them.
mkdir -p "$work/joined/h1"
awk 'BEGIN {
	for (i = 1; i <= 1100; i++) {
		printf "$hpcperfstats 1.0.2\n$hostname h%d\n!vm pgpgin,E\n", i
		printf "\n1700000000 7\n%%begin 7 nodes=1100\nvm - 1\n"
		printf "\n1700000600 7\n%%end 7\nvm - 2\n\n"
	}
}' >"$work/joined/h1/1700000000"
timeout 300 "$bin/nodometer-jobs" --dir "$work/joined" --used --json >"$work/table" ||
	fail 'the job of a file with many nodes is not read'
[ "$(grep -o '"h[0-9]*"' "$work/table" | sort -u | wc -l)" = 1100 ] ||
	fail "the nodes of a joined file: $(head -c 1000 "$work/table")"

command -v strace >/dev/null || { echo 'files not counted: strace is not installed'; exit $failed; }
rm -f "$work/a/.runs"
strace -f -qq -e trace=openat -o "$work/trace" "$bin/nodometer-jobs" --dir "$work/a" --used \
	>/dev/null 2>&1
for host in n1 n2 n3; do
	opened=$(grep -c "/$host/1700000000\"" "$work/trace")
	[ "$opened" -gt 0 ] || fail "$host was not traced"
	[ "$opened" -le 3 ] || fail "$host: its file was opened $opened times for its jobs"
done
exit $failed
