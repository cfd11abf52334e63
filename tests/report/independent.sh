#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# independent.sh - figures of a report equal values that awk computes from the raw file
src=$(cd "${srcdir:-.}/tests/report" && pwd) || exit 99
report=$(pwd)/nodometer-report
failed=0

# figure CASE ID NAME: print member NAME of figure ID from the report of job 7 of CASE
figure()
{
	"$report" 7 --json --dir "$src/$1/archive" | tr '{' '\n' |
		sed -n "s/^\"figure\":\"$2\".*\"$3\":\([^,}]*\)[,}].*/\1/p"
}

# near WHAT GOT WANT: fail unless GOT equals WANT within a millionth
near()
{
	awk -v got="$2" -v want="$3" 'BEGIN {
		d = got - want
		exit !(got != "" && want != "" && d * d <= want * want * 1e-12)
	}' || { echo "FAIL: $1 is \"$2\", awk has \"$3\""; failed=1; }
}

# area CASE TYPE COLUMN SCALE: print the mean over time of a gauge times SCALE, by trapezoids
area()
{
	awk -v type="$2" -v column="$3" -v scale="$4" '
		/^[0-9]/ { t = $1 }
		$1 == type {
			v = $column * scale
			if (before) { sum += (v + last) / 2 * (t - before); time += t - before }
			before = t; last = v
		}
		END { printf "%.12g\n", sum / time }' "$src/$1"/archive/n1/*
}
near 'busy GPUs' "$(figure gauges-over-time nvidia_gpu.utilization mean)" \
	"$(area gauges-over-time nvidia_gpu 4 .01)"
near 'load' "$(figure gauges-over-time load.mean mean)" "$(area gauges-over-time ps 5 .01)"

# The clock was stepped by a day twice: the job's duration must be measured by CLOCK_BOOTTIME.
case=clock-stepped
boottime()
{
	awk "$1"' $1 ~ /^[0-9]/ { t = $1 }
		$1 == "%begin" { on = 1 }
		$1 == "ps" { v = $5 / 100 }
		$1 == "nodometer" && on {
			b = $8 / 1e6
			if (!first) first = b
			else { sum += (v + last) / 2 * (b - before) }
			before = b; last = v
		}
		END { print result(b - first, sum) }' "$src/$case"/archive/n1/*
}
duration='.*"nodes":1,[^{]*"duration":\([0-9.]*\).*'
near 'the duration of a stepped clock' \
	"$("$report" 7 --json --dir "$src/$case/archive" | sed "s/$duration/\1/")" \
	"$(boottime 'function result(seconds, area) { return seconds }')"
near 'the mean of a stepped clock' "$(figure $case load.mean mean)" \
	"$(boottime 'function result(seconds, area) { return sprintf("%.9g", area / seconds) }')"
near 'the rate of a stepped clock' "$(figure $case block.rd_ios per_second)" 10
exit $failed
