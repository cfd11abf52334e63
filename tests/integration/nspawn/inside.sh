#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# inside.sh - what run.sh has done in the container, with systemd as process 1
set -u
# shellcheck source=../words.sh
. "${words:-/share/words.sh}"
property() { systemctl show -P "$1" nodometerd; }

restarted()
{
	[ "$(property NRestarts)" -gt "$1" ] && nodometer status
}

cp -a /share/install/. /
systemd-sysusers
systemd-tmpfiles --create nodometer.conf
# A watchdog of a minute would be too long to wait for.
mkdir -p /run/systemd/system/nodometerd.service.d
printf '[Service]\nWatchdogSec=3s\nRestartSec=100ms\n' \
	>/run/systemd/system/nodometerd.service.d/test.conf
systemctl daemon-reload

# Type=notify: start returns when the first sample is written.
systemctl start nodometerd || fail 'the unit does not start'
[ "$(property ActiveState)" = active ] || fail "the unit is $(property ActiveState)"
nodometer status || fail 'it started, and does not answer'
pid=$(property MainPID)
current=$(echo /var/lib/nodometer/*/current)
grep -q '^!cpu' "$current" || fail 'it is ready, and nothing is written'
[ "$(stat -c '%U %a' "$current")" = 'nodometer 640' ] || fail "modes: $(ls -l "$current")"
[ "$(stat -c '%U %a' /var/lib/nodometer)" = 'nodometer 750' ] || fail 'modes of the archive'

# The sandbox, as the kernel sees it.
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

# A job goes on over a reload, a restart, and a hang that the watchdog ends.
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

# A configuration that is wrong is said once, and nothing restarts in a circle.
systemctl stop nodometerd || fail 'no stop'
printf '[agent]\ninterval = never\n' >/etc/nodometer/nodometer.conf
systemctl start nodometerd 2>/dev/null && fail 'it starts with a bad configuration'
[ "$(property Result)" = exit-code ] || fail "result of a bad configuration: $(property Result)"
sleep 1
[ "$(property NRestarts)" = 0 ] || fail 'a bad configuration is tried again and again'
journalctl -u nodometerd --no-pager -o cat | tail -n 5
finish
