#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# mpxstats.sh - nodometer mpxstats receives packets at its port and prints them in each format
. "$(dirname "$0")/mpxstats_lib.sh"

packet='<statistics tod="7" src="h:1" pgm="xrootd"><stats id="x"><a>12</a></stats></statistics>'

listen -f flat
hex "$packet" | send
says flat 5 'tod 7
src h:1
pgm xrootd
x.a 12'
mv "$out" "$out.1"
kill -HUP "$receiver"
wait_until 10 test -e "$out"
hex 'no packet' | send
hex "$packet" | send
wait_until 10 lines 5
cmp "$out" "$out.1" || fail 'after SIGHUP'
end_receiver
grep -q 'a packet of 9 bytes from .*127.0.0.1 was left out: ' "$log" ||
	fail 'rubbish is not reported'

second=$(free_port)
listen -f cgi -s -p "$second"
six=$([ ! -s /proc/net/if_inet6 ] || echo six)
hex "$packet" | send "$second" "$six"
wait_until 10 lines 1
grep -Eqx 'tod=7&src=h:1&pgm=xrootd&host=[^&]+&x.a=12' "$out" || fail "cgi: $(cat "$out")"
end_receiver

if grep -q '^#define HAVE_EXPAT' config.h; then
	listen -f cgi
	hex '<statistics tod="7"><stats id="x"><a>1&amp;2</a></stats></statistics>' | send
	says 'a value with &' 1 'tod=7&x.a=1%262'
	end_receiver
fi

listen
hex "$packet" | send
says xml 1 "$packet"
end_receiver

# Newer XRootD servers send sets of counters as JSON in the packet.
listen -f flat --site
hex '{"statistics":{"tod":7,"src":"h:1","site":"S","stats_http":{"response":{"200":5}}}}' | send
says JSON 5 'tod 7
src h:1
site S
http.response.200 5'
end_receiver

# SIGTERM ends the program while packets arrive.
listen -f flat
flood "$port" '<statistics tod="1"></statistics>'
wait_until 10 test -s "$out"
end_receiver
end_flood

# If nobody reads the output, up to 64 MB of it wait; then packets stay in the socket, and the
# program sleeps, even if signals wake it.
sleeps_beside_packets() {
	grep -q '^State:[[:blank:]]*S' "/proc/$receiver/status" &&
		awk -v "p=:$(printf %04X "$port")\$" '$2 ~ p && $5 !~ /:0*$/ { n++ }
			END { exit !n }' /proc/net/udp /proc/net/udp6
}
is_full() {
	for _ in 1 2 3; do
		sleeps_beside_packets || return 1
		sleep 0.1
	done
}
mkfifo "$scratch/slow"
exec 4<>"$scratch/slow"
"$bin/nodometer-mpxstats" -p "$port" >"$scratch/slow" 2>"$log" 3>&- 4>&- &
receiver=$!
pids="$pids $receiver"
wait_until 10 bound "$port"
flood "$port" "$(printf '<statistics>%60000s</statistics>' '')"
wait_until 30 is_full
end_flood
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	kill -HUP "$receiver"
	sleep 0.05
done
is_full || fail 'more than 64 MB wait for a reader'
end_receiver
exec 4>&-

# nodometer works as mpxstats if it is called by this name of XRootD's program; --keys prints what
# the keys mean.
ln -s "$bin/nodometer" "$scratch/mpxstats"
"$scratch/mpxstats" --keys >"$scratch/keys" || fail 'not as mpxstats'
is 'a key' "$(grep -E '^link\.in ' "$scratch/keys" | tr -s ' ')" 'link.in int64 counter B received'
expect 2 "$scratch/mpxstats" -f flat 2>/dev/null

expect 2 "$bin/nodometer-mpxstats" 2>/dev/null
expect 2 "$bin/nodometer-mpxstats" -p 65537 2>/dev/null
expect 2 "$bin/nodometer-mpxstats" -p 1 -f json 2>/dev/null
