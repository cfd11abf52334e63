#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# vendor-libraries.sh - types that ask a vendor's library: stubs with the same ABI in its place
#
# UPDATE=1 shows what is printed now instead of comparing it.
set -u
: "${NODOMETER:=nodometer}" "${srcdir:=.}"
command -v "$NODOMETER" >/dev/null || { echo "skipped: $NODOMETER was not built"; exit 77; }
# CC may be two words, "ccache gcc".
# shellcheck disable=SC2086
command -v ${CC:-cc} >/dev/null || { echo "skipped: no compiler for the stubs"; exit 77; }
out=$(mktemp -d) || exit 99
trap 'rm -rf "$out"' EXIT
failed=0

stub() {	# SOURCE LIBRARY [OPTION...]
	source=$srcdir/tests/collectors/$1
	mkdir -p "${2%/*}"
	library=$2
	shift 2
	# shellcheck disable=SC2086
	${CC:-cc} -Wall -Wextra -Werror -shared -fPIC "$@" -o "$library" "$source" || exit 99
}
stub nvml_stub.c "$out/nvml/libnvidia-ml.so.1"
stub nvml_stub.c "$out/old/libnvidia-ml.so.1" -DNVML_STUB_OLD
stub mic_stub.c "$out/mic/libmicmgmt.so.0"
mkdir "$out/empty" "$out/damaged"
echo 'no library' >"$out/damaged/libnvidia-ml.so.1"
# Not the jobs of an agent of this machine.
printf '[agent]\nruntime-dir = %s\n' "$out" >"$out/conf"

# Without what differs from run to run; library paths too.
clean() {
	sed -e '/^\$/d' -e '/^!nodometer /d' -e '/^nodometer /d' -e 's/^[0-9][0-9.]* /TIME /' \
		-e "s|$out|OUT|g"
}
expect() {	# WHAT; standard input is what was expected, $out/got what there is
	cat >"$out/want"
	clean <"$out/got" >"$out/cleaned"
	diff -u "$out/want" "$out/cleaned" && return
	echo "FAIL: $1"
	failed=1
}
collect() {	# LIBRARIES WORDS TYPE...
	libraries=$out/$1	# where a confined worker reads
	echo "$2" >"$libraries/stub"
	shift 2
	LD_LIBRARY_PATH=$libraries NVML_STUB=$libraries/stub \
		"$NODOMETER" collect --stdout --config "$out/conf" "$@" >"$out/got" 2>&1
}
why() {		# LIBRARIES WORDS TYPE: the reason why it is absent
	echo "$2" >"$out/$1/stub"
	LD_LIBRARY_PATH=$out/$1 NVML_STUB=$out/$1/stub "$NODOMETER" types --all \
		--config "$out/conf" | sed -n "s/^$3  *//p" >"$out/got"
}

keys='memtotal,U=B memfree,U=B memused,U=B power,U=mW utilization energy,E,U=mJ mem_utilization'
keys="$keys encoder decoder sm_clock,U=MHz mem_clock,U=MHz power_limit,U=mW temperature,U=C"
clocks="$keys mem_temperature,U=C clocks_event_reasons power_violation,E,U=ns"
all="$clocks thermal_violation,E,U=ns ecc_corrected,E ecc_uncorrected,E ecc_corrected_aggregate,E"
all="$all ecc_uncorrected_aggregate,E remapped_corrected,E remapped_uncorrected,E"
all="$all pcie_replay_counter,E,W=32 nvlink_tx,E,U=KB nvlink_rx,E,U=KB"
tail='20 7 8 1001 1002 400000 40 82 4 10074 10075 10003 10004 10005 10006 142 143 94 10138 10139'

collect nvml gpus=2 nvidia_gpu
expect "two GPUs" <<END
!nvidia_gpu $all

TIME -
nvidia_gpu 0 1000 600 400 300000 50 1005 $tail
nvidia_gpu 1 1000 600 400 300001 51 1011 $tail
END

collect nvml 'gpus=2 lost=0' nvidia_gpu
expect "GPU 0 is lost" <<END
!nvidia_gpu $all

TIME -
nvidia_gpu 1 1000 600 400 300001 51 1006 $tail
END

collect nvml 'gpus=2 lost=1 late' nvidia_gpu
expect "GPU 1 is lost while it is being asked" <<END
!nvidia_gpu $all

TIME -
nvidia_gpu 0 1000 600 400 300000 50 1005 $tail
END

for library in nvml old; do
	for words in 'lost=0' 'lost=0 late'; do
		why $library "gpus=1 $words" nvidia_gpu
		expect "the only GPU is lost: $library, $words" <<'END'
absent  GPU 0: GPU is lost
END
	done
done

# What is not available has no key, and no zero.
collect nvml 'gpus=2 unsupported' nvidia_gpu
expect "nothing but memory is supported" <<'END'
!nvidia_gpu memtotal,U=B memfree,U=B memused,U=B

TIME -
nvidia_gpu 0 1000 600 400
nvidia_gpu 1 1000 600 400
END

for word in bare sentinel; do
	why nvml "gpus=1 $word" nvidia_gpu
	expect "$word" <<'END'
absent  no GPU reports anything
END
done

# A driver of 2017: no fields, no MIG.
collect old gpus=1 nvidia_gpu
expect "an old driver" <<END
!nvidia_gpu $(echo "$keys clocks_event_reasons" | sed 's/energy,E,U=mJ //')

TIME -
nvidia_gpu 0 1000 600 400 300000 50 20 7 8 1001 1002 400000 40 4
END
why old gpus=1 nvidia_mig
expect "MIG with an old driver" <<'END'
absent  the driver is older than MIG
END

collect nvml 'gpus=2 mig' nvidia_mig
expect "MIG instances" <<'END'
!nvidia_mig memtotal,U=B memfree,U=B memused,U=B sm_count,C gpu_slices,C compute_slices,C

TIME -
nvidia_mig 1/1/0 100 70 30 42 3 2
nvidia_mig 1/5/2 100 70 30 42 3 2
END
why nvml gpus=2 nvidia_mig
expect "no MIG instances" <<'END'
absent  no MIG instance
END

# Reasons.
why nvml 'init=18' nvidia_gpu
expect "versions differ" <<'END'
absent  nvmlInit_v2: Driver/library version mismatch
END
why nvml 'init=9' nvidia_gpu
expect "no driver" <<'END'
absent  nvmlInit_v2: Driver Not Loaded
END
why nvml 'init=77' nvidia_gpu
expect "an error without a text" <<'END'
absent  nvmlInit_v2: unknown error
END
why nvml gpus=0 nvidia_gpu
expect "no GPU" <<'END'
absent  NVML sees no GPU
END
why damaged gpus=2 nvidia_gpu
expect "a damaged library" <<'END'
absent  OUT/damaged/libnvidia-ml.so.1: file too short
END
if [ ! -d /proc/driver/nvidia ]; then
	why empty gpus=2 nvidia_gpu
	expect "no driver, no library" <<'END'
absent  no /proc/driver/nvidia: the driver is not loaded
END
fi
mkdir "$out/root"
LD_LIBRARY_PATH=$out/nvml "$NODOMETER" types --all --config "$out/conf" --root "$out/root" |
	sed -n 's/^nvidia_gpu  *//p' >"$out/got"
expect "a captured tree" <<'END'
absent  captured tree: NVIDIA's driver cannot be asked
END

# What is below / decides, too: shown in a mount namespace, where one can be made.
in_namespace() {	# FOLDER-OVER PLACE LIBRARIES TYPE
	echo 'gpus=2 mig' >"$out/$3/stub"
	LD_LIBRARY_PATH=$out/$3 NVML_STUB=$out/$3/stub unshare $user --mount sh -c '
		mount --bind "$1" "$2" && exec "$3" collect --stdout --config "$4" "$5"' \
		sh "$1" "$2" "$NODOMETER" "$out/conf" "$4" >"$out/got" 2>&1
}
finish() {
	[ $failed -eq 0 ]
	exit
}
user=
[ "$(id -u)" = 0 ] || user=--map-root-user
# shellcheck disable=SC2086
unshare $user --mount sh -c 'mount --bind "$1" /sys/class && mount --bind "$1" /proc/driver' \
	sh "$out" 2>/dev/null ||
	{ echo "not shown: no mount namespace, so nothing below / can be replaced"; finish; }

gpus=$out/driver/nvidia/capabilities
mkdir -p "$gpus/gpu0/mig" "$gpus/gpu1/mig"
in_namespace "$out/driver" /proc/driver nvml nvidia_mig
expect "no GPU instance in /proc: no worker, no row" <<'END'

TIME -
END
mkdir "$gpus/gpu1/mig/gi1"
in_namespace "$out/driver" /proc/driver nvml nvidia_mig
expect "a GPU instance in /proc" <<'END'
!nvidia_mig memtotal,U=B memfree,U=B memused,U=B sm_count,C gpu_slices,C compute_slices,C

TIME -
nvidia_mig 1/1/0 100 70 30 42 3 2
nvidia_mig 1/5/2 100 70 30 42 3 2
END

mkdir -p "$out/class"
cp -R "$srcdir/tests/collectors/mic/mpss3/root/sys/class/mic" "$out/class/"
in_namespace "$out/class" /sys/class mic mic
sums='user_sum,E,U=cs nice_sum,E,U=cs sys_sum,E,U=cs idle_sum,E,U=cs jiffy_counter,E,U=cs'
expect "Xeon Phi, one of two online" <<END
nodometer: type mic: 1 lacks threads_core user_sum nice_sum sys_sum idle_sum jiffy_counter
!mic num_cores,C threads_core,C $sums memsize,C,U=KB boot_count,E crash_count,E
!mic.2 num_cores,C memsize,C,U=KB boot_count,E crash_count,E

TIME -
mic 0 61 4 5000000000 2 3 4 5 8126464 3 0
mic.2 1 61 8126464 4 1
END
finish
