#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# noise.sh - how much an agent disturbs and slows down a job that runs on all CPUs
#
# usage: noise.sh [SLICES], in the build folder, as `make bench-noise`; takes about eight minutes
#
# Agents that are not installed are left out. NOISE_ROUNDS=n (6) sets the number of rounds, and
# NOISE_MS=n (2000) the length of a slice. If SLICES, a file of lines from measure_slice(), is
# given, only its table is printed.
#
# If other programs use the machine, the times of slices are unreliable. Therefore the limit at 1 Hz
# applies to the CPU time of the sampler: at worst, the job waits at barriers for all of this time.
# The pairs of slices can only show that the agent exceeds the limit.
set -u
here=$(cd "$(dirname "$0")" && pwd)
rounds=${NOISE_ROUNDS:-6} ms=${NOISE_MS:-2000} pairs=${NOISE_PAIRS:-5}	# pairs: number per round
tmp=$(mktemp -d) || exit 1
running=
trap '[ -z "$running" ] || kill $running; rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM
. "$here/measure.sh"
. "$here/peers.sh"

# "nodometer run" refuses to run as root
as=
if [ "$(id -u)" = 0 ]; then
	as='setpriv --reuid 65534 --regid 65534 --clear-groups'
	$as test -x ./nodometer-run || as=
	chmod 755 "$tmp" && install -d -m 1777 "$tmp/run"
fi

# A table like `rows` in bench.sh, with two more values of HOW: "stopped": the agent is stopped for
# every other slice; "below": the command runs the job.
rows="
nodometerd, 1 Hz     |stopped|./nodometerd --foreground --config $tmp/1s.conf
nodometer run, 1 Hz  |below |$as ./nodometer-run -q -i 1s -o $tmp/run --
nodometerd, 50 Hz    |agent |./nodometerd --foreground --config $tmp/20ms.conf
${NOISE_PEERS-$peers}"

# measure_slice NAME off|on: run the job once. Prints "NAME|off or on|output of tests/bench/noise".
measure_slice()
{
	echo "$1|$2|$(tests/bench/noise -t "$ms" -b "$quanta")"
}

# used PID...: print the CPU time in ns of these processes, and how often they were scheduled
used()
{
	local pid
	for pid; do
		cat /proc/"$pid"/task/*/schedstat
	done | awk '{ ns += $1; runs += $3 } END { printf "%.0f %.0f\n", ns, runs }'
}

# measure_used NAME PID...: like `measure_slice NAME on`, but append "|" and the increase of the
# numbers that used() prints for these processes
measure_used()
{
	local name=$1 slice before after
	shift
	read -r -a before <<<"$(used "$@")"
	slice=$(measure_slice "$name" on)
	read -r -a after <<<"$(used "$@")"
	echo "$slice|$((after[0] - before[0])) $((after[1] - before[1]))"
}

# measure_beside NAME PID: measure pairs of time slices. During one slice of each pair, chosen at
# random, process PID and its children are paused. NAME is the row of the result.
measure_beside()
{
	local name=$1 pair half first pids
	read -r -a pids <<<"$2 $(cat /proc/"$2"/task/*/children)"
	for ((pair = 0; pair < pairs; pair++)); do
		first=$((RANDOM % 2))
		for half in $first $((1 - first)); do
			if [ "$half" = 1 ]; then
				measure_used "$name" "${pids[@]}"
				continue
			fi
			kill -STOP "${pids[@]}"
			measure_slice "$name" off
			kill -CONT "${pids[@]}"
			sleep 0.1	# the resumed sampler takes its missed sample at once
		done
	done
}

# measure_below NAME: like measure_beside(), for a job under nodometer run, whose sampler is the
# child with its own session
measure_below()
{
	local pid children
	sleep "$settle"
	read -r -a children </proc/$PPID/task/$PPID/children
	for pid in "${children[@]}"; do
		[ "$(cut -d ' ' -f 6 "/proc/$pid/stat")" != "$pid" ] || measure_beside "$1" "$pid"
	done
}

# measure_with NAME HOW COMMAND [CLIENT]: start an agent, and measure slices while it runs
measure_with()
{
	# shellcheck disable=SC2086 # command lines to split
	if ! start $3; then
		missing[$1]=failed
		echo "$1: failed: $(tail -n 1 "$tmp/log")" >&2
		return
	fi
	client "${4:-}"
	if [ "$2" = stopped ]; then
		measure_beside "$1" "$running"
	else
		measure_slice "$1" on
	fi
	stop
}

# measure_pairs NAME HOW COMMAND [CLIENT]: measure with the agent and without it, in an order that
# alternates from round to round
measure_pairs()
{
	command -v "${3%% *}" >/dev/null || missing[$1]=$(absent "$3")
	[ -z "${missing[$1]:-}" ] || return
	case $2 in
	stopped) measure_with "$@" ;;
	below) $3 bash -c 'measure_below "$1"' - "$1" ;;
	*)
		((round % 2)) || measure_with "$@"
		measure_slice "$1" off
		((round % 2 == 0)) || measure_with "$@"
		;;
	esac
}
export -f measure_below measure_beside measure_slice measure_used used

measure_all()
{
	local interval
	for interval in 1s 20ms; do
		mkdir "$tmp/$interval" "$tmp/$interval/run"
		printf '%s\n' '[agent]' "dir = $tmp/$interval" "runtime-dir = $tmp/$interval/run" \
			"interval = $interval" 'job-file =' >"$tmp/$interval.conf"
	done
	quanta=$(tests/bench/noise -t 500 | awk '{ print $8 }')
	export ms pairs quanta settle
	for ((round = 1; round <= rounds; round++)); do
		echo "round $round of $rounds" >&2
		each_line "$rows" measure_pairs
	done
	for name in "${!missing[@]}"; do
		echo "$name|${missing[$name]}"
	done
}

# print_table: print the table of the slices on standard input
print_table()
{
	awk -F '|' '
	function sort(v, n,   i, k, x) {
		for (i = 2; i <= n; i++) {
			x = v[i]
			for (k = i - 1; k > 0 && v[k] > x; k--)
				v[k + 1] = v[k]
			v[k + 1] = x
		}
	}
	function median(v, n) {
		sort(v, n)
		return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
	}
	function median_of(name, what,   i, v) {
		for (i = 1; i <= n[name]; i++)
			v[i] = value[name, what, i]
		return median(v, n[name])
	}
	# The estimate of Hodges and Lehmann, the median of the means of all pairs, and the
	# values that the signed-rank test of Wilcoxon does not reject (Hollander and Wolfe,
	# 3.1 to 3.3)
	function slowdown(name, what, without,   of, d, i, k, all, ways, sum, means) {
		of = n[name]
		for (i = 1; i <= of; i++)
			d[i] = 100 * log(value[name, what, i] / value[name, without, i])
		ways[0] = 1
		for (i = 1; i <= of; i++) {
			for (k = 1; k <= i; k++)
				means[++all] = (d[i] + d[k]) / 2
			for (k = all; k >= i; k--)
				ways[k] += ways[k - i]
		}
		slower = median(means, all)
		for (k = 0; (sum += ways[k] / 2 ^ of) <= 0.025; k++)
			;
		low = k ? means[k] : ""
		high = k ? means[all + 1 - k] : ""
	}
	function interval() {
		return sprintf(low == "" ? " %10.3f %18s" : " %10.3f %8.3f %9.3f", slower,
			low, high)
	}
	# Return true if the pairs show a slowdown over 0.05 %, or are too few to judge.
	function is_more() { return low == "" || (low > 0 && high > 0.05) }
	function keep(name) {
		if (!n[name]++)
			names[++rows] = name
		value[name, "disturbed", n[name]] = a[3] / a[1] / seconds
		value[name, "longest", n[name]] = a[4]
		value[name, "stolen", n[name]] = a[5] / 1000 / a[1] / seconds
		value[name, "cpu", n[name]] = a[9]
		value[name, "share", n[name]] = a[9] * a[6] / a[7]
		split($4, used, " ")	# add 5 us per switch to the sampler and back to the job
		value[name, "most", n[name]] = 100 * (used[1] + 5000 * used[2]) / a[7]
	}
	function line(name) {
		printf "%-20s %5d %11.0f %11.0f %11.1f", name, n[name],
			median_of(name, "disturbed"), median_of(name, "longest"),
			median_of(name, "stolen")
	}
	NF == 2 { gone[$1] = $2; next }
	{
		split($3, a, " ")
		seconds = a[7] / 1e9
		time = a[7] / a[6] / a[8]
		if ($2 == "off") {
			keep("nobody")
			alone[$1]++
			value[$1, "alone", alone[$1]] = time
			value[$1, "cpu alone", alone[$1]] = a[9]
		} else {
			keep($1)
			value[$1, "time", n[$1]] = time
		}
		slices++
		cpus = a[1]
		quanta = a[8]
		every += a[7] / a[6]
		lasted += seconds
	}
	END {
		printf "A job on %d CPUs: %d quanta of %.1f us on each, then a barrier: %.2f ms.\n",
			cpus, quanta, every / slices / quanta / 1000, every / slices / 1e6
		printf "Medians of slices of %.1f s, of a CPU; ", lasted / slices
		print "disturbed: 1.2 times the median or more."
		print "slowdown: of pairs of slices, with the agent and without, by ranks.\n"
		printf "%-20s %5s %11s %11s %11s %10s %18s\n", "beside", "", "disturbed/s",
			"longest us", "stolen ms/s", "slowdown %", "95% interval"
		line("nobody")
		print ""
		for (r = 1; r <= rows; r++) {
			if ((name = names[r]) == "nobody")
				continue
			line(name)
			slowdown(name, "time", "alone")
			print interval()
			too_slow[name] = is_more()
		}
		for (name in gone)
			printf "%-20s %s\n", name, gone[name]
		print "\nat most: CPU time of the sampler, and 5 us for each time that it began: a"
		print "barrier may wait for all of it. of node: the part of all CPUs that it is."
		print "quanta: CPU time of the same work, with it and while it is stopped.\n"
		printf "%-20s %10s %10s %10s %18s %10s\n", "", "of node %", "at most %",
			"quanta %", "95% interval", "bar 0.050"
		share = median_of("nobody", "share")
		for (r = 1; r <= rows; r++) {
			name = names[r]
			if (name !~ /^nodometer.*, 1 Hz$/)
				continue
			slowdown(name, "cpu", "cpu alone")
			most = median_of(name, "most")
			held = most <= 0.05 && !too_slow[name] && !is_more()
			printf "%-20s %10.3f %10.3f%s %10s\n", name, most / cpus, most, interval(),
				held ? "held" : share < 0.9 ? "not known" : "MISSED"
			if (name == "nodometerd, 1 Hz")
				verdict = sprintf("Beside nodometerd at 1 Hz a job on all CPUs, " \
					"with a barrier each millisecond, takes at most %.3f%% " \
					"longer", most)
		}
		if (share < 0.9)
			printf "\nThe job alone had %.0f%% of its CPUs: beside others, a sample " \
				"takes longer, too.\n", 100 * share
		print "\n" verdict "."
	}'
}

if [ $# = 1 ]; then
	print_table <"$1"
	exit
fi
measure_all >"$tmp/slices"
print_table <"$tmp/slices"
