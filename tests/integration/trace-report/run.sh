#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - for fio in a traced mount, the report has the order, sums and percentiles of fio's
# requests
#
# If times are compared, reads and writes are made slow, some of them very slow, because fio's times
# include the kernel and the tracer.
packages='fio gcc jq util-linux'
namespaces='-m'
. "$(dirname "$0")/../lib.sh"
trace=$bin/nodometer-trace
[ -x "$trace" ] || skip 'built without libfuse3'
[ "$(id -u)" = 0 ] || skip 'not root'
[ -w /dev/fuse ] || skip 'there is no /dev/fuse'
mount --make-rprivate / || skip 'no mount namespace'
m=$scratch/mount s=$scratch/shadow
mkdir "$m" "$s"
cat >"$scratch/slow.c" <<'X'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>
static void wait_some(void)
{
	static unsigned n;
	unsigned i = __sync_fetch_and_add(&n, 1) % 50;
	usleep(i == 7 ? 600000 : i % 8 == 3 ? 200000 : 40000);
}
#define SLOW(name, type) \
	ssize_t name(int fd, type p, size_t n, off_t at) \
	{ \
		ssize_t (*real)(int, type, size_t, off_t) = dlsym(RTLD_NEXT, #name); \
		wait_some(); \
		return real(fd, p, n, at); \
	}
SLOW(pread, void *)
SLOW(pread64, void *)
SLOW(pwrite, const void *)
SLOW(pwrite64, const void *)
X
cc -shared -fPIC -o "$scratch/slow.so" "$scratch/slow.c" || skip 'no compiler'

# traced NAME SHIM FIO-OPTIONS...: run fio in a traced mount; fio's own result is in NAME.fio, and
# the report in NAME.json
traced()
{
	name=$1 shim=$2
	shift 2
	LD_PRELOAD=$shim "$trace" --shadow "$s" --mount "$m" --out "$scratch/$name.csv" \
		2>"$scratch/log" &
	tracer=$!
	wait_until grep -q 'is traced at' "$scratch/log" || skip "$(cat "$scratch/log")"
	fio --name="$name" --directory="$m" --filename=data --size=4M --direct=1 --ioengine=psync \
		--output-format=json --output="$scratch/$name.fio" "$@" >"$scratch/said" 2>&1 ||
		die "fio: $(cat "$scratch/said")"
	umount "$m" && wait "$tracer" || die "the tracer's status was $?"
	"$bin/nodometer" trace report --json "$scratch/$name.csv" >"$scratch/$name.json" ||
		die 'no report'
}

# of NAME FILTER: print what the jq filter finds in the report NAME.json
of() { jq -r "$2" "$scratch/$1.json"; }

# agrees NAME FIO-NAME OUR-NAME TIMED: compare the numbers and sizes of requests (read or write for
# fio, reads or writes in the report) and, unless TIMED is "-", their times
agrees()
{
	jq -c --arg f "$2" '.jobs[0][$f] | .clat_ns.percentile as $p |
		{ n: .total_ios, p50: $p["50.000000"], p90: $p["90.000000"],
		p99: $p["99.000000"] }' "$scratch/$1.fio" >"$scratch/fio"
	jq -c --arg o "$3" '.use[$o]' "$scratch/$1.json" >"$scratch/own"
	jq -es --arg timed "$4" '.[0] as $fio | .[1] as $own |
		def near($p): $own.ns[$p] <= $fio[$p] * 1.05 and
			$fio[$p] - $own.ns[$p] <= $fio[$p] * 0.25 + 40000000;
		$own.requests == $fio.n and $own.bytes.p50 == 4096 and $own.bytes.p99 == 4096 and
		($timed == "-" or (near("p50") and near("p90") and near("p99")))' \
		"$scratch/fio" "$scratch/own" >"$scratch/said" ||
		fail "$1, $3: $(cat "$scratch/own"), fio has $(cat "$scratch/fio")"
}

dd if=/dev/zero of="$s/data" bs=1M count=4 2>/dev/null
right=0 jobs=0
# Each row has the name of the job, how it reads and writes, whether times are compared, and the
# value of fio's option --rw.
while read -r name reads writes timed rw; do
	shim=
	[ "$timed" = - ] || shim=$scratch/slow.so
	traced "$name" "$shim" --rw="$rw" --bs=4k --number_ios=100
	order=$(of "$name" '.files[] | select(.name | endswith("/data")) |
		"\(.reads // "-") \(.writes // "-")"')
	jobs=$((jobs + 1))
	if [ "$order" = "$reads $writes" ]; then
		right=$((right + 1))
	else
		fail "$name: found $order"
	fi
	[ "$reads" = - ] || agrees "$name" read reads "$timed"
	[ "$writes" = - ] || agrees "$name" write writes "$timed"
	bytes=$(jq -c '.jobs[0] | [.read.io_bytes, .write.io_bytes]' "$scratch/$name.fio")
	for sums in files programs rates; do
		own=$(of "$name" \
			"[([.${sums}[].read] | add), ([.${sums}[].written] | add)] | tojson")
		[ "$own" = "$bytes" ] || fail "$name: bytes of $sums are $own, fio has $bytes"
	done
done <<'END'
read sequential - timed read
write - sequential timed write
randread random - - randread
randwrite - random - randwrite
mixed sequential sequential - rw
randmixed random random timed randrw
strided strided - - read:12k
strides - strided - write:8k
END
say "$right of $jobs orders are right; sums and percentiles are fio's"
finish
