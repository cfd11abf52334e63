#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fresh.sh - a report on a running job includes a current sample, for any user, within limits
. "$(dirname "$0")/lib.sh"

[ -x "$bin/nodometer-report" ] || skip "nodometer-report was not built"
runtime=$(open_folder) || exit 99
write_config
start_agent
expect 0 nodometer begin --strict 7
n=$(groups | wc -l)

# The job has one sample, taken at its begin. The report requests another sample from the agent,
# which writes it to the archive.
expect 0 nodometer report 7 >"$scratch/out"
is 'groups after a report' "$(groups | wc -l)" $((n + 1))
grep -q '^  samples   2' "$scratch/out" || fail "a running job: $(cat "$scratch/out")"
grep -q 'newest sample: no end mark yet' "$scratch/out" || fail "it runs: $(cat "$scratch/out")"

# A report requests no sample if its job is not on this node, or if the option --dir names the
# archive.
expect 1 nodometer report 8 >"$scratch/out" 2>&1
expect 0 nodometer report --until now --dir "$archive" 7 >"$scratch/out"
is 'groups without a job of this node' "$(groups | wc -l)" $((n + 1))

# A report requests a new sample only if the last sample is more than two seconds old.
more() { expect 0 nodometer report 7 >"$scratch/out" && [ "$(groups | wc -l)" = $((n + 2)) ]; }
wait_until 5 more

# Any user may request a sample; all users together get at most 120 samples per hour.
# ask TEXT COMMAND...: send TEXT to the agent by a perl that COMMAND starts
ask() {
	text=$1
	shift
	"$@" perl - "$runtime/control" "$text" <"$srcdir/tests/e2e/ask.pl"
}
if perl -MSocket -e 1 2>/dev/null; then
	expect 0 nodometer begin --strict u1
	if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
		case $(ask 'fresh 99999999999 u1' setpriv --reuid 65534 --clear-groups) in
		ok*) ;;
		*) fail 'another user got no sample' ;;
		esac
	fi
	case $(ask 'fresh 99999999999 99') in
	'error job 99 is not on this node') ;;
	*) fail 'a job that is not here' ;;
	esac
	i=0
	while [ $i -lt 121 ]; do
		ask "begin 99999999999 r$i" >/dev/null
		answer=$(ask "fresh 99999999999 r$i")
		i=$((i + 1))
	done
	is 'too many samples' "$answer" \
		"error job r120 has no new sample: other users requested too many within an hour"
	expect 0 nodometer report r120 >"$scratch/out"
fi
stop_agent

# Without an agent, a report uses only the records in the archive.
expect 0 nodometer report 7 >"$scratch/out"
