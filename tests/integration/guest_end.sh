# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# guest_end.sh - functions for the guest: show that it is alive, and power it off
#
# Source this file in the guest as /share/guest_end.sh, where guest.sh puts it.

# beat: write to "alive" every few seconds, because guests sometimes freeze
beat()
{
	while sleep 5; do
		echo beat >/share/alive
	done
}

# power_off STATUS: store STATUS for the test and power off; if process 1 simply exited, the kernel
# would panic
power_off()
{
	echo "$1" >/share/status
	sync
	echo o >/proc/sysrq-trigger
	sleep 60
}
