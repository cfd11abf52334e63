#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# gpm.sh - performance counters (GPM) of NVIDIA GPUs: values, blanks, errors, hangs, MIG, and other
# programs that use the counters
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/nvml_lib.sh"

launch() {	# WORDS
	says "$1"
	LD_LIBRARY_PATH=$scratch launch_agent
	wait_until 20 answers
}
rows_are() {	# TYPE DEVICES
	sample
	[ "$(rows "$1")" = "$2" ]
}
# why TYPE: print why the type is absent
why() {
	answers
	sed -n "s/^absent  *$1  *//p" "$scratch/status"
}
# key TYPE DEVICE KEY: print the key's value for the device in the newest record group
key() {
	awk -v type="!$1" -v device="$2" -v key="$3" '
		$1 == type { for (i = 2; i <= NF; i++) { split($i, k, ","); at[k[1]] = i + 1 } }
		$1 == substr(type, 2) && $2 == device { v = key in at ? $(at[key]) : "" }
		END { print v }' "$archive/$host/current"
}
# values TYPE DEVICE OF: check each key, which the stub sets from the number N of its metric: to N +
# OF percent of the time, or to N + OF MiB/s. Print the number of keys.
values() {
	awk -v type="!$1" -v device="$2" -v of="$3" '
	$1 == type { for (i = 2; i <= NF; i++) { split($i, k, ","); name[i + 1] = k[1] }; n = NF }
	$1 == substr(type, 2) && $2 == device { for (i = 3; i <= n + 1; i++) v[name[i]] = $i }
	function share(key, id) {
		if (!(key in v)) return
		seen++
		d = v[key] / v["elapsed"] - (id + of) / 100
		if (d > 1e-8 || d < -1e-8) print key, v[key], "of", v["elapsed"]
	}
	function rate(key, per_second) {
		if (!(key in v)) return
		seen++
		d = v[key] - v["elapsed"] * per_second / 1e9
		most = 2 + per_second / 1e9	# both values are rounded to whole numbers
		if (d > most || d < -most) print key, v[key], "of", v["elapsed"]
	}
	END {
		share("graphics", 1); share("sm", 2); share("occupancy", 3); share("integer", 4)
		share("tensor", 5); share("tensor_dfma", 6); share("tensor_hmma", 7)
		share("tensor_imma", 9); share("dram", 10); share("fp64", 11); share("fp32", 12)
		share("fp16", 13)
		rate("dram_bytes", (10 + of) / 100 * 2 * 2619e6 * 5120 / 8)
		rate("pcie_tx", (20 + of) * 1048576); rate("pcie_rx", (21 + of) * 1048576)
		rate("nvlink_rx", (60 + of) * 1048576); rate("nvlink_tx", (61 + of) * 1048576)
		print seen + 0
	}' "$archive/$host/current"
}

write_config '[types]' 'deadline = 3s' 'nvidia_gpu = off' 'nvidia_mig = off'
launch 'gpus=2'
wait_until 15 rows_are nvidia_gpm ' 0 1'
sample
is "keys of GPU 0" "$(values nvidia_gpm 0 0)" 17
is "keys of GPU 1" "$(values nvidia_gpm 1 1)" 17

# The key "elapsed" grows as much as the clock of the system.
from=$(date +%s%N)
sample
before=$(key nvidia_gpm 0 elapsed)
sleep 1
sample
after=$(key nvidia_gpm 0 elapsed) to=$(date +%s%N)
awk -v a=$((after - before)) -v b=$((to - from)) 'BEGIN { exit !(a >= 9e8 && a <= b) }' ||
	fail "elapsed grew by $((after - before)) in $((to - from)) ns"

# If a value is invalid, the sample has no row. No key of the next row, not even "elapsed", counts
# the time without a valid value.
for word in gpm-nan gpm-200 gpm-blank; do
	before=$(key nvidia_gpm 0 elapsed)
	says "gpus=2 $word"
	sleep 0.5
	sample
	is "rows with $word" "$(rows nvidia_gpm)" ""
	says 'gpus=2'
	wait_until 10 rows_are nvidia_gpm ' 0 1'
	is "keys after $word" "$(values nvidia_gpm 0 0)" 17
done

# When a call of the library hangs, the sample has all other rows, and the counters of a new worker
# start at 0.
says 'gpus=2 gpm-hang'
sample
is "rows" "$(rows nvidia_gpm)" ""
[ -n "$(rows ps)" ] || fail "no rows of type ps"
says 'gpus=2'
wait_until 15 rows_are nvidia_gpm ' 0 1'
is "keys after a hang" "$(values nvidia_gpm 0 0)" 17

# When a job that profiles itself has the counters, there are no rows until it returns them.
expect 0 nodometer begin --strict 7
expect 0 nodometer counters release 7
sample
is "rows while job 7 has the counters" "$(rows nvidia_gpm)" ""
expect 0 nodometer counters acquire 7
wait_until 15 rows_are nvidia_gpm ' 0 1'

# When another program uses the counters, nothing is read or requested until the agent searches for
# types again.
says 'gpus=2 gpm-in-use'
sample
is "rows while another program has the counters" "$(rows nvidia_gpm)" ""
says 'gpus=2'
sample
is "rows before the next look" "$(rows nvidia_gpm)" ""
expect 0 nodometer end --strict 7
stop_agent

# MIG instances are read through the handle of their GPU, and have rows; a GPU without MIG has its
# usual row.
launch 'gpus=2 mig'
wait_until 15 rows_are nvidia_gpm_mig ' 1/1 1/5'
sample
is "GPUs" "$(rows nvidia_gpm)" ' 0'
is "keys of instance 1" "$(values nvidia_gpm_mig 1/1 11)" 12
is "keys of instance 5" "$(values nvidia_gpm_mig 1/5 15)" 12
stop_agent

# A GPU may lack NVLink, or all of GPM.
launch 'gpus=1 gpm-partly'
wait_until 15 rows_are nvidia_gpm ' 0'
is "keys without NVLink" "$(values nvidia_gpm 0 0)" 15
stop_agent
launch 'gpus=2 gpm-ampere'
sample
is "rows without GPM" "$(rows nvidia_gpm)" ""
nodometer types --all >"$scratch/types"
stop_agent
whole_archive
