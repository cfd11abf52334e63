#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# cat.sh - nodometer cat prints tables, and rates through wraps, resets and boots
. "$(dirname "$0")/cat_lib.sh"

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
# At 140, the counter rx_bytes falls to 100. This may be a dip until the value at 150 shows that it
# was a reset, so there is no rate at 140 or at 150.
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
# A reader in a container may see another boot id although the node was not booted.
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

# Run the example of the manual page nodometer-cat(1).
if command -v sqlite3 >/dev/null; then
	"$bin/nodometer-cat" --type net --wide --rates "$work/one" >"$work/net.csv"
	got=$(cd "$work" && sqlite3 :memory: '.import --csv net.csv net' \
		'SELECT device, max(rx_bytes + 0) FROM net GROUP BY device' | tr '\n' ' ')
	[ "$got" = 'eth,1|1 eth0|100 ' ] || [ "$got" = 'eth,1|1.0 eth0|100.0 ' ] ||
		{ echo "sqlite3: $got"; failed=1; }
fi
exit $failed
