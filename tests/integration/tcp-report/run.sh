#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - nodometer tcp report finds what limits connections: losses, small windows and buffers,
# slow programs
#
# Connections pass a relay through a tun device, with a delay and losses, in a network namespace of
# its own. 95 % of the verdicts must be right. If a verdict is wrong, up to 100 connections are made
# instead of CONNECTIONS (16). SEED=N repeats a run.
packages='iproute2 python3 gcc jq'
namespaces='-n -m'
. "$(dirname "$0")/../lib.sh"
connections=${CONNECTIONS:-16} at_once=16 seed=${SEED:-1}
ip link set lo up || skip 'no loopback'
grep -q '^#define HAVE_MNL ' "$bin/config.h" || skip 'built without libmnl'
cc -O1 -o "$scratch/relay" "$here/relay.c" || skip 'no compiler'
background "$scratch/relay" path0
# shellcheck disable=SC2317 # wait_until runs it
device() { ip link show path0 || ! kill -0 "$started"; }
wait_until device
ip link show path0 >"$scratch/log" 2>&1 || skip 'no tun device here'
ip addr add 10.9.0.1/30 dev path0 && ip link set path0 up txqueuelen 10000 ||
	skip 'no address for it'
# do not let connections reuse what earlier connections learned about the path
sysctl -q net.ipv4.tcp_no_metrics_save=1
sysctl -q net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.path0.rp_filter=0 \
	net.ipv4.conf.path0.accept_local=1

say "seed $seed"
right=0 done=0
while [ $done -lt "$connections" ]; do
	n=$((connections - done < at_once ? connections - done : at_once))
	pm=$scratch/$done.pm
	background "$bin/nodometer" tcp record -i 50 -o "$pm" 2>"$scratch/log"
	recorder=$started
	wait_until test -s "$pm" || die "no recording: $(cat "$scratch/log")"
	python3 "$here/talk.py" $n 5 $((seed + done)) >"$scratch/planted" || die 'no connections'
	stop "$recorder"
	"$bin/nodometer" tcp report --json "$pm" >"$scratch/report" || die 'no report'
	while read -r port cause; do
		found=$(jq -r --argjson port "$port" \
			'.connections[] | select(.lport == $port) | .verdict' "$scratch/report")
		done=$((done + 1))
		[ "$found" = "$cause" ] && { right=$((right + 1)); continue; }
		say "port $port: $cause was planted, found: ${found:-nothing}"
		jq -c --argjson port "$port" '.connections[] | select(.lport == $port)' \
			"$scratch/report"
	done <"$scratch/planted"
	[ $right = $done ] || connections=$((connections > 100 ? connections : 100))
done
[ $((right * 100)) -ge $((connections * 95)) ] || fail "$right of $connections verdicts are right"
say "$right of $connections verdicts are right"
finish
