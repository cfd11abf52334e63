#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shared.sh - run the tests of nodometer xrootd on larger captures in the shared folder, if they are
# there
here=${srcdir:-.}/tests/tracers
data=${NODOMETER_SHARED:-${srcdir:-.}/../shared}/data/xrootd/captures/dev
[ -d "$data" ] || { echo "SKIP: no $data"; exit 77; }
failed=0
for test in run relay osg; do
	"$here/$test.sh" "$data" || failed=1
done
exit $failed
