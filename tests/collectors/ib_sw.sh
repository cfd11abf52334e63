#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ib_sw.sh - type ib_sw has the counters of the switch port at the other end of each cable, or a
# reason why it is absent
#
# The test makes adapters in its own mount namespace, over /sys/class and /dev. ib_mad_stub.c
# replaces the library; its head comment lists what each adapter does.
set -u
: "${NODOMETER:=nodometer}" "${srcdir:=.}" "${CC:=cc}"
skip() { echo "skipped: $*"; exit 77; }
command -v "$NODOMETER" >/dev/null || skip "$NODOMETER was not built"
if [ "${1-}" != inside ]; then
	unshare -rm true 2>/dev/null || skip "no mount namespace for this user"
	dir=$(mktemp -d) || exit 99
	trap 'rm -rf "$dir"' EXIT
	# shellcheck disable=SC2086 # a compiler and its words
	$CC -shared -fPIC -o "$dir/libibmad.so.5" "$srcdir/tests/collectors/ib_mad_stub.c" ||
		skip "$CC cannot build ib_mad_stub.c: no header of libibmad?"
	unshare -rm "$0" inside "$dir"
	exit
fi

dir=$2 failed=0
mkdir -p "$dir/dev/infiniband" "$dir/class" "$dir/none"
touch "$dir/dev/null"
if ! { mount --bind /dev/null "$dir/dev/null" && mount --rbind "$dir/dev" /dev &&
	mount --bind "$dir/class" /sys/class; }; then
	skip "no mounts in a namespace"
fi
: >"$dir/none/libibmad.so.5"	# an empty file is no library

# fabric ADAPTER:PORT[:LINK-LAYER[:STATE]]...: give the node exactly these InfiniBand ports
fabric() {
	rm -rf "$dir"/class/* "$dir"/dev/infiniband/*
	n=0
	for p; do
		IFS=: read -r adapter port layer state <<-EOF
			$p
		EOF
		mkdir -p "$dir/class/infiniband_mad/umad$n" "$dir/class/infiniband_mad/issm$n" \
			"$dir/class/infiniband/$adapter/ports/$port"
		echo "$adapter" >"$dir/class/infiniband_mad/umad$n/ibdev"
		echo "$port" >"$dir/class/infiniband_mad/umad$n/port"
		echo "${layer:-InfiniBand}" >"$dir/class/infiniband/$adapter/ports/$port/link_layer"
		echo "${state:-4: ACTIVE}" >"$dir/class/infiniband/$adapter/ports/$port/state"
		: >"$dir/dev/infiniband/umad$n"
		n=$((n + 1))
	done
}

# is WHAT GOT WANT: fail unless GOT equals WANT
is() {
	[ "$2" = "$3" ] || { echo "FAIL: $1: \"$2\", not \"$3\""; failed=1; }
}

rows() {	# WHAT WANT: rows in one line
	got=$(LD_LIBRARY_PATH=$dir "$NODOMETER" collect --stdout ib_sw 2>"$dir/err")
	is "$1: rows" "$(echo "$got" | grep '^ib_sw' | tr '\n' ',')" "$2"
	is "$1: standard error" "$(grep ibwarn "$dir/err")" ""
}

why() {		# WHAT WANT [LIBRARY-FOLDER [TYPES-OPTIONS]]
	what=$1 want=$2 lib=${3:-$dir}
	shift $(($# > 3 ? 3 : $#))
	is "$what" "$(LD_LIBRARY_PATH=$lib "$NODOMETER" types --all "$@" 2>"$dir/err" |
		sed -n 's/^ib_sw  *absent  //p')" "$want"
	is "$what: standard error" "$(grep ibwarn "$dir/err")" ""
}

# The node's received bytes (rx_bytes) are the bytes that the switch port sent.
one='ib_sw good_0/1 1311768467463790321 30 5000000000 40,'
two='ib_sw good_0/2 1311768467463790322 30 5000000000 40,'
fabric good_0:1 good_0:2
"$NODOMETER" types --all | grep -q '^ib_sw .*built without' && skip "built without libibmad"
rows "two ports" "$one$two"
is "schema" "$(echo "$got" | grep '^!ib_sw')" \
	'!ib_sw rx_bytes,E,U=4B rx_packets,E tx_bytes,E,U=4B tx_packets,E'

fabric error_0:1 good_0:2 mute_0:1 back_0:1 narrow_0:1
rows "one port of five" "$two"
fabric good_0:1:Ethernet "good_1:1:InfiniBand:1: DOWN" good_0:2
rows "one is Ethernet, one is down" "$two"
fabric hang_0:1 good_0:1
rows "a call that does not come back" ""
why "hanging" 'no answer before the deadline'

fabric mute_0:1
why "no answer" 'the switch at mute_0/1: Connection timed out'
fabric error_0:1
why "bad status" 'the switch at error_0/1: Input/output error'
fabric narrow_0:1
why "32 bits" 'the switch at narrow_0/1 has no 64-bit counters'
fabric back_0:1
why "no switch" 'back_0/1 is cabled to another adapter, not to a switch'
fabric shut_0:1
why "not opened" 'libibmad cannot open shut_0/1: Operation not permitted'

fabric good_0:1
why "damaged library" "$dir/none/libibmad.so.5: file too short" "$dir/none"
rm "$dir/dev/infiniband/umad0"
why "no device" '/dev/infiniband/umad0: No such file or directory'
if setpriv --bounding-set=-dac_override true 2>/dev/null; then
	fabric good_0:1
	chmod 0 "$dir/dev/infiniband/umad0"
	NODOMETER="setpriv --bounding-set=-dac_override $NODOMETER"
	got=$(LD_LIBRARY_PATH=$dir $NODOMETER types --all | sed -n 's/^ib_sw  *absent  //p')
	is "not permitted" "$got" '/dev/infiniband/umad0: Permission denied'
	NODOMETER=${NODOMETER##* }
fi

none='/sys/class/infiniband_mad has no active InfiniBand port'
fabric good_0:1:Ethernet "good_1:1:InfiniBand:2: INIT"
why "no port" "$none" "$dir/none"
mkdir -p "$dir/root/sys"
why "captured tree" 'captured tree: no switch to query' "$dir" --root "$dir/root"
rm -rf "$dir"/class/*
why "no module" \
	'/sys/class/infiniband_mad: No such file or directory; is module ib_umad loaded?'
exit $failed
