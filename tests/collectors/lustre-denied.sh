#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lustre-denied.sh - if only root may read Lustre's statistics, its types are absent with this
# reason, and have no rows
set -u
: "${NODOMETER:=nodometer}" "${srcdir:=.}"
command -v "$NODOMETER" >/dev/null || { echo "skipped: $NODOMETER was not built"; exit 77; }
root=$(mktemp -d) || exit 99
trap 'chmod 700 "$root/sys/kernel/debug"; rm -rf "$root"' EXIT
cp -R "$srcdir/tests/collectors/llite/debugfs-2.15/root/." "$root" || exit 99
mkdir -p "$root/sys/kernel/debug/lnet" "$root/sys/module/lnet"
chmod -R a+rX "$root"
chmod 0 "$root/sys/kernel/debug"

user=
if [ "$(id -u)" -eq 0 ]; then
	user='setpriv --reuid 65534 --regid 65534 --clear-groups'
	$user "$NODOMETER" types --version >/dev/null 2>&1 ||
		{ echo "skipped: another user cannot run $NODOMETER"; exit 77; }
fi

failed=0
for type in llite mdc osc lnet; do
	dir=lustre/$type
	[ $type != lnet ] || dir=lnet
	why="/sys/kernel/debug/$dir: Permission denied; needs CAP_DAC_READ_SEARCH or root"
	# shellcheck disable=SC2086 # a command and its words
	got=$($user "$NODOMETER" types --all --root "$root" | sed -n "s/^$type  *absent  //p")
	[ "$got" = "$why" ] || { echo "$type: \"$got\""; failed=1; }
done
# shellcheck disable=SC2086
rows=$($user "$NODOMETER" collect --stdout --root "$root" llite mdc osc lnet | grep -c '^!')
[ "$rows" -eq 1 ] || { echo "$rows types in the schema, not nodometer alone"; failed=1; }
exit $failed
