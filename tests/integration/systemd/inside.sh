#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# inside.sh - first process of the guest: leaves of this machine's systemd what checks.sh needs
#
# Nothing that this machine has enabled is started.  The folder of temporary files is this
# machine's own: nothing shall walk it.
set -eu
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /tmp
cd /etc/systemd/system
rm -rf ./*.wants/* /.dockerenv	# the last means "no machine" to systemd
: >/etc/fstab
mkdir -p /etc/selinux
echo SELINUX=disabled >/etc/selinux/config
tr -d - </proc/sys/kernel/random/uuid >/etc/machine-id
for unit in ldconfig systemd-hwdb-update systemd-journal-catalog-update systemd-journal-flush \
	systemd-tmpfiles-setup systemd-tmpfiles-setup-dev systemd-udev-trigger \
	systemd-update-utmp; do
	ln -sf /dev/null "$unit.service"
done
cat >inside.service <<'UNIT'
[Unit]
Requires=sysinit.target dbus.socket
After=sysinit.target basic.target dbus.socket
[Service]
Type=oneshot
StandardOutput=tty
StandardError=tty
TTYPath=/dev/ttyS0
ExecStart=/bin/sh /share/checks.sh
ExecStopPost=/bin/sh -c 'sync; echo o >/proc/sysrq-trigger'
UNIT
exec /lib/systemd/systemd --unit=inside.service
