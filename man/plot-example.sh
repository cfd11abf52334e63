#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# plot-example.sh - draws man/plot-example.png: a job of four nodes, made up here; one is late
#
# Runs in a build folder; needs gnuplot.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
archive=$(mktemp -d)
trap 'rm -rf "$archive"' EXIT

# Records of 15 minutes, every 20 s, of one node: steps of computing, each followed by writing to
# Lustre.  The last node computes for longer, and the others wait for it.
node()
{
	mkdir -p "$archive/$1"
	awk -v host="$1" -v number="$2" '
	BEGIN {
		srand(number)
		print "$hpcperfstats 1.0.2\n$hostname " host
		print "$uname Linux x86_64 6.1.0\n$uptime 1000"
		print "!cpu user,E,U=cs idle,E,U=cs"
		print "!mem MemTotal,U=KB MemFree,U=KB MemUsed,U=KB AnonPages,U=KB"
		print "!ib_ext port_xmit_data,E,U=B"
		print "!llite read_bytes,E,U=B write_bytes,E,U=B"
		print "!intel_rapl pkg_energy,E,U=uJ"
		for (at = 0; at <= 900; at += 20) {
			phase = at % 300
			late = number == 4 ? 250 : 215
			busy = at < 60 ? 0.1 : phase < late ? 0.94 + 0.04 * rand() : 0.18
			writes = at > 60 && phase >= 255 ? 1.6e9 + 3e8 * rand() : 2e6
			reads = at < 60 ? 2.1e9 + 3e8 * rand() : 1e6
			sends = at < 60 ? 4e7 : phase < late ? 2.4e9 + 5e8 * rand() : 8e7
			user += 2000 * 64 * busy
			idle += 2000 * 64 * (1 - busy)
			r += 20 * reads; w += 20 * writes; tx += 20 * sends
			uj += 20e6 * (210 + 390 * busy + 12 * rand())
			used = 2.1e7 + (at < 60 ? at / 60 : 1) * 1.1e8 + 6e6 * phase / 300
			printf "\n%d 1981063\n", 1763800000 + at
			if (at == 0) print "%begin 1981063"
			if (at == 900) print "%end 1981063"
			printf "cpu - %.0f %.0f\n", user, idle
			printf "mem 0 263000000 %.0f %.0f %.0f\n", 263000000 - used, used,
				used - 1.5e7
			printf "ib_ext mlx5_0/1 %.0f\n", tx
			printf "llite scratch %.0f %.0f\n", r, w
			printf "intel_rapl 0 %.0f\n", uj
		}
	}' >"$archive/$1/1763800000"
}

for n in 1 2 3 4; do
	node "c01-0$n" $n
done
TZ=UTC ./nodometer-plot 1981063 --dir "$archive" -o "$top/man/plot-example.png"
