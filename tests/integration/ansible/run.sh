#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - the Ansible role installs everything on a bare Debian with systemd; a second run changes
# nothing
#
# The packages come from a repository, as at a site; inside.sh runs the playbook in a container.
packages='mmdebstrap git systemd-container'
namespaces=-m
. "$(dirname "$0")/../lib.sh"
. "$top/tests/integration/debian.sh"

share=$scratch/share
mkdir "$share"
on_root "${releases%% *}"
kernel_files "$root"
say 'a repository with the packages, and Ansible'
within "$root" sh -ec 'mkdir /srv/packages; cp /root/*.deb /srv/packages; cd /srv/packages
	dpkg-scanpackages . >Packages
	echo "deb [trusted=yes] file:/srv/packages ./" >/etc/apt/sources.list.d/packages.list
	apt-get update
	apt-get install --no-install-recommends ansible-core python3-apt systemd-sysv dbus' \
	>"$scratch/log" 2>&1 || { tail -n 20 "$scratch/log"; die 'no Ansible'; }
umount -l "$root/proc" "$root/sys" "$root/dev" "$root/run" "$root/tmp"
cp -r "$here/inside.sh" "$top/packaging/ansible" "$top/tests/integration/words.sh" "$share"
in_container "$root" 900 --capability=CAP_PERFMON
finish
