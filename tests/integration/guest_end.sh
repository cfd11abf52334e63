# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# guest_end.sh - a guest's first process says that it lives, and ends the machine
#
# Sourced as /share/guest_end.sh in the guest, where guest.sh puts it.

# beat: guests froze at times
beat()
{
	while sleep 5; do
		echo beat >/share/alive
	done
}

# power_off STATUS: the kernel panics when process 1 ends, so the machine does before
power_off()
{
	echo "$1" >/share/status
	sync
	echo o >/proc/sysrq-trigger
	sleep 60
}
