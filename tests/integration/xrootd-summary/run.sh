#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - nodometer mpxstats prints the same as XRootD's mpxstats for the same packets, also for
# those of nodometer-send
#
# Runs in a build folder, in its own network and mount namespaces.
packages='xrootd-server dnsmasq-base'
namespaces='-n -m'
. "$(dirname "$0")/../lib.sh"
command -v mpxstats >/dev/null || skip 'no mpxstats in xrootd-server'
ip link set lo up || skip 'no loopback'

packets=$top/tests/fuzz/corpus/xrdflat
ours="$bin/nodometer-mpxstats"

# send PORT FILE...: send a packet of each file, slowly, because XRootD's program reverses packets
# that wait
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

# packets OPTIONS <OUTPUT: print a line for each packet, in a fixed order
packets()
{
	case "$*" in
	*flat*) awk 'BEGIN { RS = "" } { gsub("\n", "\001"); print }' ;;
	*)      cat ;;
	esac | sort
}

# compare NAME FILES OURS-OPTIONS OPTIONS...: both programs must print the same for these packets
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
	packets "$@" <"$scratch/theirs" >"$scratch/theirs.packets"
	packets "$@" <"$scratch/ours" >"$scratch/ours.packets"
	if cmp -s "$scratch/theirs" "$scratch/ours"; then
		say "$name: the same $(wc -c <"$scratch/ours") bytes"
	elif cmp "$scratch/theirs.packets" "$scratch/ours.packets"; then
		say "$name: the same $(wc -c <"$scratch/ours") bytes, in another order"
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

# start OPTIONS...: start nodometer mpxstats with pid $started and its output in $scratch/ours
start()
{
	background "$ours" -p 4002 "$@" >"$scratch/ours" 2>"$scratch/errors"
	wait_until listens 4002 || die 'no port'
}

# A server of 5.9 or later sends its sets of counters as JSON after each XML packet.
say 'sets of counters as JSON'
start -f flat
flat=$started
background "$bin/nodometer-xrootd" -p 4003 --bind 127.0.0.1 --raw --final -o "$scratch/sets" \
	2>"$scratch/log"
wait_until listens 4003 || die 'no port'
for port in 4002 4003; do
	send $port "$packets/captured-1.xml" "$packets/json-set"
done
sleep 0.5
stop "$started" "$flat"
for want in http_plugin.request.GET=5 http_plugin.response.OTHERS=1; do
	grep -qx "${want%=*} ${want#*=}" "$scratch/ours" || fail "no $want: $(tail "$scratch/ours")"
done
for want in 'xrd_http_request h:1094:GET 5' 'xrd_http_response h:1094:OTHERS 1'; do
	grep -qx "$want" "$scratch/sets" || fail "no $want: $(tail "$scratch/log")"
done
grep -q '^xrd_link ' "$scratch/sets" || fail 'no row of the packet of XML'

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

say 'what is sent to do harm'
start -f flat -p 4003 -p 4004
rubbish=$scratch/rubbish
mkdir "$rubbish"
printf '<!DOCTYPE s [<!ENTITY a "aaaaaaaaaa">%s]>%s' \
	"$(for i in b c d e f g h; do printf '<!ENTITY %s "&a;&a;&a;&a;&a;&a;&a;&a;">' $i; done)" \
	'<statistics tod="1"><x>&h;</x></statistics>' >"$rubbish/entities"
printf '<!DOCTYPE s [<!ENTITY a SYSTEM "file:///etc/passwd">]><statistics tod="1"><x>&a;</x>' \
	>"$rubbish/external"
{ printf '<statistics tod="1">'; printf '<a>%.0s' $(seq 10000); } >"$rubbish/deep"
{ printf '<statistics tod="1"><x y="'; head -c 60000 /dev/zero | tr '\0' '<'; } >"$rubbish/giant"
printf '<statistics tod="1"><\377\376>1</\377\376></statistics>' >"$rubbish/utf8"
printf '<statistics tod="1"><a\0b>1</a\0b></statistics>' >"$rubbish/nul"
head -c 60000 /dev/urandom >"$rubbish/random"
for port in 4002 4003 4004; do
	for f in "$rubbish"/*; do
		dd bs=60K status=none <"$f" >/dev/udp/127.0.0.1/$port
	done
	printf '<statistics tod="%s"></statistics>' $port >/dev/udp/127.0.0.1/$port
	sleep 0.1
done
sleep 0.5
memory=$(awk '/^VmHWM/ { print $2 }' "/proc/$started/status")
stop "$started"
printf 'tod %s\n\n' 4002 4003 4004 | cmp - "$scratch/ours" ||
	fail 'rubbish came out, or more did not'
[ "${memory:-99999}" -lt 20000 ] || fail "rubbish made us take ${memory:-?} KB"
# All bad packets are reported; there are only 3 good ones. The first report has its own line.
[ "$(grep -c 'was left out' "$scratch/errors") $(sed -n 's/.*: \([0-9]*\) more .*/\1/p' \
	"$scratch/errors")" = '1 20' ] || { cat "$scratch/errors"; fail 'no count of it'; }

say 'wrong usage'
# refused STATUS TEXT OPTIONS...: nodometer mpxstats must exit with STATUS and an error with TEXT
refused()
{
	want=$1 text=$2
	shift 2
	timeout 5 "$ours" "$@" >"$scratch/ours" 2>"$scratch/errors"
	[ "$? $(grep -cF -- "$text" "$scratch/errors")" = "$want 1" ] ||
		{ cat "$scratch/errors"; fail "$*: not refused with $want and \"$text\""; }
}
refused 2 'missing -p PORT'
refused 2 '0: not a port from 1 to 65535' -p 0
refused 2 '65537: not a port from 1 to 65535' -p 65537
refused 2 'json: unknown format; use cgi, flat or xml' -f json -p 4002
refused 1 'port 4002 of 192.0.2.1: Cannot assign requested address' -p 4002 -b 192.0.2.1
refused 1 '/nowhere/file: No such file or directory' -p 4002 -o /nowhere/file
start -b 127.0.0.1
refused 1 'port 4002: Address already in use' -p 4002
stop "$started"

say 'losses are counted'
start -b ::1
kill -STOP "$started"
# Send 180 MB, more than the socket's buffer holds (64 MB), so that packets are lost.
dd bs=60000 count=3000 status=none </dev/zero >/dev/udp/::1/4002
kill -CONT "$started"
sleep 1
stop "$started"
taken=$(($(wc -c <"$scratch/ours") / 60001))
lost=$(sed -n 's/.*: \([0-9]*\) packets were lost: .*/\1/p' "$scratch/errors")
say "$taken taken, ${lost:-0} lost of 3000"
[ "$taken" -lt 3000 ] && [ $((taken + ${lost:-0})) = 3000 ] || fail 'taken and lost are not all'

say 'a file that is rotated'
chmod 711 "$scratch"	# a receiver of root becomes another user, who makes the files
mkdir "$scratch/kept" && chown 65534:65534 "$scratch/kept"
start -f cgi -o "$scratch/kept/file"
send 4002 "$packets/captured-1.xml"
mv "$scratch/kept/file" "$scratch/kept/file.1"
kill -HUP "$started"
wait_until test -e "$scratch/kept/file" || fail 'SIGHUP: no new file'
send 4002 "$packets/captured-2.xml"
sleep 0.3
stop "$started"
[ "$(wc -l <"$scratch/kept/file.1") $(wc -l <"$scratch/kept/file")" = '1 1' ] ||
	fail 'not one line in each file'

say 'a reader that ends'
background "$ours" -p 4002 -f flat 2>"$scratch/errors" > >(head -n 1 >"$scratch/one")
wait_until listens 4002 || die 'no port'
# ended: succeed if the program has ended. It notices only at the next packet that its reader is
# gone.
# shellcheck disable=SC2317
ended() { send 4002 "$packets/captured-1.xml"; ! listens 4002; }
wait_until ended || fail 'goes on when nobody reads any more'
[ "$(cat "$scratch/one")" = 'tod 1795212445' ] || fail 'the reader got something else'

# An agent that samples each second, and nodometer-send: XRootD's program and nodometer's must
# convert its packets in the same way. Sort the output, because XRootD's program reverses packets
# that arrive together.
say 'nodometer-send'
size=1472
ip link add v0 type veth peer name v1 && ip link set v0 up || skip 'no veth'
cat >"$scratch/conf" <<END
[agent]
dir         = $scratch/archive
runtime-dir = $scratch/run
interval    = 1s
job-file    =
[send]
state-dir   = $scratch/state
[sink xrootd]
destination = 127.0.0.1:4001 [::1]:4002
packet-size = $size
site        = SITE
END
mkdir "$scratch/archive" "$scratch/run"
background "$bin/nodometerd" --foreground --config "$scratch/conf" 2>"$scratch/agent.log"
agent=$started
wait_until "$bin/nodometer" status --config "$scratch/conf" || die 'no agent'
"$bin/nodometer" begin /job-1 --strict --config "$scratch/conf" || fail 'no begin'

# marked N: make one mark per second, N times, so that samples are written
marked()
{
	for second in $(seq "$1"); do
		sleep 1
		"$bin/nodometer" mark "$second" --config "$scratch/conf" || fail 'no mark'
	done
}

# sent FORMAT: compare the output of both programs for packets of some seconds, with a rotation and
# the begin of a job
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
	marked 2
	"$bin/nodometer" rotate --config "$scratch/conf" || fail 'no rotation'
	"$bin/nodometer" begin "job-$1" --strict --config "$scratch/conf" || fail 'no begin'
	marked 2
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

# Use a name server that never answers: this test receives the packets, and "nowhere.test" is looked
# up.
say 'slow name servers'
ip addr add 10.99.0.1/24 dev v0
printf 'nameserver 127.0.0.1\noptions timeout:2 attempts:2\n' >"$scratch/resolv.conf"
mount --bind "$scratch/resolv.conf" /etc/resolv.conf || skip 'cannot have another resolv.conf'
background "$ours" -p 53 -b 127.0.0.1 >"$scratch/questions"
hole=$started
sed 's/^destination = .*/destination = nowhere.test:4001 [::1]:4002/' "$scratch/conf" \
	>"$scratch/slow"
mpxstats -p 4001 -f flat >"$scratch/theirs" 2>/dev/null &
theirs_pid=$!
pids="$pids $theirs_pid"
start -f flat -s
ours_pid=$started
background "$bin/nodometer-send" --config "$scratch/slow" 2>"$scratch/send.log"
sender=$started
marked 7
arrived=$(grep -c '^info.host' "$scratch/ours")
say "$arrived samples arrived at one while the other's name was looked up for 7 seconds"
[ "$arrived" -ge 4 ] || fail 'a name that is looked up delays the others'
grep -q 'nowhere.test:4001: its name is still being looked up' "$scratch/send.log" ||
	{ cat "$scratch/send.log"; fail 'no word on the name server'; }
# children PID: print the number of live child processes
children()
{
	# shellcheck disable=SC2013 # numbers
	for child in $(cat "/proc/$1/task/$1/children"); do
		grep '^State:[[:blank:]]*[^Z]' "/proc/$child/status"
	done | wc -l
}
# The sink's process, a child of the sender, starts the processes that look up names.
feed=$(tr -d ' ' <"/proc/$sender/task/$sender/children")
[ -d "/proc/$feed" ] || die "not one process for one sink: \"$feed\""
[ "$(children "$feed")" -le 1 ] || fail 'more than one process looks a name up'
fds=$(find "/proc/$feed/fd" | wc -l)

# A sender of packets is shown by its address until a name server answers; no packet waits for this.
for i in 1 2 3 4 5; do
	printf '<statistics tod="%s"></statistics>' "$i" >/dev/udp/10.99.0.1/4002
done
sleep 1
[ "$(grep -c '^host \[::ffff:10.99.0.1\]$' "$scratch/ours")" = 5 ] ||
	fail 'packets waited for a name'
stop "$hole"
[ -s "$scratch/questions" ] || fail 'no name was asked for'
background dnsmasq -k -C /dev/null -R -h -u root --pid-file= --listen-address=127.0.0.1 \
	--bind-interfaces --host-record=collector.test,10.99.0.1 --address=/nowhere.test/127.0.0.1
names=$started
# shellcheck disable=SC2317
has_packets() { grep -q '^sgen.toe' "$scratch/theirs"; }
wait_until has_packets ||
	{ cat "$scratch/send.log"; fail 'the name is known now, and nothing is sent'; }
grep -q 'nowhere.test:4001: it works again' "$scratch/send.log" || fail 'no word that it works'
# shellcheck disable=SC2317
has_name()
{
	printf '<statistics tod="6"></statistics>' >/dev/udp/10.99.0.1/4002
	sleep 0.5
	grep -q '^host collector.test$' "$scratch/ours"
}
wait_until has_name || fail 'the sender has a name now, and it is not shown'

# If no program listens at the destination any more, this is reported once.
stop "$theirs_pid"
marked 3
[ "$(grep -c 'nowhere.test:4001: Connection refused' "$scratch/send.log")" = 1 ] ||
	{ cat "$scratch/send.log"; fail 'not said once that nobody listens'; }
wait_until [ "$(children "$feed")" = 0 ] || fail 'a process is left over'
[ "$(find "/proc/$feed/fd" | wc -l)" -le "$fds" ] || fail 'descriptors are left open'
stop "$sender" "$ours_pid" "$names"
umount /etc/resolv.conf

# XRootD's program must show all rows of a record group of a large node.
stop "$agent"
cat >"$scratch/values.awk" <<'AWK'
/^!/ { n[substr($1, 2)] = split($0, keys); for (i in keys) key[substr($1, 2), i] = keys[i] }
/^[0-9]/ { text = "" }
/^[a-z]/ { text = text $0 "\n" }
END {
	rows = split(text, row, "\n")
	for (r = 1; r < rows; r++) {
		split(row[r], value, " ")
		gsub(/=/, "\\075", value[2])
		type = value[1]
		sub(/\.[2-9]$/, "", type)	# devices that lack keys: nodometer-raw(5)
		name = type (value[2] == "-" ? "" : "." value[2])
		for (i = 2; i <= n[value[1]]; i++) {
			k = key[value[1], i]
			sub(/,.*/, "", k)
			gsub(/[^A-Za-z0-9]/, "_", k)
			print name "." (k ~ /^[0-9]/ ? "_" : "") k, value[i + 1]
		}
	}
}
AWK
"$top/tests/bench/node.sh" "$scratch/node" 64 || die 'no large node'
sed -i 's/^destination = .*/destination = 127.0.0.1:4001/' "$scratch/conf"
for size in 1472 8190; do
	rm -rf "$scratch/archive"
	mkdir "$scratch/archive"
	sed -i "s/^packet-size .*/packet-size = $size/" "$scratch/conf"
	"$bin/nodometer" collect --root "$scratch/node" --config "$scratch/conf" || fail 'no sample'
	awk -f "$scratch/values.awk" "$scratch"/archive/*/current | grep -v '^proc\.' | sort \
		>"$scratch/want"
	[ "$(wc -l <"$scratch/want")" -gt 1500 ] || fail 'the archive has too little to compare'
	for format in flat cgi; do
		mpxstats -p 4001 -f $format >"$scratch/theirs" 2>/dev/null &
		theirs_pid=$!
		pids="$pids $theirs_pid"
		wait_until listens 4001 || die 'no port'
		"$bin/nodometer-send" --once --config "$scratch/conf" || fail '--once failed'
		sleep 1
		stop "$theirs_pid"
		if [ $format = cgi ]; then
			tr '&' '\n' <"$scratch/theirs" | sed 's/=/ /'
		else
			cat "$scratch/theirs"
		fi | sort >"$scratch/came"
		comm -13 "$scratch/came" "$scratch/want" >"$scratch/missing"
		packets=$(grep -c '^tod ' "$scratch/came")
		say "$format: $(wc -l <"$scratch/want") values in $packets packets of up to" \
			"$size bytes, $(wc -l <"$scratch/missing") missing"
		[ ! -s "$scratch/missing" ] ||
			{ head -n 5 "$scratch/missing"; fail 'values did not come out'; }
		[ "$packets" -ge 3 ] || fail 'so few packets cannot hold that'
	done
done
finish
