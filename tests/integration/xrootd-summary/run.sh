#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - nodometer mpxstats beside XRootD's own: same packets, same output; and nodometer-send
#
# Runs in a build folder, in a network namespace of its own.
namespaces=-n
. "$(dirname "$0")/../lib.sh"
need_packages xrootd-server
command -v mpxstats >/dev/null || skip 'no mpxstats in xrootd-server'
ip link set lo up || skip 'no loopback'

packets=$top/tests/fuzz/corpus/xrdflat
ours="$bin/nodometer-mpxstats"

# send PORT FILE...: a packet of each; slowly, because the original turns round what waits
send()
{
	port=$1
	shift
	for f; do
		cat "$f" >"/dev/udp/127.0.0.1/$port"
		sleep 0.03
	done
}

# shellcheck disable=SC2317 # wait_until runs it
listens() { ss -lun | grep -q ":$1 "; }

# compare NAME FILES OURS-OPTIONS OPTIONS...: both programs' output of these packets
compare()
{
	name=$1 files=$2 extra=$3
	shift 3
	mpxstats -p 4001 "$@" >"$scratch/theirs" 2>/dev/null &
	theirs_pid=$!
	# shellcheck disable=SC2086 # no option, or one
	"$ours" -p 4002 "$@" $extra >"$scratch/ours" 2>"$scratch/errors" &
	ours_pid=$!
	pids="$pids $theirs_pid $ours_pid"
	wait_until listens 4001 && wait_until listens 4002 || die 'no ports'
	# shellcheck disable=SC2086 # a pattern
	send 4001 $files
	# shellcheck disable=SC2086
	send 4002 $files
	sleep 0.5
	stop "$theirs_pid" "$ours_pid"
	[ -s "$scratch/theirs" ] || die "$name: the original printed nothing"
	if cmp "$scratch/theirs" "$scratch/ours"; then
		say "$name: the same $(wc -c <"$scratch/ours") bytes"
	else
		diff "$scratch/theirs" "$scratch/ours" | head -n 10
		fail "$name differs"
	fi
}

for format in xml flat cgi; do
	compare "servers' packets, $format" "$packets/captured-*" '' -f $format
	compare "odd packets, $format --compat" "$packets/*.xml" --compat -f $format
done
compare "servers' packets, flat -s" "$packets/captured-*" '' -f flat -s
compare "servers' packets, cgi -s" "$packets/captured-*" '' -f cgi -s
compare 'odd packets, flat -d --compat' "$packets/*.xml" --compat -f flat -d

# start OPTIONS...: ours, as $started, its output in $scratch/ours
start()
{
	background "$ours" -p 4002 "$@" >"$scratch/ours" 2>"$scratch/errors"
	wait_until listens 4002 || die 'no port'
}

say 'order, at full speed'
start -f flat
for i in $(seq 3000); do
	printf '<statistics tod="%s"></statistics>' "$i" >/dev/udp/127.0.0.1/4002
done
sleep 0.5
stop "$started"
seq 3000 | sed 's/.*/tod &\n/' | cmp - "$scratch/ours" || fail 'packets are missing or not in order'

say 'what the original loses'
start -f flat -p 4003 --site
{ printf '<statistics tod="1" site="S"><stats id="x">'
	for i in $(seq 1000); do printf '<k%s>%s</k%s>' "$i" "$i" "$i"; done
	echo '</stats></statistics>'; } >"$scratch/large"
printf '%s\n' '<?xml version="1.0"?>' '<statistics tod="2">' '<stats id="x">' \
	'<a>/b</a></stats></statistics>' >"$scratch/lines"
dd bs=60K status=none <"$scratch/large" >/dev/udp/::1/4003
sleep 0.1
dd bs=60K status=none <"$scratch/lines" >/dev/udp/127.0.0.1/4002
for i in 1 2 3; do echo "rubbish $i" >/dev/udp/::1/4002; done
sleep 0.5
stop "$started"
{ printf 'tod 1\nsite S\n'; seq 1000 | sed 's/.*/x.k& &/'; printf '\ntod 2\nx.a /b\n\n'; } |
	cmp - "$scratch/ours" || fail 'a large packet, or one with newlines'
cat "$scratch/errors"
grep -q 'a packet of 10 bytes from ::1 was left out: ' "$scratch/errors" ||
	fail 'no word on rubbish'
grep -q '2 more packets were left out' "$scratch/errors" || fail 'no count of rubbish'

say 'losses are counted'
start -b ::1
kill -STOP "$started"
# The kernel keeps 64 MB at most.
dd bs=60000 count=3000 status=none </dev/zero >/dev/udp/::1/4002
kill -CONT "$started"
sleep 1
stop "$started"
taken=$(($(wc -c <"$scratch/ours") / 60001))
lost=$(sed -n 's/.*: \([0-9]*\) packets were lost: .*/\1/p' "$scratch/errors")
say "$taken taken, ${lost:-0} lost of 3000"
[ "$taken" -lt 3000 ] && [ $((taken + ${lost:-0})) = 3000 ] || fail 'taken and lost are not all'

say 'a file that is rotated'
start -f cgi -o "$scratch/file"
send 4002 "$packets/captured-1.xml"
mv "$scratch/file" "$scratch/file.1"
kill -HUP "$started"
wait_until test -e "$scratch/file" || fail 'SIGHUP: no new file'
send 4002 "$packets/captured-2.xml"
sleep 0.3
stop "$started"
[ "$(wc -l <"$scratch/file.1") $(wc -l <"$scratch/file")" = '1 1' ] ||
	fail 'not one line in each file'

say 'a reader that ends'
background "$ours" -p 4002 -f flat 2>"$scratch/errors" > >(head -n 1 >"$scratch/one")
wait_until listens 4002 || die 'no port'
# ended: it notices at the next packet
# shellcheck disable=SC2317
ended() { send 4002 "$packets/captured-1.xml"; ! listens 4002; }
wait_until ended || fail 'goes on when nobody reads any more'
[ "$(cat "$scratch/one")" = 'tod 1795212445' ] || fail 'the reader got something else'

# An agent that samples each second, and nodometer-send, of whose packets XRootD's program and
# ours are to make the same.  Sorted: the original turns round packets that come at once.
say 'nodometer-send'
size=1472
ip link add v0 type veth peer name v1 && ip link set v0 up || skip 'no veth'
cat >"$scratch/conf" <<END
[agent]
dir         = $scratch/archive
runtime-dir = $scratch/run
interval    = 1s
job-file    =
[summary]
destination = 127.0.0.1:4001 [::1]:4002
packet-size = $size
site        = SITE
END
mkdir "$scratch/archive" "$scratch/run"
background "$bin/nodometerd" --foreground --config "$scratch/conf" 2>"$scratch/agent.log"
agent=$started
wait_until "$bin/nodometer" status --config "$scratch/conf" || die 'no agent'
"$bin/nodometer" begin /job-1 --strict --config "$scratch/conf" || fail 'no begin'

# sent FORMAT: what both make of the packets of some seconds, with a rotation and a job's begin
sent()
{
	mpxstats -p 4001 -f "$1" >"$scratch/theirs" 2>/dev/null &
	theirs_pid=$!
	pids="$pids $theirs_pid"
	start -f "$1"
	ours_pid=$started
	wait_until listens 4001 || die 'no port'
	background "$bin/nodometer-send" --config "$scratch/conf" 2>"$scratch/send.log"
	sender=$started
	sleep 1.5
	"$bin/nodometer" rotate --config "$scratch/conf" || fail 'no rotation'
	"$bin/nodometer" begin "job-$1" --strict --config "$scratch/conf" || fail 'no begin'
	sleep 1.5
	stop "$sender"
	sleep 0.3
	stop "$theirs_pid" "$ours_pid"
	cat "$scratch/send.log"
	[ ! -s "$scratch/errors" ] || fail "ours did not take all: $(cat "$scratch/errors")"
	sort "$scratch/theirs" >"$scratch/theirs.sorted"
	sort "$scratch/ours" | cmp - "$scratch/theirs.sorted" ||
		fail "$1: packets are not taken alike"
	say "$1: $(wc -c <"$scratch/ours") bytes, the same"
}
sent flat
groups=$(grep '^tod ' "$scratch/ours" | uniq | wc -l)
[ "$groups" -ge 3 ] || fail "only $groups record groups were sent"
for key in info.host link.in proc.usr.u oss.paths sched.threads jobs.num sgen.toe ps.processes; do
	grep -q "^$key " "$scratch/ours" || fail "no $key"
done
grep -q '^jobs.0.id /job-1$' "$scratch/ours" || fail 'no job'
grep -q '^jobs.1.id job-flat$' "$scratch/ours" || fail 'no job that began meanwhile'

# All that is in the archive's last group is in the packets of it.
"$bin/nodometer" end job-flat --strict --config "$scratch/conf" || fail 'no end'
sleep 1.2
stop "$agent"
start -f flat
sed -i 's/127.0.0.1:4001 //' "$scratch/conf"
"$bin/nodometer-send" --once --config "$scratch/conf" || fail '--once failed'
sleep 0.3
stop "$started"
"$bin/nodometer" cat --csv "$scratch"/archive/*/current | awk -F, '
	$1 != at { lines = ""; at = $1 }
	{ gsub(/[^A-Za-z0-9]/, "_", $6) }
	$4 != "proc" { lines = lines $4 ($5 == "-" ? "" : "." $5) "." $6 " " $7 "\n" }
	END { printf "%s", lines }' | sort >"$scratch/want"
[ "$(wc -l <"$scratch/want")" -gt 100 ] || fail 'the archive has too little to compare'
sort "$scratch/ours" | comm -13 - "$scratch/want" >"$scratch/missing"
[ ! -s "$scratch/missing" ] || { head -n 5 "$scratch/missing"; fail 'values were not sent'; }
packets=$(grep -c '^tod ' "$scratch/ours")
say "$(wc -l <"$scratch/want") values, in $packets packets of up to $size bytes"
[ "$packets" -ge 3 ] || fail 'so few packets cannot hold that'
finish
