#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - when a real xrootd reports xrdcp's copies to nodometer xrootd, names and bytes are right
#
# A second receiver sums the same accesses, and tcpdump captures the datagrams to the first.
namespaces=-n	# in its own network namespace any port is free
packages='xrootd-server xrootd-client jq tcpdump'
. "$(dirname "$0")/../lib.sh"

command -v xrootd >/dev/null && command -v xrdcp >/dev/null || skip 'no xrootd'
[ "$(id -u)" = 0 ] || skip 'not root'
ip link set lo up || skip 'no loopback'
user=$(getent passwd xrootd nobody | head -n 1 | cut -d : -f 1)
base=$(mktemp -d) || exit 1
url=root://localhost:31094//data
pids_dir=$base
last=0
trap 'last=$?; stop $pids; pids=; rm -rf "$pids_dir"; (exit $last); clean_up' EXIT

mkdir -p "$base/log" "$base/data" "$base/adm" "$base/in" "$base/out"
cat >"$base/cfg" <<END
all.export /data
all.adminpath $base/adm
all.pidpath $base/adm
all.sitename TEST-SITE
oss.localroot $base
xrd.port 31094
xrootd.pmark defsfile $base/scitags
xrootd.pmark domain any ffdest 127.0.0.1:39932 ffecho 1
xrootd.pmark map2exp default cms
xrootd.pmark map2act cms default prod
xrootd.pmark use firefly
END
# Let the server send fireflies, too, with experiment 3 and activity 14.
cat >"$base/scitags" <<END
{"version":1,"modified":"2026-01-01","experiments":[{"expName":"cms","expId":3,
"activities":[{"activityName":"default","activityId":1},{"activityName":"prod","activityId":14}]}]}
END
printf '%s ' >>"$base/cfg" xrootd.monitor all auth flush 1s fstat 1s lfn ops ssq xfr 1 ident 5s \
	window 1s dest files fstat info io user '[::1]:39930' dest fstat user '[::1]:39931'
echo >>"$base/cfg"
chown -R "$user" "$base"
chmod 755 "$base"

start_server()
{
	background prlimit --nofile=4096:4096 xrootd -R "$user" -n t -c "$base/cfg" \
		-l "$base/log/xrootd.log"
}

"$bin/nodometer" xrootd -p 39930 --fireflies 39932 --transfers -o "$scratch/transfers" \
	2>"$scratch/log" &
receiver=$!
"$bin/nodometer" xrootd -p 39931 --bind ::1 --raw --final -o "$scratch/archive/" \
	2>"$scratch/raw.log" &
summer=$!
pids="$pids $receiver $summer"
"$bin/nodometer" tcp record --interval 100 -o "$scratch/tcp.pm" 2>"$scratch/tcp.log" &
recorder=$!
pids="$pids $recorder"
if command -v tcpdump >/dev/null; then
	tcpdump -i lo -s 0 -B 8192 -U -w "$scratch/pcap" udp 2>"$scratch/tcpdump.log" &
	dump=$!
	pids="$pids $dump"
	wait_until grep -q 'listening on' "$scratch/tcpdump.log" ||
		fail "$(cat "$scratch/tcpdump.log")"
fi
wait_until grep -q : /proc/net/udp6 || die 'the receiver has no socket'
start_server
server=$started
# up: wait up to 20 seconds until the server answers; xrdcp alone would retry for minutes
up()
{
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		! timeout 2 xrdfs localhost:31094 stat /data >/dev/null 2>&1 || return 0
		sleep 0.5
	done
	return 1
}
up || { tail -n 20 "$base"/log/t/*; die 'no xrootd'; }

# Copy files to the server, and back.
sizes='1 4096 100000 3000000'
for size in $sizes; do
	head -c "$size" /dev/urandom >"$base/in/f$size"
	timeout 20 xrdcp -s "$base/in/f$size" "$url/f$size" || fail "xrdcp in $size"
	timeout 20 xrdcp -s "$url/f$size" "$base/out/f$size" || fail "xrdcp out $size"
	cmp "$base/in/f$size" "$base/out/f$size" || fail "f$size came back changed"
done

# shellcheck disable=SC2317 # called by wait_until
reported() { [ "$(grep -c '"filename":"/data/f' "$scratch/transfers")" = 8 ]; }
wait_until reported || fail "not 8 transfers: $(cat "$scratch/transfers" "$scratch/log")"

# one READ-OR-WRITE FILE BYTES: fail unless there is one complete access of this kind, with the
# right site and user
one()
{
	n=$(jq -c --arg k "$1" --arg f "/data/$2" --argjson n "$3" --arg u "$(id -un)" \
		'select(.[$k] == $n and .filename == $f and .complete and .forced == false and
			.site == "TEST-SITE" and .user == $u and .program == "xrdcp")' \
		<"$scratch/transfers" | wc -l)
	[ "$n" = 1 ] || fail "$1 of $2, $3 bytes: $n transfers"
}
for size in $sizes; do
	pages=$(((size + 4095) / 4096))		# pgwrite: 4 bytes of CRC for each page
	one write "f$size" $((size + 4 * pages))
	one read "f$size" "$size"
done

# Kill the server while a file is open; when it starts again, the open access is ended.
head -c 100000000 /dev/zero >"$base/data/f100000000"
mkfifo "$base/out/slow"
{ sleep 6; cat >/dev/null; } <"$base/out/slow" &
timeout 20 xrdcp -s "$url/f100000000" - 2>/dev/null >"$base/out/slow" &
slow=$!
sleep 3
kill -KILL "$server"
wait "$server" 2>/dev/null
wait "$slow" 2>/dev/null
start_server
up || fail 'no second xrootd'
# shellcheck disable=SC2317 # called by wait_until
restarted() { grep -q '"ended_by":"restart"' "$scratch/transfers"; }
wait_until restarted || fail 'what was open at the restart is not reported'
[ "$(jq -c 'select(.ended_by == "restart") | [.filename, .missing]' <"$scratch/transfers")" = \
	'["/data/f100000000",["close"]]' ] || fail "at the restart: $(cat "$scratch/transfers")"

# Abort a copy, and restart the receiver meanwhile: the bytes are known from the single requests.
rm -f "$base/out/slow"
mkfifo "$base/out/slow"
{ sleep 8; cat >/dev/null; } <"$base/out/slow" &
timeout 20 xrdcp -s "$url/f100000000" - 2>/dev/null >"$base/out/slow" &
slow=$!
sleep 2
stop "$receiver"
[ -s "$scratch/transfers.state" ] || fail 'the receiver leaves no state'
cp "$scratch/log" "$scratch/log.first"
"$bin/nodometer" xrootd -p 39930 --fireflies 39932 --transfers -o "$scratch/transfers" \
	2>>"$scratch/log" &
receiver=$!
pids="$pids $receiver"
wait_until grep -q ':9BFA ' /proc/net/udp6 || fail 'no second receiver'
pkill -KILL -P "$slow" xrdcp
wait "$slow" 2>/dev/null
# shellcheck disable=SC2317 # called by wait_until
aborted() { grep -q '"forced":true' "$scratch/transfers"; }
wait_until aborted || fail 'an aborted copy is not reported'
jq -e 'select(.forced) | .bytes_from == "requests" and .read > 1000000 and
	.read_bytes_at_close < .read and .filename == "/data/f100000000" and
	(.missing - ["bytes"] == [])' <"$scratch/transfers" >/dev/null ||
	fail "the aborted copy: $(grep '"forced":true' "$scratch/transfers")"
say "aborted: $(jq -c 'select(.forced) | [.read, .read_is, .bytes_from, .read_bytes_at_close]' \
	<"$scratch/transfers")"

stop "$receiver"
grep -q ' 0 lost, .* 0 damaged, .* 0 unknown records' "$scratch/log" ||
	fail "what the receiver counted: $(cat "$scratch/log")"
say "$(tail -n 1 "$scratch/log")"

# Each connection in a firefly belongs to its access; the recording of TCP connections has it, too.
grep -q ' [1-9][0-9]* fireflies, 0 damaged' "$scratch/log" || fail 'no fireflies'
for way in read=sent write=received; do
	jq -se --arg k "${way%=*}" --arg f "${way#*=}" 'map(select(.filename == "/data/f3000000" and
		.[$k] >= 3000000) | .flow | .experiment_id == 3 and .activity_id == 14 and
		.application == "xrdcp" and .src_port == 31094 and .state == "end" and
		.[$f] >= 3000000) == [true]' <"$scratch/transfers" >"$scratch/said" ||
		fail "$way: $(grep f3000000 "$scratch/transfers")"
done
stop "$recorder"
"$bin/nodometer" tcp report --json --join "$scratch/transfers" "$scratch/tcp.pm" \
	>"$scratch/tcp" 2>"$scratch/said" || fail "no report: $(cat "$scratch/said")"
joined=$(jq -c '[.connections[] | select(any(.transfers[]?; .filename == "/data/f100000000" and
	.experiment_id == 3) and .lport == 31094 and .sent > 0 and .retransmits >= 0 and
	.limited.application >= 0)] | length' "$scratch/tcp")
[ "${joined:-0}" -ge 1 ] || fail "no connection has its access: $(cat "$scratch/tcp")"
say "$joined connections with limits, retransmits and accesses"

# The second receiver sums by minute: the report on its archive must have the opens and bytes of the
# first receiver's transfers.
stop "$summer"
"$bin/nodometer" check "$scratch"/archive/*/current >"$scratch/check" ||
	fail "$(cat "$scratch/check")"
# reported FIGURE: print the total of FIGURE
reported()
{
	"$bin/nodometer" report --dir "$scratch/archive" --host '*' --json |
		jq -r --arg f "$1" '.figures[] | select(.figure == $f) | .total'
}
for pair in opens:opened read_bytes:read write_bytes:write; do
	want=$(jq -s --arg k "${pair#*:}" 'map(if $k == "read" and .bytes_from == "requests" then
			.read_single_bytes // 0
		elif $k != "opened" then .[$k] // 0
		elif .open_window then 1 else 0 end) | add' "$scratch/transfers")
	got=$(reported "xrootd.${pair%:*}")
	[ "$want" = "$got" ] || fail "sums of ${pair%:*}: $got, by transfers $want"
	say "${pair%:*}: $got"
done

# tcpdump must have captured exactly the datagrams that the receiver got.
if [ -n "${dump-}" ]; then
	stop "$dump"
	if "$bin/nodometer" xrootd --read "$scratch/pcap" -p 39930 >"$scratch/captured" \
		2>"$scratch/pcap.log"; then
		say "$(tail -n 1 "$scratch/pcap.log")"
		for f in transfers captured; do
			jq -cS 'del(.serverID, .ended_by, .flow, .flows)' "$scratch/$f" |
				sort >"$scratch/$f.sorted"
		done
		cmp "$scratch/transfers.sorted" "$scratch/captured.sorted" ||
			fail 'the capture has other transfers'
	else
		grep -q 'without libpcap' "$scratch/pcap.log" || fail "$(cat "$scratch/pcap.log")"
	fi
fi
finish
