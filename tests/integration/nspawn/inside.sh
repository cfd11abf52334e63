#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# inside.sh - test nodometer's units in run.sh's container, where systemd is process 1
set -u
# shellcheck source=../words.sh
. "${words:-/share/words.sh}"
property() { systemctl show -P "$1" nodometerd; }

# exposure UNIT: fail unless systemd rates the exposure of the unit's sandbox as safe
exposure()
{
	systemd-analyze security --no-pager --threshold=20 "$1" >/tmp/exposure ||
		{ grep '✗' /tmp/exposure; fail "the exposure of $1"; }
	tail -n 1 /tmp/exposure
}

restarted()
{
	[ "$(property NRestarts)" -gt "$1" ] && nodometer status
}

cp -a /share/install/. /
systemd-sysusers
systemd-tmpfiles --create nodometer.conf
# Shorten the watchdog's timeout of a minute.
mkdir -p /run/systemd/system/nodometerd.service.d
printf '[Service]\nWatchdogSec=3s\nRestartSec=100ms\n' \
	>/run/systemd/system/nodometerd.service.d/test.conf
systemctl daemon-reload

# With Type=notify, "systemctl start" returns only when the agent has written its first sample.
systemctl start nodometerd || fail 'the unit does not start'
[ "$(property ActiveState)" = active ] || fail "the unit is $(property ActiveState)"
nodometer status || fail 'it started, and does not answer'
pid=$(property MainPID)
current=$(echo /var/lib/nodometer/*/current)
grep -q '^!cpu' "$current" || fail 'it is ready, and nothing is written'
[ "$(stat -c '%U %a' "$current")" = 'nodometer 640' ] || fail "modes: $(ls -l "$current")"
[ "$(stat -c '%U %a' /var/lib/nodometer)" = 'nodometer 750' ] || fail 'modes of the archive'

# Check the sandbox as the kernel reports it.
[ "$(awk '/^Uid/ { print $2 }' "/proc/$pid/status")" = "$(id -u nodometer)" ] || fail 'its user'
grep -q '^NoNewPrivs:.*1$' "/proc/$pid/status" || fail 'NoNewPrivileges'
grep -q '^Seccomp:.*2$' "/proc/$pid/status" || fail 'no system call filter'
allowed=$(awk '/^CapBnd/ { print $2 }' "/proc/$pid/status")
[ "$allowed" = 0000004000000004 ] || fail "capabilities: $allowed"
nsenter -t "$pid" -m touch /etc/x 2>/dev/null && fail '/etc can be written'
nsenter -t "$pid" -m -S "$(id -u nodometer)" -G "$(id -g nodometer)" \
	touch /var/lib/nodometer/x || fail 'its folder cannot be written'
rm -f /var/lib/nodometer/x
types=$(nodometer types --config /etc/nodometer/nodometer.conf | grep -c ' active ')
written=$(grep -c '^!' "$current")
[ "$written" -ge $((types - 1)) ] || fail "root has $types types, the unit only $written"

# config check warns about a folder until both the unit and the folder's owner let the agent use it.
other() { nodometer config check /tmp/other.conf 2>&1; }
warns() { other | grep -q "^/tmp/other.conf:2: .*: $1" || fail "not '$1' but: $(other)"; }
more=/run/systemd/system/nodometerd.service.d/folder.conf
nodometer config check >/tmp/checked 2>&1 || fail 'config check'
grep warning: /tmp/checked && fail 'config check warns of what is shipped'
printf '[agent]\ndir = /srv/archive\n' >/tmp/other.conf
mkdir /srv/archive
warns 'the unit nodometerd may not write there'
printf '[Service]\nReadWritePaths=/srv/archive\n' >$more
systemctl daemon-reload
warns 'user nodometer may not write there'
chown nodometer /srv/archive
other | grep warning: && fail 'config check warns of a folder that is writable'
rm $more
systemctl daemon-reload
warns 'the unit nodometerd may not write there'

# A job continues over a reload, a restart, and a hang of the agent that the watchdog ends.
nodometer begin --strict 1 || fail 'no begin'
systemctl reload nodometerd || fail 'no reload'
[ "$(property MainPID)" = "$pid" ] || fail 'a reload made another process'
systemctl restart nodometerd || fail 'no restart'
nodometer status | grep -q '^job *1,' || fail 'a restart forgets the job'
before=$(property NRestarts)
kill -STOP "$(property MainPID)"
wait_until restarted "$before" || fail 'the watchdog does not restart an agent that hangs'
nodometer status | grep -q '^job *1,' || fail 'the watchdog forgets the job'
before=$(property NRestarts)
kill -KILL "$(property MainPID)"
wait_until restarted "$before" || fail 'an agent that is killed is not restarted'
nodometer end --strict 1 || fail 'no end'
nodometer report 1 >/share/report || fail 'no report'
! grep 'mark' /share/report || fail 'the report misses a mark'

# Test the sender's unit while the agent runs: packets, sandbox, a kill, a restart and a rotation.
sender_property() { systemctl show -P "$1" nodometer-send; }
received=/tmp/received
samples() { grep -c '^info.host ' $received; }
# more_samples THAN: take a sample; succeed if the receiver now has more than THAN samples
more_samples() { nodometer collect && sleep 0.3 && [ "$(samples)" -gt "$1" ]; }
# still_sends WHEN: the receiver must get further samples
still_sends()
{
	before=$(samples)
	wait_until more_samples "$before" || { journalctl -u nodometer-send --no-pager -o cat
		fail "no packets $1"; }
}

/usr/libexec/nodometer/nodometer-mpxstats -f flat -p 9931 -o $received &
receiver=$!
wait_until test -e $received || fail 'no receiver'
mkdir -p /run/systemd/system/nodometer-send.service.d
printf '[Service]\nRestartSec=100ms\n' >/run/systemd/system/nodometer-send.service.d/test.conf
systemctl daemon-reload
systemctl start nodometer-send
no_sender() { [ "$(sender_property Result)" = exit-code ]; }
wait_until no_sender || fail 'it runs without a destination'
sleep 0.5
[ "$(sender_property NRestarts)" = 0 ] || fail 'a missing destination is tried again and again'
journalctl -u nodometer-send --no-pager -o cat |
	grep -q 'no section .sink NAME., so there is nothing to send' ||
	fail 'no word on a missing destination'
printf '[sink xrootd]\ndestination = nowhere.invalid:9931 [::1]:9931\n' \
	>>/etc/nodometer/nodometer.conf
systemctl stop nodometerd
systemctl reset-failed nodometer-send
systemctl start nodometer-send || fail 'the sender does not start'
systemctl start nodometerd || fail 'no start beside the sender'
still_sends 'of an agent that came later'
journalctl -u nodometer-send --no-pager -o cat | grep -q \
	'nowhere.invalid:9931: .*\(name resolution\|Name or service\)' ||
	fail 'names cannot be looked up in the sandbox'
pid=$(sender_property MainPID)
[ "$(awk '/^Uid/ { print $2 }' "/proc/$pid/status")" = "$(id -u nodometer)" ] || fail 'its user'
for set in CapInh CapPrm CapEff CapBnd CapAmb; do
	grep -q "^$set:.*0000000000000000$" "/proc/$pid/status" || fail "the sender has $set"
done
grep -q '^NoNewPrivs:.*1$' "/proc/$pid/status" || fail 'NoNewPrivileges of the sender'
grep -q '^Seccomp:.*2$' "/proc/$pid/status" || fail 'no system call filter of the sender'
nsenter -t "$pid" -m -S "$(id -u nodometer)" -G "$(id -g nodometer)" \
	touch /var/lib/nodometer/x 2>/dev/null && fail 'the sender can write into the archive'
grep -q '^time_us [1-9]' /var/lib/nodometer-send/*/xrootd || fail 'no cursor of the sink'
systemctl restart nodometerd || fail 'no restart beside the sender'
still_sends 'after a restart of the agent'
nodometer rotate || fail 'no rotation'
still_sends 'after a rotation'
kill -KILL "$pid"
# again_sender PID: succeed if a sender runs whose pid is not PID
again_sender()
{
	[ "$(sender_property MainPID)" -gt 1 ] && [ "$(sender_property MainPID)" != "$1" ]
}
wait_until again_sender "$pid" || fail 'a sender that is killed is not started again'
still_sends 'after a kill'
[ "$(sender_property MainPID)" != "$pid" ] || fail 'not another process'
before=$(cut -d. -f1 /proc/uptime)
systemctl stop nodometer-send || fail 'the sender does not stop'
[ $(($(cut -d. -f1 /proc/uptime) - before)) -lt 10 ] || fail 'the sender takes long to stop'
[ "$(sender_property Result)" = success ] || fail "the sender ended: $(sender_property Result)"
kill "$receiver"
exposure nodometer-send
echo "$(samples) samples received"

# The receiver's unit can write only to its archive, whose size it limits.
xrootd_property() { systemctl show -P "$1" nodometer-xrootd; }
sums=/var/lib/nodometer-xrootd
old=$sums/$(uname -n)/1600000000
install -d -o nodometer -g nodometer -m 750 "$sums" "$sums/$(uname -n)"
install -o nodometer -g nodometer -m 640 "$(echo /var/lib/nodometer/*/current)" "$old"
# Use --final: without it, the last minutes would be written only after the next start.
mkdir -p /etc/systemd/system/nodometer-xrootd.service.d
printf '[Service]\nEnvironment="PORT_OPTION=--port 9930 --final"\n' \
	>/etc/systemd/system/nodometer-xrootd.service.d/final.conf
systemctl daemon-reload
systemctl start nodometer-xrootd || fail 'the receiver does not start'
wait_until test -f "$old.zst" || fail "not packed: $(ls -l "$sums"/*)"
pid=$(xrootd_property MainPID)
[ "$(awk '/^Uid/ { print $2 }' "/proc/$pid/status")" = "$(id -u nodometer)" ] || fail 'its user'
grep -q '^CapBnd:.*0000000000000000$' "/proc/$pid/status" || fail 'the receiver has capabilities'
grep -q '^Seccomp:.*2$' "/proc/$pid/status" || fail 'no system call filter of the receiver'
nsenter -t "$pid" -m -S "$(id -u nodometer)" -G "$(id -g nodometer)" \
	touch /var/lib/nodometer/x 2>/dev/null && fail 'the receiver can write into the archive'
# Send the identification of a server: 64 bytes, started at time 1.
printf '=\0\0\100\0\0\0\1\0\0\0\0vm.1:2@h\n&pgm=xrootd&ver=5.5&inst=a&port=1094&site=X' >/tmp/ident
bash -c 'cat /tmp/ident >/dev/udp/::1/9930' || fail 'no datagram'
# heard: succeed if the receiver has read everything that was sent to its port
heard() { [ -n "$(awk '$2 ~ /:26CA$/ && $5 ~ /:00000000$/' /proc/net/udp6)" ]; }
wait_until heard || fail 'it is not at its port'
systemctl stop nodometer-xrootd || fail 'the receiver does not stop'
[ "$(xrootd_property Result)" = success ] || fail "it ended: $(xrootd_property Result)"
journalctl -u nodometer-xrootd --no-pager -o cat | grep -q '^1 datagrams, ' ||
	fail "$(journalctl -u nodometer-xrootd --no-pager -o cat)"
nodometer check "$sums"/*/current "$old.zst" || fail 'the records of the receiver'
grep '^xrootd_server h:1094 1 0 ' "$sums"/*/current || fail "$(grep ^xrootd "$sums"/*/current)"
exposure nodometer-xrootd

# With the socket unit, the port is open before the receiver runs, and a datagram starts the
# receiver.
printf '[Service]\nEnvironment="PORT_OPTION=--final"\n' \
	>/etc/systemd/system/nodometer-xrootd.service.d/final.conf
systemctl daemon-reload
systemctl start nodometer-xrootd.socket || fail 'the socket does not start'
[ "$(xrootd_property ActiveState)" = inactive ] || fail 'it runs before a datagram comes'
bash -c 'cat /tmp/ident >/dev/udp/127.0.0.1/9930' || fail 'no datagram to the socket'
started_by_it() { [ "$(xrootd_property ActiveState)" = active ] && heard; }
wait_until started_by_it || fail 'a datagram does not start it'
systemctl stop nodometer-xrootd.socket nodometer-xrootd || fail 'socket and receiver do not stop'
[ "$(xrootd_property Result)" = success ] || fail "it ended: $(xrootd_property Result)"
journalctl -u nodometer-xrootd --no-pager -o cat >/tmp/said
[ "$(grep -c '^1 datagrams, ' /tmp/said)" = 2 ] || fail "by the socket: $(cat /tmp/said)"
grep -A 1000 '^1 datagrams, ' /tmp/said | grep 'buffer is' && fail 'the socket has a small buffer'

# Test nodometer-xrootd-lines, which writes a line for each access to a file that logrotate renames.
lines=/var/log/nodometer-xrootd/transfers.json
lines_property() { systemctl show -P "$1" nodometer-xrootd-lines; }
# access NUMBER: send the open and the close of file NUMBER
access()
{
	bash -c 'cat /tmp/ident >/dev/udp/127.0.0.1/9930' &&
		perl -MSocket -e 'my $n = $ARGV[0];
		socket(my $s, PF_INET, SOCK_DGRAM, 0) or die;
		my $open = pack("CCnNQ>Na8", 1, 1, 28, $n, 5, 0, "/f/$n");
		my $close = pack("CCnNQ>Q>Q>", 0, 0, 32, $n, 7, 0, 0);
		send($s, pack("aCnN", "f", $n, 32 + length($open . $close), 1) .
			pack("CCnnnNNQ>", 2, 1, 24, 0, 2, 100, 105, 2) . $open . $close, 0,
			pack_sockaddr_in(9930, INADDR_LOOPBACK)) or die' "$1"
}
has_access() { grep -q "\"filename\":\"/f/$1\"" "$lines"; }
systemctl start nodometer-xrootd-lines || fail 'the receiver of lines does not start'
wait_until heard || fail 'the receiver of lines is not at its port'
pid=$(lines_property MainPID)
[ "$(awk '/^Uid/ { print $2 }' "/proc/$pid/status")" = "$(id -u nodometer)" ] || fail 'its user'
grep -q '^CapBnd:.*0000000000000000$' "/proc/$pid/status" || fail 'it has capabilities'
access 1 || fail 'no datagram for a line'
wait_until has_access 1 || fail "no line: $(journalctl -u nodometer-xrootd-lines --no-pager -o cat)"
logrotate -f /etc/logrotate.d/nodometer-xrootd || fail 'logrotate'
wait_until test -e $lines || fail 'no new file after logrotate'
access 2 || fail 'no second datagram'
wait_until has_access 2 || fail 'no line after logrotate'
grep -q '"/f/1"' $lines.1 && ! grep -q '"/f/2"' $lines.1 || fail "rotated: $(cat $lines.1)"
[ "$(stat -c '%U %a' $lines)" = 'nodometer 600' ] || fail "$(stat -c '%U %a' $lines)"
systemctl stop nodometer-xrootd-lines || fail 'the receiver of lines does not stop'
[ "$(lines_property Result)" = success ] || fail "it ended: $(lines_property Result)"
exposure nodometer-xrootd-lines

# A wrong configuration is reported once, and systemd does not restart the service again and again.
systemctl stop nodometerd || fail 'no stop'
printf '[agent]\ninterval = never\n' >/etc/nodometer/nodometer.conf
systemctl start nodometerd 2>/dev/null && fail 'it starts with a bad configuration'
[ "$(property Result)" = exit-code ] || fail "result of a bad configuration: $(property Result)"
sleep 1
[ "$(property NRestarts)" = 0 ] || fail 'a bad configuration is tried again and again'
journalctl -u nodometerd --no-pager -o cat | tail -n 5
finish
