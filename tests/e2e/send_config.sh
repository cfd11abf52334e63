#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# send_config.sh - nodometer-send and the checks of its configuration report each error with its
# line number
. "$(dirname "$0")/send_lib.sh"

# refused TEXT [LINE...]: with these lines, the sender must exit with status 2, and its checks with
# status 1; all must report TEXT
refused() {
	text=$1
	shift
	write_config "$@"
	expect 2 "$bin/nodometer-send" --config "$conf" 2>"$scratch/said"
	grep -qF -- "$text" "$scratch/said" || fail "not said: $text: $(cat "$scratch/said")"
	[ $# -gt 0 ] || return 0
	expect 1 "$bin/nodometer-send" --check --config "$conf" 2>"$scratch/said"
	grep -qF -- "$text" "$scratch/said" || fail "--check: not said: $text"
	expect 1 "$bin/nodometer" config check "$conf" 2>"$scratch/said"
	grep -qF -- "$text" "$scratch/said" || fail "config check: not said: $text"
}

mkdir -p "$scratch"
refused 'no section [sink NAME], so there is nothing to send'
refused "$conf:13: [sink xrootd] destination is not set" '[sink xrootd]'
refused 'expected HOST:PORT, or [ADDRESS]:PORT for IPv6, at most 16 of them, not "::1:3"' \
	'[sink xrootd]' 'destination = a:1 ::1:3'
refused "$conf:15: types: unknown type \"vn\"; \"nodometer types\" lists them" \
	'[sink xrootd]' 'destination = a:1' 'types = vm, vn'
refused "$conf:15: packet-size = 9000: want 1K to 8190" \
	'[sink xrootd]' 'destination = a:1' 'packet-size = 9000'
refused "$conf:14: unknown key destinatoin in [sink xrootd wlcg]; did you mean destination?" \
	'[sink xrootd wlcg]' 'destinatoin = a:1'
refused "$conf:13: unknown sink xrotd; did you mean [sink xrootd]?" '[sink xrotd]' 'site = a'
refused "$conf:13: [sink xrootd ../x]: use only letters, digits, - and _" '[sink xrootd ../x]'
refused "$conf:13: section [summary] is now [sink xrootd]" '[summary]' 'destination = a:1'
refused "$conf:15: drop: unknown type" '[sink http]' 'url = http://localhost/' 'drop = ps vn'
refused "$conf:15: drop: type vm has no key \"pgfaul\"" '[sink http]' 'url = http://localhost/' \
	'drop = ps, vm.pgfaul'
refused "$conf:15: [sink xrootd] drop: this sink can leave out only whole types" '[sink xrootd]' \
	'destination = a:1' 'drop = vm.pgfault'
for key in 'types = vm' 'drop = vm' 'labels = cluster=a' 'interval = 1h'; do
	refused "$conf:15: ${key%% *}: [sink archive] copies files unchanged" \
		'[sink archive]' 'dir = /central' "$key"
done
for key in 'lines = /run/x' 'runs = yes'; do
	refused "$conf:15: [sink xrootd] ${key%% *}: this sink can send only records" \
		'[sink xrootd]' 'destination = a:1' "$key"
done
refused "$conf:15: [sink kafka] runs: [agent] summary-dir, the folder of the job summaries" \
	'[sink kafka]' 'brokers = a:1' 'runs = yes' 'topic = t'
refused "$conf:15: [sink kafka] runs: lines is set, too; set only one of them" \
	'[sink kafka]' 'brokers = a:1' 'runs = yes' 'lines = /run/x' 'topic = t'
sends
expect 0 "$bin/nodometer" config check "$conf" >"$scratch/said"
grep -qx "$conf: no errors" "$scratch/said" || fail "config check: $(cat "$scratch/said")"
expect 2 "$bin/nodometer-send" --config "$conf" word 2>/dev/null
expect 1 "$bin/nodometer-send" --config "$conf" --once 2>"$scratch/said"
grep -q 'No such file' "$scratch/said" || fail 'no word on an archive that is not there'
