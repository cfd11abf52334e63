#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# config_connect.sh - config check --connect connects to the receivers of the sinks
# shellcheck disable=SC3045 # every sh of Linux has ulimit -S and -H
. "$(dirname "$0")/config_sinks_lib.sh"
printf 'secret\n' >"$scratch/secret"
chmod 600 "$scratch/secret"

# --connect tries all receivers at the same time and prints their answers.
check 1 --connect
grep -q 'no section \[sink NAME\], so there is no receiver to connect to' "$scratch/said" ||
	fail "no sink: $(cat "$scratch/said")"
perl -MIO::Socket::INET -e 1 2>/dev/null || skip 'no perl'
closed=$(free_port)
mute=$(free_port)
# answers PORT STATUS: start an HTTP server at PORT that answers every request with STATUS
answers() {
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
says 10 '[sink xrootd] 127.0.0.1:9: has an address; UDP gives no confirmation'
says 12 "[sink archive] $scratch/central: can be written"
says 14 '[sink metrics] has no receiver to connect to'
check 0 --connect '[sink http]' "url = http://127.0.0.1:$good/a http://127.0.0.1:$picky/b"
says 6 "[sink http] http://127.0.0.1:$good/a: answers 204; http://127.0.0.1:$picky/b: answers 400"
check 1 --connect '[sink http]' \
	"url = http://127.0.0.1:$mute/a http://127.0.0.1:$closed/b http://127.0.0.1:$good/c"
says 6 "[sink http] error: http://127.0.0.1:$mute/a: no answer in time; http://127.0.0.1:$closed/b"
grep -q "; http://127.0.0.1:$good/c: answers 204\$" "$scratch/said" ||
	fail "$(cat "$scratch/said")"
# --connect connects as the user that nodometer-send would become.
if [ "$(id -u)" = 0 ]; then
	mkdir "$scratch/n1"
	chown 65534 "$scratch/n1"
	check 1 --connect '[agent]' 'hostname = n1' '[sink archive]' "dir = $scratch/central"
	says 8 "[sink archive] error: $scratch/central: "
fi
begin=$(date +%s)
ulimit -S -t 2	# seconds of CPU time: waiting for receivers uses almost none
check 1 --connect '[sink http]' "url = http://127.0.0.1:$strict/" '[sink http closed]' \
	"url = http://127.0.0.1:$closed/" '[sink http mute]' "url = http://127.0.0.1:$mute/" \
	'[sink http mute2]' "url = http://127.0.0.1:$mute/" '[sink http mute3]' \
	"url = http://127.0.0.1:$mute/" '[sink http good]' "url = http://127.0.0.1:$good/" \
	'[sink archive]' "url = http://127.0.0.1:$mute/a" '[sink archive b]' \
	"url = http://127.0.0.1:$strict/a"
ulimit -S -t "$(ulimit -H -t)"
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

# For sinks amqp, kafka and stomp, --connect tries the login at the broker; a broker that cannot be
# reached is reported.
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
	says 6 "[sink amqp] 127.0.0.1:$(cat "$scratch/port"): login accepted"
}
if grep -q '^#define HAVE_RDKAFKA 1' config.h; then
	check 1 --connect '[sink kafka]' "brokers = 127.0.0.1:$closed" 'tls = no'
	says 6 '[sink kafka] error: '
fi
