#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# cat_select.sh - nodometer cat selects rows, hosts, times and types, and says why it cannot select
# anything
. "$(dirname "$0")/cat_lib.sh"

# --resample 20 prints one row of each device in 20 s. Rates between the printed rows include all
# growth between them, also if the counter wrapped.
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

# From an archive, cat reads the files of the selected time, host by host.
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

# refused STATUS TEXT ARGUMENT...: nodometer cat must exit with STATUS and an error with TEXT
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
refused 2 'one of --dir, --from and FILE' --dir "$work/archive" "$work/one"
refused 2 'needs --dir' --host n1 "$work/one"
for period in 0 -1 10m 1e99 nan ''; do
	refused 2 'not a number of seconds' --resample "$period" "$work/one"
done

# An unknown type is reported; a known type that the node lacks is not.
"$bin/nodometer-cat" --type nett,mem "$work/one" >"$work/got" 2>"$work/said"
got=$?
if [ $got != 1 ] || ! grep -q MemFree "$work/got" ||
	! grep -q 'type nett: not in any of the files; did you mean "net"?' "$work/said"; then
	cat "$work/said"
	failed=1
fi
if ! "$bin/nodometer-cat" --type nvidia_gpu "$work/one" >"$work/got" 2>&1 ||
	[ -s "$work/got" ]; then
	echo 'a type of ours is none of the node'
	failed=1
fi
# A job that is not in the selected time may still be in the files.
if ! "$bin/nodometer-cat" --job nosuch --since now "$work/one" >"$work/got" 2>&1 ||
	grep -q 'in any of the files' "$work/got"; then
	cat "$work/got"
	failed=1
fi
"$bin/nodometer-cat" --wide "$work/one" >"$work/got" 2>&1
[ $? = 2 ] || { echo '--wide without a type'; failed=1; }

exit $failed
