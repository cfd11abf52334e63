#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# vendor-libraries.sh - types of NVIDIA GPUs, read by NVML: lost GPUs, unsupported values, old
# drivers, reasons for absence
. "$(dirname "$0")/vendor-lib.sh"

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

# If NVML cannot give a value, the type has no key for it, instead of a 0.
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

# A driver of 2017 lacks the functions for NVML's fields and for MIG.
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

# absent LIBRARIES WORDS REASON: type nvidia_gpu must be absent for REASON; LIBRARIES and WORDS are
# as for why()
absent() {
	why "$1" "$2" nvidia_gpu
	expect "$1, $2" <<-END
	absent  $3
	END
}
absent nvml init=18 'nvmlInit_v2: Driver/library version mismatch'
absent nvml init=9 'nvmlInit_v2: Driver Not Loaded'
absent nvml init=77 'nvmlInit_v2: unknown error'
absent nvml gpus=0 'NVML sees no GPU'
absent damaged gpus=2 'OUT/damaged/libnvidia-ml.so.1: file too short'
[ -d /proc/driver/nvidia ] ||
	absent empty gpus=2 'no /proc/driver/nvidia: the driver is not loaded'
mkdir "$out/root"
LD_LIBRARY_PATH=$out/nvml "$NODOMETER" types --all --config "$out/conf" --root "$out/root" |
	sed -n 's/^nvidia_gpu  *//p' >"$out/got"
expect "a captured tree" <<'END'
absent  captured tree: no NVIDIA driver to query
END

finish
