#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# planned-counters.sh - for a captured tree, "types --json" lists the counters that nodometer would
# open
set -u
: "${NODOMETER:=nodometer}"
command -v "$NODOMETER" >/dev/null || { echo "skipped: $NODOMETER was not built"; exit 77; }
out=$(mktemp -d) || exit 99
trap 'rm -rf "$out"' EXIT
pmu=$out/root/sys/bus/event_source/devices/uncore_imc_3
mkdir -p "$out/root/proc" "$pmu" "$out/root/sys/devices/system/cpu/cpu8/topology"
printf 'vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 79\n' >"$out/root/proc/cpuinfo"
echo 21 >"$pmu/type"
echo 8 >"$pmu/cpumask"
echo 1 >"$out/root/sys/devices/system/cpu/cpu8/topology/physical_package_id"
power=$out/root/sys/bus/event_source/devices/power
mkdir -p "$power/events"
echo 23 >"$power/type"
echo 8 >"$power/cpumask"
printf 'event=0x03' >"$power/events/energy-ram"
printf Joules >"$power/events/energy-ram.unit"
printf 2.3283064365386962890625e-10 >"$power/events/energy-ram.scale"

"$NODOMETER" types --json --root "$out/root" | tr '{' '\n' >"$out/all"
sed -n '/"intel_bdw_imc"/,/"name":"intel_bdw_qpi"/p' "$out/all" |
	sed '/"name":"intel_bdw_pcu"/,$d' >"$out/got"
sed -n '/"name":"intel_rapl"/,/"name":"intel_skx/p' "$out/all" >>"$out/got"
cat >"$out/want" <<'EOF'
"active":false,"why":"captured tree: counters cannot be opened","counters":[
"device":"1/3","key":"CTR0","pmu":"uncore_imc_3","type":21,"config":"0x304",
"key":"FIXED_CTR","pmu":"uncore_imc_3","type":21,"config":"0xff","config1":"0x0","cpu":8}]},
"device":"1","key":"energy-ram","pmu":"power","type":23,"config":"0x3","config1":"0x0","cpu":8}]},
EOF
status=0
while IFS= read -r line; do
	grep -qF -- "$line" "$out/got" || { echo "FAIL: no $line"; status=1; }
done <"$out/want"
[ "$(grep -c '"device":' "$out/got")" = 6 ] || { echo "FAIL: not six counters"; status=1; }
[ $status = 0 ] || cat "$out/got"
exit $status
