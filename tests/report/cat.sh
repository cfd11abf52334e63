#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# cat.sh - nodometer cat: tables, rates through wraps, resets and boots, and misspelt types
. "$(dirname "$0")/lib.sh"

# is WHAT COMMAND...: it prints what is on standard input
is()
{
	what=$1
	shift
	cat >"$work/want"
	"$bin/nodometer-cat" "$@" >"$work/got" 2>"$work/said"
	diff "$work/want" "$work/got" || fail "$what: $(cat "$work/said")"
}

# shellcheck disable=SC2016 # properties, not variables
{
	printf '$hpcperfstats 1.0.2\n$hostname n1\n$uptime 500\n$boot_id a\n'
	printf '!net rx_bytes,E,U=B tx_bytes,E,W=32\n!mem MemFree,U=KB\n'
	printf '\n100 7\n%%begin 7\nnet eth0 1000 4294967200\nnet eth,1 5 5\nmem 0 50\n'
	printf '\n110 7\nnet eth0 2000 4\nnet eth,1 15 5\nmem 0 40\n'
	printf '\n130 7\nnet eth0 2500 24\nmem 0 30\n'
	printf '\n140 -\nnet eth0 100 34\nnet eth,1 45 5\nmem 0 30\n'
	printf '\n150 -\nnet eth0 200 44\nnet eth,1 46 5\nmem 0 30\n'
} >"$work/one"
{
	# Booted, and another order of keys.
	printf '$hpcperfstats 1.0.2\n$hostname n1\n$uptime 20\n$boot_id b\n'
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
# Another boot id of a node that was up all the time is that of a reader in a container.
# shellcheck disable=SC2016 # properties, not variables
{
	cat "$work/one"
	printf '$hpcperfstats 1.0.2\n$hostname n1\n$uptime 560\n$boot_id c\n'
	printf '!net rx_bytes,E,U=B tx_bytes,E,W=32\n\n160 -\nnet eth0 300 54\n'
} >"$work/container"
is 'no boot' --type net --rates --csv --since 160 "$work/container" <<'END'
time,host,jobs,type,device,key,value
160,n1,-,net,eth0,rx_bytes,10
160,n1,-,net,eth0,tx_bytes,1
END

# One row of each device in 20 s.  eth0's transfers between the rows that are left are in its rates,
# also where the counter went through its end between them.
is 'fewer rows' --type net,mem --csv --resample 20 "$work/one" <<'END'
time,host,jobs,type,device,key,value
100,n1,7,net,eth0,rx_bytes,1000
100,n1,7,net,eth0,tx_bytes,4294967200
100,n1,7,net,"eth,1",rx_bytes,5
100,n1,7,net,"eth,1",tx_bytes,5
100,n1,7,mem,0,MemFree,50
130,n1,7,net,eth0,rx_bytes,2500
130,n1,7,net,eth0,tx_bytes,24
130,n1,7,mem,0,MemFree,30
140,n1,-,net,eth0,rx_bytes,100
140,n1,-,net,eth0,tx_bytes,34
140,n1,-,net,"eth,1",rx_bytes,45
140,n1,-,net,"eth,1",tx_bytes,5
140,n1,-,mem,0,MemFree,30
END
is 'rates of fewer rows, with units' --type net --wide --rates --resample 20 --units "$work/one" \
	<<'END'
time,host,jobs,device,rx_bytes (B/s),tx_bytes (1/s)
130,n1,7,eth0,50,4
140,n1,-,eth0,,1
140,n1,-,"eth,1",1,0
END
head='{"time":100,"host":"n1","jobs":["7"]' bytes='"units":{"rx_bytes":"B"}'
is 'marks of fewer rows' --resample 1000 --until 115 --units "$work/one" <<END
$head,"mark":"begin 7"}
$head,"type":"net","device":"eth0","values":{"rx_bytes":1000,"tx_bytes":4294967200},$bytes}
$head,"type":"net","device":"eth,1","values":{"rx_bytes":5,"tx_bytes":5},$bytes}
$head,"type":"mem","device":"0","values":{"MemFree":50},"units":{"MemFree":"KB"}}
END
is 'units of values' --csv --units --rates --type mem,net --since 110 --until 110 --device eth0 \
	"$work/one" <<'END'
time,host,jobs,type,device,key,value,unit
110,n1,7,net,eth0,rx_bytes,100,B/s
110,n1,7,net,eth0,tx_bytes,10,1/s
END

# An archive: its hosts in turn, and of each the files of that time, in order.
mkdir -p "$work/archive/n1" "$work/archive/n2"
cp "$work/one" "$work/archive/n1/100"
cp "$work/two" "$work/archive/n1/200"
sed 's/hostname n1/hostname n2/' "$work/two" >"$work/archive/n2/200"
is 'an archive' --dir "$work/archive" --type net --device eth0 --wide --since 145 <<'END'
time,host,jobs,device,rx_bytes,tx_bytes
150,n1,-,eth0,200,44
200,n1,-,eth0,20,10
210,n1,-,eth0,20,20
200,n2,-,eth0,20,10
210,n2,-,eth0,20,20
END
is 'some of its hosts' --dir "$work/archive" --host '*2' --type net --csv --until 200 <<'END'
time,host,jobs,type,device,key,value
200,n2,-,net,eth0,tx_bytes,10
200,n2,-,net,eth0,rx_bytes,20
200,n2,-,net,eth0,new,1
END
echo garbage >"$work/archive/n2/300"
is 'files of other times are not read' --dir "$work/archive" --type net --rates --csv \
	--host n2 --until 250 <<'END'
time,host,jobs,type,device,key,value
210,n2,-,net,eth0,tx_bytes,1
210,n2,-,net,eth0,rx_bytes,0
210,n2,-,net,eth0,new,0.2
END
[ ! -s "$work/said" ] || { cat "$work/said"; failed=1; }

# refused STATUS TEXT ARGUMENTS...
refused()
{
	want=$1 text=$2
	shift 2
	"$bin/nodometer-cat" "$@" >"$work/got" 2>"$work/said"
	got=$?
	[ $got = "$want" ] && [ ! -s "$work/got" ] && grep -q -e "$text" "$work/said" && return
	echo "FAIL: $*: status $got: $(cat "$work/said")"
	failed=1
}
refused 1 'no files of host n3' --dir "$work/archive" --host n3
refused 1 'nowhere: ' --dir "$work/nowhere"
refused 1 '/lib/nodometer' --job 'no such job'
refused 1 '; "nodometer cat --job 17" prints the records of a job' 17
refused 2 'a FILE' --dir "$work/archive" "$work/one"
refused 2 'wants --dir' --host n1 "$work/one"
for period in 0 -1 10m 1e99 nan ''; do
	refused 2 'no number of seconds' --resample "$period" "$work/one"
done

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
# A job that is not in the selected time may be in the files.
if ! "$bin/nodometer-cat" --job nosuch --since now "$work/one" >"$work/got" 2>&1 ||
	grep -q 'none of the files' "$work/got"; then
	cat "$work/got"
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
