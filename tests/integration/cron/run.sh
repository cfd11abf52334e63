#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - a real cron runs nodometer's installed line, which takes a sample without an agent
#
# cron would run all files in /etc/cron.d: on the throw-away copy of this system, only nodometer's
# file is there.
packages='cron'
namespaces='-m -p --fork --kill-child'
. "$(dirname "$0")/../lib.sh"

root=$scratch/root
overlay "$root"
installed "$root"
kernel_files "$root"
rm -rf "$root"/etc/cron.d/* "$root"/var/spool/cron/crontabs/* "$root"/etc/crontab
sed 's|^\*/10     1-23  |* * |; /^10-50/d; /^0 /d; s|^\* \* \* |* * * |' \
	"$root/usr/libexec/nodometer/hooks/cron/nodometer" >"$root/etc/cron.d/nodometer"
grep -v '^#' "$root/etc/cron.d/nodometer"

say 'waiting for the minute'
background chroot "$root" cron -f
sampled()
{
	[ -s "$(find "$root/var/lib/nodometer" -name current 2>/dev/null | head -n 1)" ]
}
tries=0
until sampled; do
	tries=$((tries + 1))
	[ $tries -lt 700 ] || die 'no sample after 70 s'
	sleep 0.1
done
current=$(find "$root/var/lib/nodometer" -name current)
"$bin/nodometer" check "$current" || fail 'nodometer check'
grep -q '^!cpu ' "$current" || fail 'no schema'
grep -Eq '^[0-9.]+ -$' "$current" || fail 'no group of an idle node'
finish
