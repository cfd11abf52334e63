# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# config_sinks_lib.sh - what tests of config check share: configurations with sinks, and checks for
# messages about a line
. "$(dirname "$0")/lib.sh"
grep -q '^#define HAVE_CURL 1' config.h || skip 'built without libcurl'
mkdir -p "$scratch"

# check STATUS WORDS LINE...: run config check with the arguments WORDS on a configuration of these
# lines, and check its exit status
check() {
	wanted=$1 words=$2
	shift 2
	printf '%s\n' '[agent]' "dir = $scratch" "runtime-dir = $scratch" '[send]' \
		"state-dir = $scratch" "$@" >"$conf"
	# shellcheck disable=SC2086 # words
	nodometer config check $words "$conf" >"$scratch/said" 2>&1
	got=$?
	is "status of $*: $(cat "$scratch/said")" "$got" "$wanted"
}

# says LINE TEXT: fail unless the output has the message TEXT for line LINE of the configuration
says() {
	grep -qF -- "$conf:$1: $2" "$scratch/said" ||
		fail "not said: $conf:$1: $2: $(cat "$scratch/said")"
}
