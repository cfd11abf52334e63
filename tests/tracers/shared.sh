#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shared.sh - nodometer xrootd on larger captures from the shared folder, if there are any
here=${srcdir:-.}/tests/tracers
data=${NODOMETER_SHARED:-${srcdir:-.}/../shared}/data/xrootd/captures/dev
[ -d "$data" ] || { echo "SKIP: no $data"; exit 77; }
failed=0
for test in run relay osg; do
	"$here/$test.sh" "$data" || failed=1
done
exit $failed
