# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2086 # CC may be two words
# nvml_lib.sh - a stub in place of NVIDIA's library NVML; tests source this file after lib.sh
command -v ${CC:-cc} >/dev/null || skip "no compiler for nvml_stub.c"
${CC:-cc} -shared -fPIC -o "$scratch/libnvidia-ml.so.1" "$srcdir/tests/collectors/nvml_stub.c" ||
	fail "nvml_stub.c"
NVML_STUB=$scratch/stub
export NVML_STUB
# says WORDS: let the stub behave as WORDS say from now on
says() {
	echo "$1" >"$scratch/stub.new"
	mv "$scratch/stub.new" "$scratch/stub"
}
sample() {	# take a sample; a call that hangs must not delay it
	expect 0 bounded 60 mark --timeout 30 sample
}
# rows TYPE: print the devices of the type in the newest record group
rows() {
	awk -v type="$1" '$0 == "" { n = "" } $1 == type { n = n " " $2 } END { print n }' \
		"$archive/$host/current"
}
