#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# schema.sh - types --schema agrees with types and with headers of files; cat --schema agrees with
# its file
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || { echo 'SKIP: python3 is not installed'; exit 77; }

write_config
nodometer collect >"$scratch/said" 2>&1 || fail "collect: $(cat "$scratch/said")"
nodometer types --schema --json >"$scratch/schema"
nodometer types --json >"$scratch/types"
nodometer types --schema >"$scratch/lines"
file=$(find "$archive" -name '[0-9]*' | head -n 1)
"$bin/nodometer-cat" --schema "$file" >"$scratch/file"
"$bin/nodometer-cat" --schema --csv --type vm "$file" "$file" >"$scratch/csv"
cat >"$scratch/compare.py" <<'END'
import csv, json, sys
folder, record = sys.argv[1:]
schema = {t['type']: t for t in json.load(open(folder + '/schema'))['types']}
types = {t['name']: t for t in json.load(open(folder + '/types'))['types']}
header = {}
for line in open(record):
    if line[0] == '!':
        name, *keys = line[1:].split()
        header[name] = [k.replace(',W=64', '') for k in keys]
written = {line[1:].split()[0]: line.replace(',W=64', '').split()[1:]
           for line in open(folder + '/lines')}


def word(key):
    kind = {'counter': ',E', 'gauge': '', 'control': ',C'}[key['kind']]
    return (key['key'] + kind + (',U=' + key['unit'] if key['unit'] else '')
            + (',W=%d' % key['bits'] if key['bits'] != 64 else ''))


assert len(schema) == len(types) > 50, (len(schema), len(types))
here = 0
for name, t in schema.items():
    assert t['here'] == types[name]['active'], name
    assert [k['key'] for k in t['keys'] if k['here']] == types[name].get('keys', []), name
    assert all(k['help'] for k in t['keys']), name
    assert [word(k) for k in t['keys']] == written.get(name, []), name
    here += t['here']
assert here > 5, here
of_file = [json.loads(line) for line in open(folder + '/file')]
assert {t['type']: [word(k) for k in t['keys']] for t in of_file} == header
assert all(k['help'] for t in of_file for k in t['keys'])
rows = list(csv.DictReader(open(folder + '/csv')))
keys = [k['key'] for t in of_file if t['type'] == 'vm' for k in t['keys']]
assert [r['key'] for r in rows] == keys, rows
print('%d types, %d here, %d in the file' % (len(schema), here, len(of_file)))
END
python3 "$scratch/compare.py" "$scratch" "$file" || fail 'they differ'
expect 2 nodometer types --schema --json nosuch 2>/dev/null
expect 2 nodometer types --schema --json --help-text 2>/dev/null
expect 2 nodometer types --schema --all 2>/dev/null
expect 2 nodometer types --help-text 2>/dev/null
expect 2 nodometer types vm 2>/dev/null

# The old command name still works, and is not listed.
nodometer schema >"$scratch/old"
cmp "$scratch/lines" "$scratch/old" || fail 'nodometer schema prints something else'
for form in '' --help-text --json; do
	# shellcheck disable=SC2086 # a word, or none
	nodometer schema $form vm --root "$scratch" >"$scratch/old"
	# shellcheck disable=SC2086
	nodometer types --root "$scratch" --schema $form vm | cmp - "$scratch/old" ||
		fail "nodometer schema $form prints something else"
done
expect 2 nodometer schema nosuch 2>/dev/null
"$bin/nodometer" schema --help | grep -q '^usage: nodometer types' || fail 'schema --help'
PATH="" "$bin/nodometer" help schema | grep -q '^usage: nodometer types' || fail 'help schema'
! "$bin/nodometer" --help | grep '^  schema' || fail 'the old name is listed'
expect 2 "$bin/nodometer-cat" --schema --wide --type vm "$file" 2>/dev/null
expect 1 "$bin/nodometer-cat" --schema /dev/null 2>/dev/null
