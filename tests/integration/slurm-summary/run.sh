#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - install-hooks --summary: a real Slurm with its database keeps what jobs used, as jobstats
#
# All of it runs on a throw-away copy of this system, in namespaces that end with the test.
packages='slurmctld slurmd slurm-client slurm-wlm-basic-plugins slurmdbd mariadb-server munge
	iproute2 python3 systemd'
namespaces='-m -n -p --fork --kill-child'
. "$(dirname "$0")/../lib.sh"

a_copy "$here/inside.sh" "$here/decode.py" "$top/tests/integration/slurm.sh"
chroot "$root" /bin/bash /tmp/inside.sh || fail 'see above'
[ -z "${KEEP:-}" ] || cp -a "$root/tmp/slurm" "$root/var/lib/nodometer" "$scratch"
finish
