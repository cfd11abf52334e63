#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# remote.sh - readers of a URL report errors, and are not linked with libcurl themselves
. "$(dirname "$0")/lib.sh"
said=$scratch/said
url=https://127.0.0.1:1/archive		# no server listens there
why=libcurl
! grep -q '^#define HAVE_CURL' config.h || why=onnect
for reader in report jobs plot cat; do
	case $reader in
	report | plot) set -- "$reader" 7 ;;
	*) set -- "$reader" ;;
	esac
	! "$bin/nodometer-$1" --dir "$url" ${2+"$2"} >"$scratch/out" 2>"$said" ||
		fail "$reader: status 0"
	grep -q "^nodometer $1: $url: .*$why" "$said" || fail "$reader: $(cat "$said")"
	[ ! -s "$scratch/out" ] || fail "$reader: $(cat "$scratch/out")"
	! command -v ldd >/dev/null || ! ldd "$bin/nodometer-$1" | grep -q libcurl ||
		fail "nodometer-$1 is linked with libcurl"
done
expect 2 "$bin/nodometer-jobs" --dir "$url" --keep 2>"$said"
grep -q 'needs a local folder' "$said" || fail "keep: $(cat "$said")"
[ $why = onnect ] || exit 0
expect 2 "$bin/nodometer-remote" </dev/null 2>"$said"
grep -q 'only programs that read a URL' "$said" || fail "alone: $(cat "$said")"
