#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - run the examples for other programs in nodometer-cat(1) exactly as the page shows them
packages='sqlite3 python3-pandas r-base-core nodejs npm mandoc'
. "$(dirname "$0")/../lib.sh"
mkdir -p "$scratch/bin" "$scratch/work"
if npm_installs @duckdb/node-api@1.4.4-r.1; then
	{
		echo '#!/bin/sh'
		echo "NODE_PATH=$scratch/node_modules exec node '$here/duckdb.js' \"\$@\""
	} >"$scratch/bin/duckdb"
	chmod +x "$scratch/bin/duckdb"
else
	echo "npm does not install @duckdb/node-api: $(cat "$scratch/npm"): no Parquet"
fi
ln -s "$bin/nodometer-cat" "$scratch/bin/nodometer-cat"
printf '#!/bin/sh\ncommand=$1\nshift\nexec "%s/nodometer-$command" "$@"\n' "$bin" \
	>"$scratch/bin/nodometer"
chmod +x "$scratch/bin/nodometer"

# Make three nodes with three hours of records: one uses more than 2^53 KB, and one has a key that
# another lacks.
for n in 1 2 3; do
	mkdir -p "$scratch/archive/n$n"
	{
		# shellcheck disable=SC2016 # properties
		printf '$hpcperfstats 1.0.2\n$hostname n%s\n!mem MemUsed,U=KB%s\n' $n \
			"$([ $n = 3 ] || echo ' Slab,U=KB')"
		echo '!net rx_bytes,E,U=B tx_bytes,E,U=B'
		for i in $(seq 0 17); do
			used=$((n * 1000 + (i * 7919) % 997))
			[ $n != 2 ] || used=$((9007199254740993 + i % 3))
			printf '\n%d -\nmem - %d%s\n' $((1763596800 + 600 * i)) $used \
				"$([ $n = 3 ] || echo ' 5')"
			printf 'net eth0 %d 0\nnet lo 0 0\n' $((i * i * 60000 * n))
		done
	} >"$scratch/archive/n$n/1763596800"
done

# Extract the page's lines after a prompt, with all quotes and backslashes.
mandoc -T utf8 -O width=200 "$top/man/nodometer-cat.1" | sed 's/.\x08//g' |
	sed -n '/As a table of other programs/,/^SEE ALSO/p' | sed 's/^ *//' >"$scratch/page"
python3 - "$scratch/page" >"$scratch/commands" <<'END'
import shlex, sys
command = ''
for line in open(sys.argv[1]):
    if line.startswith('$ '):
        command = line[2:]
    elif command:
        command += line
    if command:
        try:
            if command.rstrip().endswith('\\'):
                continue
            shlex.split(command)
        except ValueError:
            continue
        print(command.replace('\\\n', ' ').rstrip(), end='\0')
        command = ''
END
count=$(tr -dc '\0' <"$scratch/commands" | wc -c)
[ "$count" = 7 ] || die "$count commands: $(tr '\0' '\n' <"$scratch/commands")"
cd "$scratch/work" || exit 1
PATH=$scratch/bin:/usr/bin:$PATH	# use Debian's python3, which has pandas
python3 - "$scratch/commands" "$scratch/archive" "$scratch/out" <<'END' || fail 'a command failed'
import shutil, subprocess, sys
commands, archive, out = sys.argv[1:]
failed = 0
for i, command in enumerate(open(commands).read().split('\0')[:-1]):
    if command.startswith('duckdb') and not shutil.which('duckdb'):
        continue
    done = subprocess.run(['sh', '-c', command.replace('/archive', archive)], text=True,
                          capture_output=True, check=False)
    with open('%s.%d' % (out, i), 'w') as f:
        f.write(done.stdout)
    if done.returncode or done.stderr:
        print('FAIL: %s\n%s%s' % (command, done.stdout, done.stderr))
        failed = 1
sys.exit(failed)
END

# says N TEXT: fail unless command number N printed this line; blanks may differ
says()
{
	tr -s ' ' <"$scratch/out.$1" | sed 's/^ //' | grep -qxF "$2" ||
		fail "command $1 does not say \"$2\": $(cat "$scratch/out.$1")"
}
# most NODE: print the largest used memory of NODE in its file
most() { awk '$1 == "mem" && $3 > n { n = $3 } END { print n }' "$scratch/archive/$1/1763596800"; }
says 1 'n1|eth0|3300'	# (17 * 17 - 16 * 16) * 60000 / 600
says 1 'n3|eth0|9900'
says 3 'n2 2025-11-20 00:00:00+00:00 9007199254740995'	# not 9007199254740992 or ...996
[ "$(grep -c '+00:00' "$scratch/out.3")" = 9 ] || fail "pandas: $(cat "$scratch/out.3")"
[ "$(awk '$1 == "n1" { print $2 + 0 }' "$scratch/out.4")" = "$(most n1)" ] ||
	fail "R: $(cat "$scratch/out.4")"
if [ -x "$scratch/bin/duckdb" ]; then
	head -c 4 mem.parquet | grep -q PAR1 || fail 'no Parquet'
	for n in n1 n3; do says 6 "$n $(most $n)"; done
	says 6 'n2 9007199254740995'
fi
say "$count commands of the page"

# Load clickhouse.sql into a current ClickHouse, and follow the advice in its comments.
if npm_installs chdb@3.4.0; then
	awk -v H=n1 -v FIRST=1763596800 -v N=24 -f "$top/tests/formats/shipped.awk" /dev/null |
		"$bin/nodometer" export --to jsonl - >"$scratch/lines" || die 'no lines'
	NODE_PATH=$scratch/node_modules node "$here/clickhouse.js" "$scratch/chdb" \
		"$top/packaging/share/clickhouse.sql" "$scratch/lines" \
		"SELECT job, nodes, ended - began, cpu FROM nodometer.jobs" >"$scratch/got" \
		2>"$scratch/err" || fail "clickhouse.sql: $(cat "$scratch/got" "$scratch/err")"
	[ "$(cat "$scratch/got")" = "$(printf '7\t1\t13800\t1242')" ] ||
		fail "view jobs: $(cat "$scratch/got")"
	say 'clickhouse.sql in ClickHouse of chdb'
else
	echo "npm does not install chdb: $(cat "$scratch/npm"): no current ClickHouse"
fi
finish
