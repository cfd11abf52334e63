#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shared.sh - nodometer xrootd on larger captures than those in this folder, where there are any
data=${NODOMETER_SHARED:-${srcdir:-.}/../shared}/data/xrootd/captures/dev
[ -d "$data" ] || { echo "SKIP: no $data"; exit 77; }
exec "${srcdir:-.}/tests/tracers/run.sh" "$data"
