#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# expect.sh - on captured machines, nodometer finds every value that an independent reader found
#
# The test needs the shared data beside the source tree: roots.tar.xz has /proc and /sys of many
# machines; expect/NAME.tsv has the values that the independent reader found (type, device, key,
# value). Types that nodometer does not have are left out.
set -u
: "${NODOMETER:=nodometer}" "${srcdir:=.}"
command -v "$NODOMETER" >/dev/null || { echo "skipped: $NODOMETER was not built"; exit 77; }
data=${NODOMETER_SHARED:-$srcdir/../shared}/data
if [ ! -f "$data/roots.tar.xz" ] || [ ! -d "$data/expect" ]; then
	echo "skipped: $data has no roots.tar.xz and expect/"
	exit 77
fi
data=$(cd "$data" && pwd)
roots=$(pwd)/tests/roots

unpack() {
	rm -rf "$roots"
	mkdir -p "$roots"
	tar -C "$roots" -xJf "$data/roots.tar.xz" && touch "$roots/.complete"
}

if [ -z "$(find "$roots/.complete" -newer "$data/roots.tar.xz" 2>/dev/null)" ] && ! unpack; then
	echo "cannot unpack $data/roots.tar.xz"
	exit 99
fi

types=$("$NODOMETER" types --schema | sed 's/^!//; s/ .*//' | tr '\n' ' ')
failed=0

compare() {	# NAME.tsv; the record group on standard input
	awk -v name="$(basename "$1" .tsv)" -v types=" $types" '
		ours && /^!/ {
			sub("!", "", $1)
			for (i = 2; i <= NF; i++) {
				split($i, option, ",")
				key[$1, i] = option[1]
			}
		}
		ours && /^[a-z]/ {
			type = $1
			sub(/\.[2-9]$/, "", type)	# devices that lack keys of their type
			for (i = 3; i <= NF; i++)
				got[type, $2, key[$1, i - 1]] = $i
		}
		ours { next }
		index(types, " " $1 " ") == 0 { next }
		# Skip notes of the independent reader, which are no values of the kernel.
		$1 == "nfs" && ($3 == "fstype" || $3 == "nfs_dup") { next }
		# In the list, a line of rapl has the zone and the domain, and its value is in mJ:
		# rapl intel-rapl:1:0 dram_mJ 12345
		$1 == "rapl" {
			domain = $3
			sub(/_mJ$/, "", domain)
			device = $2 "/" domain
			if (($1, device, "energy_uj") in got)
				got[$1, $2, $3] = int((got[$1, device, "energy_uj"] + 500) / 1000)
		}
		# hfi1 counts flits of 8 bytes, not words of 4 bytes; type opa has these counters.
		# The driver leaves these files at 0, so any other value must be found.
		$1 == "ib" && $2 ~ /^hfi1_/ {
			if (($3 ~ /^(symbol_error|VL15_dropped|port_xmit_wait|port_rcv_errors)$/ ||
			     $3 ~ /^port_rcv_(remote_physical|switch_relay)_errors$/) && $4 == 0)
				next
			device = $2
			sub(/\./, "/", device)
			k = $3
			sub(/^port_xmit_data$/, "PortXmitData", k)
			sub(/^port_rcv_data$/, "PortRcvData", k)
			sub(/^port_xmit_packets$/, "PortXmitPkts", k)
			sub(/^port_rcv_packets$/, "PortRcvPkts", k)
			if (("opa", device, k) in got)
				got[$1, $2, $3] = got["opa", device, k]
		}
		# nodometer may leave out a counter that has stopped at its largest value.
		$1 == "ib" && $4 == 4294967295 && !(($1, $2, $3) in got) { next }
		{
			n++
			have = (($1, $2, $3) in got) ? got[$1, $2, $3] : "missing"
			if (have "" == $4 "")
				next
			if (++wrong <= 5)
				print name ": " $1 " " $2 " " $3 ": expected " $4 ", " have
		}
		END {
			print name ": " n + 0 " values, " wrong + 0 " wrong or missing"
			exit wrong > 0
		}
	' ours=1 - ours=0 FS='\t' "$1"
}

# packages: fail unless "types --json" has the package of each CPU in the captured tree.
packages() {	# ROOT
	grep -H '' "$1"/sys/devices/system/cpu/cpu[0-9]*/topology/physical_package_id 2>/dev/null |
		sed 's|.*/cpu\([0-9]*\)/[^:]*:|\1 |' | sort -n >"$roots/want"
	"$NODOMETER" types --json --root "$1" | tr '{' '\n' |
		sed -n 's/^"cpu":\([0-9]*\),"package":\([0-9]*\)[,}].*/\1 \2/p' >"$roots/got"
	diff "$roots/want" "$roots/got" >/dev/null ||
		{ echo "${1##*/}: CPUs are not in the packages that it says"; return 1; }
}

# planned: for TYPE, nodometer would open as many counters as the machine's SOURCE.md implies: for
# each of DEVICES, COUNTERS-OF-EACH. ONE-OF-THEM is a pattern that one of them must match. In
# bdw-ep-perf-pmu, CPUs 0 and 10 read the counters of their packages.
planned() {	# MACHINE TYPE DEVICES COUNTERS-OF-EACH ONE-OF-THEM
	for root in "$roots"/*/"$1"; do
		[ -d "$root" ] || return 0
		"$NODOMETER" types --json --root "$root" | tr '{' '\n' |
			sed -n '/^"name":"'"$2"'"/,/^"name"/p' | grep '^"device":' >"$roots/plan"
	done
	devices=$(cut -d , -f 1 "$roots/plan" | sort -u | wc -l)
	counters=$(wc -l <"$roots/plan")
	if [ "$devices $counters" != "$3 $(($3 * $4))" ] || ! grep -q "$5" "$roots/plan"; then
		echo "$1: $2 would open $counters counters of $devices devices, or not $5"
		failed=$((failed + 1))
	fi
}
planned amd10h-magnycours-48c amd64_pmc 48 4 '"47","key":"CTR2",.*"type":4,"config":"0x7f03",.*47}'
planned amd15h-interlagos-64c amd64_pmc 64 3 '"63","key":"CTR0",.*"type":4,.*"cpu":63}'
planned bdw-ep-perf-pmu intel_hsw_ht 40 7 '"39","key":"FIXED_CTR2",.*"config":"0x300",.*39}'
planned bdw-ep-perf-pmu intel_bdw_imc 10 5 '"1/3","key":"CTR0",.*"type":20,"config":"0x304",.*10}'
planned bdw-ep-perf-pmu intel_bdw_cbo 20 4 '"0/9",.*"uncore_cbox_9",.*"cpu":0}'
planned bdw-ep-perf-pmu intel_bdw_hau 2 4 '"1/0",.*"uncore_ha_0","type":16,.*"cpu":10}'
planned bdw-ep-perf-pmu intel_bdw_qpi 4 4 '"1/1",.*"uncore_qpi_1",.*"cpu":10}'
planned bdw-ep-perf-pmu intel_bdw_r2pci 2 4 '"0/0",.*"uncore_r2pcie","type":15,.*"cpu":0}'
planned bdw-ep-perf-pmu intel_bdw_pcu 2 4 '"1",.*"uncore_pcu","type":33,.*"cpu":10}'
planned skx-silver4108 intel_4pmc3 32 7 '"31","key":"CTR3",.*"config":"0x40c7",.*"cpu":31}'
planned stampede-snb-2013 intel_snb 16 11 '"15","key":"CTR7",.*"cpu":15}'
planned pcp-meminfo-root-002 intel_snb 32 7 '"31","key":"CTR0",.*"cpu":31}'

for root in "$roots"/*/*/; do
	packages "${root%/}" || failed=$((failed + 1))
done
for tsv in "$data"/expect/*.tsv; do
	name=$(basename "$tsv" .tsv)
	for root in "$roots"/*/"$name"; do
		"$NODOMETER" collect --stdout --root "$root" >"$roots/$name.out" ||
			{ echo "$name: exit status $?"; failed=$((failed + 1)); }
		compare "$tsv" <"$roots/$name.out" || failed=$((failed + 1))
	done
done
echo "$failed machines failed"
[ $failed -eq 0 ]
