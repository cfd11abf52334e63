#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# seed-types.sh - "nodometer types" lists every type in the manual of hpcperfstats
set -u
: "${NODOMETER:=nodometer}"
command -v "$NODOMETER" >/dev/null || { echo "skipped: $NODOMETER was not built"; exit 77; }
have=$("$NODOMETER" types --all |
	sed -n 's/^\([a-z0-9_]*\)  *\(active\|absent\)  .*/\1/p' | tr '\n' ' ')

# These are the types in the order of hpcperfstats's README, section TYPES. Its "intel_snb(hsw)_cbo"
# stands for intel_snb_cbo and intel_hsw_cbo.
failed=0
for type in amd64_pmc intel_hsw intel_hsw_ht intel_nhm intel_uncore intel_snb \
	intel_snb_cbo intel_hsw_cbo intel_snb_pcu intel_hsw_pcu intel_snb_imc intel_hsw_imc \
	intel_snb_qpi intel_hsw_qpi intel_snb_hau intel_hsw_hau intel_snb_r2pci intel_hsw_r2pci \
	ib ib_sw ib_ext llite lnet mdc mic osc block cpu mem net nfs numa proc ps sysv_shm tmpfs \
	vfs vm; do
	case " $have" in
	*" $type "*) ;;
	*) echo "FAIL: no type $type"; failed=1 ;;
	esac
done
exit $failed
