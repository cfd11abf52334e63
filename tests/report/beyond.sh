#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# beyond.sh - no figure exceeds what the nodes can do, whatever values somebody forges in an archive
command -v python3 >/dev/null || { echo 'SKIP: python3 is not installed'; exit 77; }
export PYTHONDONTWRITEBYTECODE=1
exec python3 "${srcdir:-.}/tests/report/beyond.py" "$(pwd)/nodometer-report" 150
