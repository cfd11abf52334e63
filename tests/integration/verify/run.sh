#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - install-hooks --verify on a real Slurm of two nodes reports each mistake made on purpose
#
# As in tests/integration/slurm, each node is a slurmd and an agent on this host, on a throw-away
# copy of this system, in namespaces that end with the test.
packages='slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge iproute2'
namespaces='-m -n -p --fork --kill-child'
. "$(dirname "$0")/../lib.sh"

a_copy "$here/inside.sh" "$top/tests/integration/slurm.sh"
chroot "$root" /bin/bash /tmp/inside.sh || fail 'see above'
[ -z "${KEEP:-}" ] || cp -a "$root/tmp/slurm" "$root/var/lib/nodometer" "$scratch"
finish
