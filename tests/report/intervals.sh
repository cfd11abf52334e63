#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# intervals.sh - nodometer report without JOB and --host prints a line for each interval of this
# node
. "$(dirname "$0")/lib.sh"

# archive: make samples of host n1 from lines "TIME USER IDLE MEMUSED RX" on standard input
archive()
{
	rm -rf "$work/a"
	mkdir -p "$work/a/n1"
	{
		# shellcheck disable=SC2016 # properties, not variables
		printf '$hpcperfstats 1.0.2\n$hostname n1\n'
		printf '!cpu user,E,U=cs system,E,U=cs idle,E,U=cs\n!mem MemUsed,U=B\n'
		printf '!net rx_bytes,E,U=B tx_bytes,E,U=B\n'
		while read -r time user idle used bytes; do
			printf '\n%s -\ncpu 0 %s 0 %s\nmem - %s\nnet eth0 %s 0\n' "$time" "$user" \
				"$idle" "$used" "$bytes"
		done
	} >"$work/a/n1/1700000000"
}

# report STATUS OPTION...: nodometer report must exit with STATUS; its output is in $work/out
report()
{
	want=$1
	shift
	"$bin/nodometer-report" --dir "$work/a" "$@" >"$work/out" 2>"$work/said"
	got=$?
	[ $got = "$want" ] || fail "report $*: status $got: $(cat "$work/out" "$work/said")"
	awk 'length > 80' "$work/out" | grep . && fail "report $*: longer than 80 columns"
}

# For three samples around midnight, each interval has a line, after a line with the date where the
# day changes.
archive <<'END'
1700005800 0 0 1073741824 0
1700006400 15000 45000 2147483648 614400
1700007000 75000 45000 1073741824 614400
END
report 0 --since 0
cat >"$work/expected" <<'END'
Host n1 from 2023-11-14 23:50:00 on, 1 CPU

                    CPU in %    memory        disks, per s      network, per s
until     user system iowait      used      read   written  received      sent
2023-11-15
00:00:00  25.0    0.0      - 2.000 GiB         -         - 1.000 KiB       0 B
00:10:00 100.0    0.0      - 1.000 GiB         -         -       0 B       0 B
mean      62.5    0.0      - 1.500 GiB         -         -     512 B       0 B

"nodometer report --host" reports all figures of this node, "nodometer jobs"
lists jobs, "nodometer report JOB" reports one, "nodometer run COMMAND" a
command.
END
diff -u "$work/expected" "$work/out" || fail 'three samples'

# The mean leaves out intervals whose CPU time is partly unknown.
archive <<'END'
1700005800 0 450000 1073741824 0
1700006400 15000 495000 1073741824 0
1700007000 30000 100 1073741824 0
1700007600 45000 45100 1073741824 0
1700008200 60000 90100 1073741824 0
END
report 0 --since 0
[ "$(awk '/^00:/ || /^mean/ { print $2 }' "$work/out" | tr '\n' ' ')" = '25.0 - - 25.0 25.0 ' ] ||
	fail "idle time that fell: $(cat "$work/out")"

# Cases: a part of the time is selected; there is only one sample; there is no sample of today.
archive <<'END'
1700005800 0 0 1073741824 0
1700006400 15000 45000 2147483648 614400
1700007000 75000 45000 1073741824 614400
END
report 0 --since 1700006400
grep -c '^00:' "$work/out" | grep -qx 1 || fail "a part: $(cat "$work/out")"
report 1 --since 1700007000
grep -q 'only the sample of 2023-11-15 00:10:00 was found, but an interval needs two' \
	"$work/said" || fail "a single sample: $(cat "$work/said")"
report 1
grep -q -- '--since and --until select another period' "$work/said" ||
	fail "none today: $(cat "$work/said")"

# The last sample is the only one in its file, which is named after its second.
archive <<'END'
1700005800 0 0 1073741824 0
1700006400 15000 45000 2147483648 614400
END
sed 's/^1700005800/1700007000/; /^1700006400/,$d; s/^cpu.*/cpu 0 75000 0 45000/' \
	"$work/a/n1/1700000000" >"$work/a/n1/1700007000"
report 0 --since 0
grep -q '^00:10:00 100.0 ' "$work/out" || fail "a file of the last second: $(cat "$work/out")"

# Without --since, the report is about today: there are two recent samples, and older ones.
now=$(date +%s)
archive <<END
1700000000 0 0 0 0
$((now - 10)) 100 100 1024 0
$now 600 600 1024 0
END
report 0
if [ "$(date -d "@$((now - 10))" +%d)" = "$(date -d "@$now" +%d)" ]; then
	[ "$(grep -c '^[0-9][0-9]:' "$work/out")" = 1 ] || fail "today: $(cat "$work/out")"
	grep -q '^mean  *50.0 ' "$work/out" || fail "today: $(cat "$work/out")"
fi

# seconds N [LENGTH]: make N intervals of LENGTH seconds (1 by default) from 23:55 on, in which half
# of a CPU is busy, and report them
seconds()
{
	i=0 length=${2:-1}
	while [ $i -le "$1" ]; do
		busy=$((50 * i * length))
		echo $((1700006100 + i * length)) $busy $busy 1048576 $((2048 * i * length))
		i=$((i + 1))
	done | archive
	report 0 --since 0
}

# 600 intervals give ten lines, each the mean of a minute, and a line with the date before 00:00:00.
seconds 600
[ "$(grep -c '^[02][03]:.* 50.0 .* 1.000 MiB .* 2.000 KiB ' "$work/out")" = 10 ] ||
	fail "minutes: $(cat "$work/out")"
[ "$(sed -n '/^2023/{N;s/ .*//;s/\n/ /;p;}' "$work/out")" = '2023-11-15 00:00:00' ] ||
	fail "midnight: $(cat "$work/out")"

# 150 intervals have a line each; 151 are printed as lines of a minute.
seconds 150
[ "$(grep -c '^23:' "$work/out")" = 150 ] || fail "150 intervals: $(cat "$work/out")"
seconds 151
[ "$(grep -c '^23:' "$work/out")" = 3 ] || fail "151 intervals: $(cat "$work/out")"

# A line tells that the node booted, also after its first interval.
sed -i '2a $uptime 500000' "$work/a/n1/1700000000"
awk '$1 == 1700006190 { print head "$uptime 1\n" }
	{ if (/^[$!]/) head = head $0 "\n"; print }' "$work/a/n1/1700000000" >"$work/new"
mv "$work/new" "$work/a/n1/1700000000"
report 0 --since 0
[ "$(grep 'booted$' "$work/out")" = '23:57:00 the node has booted' ] ||
	fail "a boot in the second minute: $(cat "$work/out")"

# If the CPU time of the first second of a minute is partly unknown, the line of this minute leaves
# it out: here the idle time falls in the first second of the second minute.
i=0
while [ $i -le 160 ]; do
	echo $((1700006100 + i)) $((50 * i)) $((i > 60 ? 50 * (i - 60) : 50 * i)) 1048576 0
	i=$((i + 1))
done | archive
report 0 --since 0
[ "$(awk '/^23:/ || /^mean/ { print $2 }' "$work/out" | tr '\n' ' ')" = '50.0 50.0 50.0 50.0 ' ] ||
	fail "a minute that begins with an unknown interval: $(cat "$work/out")"

# A line never covers more than a day, however many lines that makes.
seconds 320 43200
[ "$(grep -c '^23:55:00  *50.0 ' "$work/out")" = 160 ] || fail "160 days: $(cat "$work/out")"

# Options that need a job or --host are refused
for option in --json --verbose "--at now" "--html x.html"; do
	# shellcheck disable=SC2086 # two words
	report 2 $option
	grep -q 'missing JOB; "nodometer jobs" lists the jobs' "$work/said" ||
		fail "$option: $(cat "$work/said")"
done
exit "$failed"
