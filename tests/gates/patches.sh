#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# patches.sh - each patch in tests/simulate/faults still applies to the sources
. "$(dirname "$0")/gate.sh"
need patch
finish 0 "$(for fault in tests/simulate/faults/*.patch; do
	patch -s -f --dry-run -p1 <"$fault" >/dev/null 2>&1 ||
		echo "$fault:1: does not apply: make it again from the sources as they are now"
done)"
