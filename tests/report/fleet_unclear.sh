#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fleet_unclear.sh - nodometer fleet on few nodes, unreadable files and wrong usage
. "$(dirname "$0")/fleet_lib.sh"
few

# If most nodes of a list are missing, fleet compares no versions.
seq -f 'x%g' 1 10000 >"$work/list"
printf '%s\n' c001 c003 c004 >>"$work/list"
took "10,000 missing names" --dir "$archive" --nodes "$work/list"
says '10000 of 10003 nodes need attention, 3 do not'
! grep 'most nodes' "$work/out" || fail 'versions of missing nodes'

# Two nodes with different versions and types: neither is the usual one, so no node differs from it.
# In a copied archive, the times of files mean nothing.
made "$work/b" <<END
c1 version=1 at=-4000
c2 version=2 types=cpu at=-4000
END
asks 0 --dir "$work/b"
says '^NODOMETER OK - 0 of 2 nodes need attention, 2 do not (last records up to 6[89] min old, '\
'limit 2h) |'
asks 1 --dir "$archive" --nodes - <<END
c005
c003
c006
END
asks 2 --dir "$work/b" --silent 30min
says '^c1  silent since '
says '^c1  silent since .* (run "nodometer status" there)$'
asks 0 --dir "$work/b" --silent 90min
asks 0 --dir "$work/b" --silent 3d
says 'min old, limit 72h)'

# A node's name has a control sequence and "|", which separates fields for Nagios. Another node's
# file is truncated.
name=$(printf 'n\033[31m|x')
mkdir -p "$work/c/$name" "$work/c/cut" "$work/c/empty"
gzip <"$(newest c001)" | head -c 40 >"$work/c/cut/1700000000.gz"
: >"$work/c/empty/1700000000"
asks 2 --dir "$work/c"
says '^n?\[31m/x  no record$'
says '^cut .*cannot be read: .*1700000000.gz: .*compressed'
says '^empty .*no record'

# The status is UNKNOWN without an archive, a node or a list, and after wrong usage.
mkdir "$work/none"
asks 3 --dir "$work/none"
says '^NODOMETER UNKNOWN - no nodes: '
asks 3 --dir "$work/nowhere"
asks 3 --dir "$archive" --nodes "$work/nowhere"
asks 3 --dir "$archive" --nodes /dev/null
asks 3 --dir "$archive" --silent soon
asks 3 --dir "$archive" operand
asks 0 --help
exit $failed
