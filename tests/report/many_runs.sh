#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# many_runs.sh - nodometer jobs needs little memory per run: at most 64 MB to list 200,000 runs
. "$(dirname "$0")/lib.sh"
case ${SAN:-} in *sanitize*) echo 'SKIP: a sanitizer needs more memory'; exit 77 ;; esac
runs=20000 most=2100
kept_kb=12000	# limit for a list from stored rows, in KB of data
new_kb=16000	# limit if each row is computed, in KB of data

# archive NAME RUNS: make hosts with 500 runs of a minute each; run N uses its CPU for N % 10 tenths
# of the time
archive()
{
	for host in $(seq -f "%0${#2}g" 0 500 $(($2 - 1))); do
		mkdir -p "$work/$1/n$host"
	done
	awk -v runs="$2" -v to="$work/$1/n" 'BEGIN {
		digits = length(runs)
		for (job = 0; job < runs; job++) {
			start = 1700000000 + 60 * job
			if (job % 500 == 0) {
				file = sprintf("%s%0*d/%d", to, digits, job, start)
				printf "$hpcperfstats 1.0.2\n$hostname n%d\n", job >file
				print "!cpu user,E,U=cs system,E,U=cs idle,E,U=cs" >file
			}
			for (i = 0; i < 3; i++) {
				if (i) {
					user += 250 * (job % 10)
					idle += 250 * (10 - job % 10)
				}
				printf "\n%d %d\n", start + 25 * i, job >file
				if (i != 1)
					printf "%%%s %d user=u%d\n", i ? "end" : "begin", job,
						job % 97 >file
				printf "cpu 0 %d 0 %d\n", user, idle >file
			}
		}
	}' </dev/null
}

# worst KB: list the worst runs, using at most KB kilobytes of memory for data
worst()
{
	# shellcheck disable=SC3045 # dash and bash have it
	(ulimit -d "$1" && exec "$bin/nodometer-jobs" --dir "$work/a" --worst $most --csv)
}

archive a $runs
export TMPDIR="$work"
worst $new_kb >"$work/new" || fail "no list with $new_kb KB of data"
[ "$(find "$work/a/.runs" -size +${kept_kb}k)" ] || fail 'the rows would fit in that memory'
worst $kept_kb >"$work/kept" || fail "no list of stored rows with $kept_kb KB of data"
cmp "$work/new" "$work/kept" || fail 'stored rows are others'

# First come the runs that used nothing, a tenth of all, then runs that used a tenth of their CPU.
[ "$(sed 1d "$work/kept" | wc -l)" = $most ] || fail "runs: $(wc -l <"$work/kept")"
sed 1d "$work/kept" | awk -F , -v tenth=$((runs / 10)) '
	$1 % 10 != (NR <= tenth ? 0 : 1) || (NR > 1 && NR != tenth + 1 && $1 <= last) { exit 1 }
	{ last = $1 }' || fail "the worst: $(head -n 5 "$work/kept")"
find "$work/a" -mindepth 1 -maxdepth 1 ! -name 'n[0-9]*' ! -name .runs | grep . &&
	fail 'something is left in the archive'
exit $failed
