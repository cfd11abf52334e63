#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# mpxstats.sh - compare nodometer mpxstats with XRootD's mpxstats: packets per CPU second
#
# Runs in the build folder, as part of `make bench`. RATES: packets per second; COUNT: number of
# packets; ROUNDS: number of rounds, in which the programs take turns.
set -u
rates=${RATES:-10000 40000} count=${COUNT:-60000} rounds=${ROUNDS:-5} port=39340
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
tmp=$(mktemp -d) || exit 1
running=
trap '[ -z "$running" ] || kill $running; rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM
. "$here/measure.sh"

# Try to raise the priority, so that other processes do not slow down the sender.
renice -n -15 -p $$ >/dev/null 2>&1

# Use only the larger captured packets, of 1.5 to 2.1 KB: they are from servers that export files.
mapfile -t packets < <(find "$top/tests/fuzz/corpus/xrdflat" -name 'captured-*' -size +3 | sort)

# The program "floor" only receives the same packets and writes the same bytes.
floor=tests/bench/summary_floor
programs=
for program in mpxstats ./nodometer-mpxstats $floor; do
	if command -v "$program" >/dev/null; then
		programs+=" $program"
	else
		echo "$program: $(absent "$program")"
	fi
done

# Do not bind programs to a CPU. XRootD's program has two threads and nodometer's has one: on one
# CPU each, XRootD's would take twice the time.

# begin COMMAND...: start a receiver in the background, and count the blank lines that it prints
begin()
{
	"$@" -f flat -p $port 2>"$tmp/log" > >(grep -c '^$' >"$tmp/received") &
	running=$!
	sleep "${settle:-0.5}"
}

# Print the clock ticks of the process in user mode and in system mode.
ticks()
{
	awk '{ sub(/.*\) /, ""); print $12, $13 }' "/proc/$running/stat"
}

# one PROGRAM RATE: run a program once. Add the reached rate, the lost packets and the ns per packet
# to `values`, and set ${last[PROGRAM]} to the ns. The scheduler's run time is exact, but its
# division into user and system mode is rough: it counts clock ticks.
declare -A last
one()
{
	local sent reached user system received ns
	begin "$1"
	read -r sent reached < <(tests/bench/blast $port "$2" "$count" "${packets[@]}")
	sleep 1
	ns=$(run_time "$running")
	read -r user system < <(ticks)
	stop
	sleep 0.3
	received=$(<"$tmp/received")
	[ "${received:-0}" -gt 0 ] || return
	ns=$((ns / received))
	last[$1]=$ns
	values[$1 $2 reached]+=" $reached"
	values[$1 $2 lost]+=" $((sent - received))"
	values[$1 $2 ns]+=" $ns"
	values[$1 $2 system]+=" $((ns * system / (user + system + !(user + system))))"
}

# Print the program's own instructions per packet, which no noise disturbs.
instructions_each()
{
	local few=500 many=1500 n
	for n in $few $many; do
		settle=4 begin valgrind --tool=callgrind --callgrind-out-file=/dev/null "$1"
		tests/bench/blast $port 300 "$n" "${packets[@]}" >/dev/null
		sleep 2
		stop
		awk '/Collected *:/ { print $NF }' "$tmp/log"
	done | awk -v n=$((many - few)) '{ v[NR] = $1 }
		END { if (NR == 2) print int((v[2] - v[1]) / n) }'
}

for ((round = 1; round <= rounds; round++)); do
	for rate in $rates; do
		last=()
		for program in $programs; do
			one "$program" "$rate"
		done
		theirs=${last[mpxstats]:-}
		for program in $programs; do
			ours=${last[$program]:-}
			[ -z "$theirs" ] || [ -z "$ours" ] ||
				values[$program $rate ratio]+=" $((10 * theirs / ours))"
		done
	done
done

form='%-24s %8s %8s %7s %11s %8s %11s %6s\n'
cat <<END

Summary packets, flat, $(nproc) CPUs, load $(cut -d' ' -f1 /proc/loadavg); medians of $rounds
interleaved rounds of $count packets.
us: CPU time of a packet; kernel: of it, in the kernel (by ticks, rough).
END
# shellcheck disable=SC2059 # a format that several lines share
printf "$form" 'what' 'asked/s' 'sent/s' 'lost' 'us/packet' 'kernel' 'per CPU s' 'ratio'
for rate in $rates; do
	for program in $programs; do
		ns=$(median "$program $rate ns")
		us=$(awk -v a="$ns" -v b="$(median "$program $rate system")" \
			'BEGIN { printf "%.1f %.1f", a / 1000, b / 1000 }')
		ratio=
		[ "$program" = mpxstats ] ||
			ratio=$(median "$program $rate ratio" | awk '{ printf "%.1f", $1 / 10 }')
		# shellcheck disable=SC2059
		printf "$form" "$program" "$rate" "$(median "$program $rate reached")" \
			"$(median "$program $rate lost")" "${us% *}" "${us#* }" \
			$((1000000000 / ns)) "$ratio"
	done
done
for program in ${programs% "$floor"}; do
	! command -v valgrind >/dev/null ||
		echo "$program: $(instructions_each "$program") user instructions a packet"
done
