#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# cat.sh - nodometer cat: tables, rates through wraps, resets and boots, and misspelt types
bin=$(pwd)
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0

# is WHAT COMMAND...: it prints what is on standard input
is()
{
	what=$1
	shift
	cat >"$work/want"
	"$bin/nodometer-cat" "$@" >"$work/got" 2>"$work/said"
	diff "$work/want" "$work/got" || { echo "FAIL: $what: $(cat "$work/said")"; failed=1; }
}

# shellcheck disable=SC2016 # properties, not variables
{
	printf '$hpcperfstats 1.0.2\n$hostname n1\n$boot_id a\n'
	printf '!net rx_bytes,E,U=B tx_bytes,E,W=32\n!mem MemFree,U=KB\n'
	printf '\n100 7\n%%begin 7\nnet eth0 1000 4294967200\nnet eth,1 5 5\nmem 0 50\n'
	printf '\n110 7\nnet eth0 2000 4\nnet eth,1 15 5\nmem 0 40\n'
	printf '\n130 7\nnet eth0 2500 24\nmem 0 30\n'
	printf '\n140 -\nnet eth0 100 34\nnet eth,1 45 5\nmem 0 30\n'
	printf '\n150 -\nnet eth0 200 44\nnet eth,1 46 5\nmem 0 30\n'
} >"$work/one"
{
	# Booted, and another order of keys.
	printf '$hpcperfstats 1.0.2\n$hostname n1\n$boot_id b\n'
	printf '!net tx_bytes,E,W=32 rx_bytes,E,U=B new,E\n'
	printf '\n200 -\nnet eth0 10 20 1\n'
	printf '\n210 -\nnet eth0 20 20 3\n'
} >"$work/two"

is 'a table' --type net --wide "$work/one" <<'END'
time,host,jobs,device,rx_bytes,tx_bytes
100,n1,7,eth0,1000,4294967200
100,n1,7,"eth,1",5,5
110,n1,7,eth0,2000,4
110,n1,7,"eth,1",15,5
130,n1,7,eth0,2500,24
140,n1,-,eth0,100,34
140,n1,-,"eth,1",45,5
150,n1,-,eth0,200,44
150,n1,-,"eth,1",46,5
END
# 100 bytes of rx_bytes at 140 may be a dip until 150 shows that it is a reset: neither is a rate.
is 'rates' --type net --wide --rates "$work/one" <<'END'
time,host,jobs,device,rx_bytes,tx_bytes
110,n1,7,eth0,100,10
110,n1,7,"eth,1",1,0
130,n1,7,eth0,25,1
140,n1,-,eth0,,1
140,n1,-,"eth,1",1,0
150,n1,-,eth0,,1
150,n1,-,"eth,1",0.1,0
END
is 'rates of a part of the time' --type net --wide --rates --device eth0 --since 125 --until 130 \
	"$work/one" <<'END'
time,host,jobs,device,rx_bytes,tx_bytes
130,n1,7,eth0,25,1
END
is 'gauges are no rates' --type mem,net --rates --since 110 --until 110 --device 0 \
	"$work/one" <<'END'
{"time":110,"host":"n1","jobs":["7"],"type":"mem","device":"0","values":{"MemFree":40}}
END
is 'columns of another schema' --type net --wide --device eth0 --since 150 "$work/one" "$work/two" \
	<<'END'
time,host,jobs,device,rx_bytes,tx_bytes
150,n1,-,eth0,200,44
200,n1,-,eth0,20,10
210,n1,-,eth0,20,20
END
grep -q 'two: key new of type net has no column' "$work/said" || { cat "$work/said"; failed=1; }
is 'a boot' --type net --rates --csv --since 200 "$work/one" "$work/two" <<'END'
time,host,jobs,type,device,key,value
210,n1,-,net,eth0,tx_bytes,1
210,n1,-,net,eth0,rx_bytes,0
210,n1,-,net,eth0,new,0.2
END

# A misspelt type; one that this node has not is none.
"$bin/nodometer-cat" --type nett,mem "$work/one" >"$work/got" 2>"$work/said"
got=$?
if [ $got != 1 ] || ! grep -q MemFree "$work/got" ||
	! grep -q 'type nett: none of the files has it; did you mean "net"?' "$work/said"; then
	cat "$work/said"
	failed=1
fi
if ! "$bin/nodometer-cat" --type nvidia_gpu "$work/one" >"$work/got" 2>&1 ||
	[ -s "$work/got" ]; then
	echo 'a type of ours is none of the node'
	failed=1
fi
"$bin/nodometer-cat" --wide "$work/one" >"$work/got" 2>&1
[ $? = 2 ] || { echo '--wide without a type'; failed=1; }

# The example of the manual page.
if command -v sqlite3 >/dev/null; then
	"$bin/nodometer-cat" --type net --wide --rates "$work/one" >"$work/net.csv"
	got=$(cd "$work" && sqlite3 :memory: '.import --csv net.csv net' \
		'SELECT device, max(rx_bytes + 0) FROM net GROUP BY device' | tr '\n' ' ')
	[ "$got" = 'eth,1|1 eth0|100 ' ] || [ "$got" = 'eth,1|1.0 eth0|100.0 ' ] ||
		{ echo "sqlite3: $got"; failed=1; }
fi
exit $failed
