#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# noise.sh - check the output of make bench-noise; its runs here are too short for meaningful times
. "$(dirname "$0")/lib.sh"
bench=$(cd "$srcdir/tests/bench" && pwd)
make tests/bench/noise >"$scratch/log" 2>&1 || fail "not built: $(cat "$scratch/log")"

# All processes do the same number of work quanta and meet at barriers equally often.
tests/bench/noise -t 30 -b 7 >"$scratch/line" || fail "status $?"
awk -v cpus="$(env -u OMP_NUM_THREADS nproc)" '{
	good = NF == 9 && $1 == cpus && $6 >= 1 && $8 == 7 && $2 == $1 * $6 * $8 && $3 <= $2 &&
		$4 > 0 && $5 >= 0 && $7 >= 30000000 && $9 > 0
}
END { exit !(NR == 1 && good) }' "$scratch/line" || fail "$(cat "$scratch/line")"
tests/bench/noise -t x 2>"$scratch/log"
[ $? = 2 ] || fail 'a wrong number is taken'

NOISE_ROUNDS=1 NOISE_PAIRS=2 NOISE_MS=10 NOISE_PEERS='no agent | agent | no-such-agent' SETTLE=0.2 \
	"$bench/noise.sh" >"$scratch/table" 2>"$scratch/log" || fail "$(cat "$scratch/log")"
for row in 'nobody  *5 ' 'nodometerd, 1 Hz  *2 ' 'nodometer run, 1 Hz  *2 ' \
	'nodometerd, 50 Hz  *1 ' 'no agent  *not installed$'; do
	grep -q "^$row" "$scratch/table" || fail "no row $row in $(cat "$scratch/table")"
done

# The nine differences are from Hollander and Wolfe, Nonparametric Statistical Methods, table 3.1;
# the expected estimate and interval are from examples 3.3 and 3.4.
for z in -0.952 0.147 -1.022 -0.430 -0.620 -0.590 -0.490 0.080 -0.010; do
	awk -v z=$z 'BEGIN {
		row = "nodometerd, 1 Hz|%s|2 1000 100 80.5 4000 100 %.0f 5 %.0f|2500000 100\n"
		printf row row, "off", 1e10, 9e7, "on", 1e10 * exp(z / 100), 9e7 * exp(z / 200)
	}'
done >"$scratch/slices"
"$bench/noise.sh" "$scratch/slices" >"$scratch/table" || fail "status $?"
cat >"$scratch/wanted" <<'X'
nobody                   9           5          80         0.2
nodometerd, 1 Hz         9           5          80         0.2     -0.460   -0.786    -0.010
nodometerd, 1 Hz          0.015      0.030     -0.230   -0.393    -0.005       held
X
grep '^no' "$scratch/table" | diff "$scratch/wanted" - || fail 'another table'
