#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - XRootD servers report through a relay: aborted copies, HTTP, third-party copies, odd
# names, foreign datagrams
#
# Two servers start at the same time, and each reports to two destinations. The first destination is
# a receiver, which gets all streams. The second destination is a relay, which gets all but the
# t-stream. The relay passes its datagrams on in three ways: from one socket to a receiver, from one
# socket per server to another receiver, and to a file as messages of OSG's shoveler. All three ways
# must give the same lines.
namespaces=-n	# in its own network namespace any port is free
packages='xrootd-server xrootd-client xrootd-server-plugins curl jq'
. "$(dirname "$0")/../lib.sh"
. "$top/tests/integration/xrootd.sh"

all=39940 relay=39941 one=39942 each=39943

destinations="dest files fstat info io user 127.0.0.1:$all dest fstat user 127.0.0.1:$relay"
config a 31094 31095 "all.sitename SITE-a" "$destinations"
config b 31096 31097 "all.sitename SITE-b" "$destinations"

# receive PORT OPTION...: start a receiver with pid $started
receive()
{
	port=$1
	shift
	"$bin/nodometer-xrootd" -p "$port" --bind 127.0.0.1 --final "$@" 2>"$scratch/log.$port" &
	started=$!
	pids="$pids $started"
	wait_until bound "$port" || die "no receiver: $(cat "$scratch/log.$port")"
}
receive $all -o "$scratch/all"
receiver_all=$started
receive $one -o "$scratch/one"
receiver_one=$started
receive $each -o "$scratch/each"
receiver_each=$started
perl -MSocket -MMIME::Base64 -e '
	my ($in, $one, $each, $file) = @ARGV;
	sub udp { socket(my $s, PF_INET, SOCK_DGRAM, 0) or die; $s }
	my ($from, $to, %to) = (udp(), udp());
	bind($from, pack_sockaddr_in($in, INADDR_LOOPBACK)) or die;
	open(my $messages, ">", $file) or die;
	$messages->autoflush(1);
	while (defined(my $who = recv($from, my $data, 65536, 0))) {
		my ($port, $ip) = unpack_sockaddr_in($who);
		send($to, $data, 0, pack_sockaddr_in($one, INADDR_LOOPBACK));
		send($to{$port} //= udp(), $data, 0, pack_sockaddr_in($each, INADDR_LOOPBACK));
		printf $messages "{\"remote\":\"%s:%d\",\"version\":\"1.1.2\",\"data\":\"%s\"}\n",
			inet_ntoa($ip), $port, encode_base64($data, "");
	}' $relay $one $each "$scratch/messages" &
relay_pid=$!
pids="$pids $relay_pid"
wait_until bound $relay || die 'no relay'
for name in a b; do
	background xrootd -R "$user" -n $name -c "$base/$name/cfg" -l "$base/$name/log"
done
up()
{
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
		! timeout 4 xrdfs "localhost:$1" stat /data >/dev/null 2>&1 || return 0
		sleep 0.5
	done
	return 1
}
for port in 31094 31096; do
	up $port || { tail -n 20 "$base"/*/*/log "$base"/*/log; die "no xrootd at $port"; }
done
# use addresses, because the source of a third-party copy compares names and there is no name
# service here
a=root://127.0.0.1:31094/ b=root://127.0.0.1:31096/

# transfers OF FILTER [OPTION...]: print how many lines of the receiver OF the jq filter selects
transfers()
{
	of=$1 filter=$2
	shift 2
	jq -c "$@" "select($filter)" "$scratch/$of" 2>/dev/null | wc -l
}
reported() { [ "$(transfers "$@")" -ge 1 ]; }
# expect WHAT OF FILTER: wait until the jq filter selects exactly one line of the receiver OF
expect()
{
	what=$1
	shift
	wait_until reported "$@" && [ "$(transfers "$@")" = 1 ] && return
	fail "$what: $(transfers "$@") of: $2"
	jq -c '[.filename, .read, .write, .read_is, .write_is, .bytes_from, .bytes_why, .forced,
		.complete, .missing]' "$scratch/$1"
}

say 'servers are up'

# Abort copies by kill -9 of the client: the close then lacks the bytes of pgread and pgwrite.
head -c 100000000 /dev/zero >"$base/a/data/large"
mkfifo "$scratch/down" "$scratch/up"
{ exec sleep 600; } <"$scratch/down" &
holder=$!
pids="$pids $holder"
timeout 60 xrdcp -s "$a/data/large" - >"$scratch/down" 2>/dev/null &
down=$!
{ head -c 40000000 /dev/zero; exec sleep 600; } >"$scratch/up" &
feeder=$!
pids="$pids $feeder"
timeout 60 xrdcp -s - "$a/data/up" <"$scratch/up" 2>/dev/null &
up=$!
wrote() { [ "$(stat -c %s "$base/a/data/up" 2>/dev/null || echo 0)" -ge 8000000 ]; }
wait_until wrote || fail 'nothing is uploaded'
sleep 2	# by then the pipe is full and a window of the t-stream is over

# Meanwhile other senders report 5,000 servers and 300,000 paths to both ports.
strangers=
for port in $all $one; do
	perl -MSocket -e 'my $to = pack_sockaddr_in($ARGV[0], INADDR_LOOPBACK);
		socket(my $s, PF_INET, SOCK_DGRAM, 0) or die;
		bind($s, pack_sockaddr_in(0, inet_aton("127.0.0.9"))) or die;
		for my $n (1 .. 305000) {
			my $text = $n <= 5000 ? "x/y.1:2\@h\n&a=b" : "x/y.1:2\@h\n/z/$n";
			my $d = pack("aCnNNa*", $n <= 5000 ? "=" : "d", $n % 256,
				12 + length $text, $n <= 5000 ? 1000 + $n : 5000, $n, $text);
			send($s, $d, 0, $to);
			select(undef, undef, undef, 0.003) if $n % 100 == 0;
		}' "$port" &
	strangers="$strangers $!"
done
# shellcheck disable=SC2086 # a list of numbers
wait $strangers
say 'strangers have sent all'
for port in $all $one; do
	n=$(grep -c 'evicted for lack of memory$' "$scratch/log.$port")
	[ "$n" -ge 1 ] && [ "$n" -le 3 ] || fail "$n warnings, of one a minute at most"
done
pkill -KILL -P $down xrdcp
pkill -KILL -P $up xrdcp
wait $down $up 2>/dev/null
kill $holder $feeder 2>/dev/null
expect 'pgread aborted, by its requests' all '.filename == "/data/large" and .forced and
	.bytes_from == "requests" and .read > 1000000 and .complete'
expect 'pgread aborted, no requests' each '.filename == "/data/large" and .forced and
	.read == null and .missing == ["bytes"]'
expect 'pgwrite aborted, by its requests' all '.filename == "/data/up" and .forced and
	.bytes_from == "requests" and .write >= 8000000 and .complete'
expect 'pgwrite aborted, no requests' each '.filename == "/data/up" and .forced and
	.write == null and .missing == ["bytes"]'

say 'aborted copies'

# HTTP: servers before 5.7.3 do not count the bytes of PUT.
head -c 3000000 /dev/urandom >"$scratch/f"
if curl -sf -m 20 -T "$scratch/f" http://localhost:31095/data/put >"$scratch/curl" 2>&1 &&
	curl -sf -m 20 -o "$scratch/got" http://localhost:31095/data/put; then
	cmp "$scratch/f" "$scratch/got" || fail 'HTTP: another file'
	expect 'HTTP PUT, by its requests' all '.filename == "/data/put" and .for_write and
		.write == 3000000 and .complete'
	expect 'HTTP PUT, no requests' each '.filename == "/data/put" and .for_write and
		(.write == 3000000 or (.write == null and .missing == ["bytes"]))'
	expect 'HTTP GET' each '.filename == "/data/put" and (.for_write | not) and
		.read == 3000000 and .complete'
else
	fail "HTTP: $(cat "$scratch/curl")"
fi

say HTTP

# In a third-party copy, the destination may not know how many bytes were written. It must then
# report this.
cp "$scratch/f" "$base/a/data/source"
if timeout 40 xrdcp -s --tpc only "$a/data/source" "$b/data/tpc" 2>"$scratch/tpc"; then
	cmp "$scratch/f" "$base/b/data/tpc" || fail 'TPC: another file'
	for of in all each; do
		expect 'TPC, source' $of '.filename == "/data/source" and .site == "SITE-a" and
			.read == 3000000'
		expect 'TPC, destination' $of '.filename == "/data/tpc" and .site == "SITE-b" and
			((.write == 0 and .write_is == "at_least") or .write >= 3000000)'
	done
else
	fail "TPC: $(cat "$scratch/tpc")"
fi

say 'third-party copy'

# Files with odd names: each has its own size, by which its line is found.
long=/data
for i in 1 2 3 4; do
	long=$long/$(printf "%0230d" $i)
done
long=$long/$(printf '%040d' 5)
n=1000
for name in '/data/naïve-文' '/data/it"s' "/data/it's\\a" '/data/two words' \
	"$(printf '/data/a\001b\tc')" "$(printf '/data/caf\351')" "$long"; do
	n=$((n + 1))
	mkdir -p "$base/b$(dirname "$name")"
	head -c $n /dev/zero >"$base/b$name"
	if ! timeout 20 xrdcp -s "$b$name" - >"$scratch/got" 2>"$scratch/names"; then
		say "xrdcp does not take $name: $(tail -n 1 "$scratch/names")"
		continue
	fi
	case $name in
	*caf*) want='/data/caf\351' ;;
	*) want=$name ;;
	esac
	# jq reads what the name is from the environment, byte by byte
	wait_until reported each ".filesize == $n and .read == $n" || fail "no line of $name"
	NAME=$want jq -e "select(.filesize == $n) | .filename == env.NAME" "$scratch/each" \
		>"$scratch/same" || fail "$name is $(jq "select(.filesize == $n) | .filename" \
			"$scratch/each")"
done
say "paths of up to ${#long} bytes"

# After the last datagram, the three ways of the relay must have given the same lines.
stop "$receiver_all"
same() { [ "$(wc -l <"$scratch/one")" = "$(wc -l <"$scratch/each")" ]; }
wait_until same
kill "$relay_pid"
stop "$receiver_one" "$receiver_each"
"$bin/nodometer-xrootd" --read "$scratch/messages" >"$scratch/shoveled" 2>"$scratch/log" ||
	fail "$(cat "$scratch/log")"
for of in one each shoveled; do
	jq -cS 'select(.server_ip != "127.0.0.9") | del(.serverID, .ended_by)' "$scratch/$of" |
		sort >"$scratch/$of.sorted"
done
lines=$(wc -l <"$scratch/each.sorted")
[ "$lines" -ge 8 ] || fail "only $lines lines"
for of in one shoveled; do
	cmp "$scratch/each.sorted" "$scratch/$of.sorted" || {
		fail "$of: not as from a socket each"
		diff "$scratch/each.sorted" "$scratch/$of.sorted" | head -n 6
	}
done
say "$lines lines are the same from one socket, from two, and as messages; starts: $(jq -r \
	'"\(.site) \(.server_start)"' "$scratch/each" | sort -u | tr '\n' ' ')"
say "$(grep ' datagrams, ' "$scratch/log.$one" | tail -n 1)"

# A burst larger than the buffer: the loss is reported, and no access that did not happen.
burst=39944
"$bin/nodometer-xrootd" -p $burst --bind 127.0.0.1 --buffer 1 --final -o "$scratch/burst" \
	2>"$scratch/log.$burst" &
receiver=$!
pids="$pids $receiver"
wait_until bound $burst || die 'no receiver for the burst'
kill -STOP "$receiver"
perl -MSocket -e '
	my $to = pack_sockaddr_in($ARGV[0], INADDR_LOOPBACK);
	socket(my $s, PF_INET, SOCK_DGRAM, 0) or die;
	sub out { my ($d) = @_; defined send($s, $d, 0, $to) or die $! }
	my $who = "=/x.5:42\@srv\n&site=S&port=1094&inst=i&pgm=xrootd&ver=v5.5.3";
	out(pack("aCnNN", "=", 0, 12 + length $who, 77, 0) . $who);
	for my $n (1 .. 20000) {
		my $path = "/data/burst/$n";
		$path .= "\0" x (8 - length($path) % 8);
		my $open = pack("CCnNQ>N", 1, 1, 20 + length $path, $n, 5, 0) . $path;
		my $close = pack("CCnNQ>Q>Q>", 0, 0, 32, $n, $n, 0, 0);
		out(pack("aCnN", "f", ($n - 1) % 256, 32 + length($open . $close), 77) .
			pack("CCnnnNNQ>", 2, 1, 24, 0, 2, 100, 105, 42) . $open . $close);
	}' $burst || fail 'no burst'
kill -CONT "$receiver"
some() { [ -s "$scratch/burst" ]; }
wait_until some || fail 'nothing of the burst is reported'
stop "$receiver"
counts=$(grep ' datagrams, ' "$scratch/log.$burst" | tail -n 1)
got=$(echo "$counts" | sed 's/.*: \([0-9]*\) datagrams.*/\1/')
dropped=$(echo "$counts" | sed 's/.* \([0-9]*\) dropped here.*/\1/')
[ "$dropped" -gt 0 ] && [ $((got + dropped)) = 20001 ] || fail "the burst: $counts"
[ "$(wc -l <"$scratch/burst")" = $((got - 1)) ] || fail "the burst: other transfers: $counts"
jq -e 'select(.filename != "/data/burst/\(.read)")' "$scratch/burst" >"$scratch/other" &&
	fail "of the burst: $(head -n 1 "$scratch/other")"
say "burst: $got received, $dropped dropped"

# Restarts after any datagram, and strangers, with larger captures than in make check.
captures=${NODOMETER_SHARED:-$top/../shared}/data/xrootd/captures/dev
if [ ! -d "$captures" ]; then
	say "no $captures: restarts in the captures of make check only"
elif ! make -s tests/unit/test_xrd_restart >"$scratch/log" 2>&1; then
	fail "no test_xrd_restart: $(cat "$scratch/log")"
else
	NODOMETER_CAPTURES=$captures timeout 300 tests/unit/test_xrd_restart >"$scratch/log" 2>&1 ||
		fail "$(cat "$scratch/log")"
	say 'restarts at every datagram of all captures'
fi
finish
