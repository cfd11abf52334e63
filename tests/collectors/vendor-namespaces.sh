#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# vendor-namespaces.sh - MIG and Xeon Phi, whose files in /proc and /sys are simulated in a mount
# namespace
. "$(dirname "$0")/vendor-lib.sh"

# in_namespace FOLDER PLACE LIBRARIES TYPE: sample TYPE while FOLDER is mounted over PLACE
in_namespace() {
	echo 'gpus=2 mig' >"$out/$3/stub"
	LD_LIBRARY_PATH=$out/$3 NVML_STUB=$out/$3/stub unshare $user --mount sh -c '
		mount --bind "$1" "$2" && exec "$3" collect --stdout --config "$4" "$5"' \
		sh "$1" "$2" "$NODOMETER" "$out/conf" "$4" >"$out/got" 2>&1
}
user=
[ "$(id -u)" = 0 ] || user=--map-root-user
# shellcheck disable=SC2086
unshare $user --mount sh -c 'mount --bind "$1" /sys/class && mount --bind "$1" /proc/driver' \
	sh "$out" 2>/dev/null ||
	{ echo "skipped: no mount namespace, so nothing below / can be replaced"; exit 77; }

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
