#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# packaging.sh - the shipped configuration, every key switched on, is one that the programs take
#
# Runs in the build folder.
full=$(mktemp) || exit 99
trap 'rm -f "$full"' EXIT
sed 's/^;//' packaging/nodometer.conf >"$full"
keys=$(grep -c '=' "$full")
[ "$keys" -ge 10 ] || { echo "only $keys keys"; exit 1; }
./nodometer schema --config "$full" >/dev/null
