#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# mpxstats.sh - packets per CPU second of nodometer mpxstats and of XRootD's own, on the same blast
#
# Runs in the build folder, as part of `make bench`.  RATES: packets a second; COUNT: how many.
set -u
rates=${RATES:-10000 40000} count=${COUNT:-80000} port=39340
top=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d) || exit 1
running=
trap '[ -z "$running" ] || kill $running; rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM

# A server with exports: the larger ones of the captured packets, 2 KB each
mapfile -t packets < <(find "$top/tests/fuzz/corpus/xrdflat" -name 'captured-*' -size +3 | sort)

# one COMMAND...: reads the blast; prints packets sent, received, and CPU ms of user and system
one()
{
	"$@" -f flat -p $port 2>/dev/null > >(grep -c '^$' >"$tmp/received") &
	running=$!
	sleep 0.5
	read -r sent _ < <(tests/bench/blast $port "$rate" "$count" "${packets[@]}")
	sleep 1
	ms=$(awk '{ sub(/.*\) /, ""); print ($12 + $13) * 10 }' "/proc/$running/stat")
	kill "$running"
	wait "$running" 2>/dev/null
	running=
	sleep 0.5
	echo "$sent $(<"$tmp/received") $ms"
}

form='%-24s %10s %8s %14s %8s\n'
# shellcheck disable=SC2059 # the form of all lines
printf "\n$form" 'summary packets, flat' 'a second' 'lost' 'per CPU second' 'ratio'
theirs=0
for rate in $rates; do
	for what in mpxstats ./nodometer-mpxstats; do
		command -v "$what" >/dev/null || { echo "$what: not installed"; continue; }
		read -r sent received ms < <(one "$what")
		speed=$((received * 1000 / (ms ? ms : 1)))
		ratio=$(awk -v a=$speed -v b="$theirs" 'BEGIN { if (b) printf "%.1f", a / b }')
		[ "$what" != mpxstats ] || theirs=$speed ratio=1
		# shellcheck disable=SC2059
		printf "$form" "$what" "$rate" "$((sent - received))" $speed "$ratio"
	done
done
