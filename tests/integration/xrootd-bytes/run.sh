#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - the bytes of the reported accesses are the bytes that servers count on their links
#
# Two real servers report to a receiver, and through a relay that drops some closes to a second
# receiver. The first receiver must explain 99% of the bytes; the second must lack exactly the bytes
# of the dropped closes.
namespaces=-n	# in its own network namespace any port is free
packages='xrootd-server xrootd-client xrootd-server-plugins curl jq python3'
. "$(dirname "$0")/../lib.sh"
. "$top/tests/integration/xrootd.sh"

whole=39950 relay=39951 lossy=39952

report="xrd.report 127.0.0.1:$whole,127.0.0.1:$relay every 1s all"
destinations="dest fstat user 127.0.0.1:$whole dest fstat user 127.0.0.1:$relay"
config a 31094 31095 "$report" "$destinations"
config b 31096 31097 "$report" "$destinations"

# receive PORT: start a receiver with pid $started and its sums in $scratch/PORT
receive()
{
	background "$bin/nodometer" xrootd -p "$1" --bind 127.0.0.1 --raw --final \
		-o "$scratch/$1/" --transfers "$scratch/lines.$1" 2>"$scratch/log.$1"
	wait_until bound "$1" || die "no receiver: $(cat "$scratch/log.$1")"
}
receive $whole
receiver=$started
receive $lossy
loser=$started
background python3 "$here/relay.py" $relay $lossy 3 "$scratch/dropped"
wait_until bound $relay || die 'no relay'

# start NAME PORT: start an XRootD server with pid $started
start()
{
	background prlimit --nofile=4096:4096 xrootd -R "$user" -n "$1" -c "$base/$1/cfg" \
		-l "$base/$1/log"
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		! timeout 2 xrdfs "localhost:$2" stat /data >/dev/null 2>&1 || return 0
		sleep 0.5
	done
	die "no xrootd: $(tail -n 20 "$base/$1"/*/log)"
}
start a 31094
server=$started
start b 31096

mb=1048576
# copies FIRST LAST: copy files number FIRST to LAST to server a, and copy each back twice, with
# both protocols
copies()
{
	for i in $(seq "$1" "$2"); do
		head -c $((i * mb)) /dev/urandom >"$scratch/in"
		timeout 60 xrdcp -s -f "$scratch/in" "root://localhost:31094//data/f$i" ||
			fail "xrdcp in $i"
		timeout 60 xrdcp -s -f "root://localhost:31094//data/f$i" "$scratch/out" ||
			fail "xrdcp out $i"
		curl -sS -o "$scratch/out" "http://localhost:31095/data/f$i" || fail "GET $i"
		cmp "$scratch/in" "$scratch/out" || fail "f$i came back changed"
		sleep 1.2	# wait, so that the next copies are in another datagram
	done
}
copies 1 6
# use the address, because the source compares names and there is no name service here
timeout 40 xrdcp -s --tpc only root://127.0.0.1:31094//data/f6 root://127.0.0.1:31096//data/copy \
	2>"$scratch/tpc" || fail "no third-party copy: $(cat "$scratch/tpc")"
sleep 3		# wait for the last packet, which has all counts
stop "$server"
start a 31094
copies 7 12
sleep 4
stop "$receiver" "$loser"
"$bin/nodometer" check "$scratch/$whole"/*/current >"$scratch/check" ||
	fail "$(cat "$scratch/check")"

# page PORT SERVER FILTER: apply a filter to the report of a receiver
page()
{
	"$bin/nodometer" report --dir "$scratch/$1" --host '*' --device "*:$2" --json |
		jq -r "$3"
}
share() { page "$1" 31094 ".derived[] | select(.figure == \"$2\").value"; }
bytes() { page "$1" "$2" ".figures[] | select(.figure == \"xrootd_bytes.$3\").total"; }
for way in in out; do
	got=$(share $whole xrootd_${way}_explained)
	say "explained of $way: $got %; with losses $(share $lossy xrootd_${way}_explained) %"
	awk -v v="${got:-0}" 'BEGIN { exit v < 99 || v > 101 }' || fail "explained of $way: $got %"
	[ "$(bytes $whole 31094 $way)" -gt $((70 * mb)) ] || fail 'so few bytes are no drill'
done

# The bytes of a third-party copy do not pass the links of the server that starts the copy.
[ "$(bytes $whole 31096 in_explained)" = 0 ] ||
	fail "the copy is counted as received: $(bytes $whole 31096 in_explained)"

# The missing bytes must be the bytes of the dropped closes, less the bytes that earlier reports
# about open files had included.
"$bin/nodometer" xrootd --read "$scratch/dropped" --transfers >"$scratch/lost" 2>/dev/null
[ "$(wc -l <"$scratch/lost")" -ge 5 ] || fail "only $(wc -l <"$scratch/lost") closes were dropped"
for pair in in:write out:read; do
	way=${pair%:*}
	moved=".${pair#*:} + if \"$way\" == \"out\" then .readv else 0 end"
	lost=$(jq -s "map($moved) | add" "$scratch/lost")
	lost=$((lost - $(jq -s "map(select(.bytes_from == \"report\") | $moved) | add // 0" \
		"$scratch/lines.$lossy")))
	all=$(bytes "$whole" 31094 "${way}_explained")
	missing=$((all - $(bytes "$lossy" 31094 "${way}_explained")))
	say "$way: $lost bytes dropped, $missing missing"
	[ "$lost" = "$missing" ] || fail "$way: $lost bytes dropped, $missing missing"
done
finish
