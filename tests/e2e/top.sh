#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# top.sh - nodometer top prints pages or JSON, with and without an agent
. "$(dirname "$0")/top_lib.sh"

# Without a terminal, top prints one page, with "-" for unknown values.
nodometer top --root "$root" --delay 0.1 </dev/null >"$scratch/page" || fail "top fails"
grep -q '^Memory   2.56 of 4.10 GB used, 0.51 GB are page cache' "$scratch/page" ||
	fail "$(cat "$scratch/page")"
grep -q '^Agent   does not run' "$scratch/page" || fail "$(cat "$scratch/page")"
grep -q '^41  *0.0  *2.00  *-  *-  *-  *-$' "$scratch/page" || fail "$(cat "$scratch/page")"
[ "$(grep -c 'nodometer top$' "$scratch/page")" = 1 ] || fail "more than one page"
[ "$(awk 'length > 80' "$scratch/page")" = '' ] || fail "lines of more than 80 columns"

start_agent --root "$root"
expect 0 nodometer begin --strict 42
# top waits a second for the agent; a busy agent may not answer in time, so try again.
# shellcheck disable=SC2317 # wait_until calls it
has_agent() {
	nodometer top --root "$root" --json --count 2 --delay 0.1 >"$scratch/json" &&
		[ "$(grep -c '"agent":' "$scratch/json")" = 2 ]
}
wait_until 20 has_agent
[ "$(wc -l <"$scratch/json")" = 2 ] || fail "not two objects"
if command -v python3 >/dev/null; then
	python3 - "$scratch/json" "$agent" <<-'END' || fail "$(cat "$scratch/json")"
	import json, sys
	last = [json.loads(line) for line in open(sys.argv[1])][-1]
	assert last["host"] == "node.test" and last["seconds"] > 0
	assert last["cpu"]["devices"] == 2 and last["cpu"]["user"] == 0
	assert "iowait" in last["cpu"] and "load_1" not in last.get("ps", {})
	assert last["job"] == [{"device": "41", "cpu": 0, "mem": 2000000000}]
	assert last["agent"]["pid"] == int(sys.argv[2])
	assert "42" in [j["id"] for j in last["agent"]["jobs"]]
	END
fi
# shellcheck disable=SC2317 # likewise
has_job_42() {
	nodometer top --root "$root" --batch --count 3 --delay 0.1 --filter 42 >"$scratch/page"
	[ "$(grep -c '^job 42: without a control group' "$scratch/page")" = 3 ]
}
wait_until 20 has_job_42
long=12345678901234567890123456789012
for wrong in '--delay 0' '--delay x' '--count 0' word "--filter $long"; do
	# shellcheck disable=SC2086 # two words
	expect 2 nodometer top $wrong >/dev/null 2>&1
done

# An agent of this machine samples on top's request, without writing to the archive; top shows all
# CPUs of the machine.
stop_agent
job_cgroups=no
write_config
start_agent
expect 0 nodometer collect
# shellcheck disable=SC2317 # wait_until calls it
by_agent() {
	nodometer top --json --count 2 --delay 1.1 "$@" >"$scratch/json" &&
		[ "$(grep -c '"samples":true' "$scratch/json")" = 2 ]
}
before=$(groups | wc -l)
wait_until 20 by_agent || fail "the agent does not sample: $(cat "$scratch/json")"
is "groups in the archive" "$(groups | wc -l)" "$before"
is "CPUs" "$(sed -n '2s/.*"cpu":{"devices":\([0-9]*\).*/\1/p' "$scratch/json")" \
	"$(grep -c '^cpu[0-9]' /proc/stat)"
# within_a_second COMMAND...: fail unless COMMAND makes two requests within a second in one of ten
# runs, since a busy machine may delay some
within_a_second() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		! "$@" || return 0
	done
	fail "the agent samples twice in a second: $*"
}
# shellcheck disable=SC2317 # within_a_second calls it
top_twice() {
	nodometer top --json --delay 0.5 >"$scratch/json"
	grep -q '"samples":false' "$scratch/json"
}
within_a_second top_twice
if command -v python3 >/dev/null; then
	# ask TYPES[/TYPES] [nobody]: request a sample of these types from the agent, then one of
	# the second TYPES, as user nobody if given
	ask() {
		sleep 1
		python3 "$srcdir/tests/e2e/top_ask.py" "$runtime" "$@" >"$scratch/answer"
	}
	ask cpu,vm
	grep -q '^vm - [0-9]' "$scratch/answer" && grep -q '^cpu 0 ' "$scratch/answer" ||
		fail "cpu,vm: $(head -c 300 "$scratch/answer")"
	sed -n '1s/^ok //;p' "$scratch/answer" | "$bin/nodometer-check" - >"$scratch/said" ||
		fail "no raw text: $(cat "$scratch/said")"
	# shellcheck disable=SC2317 # within_a_second calls it
	ask_twice() {
		ask cpu,vm/cpu
		grep -q '^error .*other types' "$scratch/answer"
	}
	within_a_second ask_twice
	for types in '' ' , ' nosuch; do
		ask "$types"
		grep -q '^error .*expected types' "$scratch/answer" ||
			fail "\"$types\": $(head -c 300 "$scratch/answer")"
	done
	if [ "$(id -u)" = 0 ]; then
		ask ps nobody 2>"$scratch/said"
	fi
	if [ "$(id -u)" = 0 ] && grep -q 'out of reach' "$scratch/said"; then
		echo 'nobody does not reach a socket in this folder: not tried'
	elif [ "$(id -u)" = 0 ]; then
		ask rapl,intel_rapl,proc,perf_hw nobody
		grep -q '^error .*expected types' "$scratch/answer" ||
			fail "guarded: $(head -c 300 "$scratch/answer")"
		ask proc,ps nobody
		grep -q '^ps ' "$scratch/answer" && ! grep -q '^proc ' "$scratch/answer" ||
			fail "of nobody: $(head -c 300 "$scratch/answer")"
	fi
fi
stop_agent
nodometer top --json --delay 1 >"$scratch/json"
grep -q '"cpu":{"devices"' "$scratch/json" || fail "without the agent: $(cat "$scratch/json")"
