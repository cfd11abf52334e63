#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# peak.sh - nodometer peak measures all CPUs, and headers of later files contain the result
. "$(dirname "$0")/lib.sh"

# Simulate a node with as many CPUs as this process may use, and with small caches.
root=$scratch/root
cpus=$(nproc)
mkdir -p "$root/proc" "$root/sys/devices/system/cpu"
echo 1000.00 2000.00 >"$root/proc/uptime"
echo 'MemAvailable:    4000000 kB' >"$root/proc/meminfo"
echo "0-$((cpus - 1))" >"$root/sys/devices/system/cpu/online"
for cpu in $(seq 0 $((cpus - 1))); do
	cache=$root/sys/devices/system/cpu/cpu$cpu/cache/index3
	mkdir -p "$cache"
	echo 1K >"$cache/size"
	echo "$cpu" >"$cache/shared_cpu_list"
done
write_config
peak() {
	nodometer peak --root "$root" --seconds 0.02 >"$scratch/said" 2>&1
}
header() {
	nodometer collect --root "$root" --stdout | grep '^\$peak'
}

[ -z "$(header)" ] || fail "a peak before it was measured: $(header)"
peak || fail "peak: $(cat "$scratch/said")"
awk '$1 == "operations" && $2 > 0 && $3 == "GF/s" { n++ }
	$1 == "memory" && $2 > 0 && $3 == "GB/s" { n++ } END { exit n != 2 }' "$scratch/said" ||
	fail "it says $(cat "$scratch/said")"
header | grep -Eqx '\$peak flops=[1-9][0-9]+ bandwidth=[1-9][0-9]+' || fail "header: $(header)"

# If a cache can hold all data that the measurement moves, the bandwidth is not stored. If the
# process may not use all CPUs, the measurement fails. nodometer peak reports both.
kept=$(header)
echo 1000000K >"$root/sys/devices/system/cpu/cpu0/cache/index3/size"
peak || fail "large caches: $(cat "$scratch/said")"
grep -q 'memory bandwidth not stored' "$scratch/said" || fail "large caches: $(cat "$scratch/said")"
header | grep -Eqx '\$peak flops=[1-9][0-9]+' || fail "large caches: $(header)"
kept=$(header)
echo "0-$cpus" >"$root/sys/devices/system/cpu/online"
expect 1 peak
grep -q "$cpus of $((cpus + 1)) CPUs" "$scratch/said" || fail "CPUs: $(cat "$scratch/said")"
is 'what was kept before' "$(header)" "$kept"

# For a known processor, the header has the operations per cycle from a table instead of a
# measurement. From the file .peak, only valid numbers are taken.
printf 'vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 106\n' >"$root/proc/cpuinfo"
mkdir -p "$root/sys/devices/system/cpu/cpu0/cpufreq"
echo 2500000 >"$root/sys/devices/system/cpu/cpu0/cpufreq/base_frequency"
printf 'flops=12x bandwidth=34 other=5\n!evil key\n' >"$archive/$host/.peak"
is 'the header' "$(header)" '$peak cycle=32 clock=2500000000 bandwidth=34'

# A clock whose value in Hz needs more than 64 bits is left out of the header.
echo 18446744073709552 >"$root/sys/devices/system/cpu/cpu0/cpufreq/base_frequency"
is 'with a clock too large' "$(header)" '$peak cycle=32 bandwidth=34'
