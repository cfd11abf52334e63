#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - an ordinary user runs nodometer run over a real sshd: one host, a loop over hosts, mpirun
#
# Each host is an sshd with its own name and network, on a throw-away copy of this system.
packages='openssh-server openssh-client openmpi-bin iproute2 passwd'
namespaces='-m -n -u -p --fork --kill-child'
. "$(dirname "$0")/../lib.sh"

ip link add v0 type veth peer name w0 2>/dev/null && ip link add br0 type bridge 2>/dev/null ||
	skip 'no veth or bridge in this kernel'
ip link del v0
a_copy "$here/inside.sh"
hostname login
chroot "$root" /bin/bash /tmp/inside.sh || fail 'see above'
finish
