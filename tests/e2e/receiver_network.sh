#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# receiver_network.sh - nodometer xrootd opens only the named ports, accepts datagrams only from
# allowed networks, and logs its health
. "$(dirname "$0")/receiver_lib.sh"

# On SIGUSR1, the receiver logs its counts and continues.
told_health() { grep -q 'h:1094: 1 packets, 1 records, 0 lost in 0 gaps, 0 damaged,' "$log"; }
rm -f "$scratch/out"
receive --events --final -o "$scratch/out"
wait_until 60 bound "$port"
server_says
wait_until 60 more_than 0 "$scratch/out"
kill -USR1 "$receiver"
wait_until 60 told_health
server_says
wait_until 60 more_than 1 "$scratch/out"
end_receiver

# Only datagrams from allowed networks are accepted. The socket may already be open, as when systemd
# starts the receiver. However many datagrams are lost, a warning is logged only once a minute.
losses() { grep -c 'numbers, .* datagrams have been lost so far' "$log"; }
loses_more() { [ "$(losses)" -gt "$lost" ]; }
rm -f "$scratch/events"
lost=$(losses)
receive --events --allow 127.0.0.2,10.0.0.0/8 -o "$scratch/events"
wait_until 60 bound "$port"
server_says
wait_until 60 loses_more
server_says
sleep 1.2	# the receiver looks for losses each second
end_receiver
[ ! -s "$scratch/events" ] || fail 'a datagram of a stranger is taken'
tail -n 1 "$log" | grep -q ' 2 datagrams refused' || fail "not counted: $(tail -n 1 "$log")"
is 'warnings of losses' $(($(losses) - lost)) 1
expect 2 nodometer xrootd -p "$port" --allow 10.0.0.0/33 2>"$scratch/said"
grep -q -- '--allow 10.0.0.0/33: not a network' "$scratch/said" || fail "$(cat "$scratch/said")"
perl -MSocket -e '$^F = 3; socket(my $s, PF_INET, SOCK_DGRAM, 0) or die;
	fileno($s) == 3 && bind($s, pack_sockaddr_in($ARGV[0], INADDR_LOOPBACK)) or die;
	@ENV{"LISTEN_PID", "LISTEN_FDS"} = ($$, 1);
	exec($ARGV[1], "--events", "--buffer", 1024, "-o", $ARGV[2])' \
	"$port" "$bin/nodometer-xrootd" "$scratch/events" 2>>"$log" 3>&- &
receiver=$!
pids="$pids $receiver"
wait_until 60 bound "$port"
server_says
wait_until 60 more_than 0 "$scratch/events"
end_receiver
grep -q "buffer is [0-9]* KB, not 1048576" "$log" || fail 'a small buffer is not said'

# The kernel drops packets that have no numbers while the receiver is stopped.
rm -f "$scratch/events"
: >"$log"
receive --events --buffer 1 -o "$scratch/events"
wait_until 60 bound "$port"
kill -STOP "$receiver"
flood "$port" "$(printf '<statistics>%20000s</statistics>' '')"
drops() {
	awk -v "p=:$(printf %04X "$port")\$" '$2 ~ p && $NF > 0 { n++ } END { exit !n }' \
		/proc/net/udp /proc/net/udp6
}
wait_until 60 drops
end_flood
kill -CONT "$receiver"
wait_until 60 log_says 'numbers, 0 datagrams have been lost so far; [1-9][0-9]* were'
end_receiver

# ps shows no process that looks up names, because this was not requested; only the named ports are
# open.
"$bin/nodometer" xrootd -p "$port" -p $((port + 1)) --bind 127.0.0.1 >"$scratch/out" \
	2>>"$log" 3>&- &
receiver=$!
pids="$pids $receiver"
wait_until 60 bound "$port"
is 'its name' "$(tr '\0' ' ' <"/proc/$receiver/cmdline" | cut -d ' ' -f 1)" nodometer-xrootd
port=$((port + 1))
wait_until 60 bound $port
end_receiver

# With --names, names of clients are looked up, if this machine knows a name.
if name=$(getent hosts 127.0.0.1) && command -v jq >/dev/null; then
	name=$(echo "$name" | awk '{ print $2 }')
	expect 0 nodometer xrootd --read "$s2" --names \
		2>>"$log" >"$scratch/named"
	is 'clients without a name' "$(jq -r 'select(.host_ip == "[::ffff:127.0.0.1]" and
		.host != "'"$name"'") | .host' "$scratch/named" | wc -l)" 0
fi
