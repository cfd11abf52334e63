#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# install.sh - `make install DESTDIR=` installs every file, also a second time, and does not
# overwrite an edited configuration
#
# Runs in a build folder configured with --prefix=/usr --sysconfdir=/etc.
set -eu
to=$PWD/root
rm -rf "$to"
make install DESTDIR="$to" >/dev/null

status=0
has()
{
	[ -e "$to/$1" ] || { echo "not installed: /$1"; status=1; }
}

version=$(sed -n 's/^PACKAGE_VERSION = //p' Makefile)
for page in "$to"/usr/share/man/man?/nodometer*; do
	grep -q "^\.Os nodometer $version\$" "$page" || { echo "$page: no version"; status=1; }
done
has etc/nodometer/nodometer.conf
has usr/lib/systemd/system/nodometerd.service
has usr/lib/systemd/system/nodometer-xrootd.service
has usr/lib/systemd/system/nodometer-xrootd-lines.service
has usr/lib/systemd/system/nodometer-xrootd.socket
has usr/lib/systemd/system/nodometer-answer.socket
has usr/lib/systemd/system/nodometer-answer@.service
has etc/logrotate.d/nodometer-xrootd
has usr/sbin/nodometer-send
has usr/lib/systemd/system/nodometer-send.service
has usr/lib/sysusers.d/nodometer.conf
has usr/lib/tmpfiles.d/nodometer.conf
has usr/share/bash-completion/completions/nodometer
has usr/share/man/man1/nodometer-types.1
has usr/share/nodometer/clickhouse.sql
has usr/share/nodometer/clickhouse-cluster.awk
has usr/share/nodometer/rules.yaml
for name in jobs report status summary top; do
	has usr/share/nodometer/schemas/$name-1.json
done
for program in usr/bin/nodometer usr/sbin/nodometerd usr/sbin/nodometer-send; do
	has "$program"
done
for command in answer cat check commands fetch jobs monitor mpxstats plot report tcp tidy \
	top trace xrootd; do
	has usr/libexec/nodometer/nodometer-$command
done

echo '# edited' >>"$to/etc/nodometer/nodometer.conf"
make install DESTDIR="$to" >/dev/null
grep -q '^# edited$' "$to/etc/nodometer/nodometer.conf" ||
	{ echo "a second install overwrote the edited configuration"; status=1; }
find "$to" ! -type d | sort
exit $status
