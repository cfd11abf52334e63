#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# config_sinks.sh - config check opens the files of the sinks, and --connect tries their receivers
. "$(dirname "$0")/lib.sh"
grep -q '^#define HAVE_CURL 1' config.h || skip 'built without libcurl'
mkdir -p "$scratch"

# check STATUS WORDS LINE...: run config check, with more WORDS, on a configuration of these lines
check() {
	wanted=$1 words=$2
	shift 2
	printf '%s\n' '[agent]' "dir = $scratch" "runtime-dir = $scratch" '[send]' \
		"state-dir = $scratch" "$@" >"$conf"
	# shellcheck disable=SC2086 # words
	nodometer config check $words "$conf" >"$scratch/said" 2>&1
	got=$?
	is "status of $*: $(cat "$scratch/said")" "$got" "$wanted"
}

# says LINE TEXT: the output has a message for this line of the file
says() {
	grep -qF -- "$conf:$1: $2" "$scratch/said" ||
		fail "not said: $conf:$1: $2: $(cat "$scratch/said")"
}

# Named files are opened; a problem is reported with a remedy.
correct='make the file, or correct the path'
printf 'x\n' >"$scratch/open"
chmod 644 "$scratch/open"
: >"$scratch/empty"
printf 'secret\n' >"$scratch/secret"
chmod 600 "$scratch/empty" "$scratch/secret"
check 1 '' '[sink http]' 'url = https://127.0.0.1/' "ca-file = $scratch/ca" \
	"cert-file = $scratch/cert" "key-file = $scratch/key" "token-file = $scratch/open" \
	'[sink http two]' 'url = https://127.0.0.1/' 'user = a' "password-file = $scratch/empty" \
	"ca-file = $scratch/open" "cert-file = $scratch" "key-file = $scratch/secret" \
	'[sink archive]' "dir = $scratch/central"
says 8 "ca-file = $scratch/ca: No such file or directory: $correct"
says 9 "cert-file = $scratch/cert: No such file or directory: $correct"
says 10 "key-file = $scratch/key: No such file or directory: $correct"
says 11 "token-file = $scratch/open: every user may read it"
says 15 "password-file = $scratch/empty: want a line"
says 17 "cert-file = $scratch: it is no file: correct the path"
says 20 "warning: dir = $scratch/central: the folder is not there: make it"
is 'messages' "$(wc -l <"$scratch/said")" 7
check 1 '' '[sink http]' 'url = https://127.0.0.1/' 'user = a' 'password-file = /nowhere/p'
says 9 "password-file = /nowhere/p: No such file or directory: $correct"
check 0 '' '[sink http]' 'url = https://127.0.0.1/' 'user = a' "password-file = $scratch/secret" \
	"ca-file = $scratch/open"
is 'all that is said' "$(cat "$scratch/said")" "$conf: no errors"

# The message has the line of the key.
check 1 '' '[sink http]' 'format = influx' 'url = http://ho st/'
says 8 '[sink http] url = http://ho st/: want https://'
check 1 '' '[sink http]' 'url = http://host:99999/'
says 7 '[sink http] url = http://host:99999/: want https://'
check 1 '' '[sink http]' 'url = http://host/' 'proxy = gopher://p:1'
says 8 '[sink http] proxy = gopher://p:1: want http://HOST:PORT, https:// or socks5h://'
check 1 '' '[sink http]' 'url = http://host/' 'headers = A=b Content-Length=3'
says 8 '[sink http] headers = A=b Content-Length=3: Content-Length describes the connection'
if grep -q '^#define HAVE_RDKAFKA 1' config.h; then
	check 1 '' '[sink kafka]' 'brokers = b' 'options = no.such.option=1'
	says 8 '[sink kafka] options = no.such.option=1: No such configuration property'
fi
many=
i=1
while [ $i -le 33 ]; do
	many="$many
[sink xrootd s$i]
destination = 127.0.0.1:1"
	i=$((i + 1))
done
check 1 '' "$many"
says 71 '[sink xrootd s33]: too many sinks: at most 32; remove some'
is 'messages' "$(wc -l <"$scratch/said")" 1

# --connect tries all receivers at the same time and prints their answers.
check 1 --connect
grep -q 'no section \[sink NAME\]: there is no receiver to try' "$scratch/said" ||
	fail "no sink: $(cat "$scratch/said")"
perl -MIO::Socket::INET -e 1 2>/dev/null || skip 'no perl'
closed=$(free_port)
mute=$(free_port)
answers() {	# PORT STATUS: an HTTP server whose answer is always this one
	perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(LocalAddr => "127.0.0.1",
		LocalPort => $ARGV[0], Listen => 5, ReuseAddr => 1) or die;
		while (my $c = $s->accept) {
			while (<$c>) { last if /^\r?\n$/ }
			print $c "HTTP/1.1 $ARGV[1] x\r\nContent-Length: 0\r\n\r\n"; close $c }' \
		"$@" 3>&- &
	pids="$pids $!"
	listener=$1
	wait_until 10 listens
}
listens() { grep -qi " 0100007F:$(printf %04X "$listener") 00000000:0000 0A" /proc/net/tcp; }
good=$(free_port)
answers "$good" 204
picky=$(free_port)
answers "$picky" 400
strict=$(free_port)
answers "$strict" 401
perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(LocalAddr => "127.0.0.1",
	LocalPort => $ARGV[0], Listen => 5) or die; sleep 600' "$mute" 3>&- &
pids="$pids $!"
listener=$mute
wait_until 10 listens
mkdir "$scratch/central"
check 0 --connect '[sink http]' "url = http://127.0.0.1:$good/write" '[sink http picky]' \
	"url = http://127.0.0.1:$picky/" '[sink xrootd]' 'destination = 127.0.0.1:9' \
	'[sink archive]' "dir = $scratch/central" '[sink metrics]' "textfile-dir = $scratch"
says 6 "[sink http] http://127.0.0.1:$good/write: answers 204"
says 8 "[sink http picky] http://127.0.0.1:$picky/: answers 400 to an empty body"
says 10 '[sink xrootd] 127.0.0.1:9: has an address; UDP has no answer'
says 12 "[sink archive] $scratch/central: can be written"
says 14 '[sink metrics] has no receiver to try'
check 0 --connect '[sink http]' "url = http://127.0.0.1:$good/a http://127.0.0.1:$picky/b"
says 6 "[sink http] http://127.0.0.1:$good/a: answers 204; http://127.0.0.1:$picky/b: answers 400"
check 1 --connect '[sink http]' \
	"url = http://127.0.0.1:$mute/a http://127.0.0.1:$closed/b http://127.0.0.1:$good/c"
says 6 "[sink http] error: http://127.0.0.1:$mute/a: no answer in time; http://127.0.0.1:$closed/b"
grep -q "; http://127.0.0.1:$good/c: answers 204\$" "$scratch/said" ||
	fail "$(cat "$scratch/said")"
if [ "$(id -u)" = 0 ]; then	# the receiver is tried as the user that the sender becomes
	mkdir "$scratch/n1"
	chown 65534 "$scratch/n1"
	check 1 --connect '[agent]' 'hostname = n1' '[sink archive]' "dir = $scratch/central"
	says 8 "[sink archive] error: $scratch/central: "
fi
begin=$(date +%s)
check 1 --connect '[sink http]' "url = http://127.0.0.1:$strict/" '[sink http closed]' \
	"url = http://127.0.0.1:$closed/" '[sink http mute]' "url = http://127.0.0.1:$mute/" \
	'[sink http mute2]' "url = http://127.0.0.1:$mute/" '[sink http mute3]' \
	"url = http://127.0.0.1:$mute/" '[sink http good]' "url = http://127.0.0.1:$good/" \
	'[sink archive]' "url = http://127.0.0.1:$mute/a" '[sink archive b]' \
	"url = http://127.0.0.1:$strict/a"
took=$(($(date +%s) - begin))
says 6 "[sink http] error: http://127.0.0.1:$strict/: POST answers 401"
says 8 "[sink http closed] error: http://127.0.0.1:$closed/: "
says 10 "[sink http mute] error: no answer within 5 s: "
says 14 "[sink http mute3] error: no answer within 5 s: "
says 16 "[sink http good] http://127.0.0.1:$good/: answers 204"
says 18 '[sink archive] error: no answer within 5 s: '
says 20 "[sink archive b] error: http://127.0.0.1:$strict/a: OPTIONS answers 401"
[ "$took" -lt 20 ] || fail "four receivers that do not answer take $took s, one after another"
grep -q 'no errors' "$scratch/said" || fail "the configuration itself is right"

# For brokers, --connect tries the login; a broker that cannot be reached is reported.
brokers=
! grep -q '^#define HAVE_RABBITMQ 1' config.h || brokers='[sink amqp]'
[ ! "$brokers" ] || {
	check 1 --connect '[sink amqp]' "broker = 127.0.0.1:$closed" 'tls = no' 'user = a' \
		"password-file = $scratch/secret" '[sink stomp]' "broker = 127.0.0.1:$closed" \
		'tls = no' 'user = a' "password-file = $scratch/secret"
	says 6 "[sink amqp] error: 127.0.0.1:$closed: "
	says 11 "[sink stomp] error: 127.0.0.1:$closed: "
	perl "$srcdir/tests/e2e/rogue_broker.pl" >"$scratch/port" 3>&- &
	pids="$pids $!"
	wait_until 10 test -s "$scratch/port"
	check 0 --connect '[sink amqp]' "broker = 127.0.0.1:$(cat "$scratch/port")" 'tls = no' \
		'user = a' "password-file = $scratch/secret"
	says 6 "[sink amqp] 127.0.0.1:$(cat "$scratch/port"): takes the login"
}
if grep -q '^#define HAVE_RDKAFKA 1' config.h; then
	check 1 --connect '[sink kafka]' "brokers = 127.0.0.1:$closed" 'tls = no'
	says 6 '[sink kafka] error: '
fi
