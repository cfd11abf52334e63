#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - if segments are lost on purpose, the recording of nodometer tcp agrees with ss and nstat
#
# Runs in a build folder, in its own network namespace: nftables drops every 20th segment.
packages='iproute2 nftables python3'
namespaces='-n -m'
. "$(dirname "$0")/../lib.sh"
ip link set lo up || skip 'no loopback'
ip link set lo gso_max_segs 1	# send each segment as a separate packet
grep -q '^#define HAVE_MNL ' "$bin/config.h" || skip 'built without libmnl'
tests=$top/tests/tracers

nft -f - <<'END' 2>"$scratch/log" || skip "no nftables here: $(tail -n 1 "$scratch/log")"
table inet lossy {
	chain input {
		type filter hook input priority 0;
		tcp dport 5050 tcp flags & (syn | fin | rst) == 0 numgen inc mod 20 == 7 drop
	}
}
END

cat >"$scratch/talk.py" <<'END'
import socket, sys, time
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(('127.0.0.1', 5050))
listener.listen()
one = socket.socket()
one.bind(('127.0.0.1', 1055))
one.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 4000)
one.connect(('127.0.0.1', 5050))
two, _ = listener.accept()
sys.stdin.readline()
for _ in range(300):
    one.sendall(b'x' * 20000)
    left = 20000
    while left:
        left -= len(two.recv(left))
print('sent', flush=True)
sys.stdin.readline()
one.sendall(b'y')
sys.stdin.readline()
END
mkfifo "$scratch/words"
python3 "$scratch/talk.py" <"$scratch/words" >"$scratch/said" &
pids="$pids $!"
exec 5>"$scratch/words"
# shellcheck disable=SC2317 # wait_until runs it
connected() { ss -Htn state established sport 1055 dport 5050 | grep -q .; }
wait_until connected || die 'no connection'

pm=$scratch/lossy.pm
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
events=
if grep -q '^#define HAVE_TRACEEVENT ' "$bin/config.h" &&
		[ -e /sys/kernel/tracing/events/tcp/tcp_retransmit_skb ]; then
	events=--events
	# Also record retransmissions with ftrace.
	instance=/sys/kernel/tracing/instances/nodometer.$$
	mkdir "$instance" && echo 'sport == 1055 && dport == 5050' \
		>"$instance/events/tcp/tcp_retransmit_skb/filter" &&
		echo 1 >"$instance/events/tcp/tcp_retransmit_skb/enable"
fi
"$bin/nodometer" tcp record -i 20 $events -p 1055.5050 -p 5050.1055 -o "$pm" 2>"$scratch/log" &
recorder=$!
pids="$pids $recorder"
# shellcheck disable=SC2317
recording() { "$bin/nodometer" tcp graph -T -l "$pm" 2>/dev/null | grep -q '1055 5050 1$'; }
wait_until recording || die 'no snapshot'
echo >&5
for _ in 1 2 3 4 5 6; do
	wait_until grep -q sent "$scratch/said" && break
done
grep -q sent "$scratch/said" || die 'the data were not sent'

# The last snapshots show a connection at rest.
recorded()
{
	"$bin/nodometer" tcp graph -T -l --column "$1" -p "$2" "$pm" |
		awk -v at="${3-}" 'at == "" && $6 != "-" || $5 == at { last = $6 }
			END { print last }'
}
ss_says=$(ss -Htin sport 1055 dport 5050 | grep -o ' retrans:[0-9]*/[0-9]*' | cut -d / -f 2)
nstat_says=$(nstat -asz TcpRetransSegs | awk '$1 == "TcpRetransSegs" { print $2 }')
# shellcheck disable=SC2317
agrees() { [ "$(recorded total_retrans 1055.5050)" = "$ss_says" ]; }
[ "${ss_says:-0}" -gt 0 ] || die 'nothing was sent again'
wait_until agrees || fail "$(recorded total_retrans 1055.5050) recorded, ss has $ss_says"
[ "$nstat_says" = "$ss_says" ] || fail "nstat has $nstat_says retransmits, ss $ss_says"
say "$ss_says segments sent again: the same in the recording, ss and nstat"
[ "$(recorded bytes_received 5050.1055)" = 6000000 ] || fail 'not all bytes received'
[ "$(recorded snd_max 1055.5050)" = 6000000 ] || fail "snd_max $(recorded snd_max 1055.5050)"
[ "$(recorded snd_fack 1055.5050)" = 6000000 ] || fail "snd_fack $(recorded snd_fack 1055.5050)"

# Each retransmission is an event (location 6, see below); other events are changes of the window
# and losses. Drop all packets for long enough to cause a retransmission timeout.
if [ "$events" ]; then
	nft add rule inet lossy input tcp dport 5050 drop
	echo >&5
	# shellcheck disable=SC2317
	seen() { "$bin/nodometer" tcp graph -T -l "$pm" | grep -q "1055 5050 $1\$"; }
	unseen=
	for location in 3 4 5; do
		wait_until seen $location || unseen="$unseen $location"
	done
	nft flush ruleset
else
	echo >&5
fi

# The last values of a connection are recorded when it is closed.
echo >&5
# shellcheck disable=SC2317
ended() { "$bin/nodometer" tcp graph -T -l "$pm" | grep -q '1055 5050 2$'; }
wait_until ended || fail 'no final snapshot'
stop "$recorder"

# Some kernels do not deliver events that perf counted on an idle CPU: print how many.
if [ "$events" ]; then
	listed=$(grep -c 'tcp_retransmit_skb:' "$instance/trace")
	rmdir "$instance"
	passed=$(recorded callvalue 1055.5050 6)
	kept=$(sed -n 's/.*retransmit_skb: the kernel delivered \(.*\) of \(.*\)/\2 - \1/p' \
		"$scratch/log")
	[ $((passed + ${kept:-0})) = "$listed" ] ||
		fail "$passed events of retransmits, tracefs has $listed: $(cat "$scratch/log")"
	say "$listed events of retransmits, as in tracefs; $((${kept:-0})) not passed on"
	[ -z "$unseen" ] || grep 'tcp_cong_state_set: the kernel delivered' "$scratch/log" ||
		fail "no snapshot of location$unseen"
fi

# Another program can read the recording; draw graphs in both formats.
export PYTHONPATH="$tests" PYTHONDONTWRITEBYTECODE=1
python3 - "$pm" "$ss_says" <<'END' || fail 'another reader sees something else'
import sys, pm
h, entries = pm.read(open(sys.argv[1], 'rb').read())
assert [e['seq_no'] for e in entries] == list(range(len(entries)))
assert max(e['total_retrans'] for e in entries if e['lport'] == 1055) >= int(sys.argv[2])
END
if command -v gnuplot >/dev/null; then
	"$bin/nodometer" tcp graph -p 1055.5050 -c -H --output "$scratch/one.png" "$pm" &&
		"$bin/nodometer" tcp graph -P -c --output "$scratch/all.png" "$pm" &&
		[ -s "$scratch/one.png" ] && [ -s "$scratch/all.png" ] || fail 'no pictures'
fi
finish
