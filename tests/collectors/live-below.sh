#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# live-below.sh - nodometer finds the interfaces below a real bridge and a real macvlan
set -u
: "${NODOMETER:=nodometer}"
command -v "$NODOMETER" >/dev/null || { echo "skipped: $NODOMETER was not built"; exit 77; }
command -v ip >/dev/null || { echo "skipped: no ip(8)"; exit 77; }

# Use network and mount namespaces, which end with this command; /sys in them shows only interfaces
# of the new network.
# shellcheck disable=SC2016 # for that shell
got=$(unshare -n -m sh -c '
	mount -t sysfs none /sys && ip link add v1 type veth peer name v2 &&
	ip link add br0 type bridge && ip link set v2 master br0 &&
	ip link add link v1 name mac0 type macvlan &&
	for i in lo v1 v2 br0 mac0; do ip link set $i up || exit 1; done &&
	"$1" collect --stdout net' sh "$NODOMETER" 2>/dev/null) ||
	{ echo "skipped: no such interfaces can be made here"; exit 77; }
got=$(echo "$got" | sed -n 's/^\$below //p' | tr '\n' ';')
[ "$got" = 'net br0 v2;net mac0 v1;' ] || { echo "said: $got"; exit 1; }
echo "$got"
