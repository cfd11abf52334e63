# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# counters_lib.sh - what tests of "nodometer counters" share: which job has the hardware counters,
# open perf events, marks
. "$(dirname "$0")/lib.sh"

root=$scratch/root
on_hardware=intel_skx_imc	# any type of hardware counters
mkdir -p "$root/proc"
cp "$srcdir/tests/collectors/cpu/holes/root/proc/stat" "$root/proc/stat"

# perf_fds: print how many perf events the agent has open
perf_fds() {
	find "/proc/$agent/fd" -lname 'anon_inode:\[perf_event\]' 2>/dev/null | wc -l
}
# last_marks: print the marks of the last record group on one line, without %counters_restart of the
# processor's counters
last_marks() {
	raw_text | awk '/^%(begin|end) / { sub(" source=.*", "") }
		NF == 0 { marks = "" }
		/^%/ && (!/^%counters_restart/ || / perf_sw/) { marks = marks $0 ";" }
		END { print marks }'
}
why() {
	nodometer types --all | sed -n "s/^$on_hardware  *absent  *//p"
}
released() {
	value_of 'counters released to job'
}
