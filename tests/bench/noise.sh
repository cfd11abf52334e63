#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# noise.sh - what a job on all CPUs feels of an agent: quanta of work disturbed, and its slowdown
#
# usage: noise.sh [SLICES]      in the build folder, as `make bench-noise`, some eight minutes
# Agents that are not installed are left out.  NOISE_ROUNDS=n (6) and NOISE_MS=n, of a slice (3000),
# change how long.  With SLICES, lines as measure_slice() prints them, only their table.
set -u
here=$(cd "$(dirname "$0")" && pwd)
rounds=${NOISE_ROUNDS:-6} ms=${NOISE_MS:-3000}
tmp=$(mktemp -d) || exit 1
running=
trap '[ -z "$running" ] || kill $running; rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM
. "$here/measure.sh"
. "$here/peers.sh"

# as in bench.sh; or "before": the command that runs the job
rows="
nodometerd, 1 Hz     |agent |./nodometerd --foreground --config $tmp/1s.conf
nodometer run, 1 Hz  |before|./nodometer-run -q -i 1s -o $tmp/run --
nodometerd, 50 Hz    |agent |./nodometerd --foreground --config $tmp/20ms.conf
${NOISE_PEERS-$peers}"
declare -A pairs=(['nodometerd, 1 Hz']=3 ['nodometer run, 1 Hz']=3)	# of a round

# measure_slice NAME off|on [COMMAND]: NAME|off or on|what tests/bench/noise says
measure_slice()
{
	# shellcheck disable=SC2086 # a command line
	echo "$1|$2|$(${3:-} tests/bench/noise -t "$ms" -b "$quanta")"
}

# measure_with NAME HOW COMMAND [CLIENT]
measure_with()
{
	if [ "$2" = before ]; then
		measure_slice "$1" on "$3"
		return
	fi
	# shellcheck disable=SC2086 # command lines
	if ! start $3; then
		missing[$1]=failed
		echo "$1: failed: $(tail -n 1 "$tmp/log")" >&2
		return
	fi
	client "${4:-}"
	measure_slice "$1" on
	stop
}

# measure_pairs NAME HOW COMMAND [CLIENT]: without the agent and with it, every other time reversed
measure_pairs()
{
	command -v "${3%% *}" >/dev/null || missing[$1]=$(absent "$3")
	for ((pair = 0; pair < ${pairs[$1]:-1}; pair++)); do
		[ -z "${missing[$1]:-}" ] || return
		(((round + pair) % 2)) || measure_with "$@"
		measure_slice "$1" off
		(((round + pair) % 2 == 0)) || measure_with "$@"
	done
}

measure_all()
{
	local interval
	for interval in 1s 20ms; do
		mkdir "$tmp/$interval" "$tmp/$interval/run"
		printf '%s\n' '[agent]' "dir = $tmp/$interval" "runtime-dir = $tmp/$interval/run" \
			"interval = $interval" 'job-file =' >"$tmp/$interval.conf"
	done
	quanta=$(tests/bench/noise -t 500 | awk '{ print $8 }')
	for ((round = 1; round <= rounds; round++)); do
		echo "round $round of $rounds" >&2
		each_line "$rows" measure_pairs
	done
	for name in "${!missing[@]}"; do
		echo "$name|${missing[$name]}"
	done
}

# print_table: of slices on standard input
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
	# Hodges and Lehmann: median of the means of any two pairs, and the values that the
	# signed-rank test of Wilcoxon does not reject (Hollander and Wolfe, 3.1 to 3.3)
	function slowdown(name,   of, d, i, k, all, ways, sum, means) {
		of = n[name]
		for (i = 1; i <= of; i++)
			d[i] = 100 * log(value[name, "time", i] / value[name, "alone", i])
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
	function keep(name) {
		if (!n[name]++)
			names[++rows] = name
		value[name, "disturbed", n[name]] = a[3] / a[1] / seconds
		value[name, "longest", n[name]] = a[4]
		value[name, "stolen", n[name]] = a[5] / 1000 / a[1] / seconds
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
			slowdown(name)
			printf " %10.3f", slower
			if (low != "")
				printf " %8.3f %9.3f", low, high
			print ""
			if (name !~ /, 1 Hz$/ || name !~ /^nodometer/)
				continue
			held[name] = slower <= 0.05 && low != "" && low <= 0
			if (name != "nodometerd, 1 Hz")
				continue
			verdict = sprintf("Beside nodometerd at 1 Hz a job on all CPUs, with a " \
				"barrier each millisecond, took %.3f%% longer", slower)
			if (low != "")
				verdict = verdict sprintf(" (95%% interval: %.3f to %.3f%%)",
					low, high)
		}
		for (name in gone)
			printf "%-20s %s\n", name, gone[name]
		print ""
		for (r = 1; r <= rows; r++)
			if (names[r] in held)
				printf "%s: bar 0.050, and an interval with 0: %s\n", names[r],
					held[names[r]] ? "held" : "MISSED"
		print verdict "."
	}'
}

if [ $# = 1 ]; then
	print_table <"$1"
	exit
fi
measure_all >"$tmp/slices"
print_table <"$tmp/slices"
