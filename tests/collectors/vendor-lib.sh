# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# vendor-lib.sh - what tests of vendors' libraries share: stubs with the libraries' ABI, and checks
# of the output
set -u
: "${NODOMETER:=nodometer}" "${srcdir:=.}"
command -v "$NODOMETER" >/dev/null || { echo "skipped: $NODOMETER was not built"; exit 77; }
# CC may be two words, "ccache gcc".
# shellcheck disable=SC2086
command -v ${CC:-cc} >/dev/null || { echo "skipped: no compiler for the stubs"; exit 77; }
out=$(mktemp -d) || exit 99
trap 'rm -rf "$out"' EXIT
failed=0

# stub SOURCE LIBRARY [OPTION...]: compile SOURCE to the library LIBRARY
stub() {
	source=$srcdir/tests/collectors/$1
	mkdir -p "${2%/*}"
	library=$2
	shift 2
	# shellcheck disable=SC2086
	${CC:-cc} -Wall -Wextra -Werror -shared -fPIC "$@" -o "$library" "$source" || exit 99
}
stub nvml_stub.c "$out/nvml/libnvidia-ml.so.1"
stub nvml_stub.c "$out/old/libnvidia-ml.so.1" -DNVML_STUB_OLD
stub mic_stub.c "$out/mic/libmicmgmt.so.0"
mkdir "$out/empty" "$out/damaged"
echo 'no library' >"$out/damaged/libnvidia-ml.so.1"
# Use another runtime directory, so that jobs of an agent on this machine do not appear.
printf '[agent]\nruntime-dir = %s\n' "$out" >"$out/conf"

# clean: remove paths and what differs between runs from standard input
clean() {
	sed -e '/^\$/d' -e '/^!nodometer /d' -e '/^nodometer /d' -e 's/^[0-9][0-9.]* /TIME /' \
		-e "s|$out|OUT|g"
}
# expect WHAT: fail unless $out/got equals standard input
expect() {
	cat >"$out/want"
	clean <"$out/got" >"$out/cleaned"
	diff -u "$out/want" "$out/cleaned" && return
	echo "FAIL: $1"
	failed=1
}
# collect LIBRARIES WORDS TYPE...: sample these types with the libraries in $out/LIBRARIES; WORDS
# say what the stub returns
collect() {
	libraries=$out/$1	# folder that a confined worker can read
	echo "$2" >"$libraries/stub"
	shift 2
	LD_LIBRARY_PATH=$libraries NVML_STUB=$libraries/stub \
		"$NODOMETER" collect --stdout --config "$out/conf" "$@" >"$out/got" 2>&1
}
# why LIBRARIES WORDS TYPE: write the reason for the absence of TYPE to $out/got; LIBRARIES and
# WORDS are as for collect()
why() {
	echo "$2" >"$out/$1/stub"
	LD_LIBRARY_PATH=$out/$1 NVML_STUB=$out/$1/stub "$NODOMETER" types --all \
		--config "$out/conf" | sed -n "s/^$3  *//p" >"$out/got"
}
# finish: exit with 1 if anything differed
finish() {
	[ $failed -eq 0 ]
	exit
}
