#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# gpu.sh - a GPU library that starts slowly, hangs or loses a GPU affects only the rows of its own
# type
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/nvml_lib.sh"

launch() {
	LD_LIBRARY_PATH=$scratch launch_agent
	wait_until 20 answers
}
# own KEY-NUMBER: print a key of the agent's own type nodometer, device nvidia_gpu, in the newest
# record group
own() {
	awk -v key="$1" '$0 == "" { v = "" } $1 == "nodometer" && $2 == "nvidia_gpu" {
		v = $(2 + key) } END { print v }' "$archive/$host/current"
}
rows_are() {	# DEVICES
	sample
	[ "$(rows nvidia_gpu)" = "$1" ]
}
worker() {	# pid of the type's process
	cat /proc/[0-9]*/status 2>/dev/null | awk -v agent="$agent" '
		/^Name:/ { name = $2 }
		/^Pid:/ { pid = $2 }
		/^PPid:/ && $2 == agent && name == "nvidia_gpu" { print pid }'
}

write_config '[types]' 'deadline = 2s' 'nvidia_mig = off'
says 'gpus=2'
launch
wait_until 5 rows_are ' 0 1'
is "errors" "$(own 4)" 0
first=$(worker)
[ -n "$first" ] || fail "no worker runs"

# One GPU is lost: only its row is missing, and the other GPU has no error.
says 'gpus=2 lost=0'
rows_are ' 1' || fail "rows:$(rows nvidia_gpu)"
is "errors" "$(own 4)" 0
says 'gpus=2'
rows_are ' 0 1' || fail "rows:$(rows nvidia_gpu)"
is "the worker" "$(worker)" "$first"

# A GPU in MIG mode has no utilization but keeps its row, and the other GPU keeps all keys.
says 'gpus=2 mig-mode'
wait_until 5 rows_are ' 1'
is "the GPU in MIG mode" "$(rows nvidia_gpu.2)" ' 0'
grep -q 'type nvidia_gpu: 0 lacks utilization mem_utilization encoder decoder$' "$log" ||
	fail "the agent does not name the GPU: $(cat "$log")"
says 'gpus=2'
wait_until 5 rows_are ' 0 1'

# When a call of the library hangs, the sample has all other rows, and a new worker reads the type
# after the hang.
says 'gpus=2 hang'
sample
is "rows" "$(rows nvidia_gpu)" ""
[ -n "$(rows ps)" ] || fail "no rows of type ps"
is "errors" "$(own 4)" 1
is "stalls" "$(own 5)" 1
answers && grep -q '^type in error  *nvidia_gpu no answer before the deadline' "$scratch/status" ||
	fail "status does not name the type: $(cat "$scratch/status")"
says 'gpus=2'
wait_until 5 rows_are ' 0 1'
is "stalls" "$(own 5)" 0
[ "$(worker)" != "$first" ] || fail "the worker that hung answers"
stop_agent

# The library's first answer may take longer than the deadline; the worker that waits for it is not
# killed.
says 'gpus=2 slow'
launch
sample
is "rows" "$(rows nvidia_gpu)" ""
is "stalls" "$(own 5)" 1
first=$(worker)
wait_until 10 rows_are ' 0 1'
is "the worker" "$(worker)" "$first"
# energy: print the 6th key. The stub adds 11 with each answer; its late first answer has 1005.
energy() {
	awk '$1 == "nvidia_gpu" && $2 == 0 { v = $8 } END { print v }' "$archive/$host/current"
}
is "energy" "$(energy)" 1016
sample
is "energy" "$(energy)" 1027
stop_agent
whole_archive
