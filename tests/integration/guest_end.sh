# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# guest_end.sh - show that a guest is alive, and end its machine
#
# Source this file in the guest as /share/guest_end.sh, where guest.sh puts it.

# beat: write to "alive" every few seconds, because guests sometimes freeze
beat()
{
	while sleep 5; do
		echo beat >/share/alive
	done
}

# power_off STATUS: end the machine; if process 1 ended first, the kernel would panic
power_off()
{
	echo "$1" >/share/status
	sync
	echo o >/proc/sysrq-trigger
	sleep 60
}
