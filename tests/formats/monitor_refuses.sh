#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# monitor_refuses.sh - nodometer monitor reports why there is nothing to show, and refuses wrong
# usage
#
# M and a number name a line of the checklist of MONITOR recordings (tests/gates/seeds.sh). Each
# line needs a test.
. "$(dirname "$0")/monitor_lib.sh"
written plain second moved

# why TEXT ARGUMENTS...: nodometer monitor ARGUMENTS, with each of the options in $hows, must show
# nothing and give the reason TEXT
hows=--summary
why() {
	said=$1
	shift
	for how in $hows; do
		monitor "$@" "$how" >"$out/got" && fail "monitor $* $how: status 0"
		[ ! -s "$out/got" ] || fail "monitor $* $how: $(cat "$out/got")"
		grep -qF -- "$said" "$out/err" || fail "monitor $* $how: $(cat "$out/err")"
	done
}
cat >"$out/raw" <<'END'
$hpcperfstats 1.0.2
$hostname n1.example.org
$uptime 1000
!vm pgpgin,E,U=KB pgpgout,E,U=KB pgfault,E pgmajfault,E

1700000000 -
vm - 4000 8000 100 5

1700000010 -
vm - 8000 8400 1100 5
END
sed '/^$/,$d' "$out/raw" >"$out/empty"
why 'the input has no samples' modes --input "$out/empty"
why 'the input has no data of these classes' lock --input "$out/raw"
why 'has none of these classes' dlock --input "$out/plain"
why 'the input has no node other: its nodes are ALPHA, BETA, GAMMA' modes --input "$out/moved" \
	--node other
hows="--record=$out/no --all"
why 'all samples lie before --begin: the last is of 14-Nov-2023 22:14:20' modes \
	--input "$out/plain" --begin 2023-11-15
why 'all samples lie after --end: the first is of 14-Nov-2023 22:13:20' modes \
	--input "$out/plain" --end 2023-11-14
why 'the nearest are of 14-Nov-2023 22:13:30 and 14-Nov-2023 22:13:40' modes \
	--input "$out/plain" --begin '14-Nov-2023 22:13:31' --end '14-Nov-2023 22:13:39'
monitor processes --input "$out/plain" --summary >"$out/got" && fail 'PROCESSES are summed up'
says 'the message' 'PROCESSES is not summarized'


# refuses WHAT ARGUMENTS...: nodometer monitor ARGUMENTS must be refused as wrong usage, with a
# message that has WHAT
refuses() {
	what=$1
	shift
	monitor "$@" >"$out/got"
	[ $? -eq 2 ] || fail "monitor $*: status is not 2"
	grep -qF -- "$what" "$out/err" ||
		fail "monitor $*: does not say \"$what\": $(cat "$out/err")"
}

refuses 'unknown class' mode
refuses 'missing CLASS' --input "$out/plain"
refuses '--comment needs --record' modes --input "$out/plain" --comment x
refuses 'holds at most 60' modes --record "$out/x" --comment "$(printf '%061d' 0)"	# M28
refuses '--node needs --input' modes --node n1
refuses 'must be cpu, dio' processes --top rbs
refuses 'unknown item' disk --item size
refuses 'whole seconds' modes --interval 0.5	# M23
refuses 'whole seconds' modes --flush-interval 0
refuses 'need --summary or --record' modes --input "$out/plain,$out/second"
refuses '--by-node needs' modes --input "$out/plain" --summary --by-node
refuses 'write numbers' modes --input "$out/plain" --cpu=1-
refuses 'must be numbers below 1024' modes --input "$out/plain" --cpu=1024
refuses 'must be numbers below 1024' modes --input "$out/plain" --cpu=2-1
refuses 'cannot be the file of --input' modes --input "$out/plain" --record "$out/plain"
refuses 'is not a time' modes --begin someday
refuses 'write numbers' modes --cpu=x
exit $status
