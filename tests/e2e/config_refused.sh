#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# config_refused.sh - a bad configuration is refused: exit status 2, with file and line
. "$(dirname "$0")/lib.sh"

# refused WHERE LINE...: each program must exit with status 2 for a configuration of these lines;
# its error must contain the file's name and then WHERE
refused() {
	where=$1
	shift
	printf '%s\n' "$@" >"$scratch/bad"
	expect 2 timeout 30 "$bin/nodometerd" --config "$scratch/bad" 2>"$scratch/err"
	grep -q "$scratch/bad:$where" "$scratch/err" || fail "$*: $(cat "$scratch/err")"
	expect 1 "$bin/nodometerd" --check --config "$scratch/bad" 2>"$scratch/err"
	expect 1 "$bin/nodometer" config check "$scratch/bad" 2>>"$scratch/err"
	is "errors of both" "$(grep -c "$scratch/bad:$where" "$scratch/err")" 2
	expect 2 "$bin/nodometer" types --config "$scratch/bad" 2>"$scratch/err"
	grep -q "$scratch/bad:$where" "$scratch/err" || fail "$*: $(cat "$scratch/err")"
}
refused '2: unknown key intervall' '[agent]' 'intervall = 1s'
refused '1: unknown section' '[agents]' 'interval = 1s'
refused '1: interval is not in a section' 'interval = 1s'
refused '3: interval = 19ms' '[agent]' '; too fast' 'interval = 19ms'
refused '2: interval = 25h' '[agent]' 'interval = 25h'
refused '2: interval = 1' '[agent]' 'interval = 1'
refused '2: interval = -1s' '[agent]' 'interval = -1s'
refused '2: dir = here' '[agent]' 'dir = here'
refused '2: dialect = 3' '[agent]' 'dialect = 3'
refused '2: unknown type cpus' '[types]' 'cpus = on'
refused '2: cpu = maybe' '[types]' 'cpu = maybe'
refused '2: type nodometer is always on' '[types]' 'nodometer = off'
refused '2: retain-size = 9999999999T' '[agent]' 'retain-size = 9999999999T'
refused '2:' '[agent]' 'interval'
refused '4: unknown type cpuu in \[types\]; did you mean cpu?' \
	'[agent]' 'spread = x' '[types]' 'cpuu = on'
write_config
expect 0 "$bin/nodometerd" --check --config "$conf" >/dev/null
expect 0 "$bin/nodometer" config check "$conf" >/dev/null
expect 2 "$bin/nodometer" config 2>/dev/null
expect 2 timeout 30 "$bin/nodometerd" --config "$scratch/none" 2>/dev/null
