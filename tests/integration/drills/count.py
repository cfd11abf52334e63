# SPDX-License-Identifier: BSD-3-Clause
"""count.py KEEP-FOLDER RAW-FILE...: compare the values that a server received with those of the
archive

Each body is JSON lines. A value is identified by host, time, type, device and key. If a value came
twice, both must be the same. Prints the number of values and of repeated values. Exits with 1 if a
value is missing, differs, or is not in the archive.
"""
import glob
import json
import os
import sys


def archive(paths):
    values, host, keys, now = {}, None, {}, None
    for path in paths:
        with open(path, encoding='ascii') as f:
            for line in f:
                words = line.split()
                if not words or line[0] == '%':
                    continue
                if line[0] == '$':
                    host = words[1] if words[0] == '$hostname' else host
                elif line[0] == '!':
                    keys[words[0][1:]] = [k.split(',')[0] for k in words[1:]]
                elif line[0].isdigit():
                    now = float(words[0])
                else:
                    for key, value in zip(keys[words[0]], words[2:]):
                        values[host, now, words[0], words[1], key] = int(value)
    return values


want, got, again, bad = archive(sys.argv[2:]), {}, 0, 0
for body in sorted(glob.glob(os.path.join(sys.argv[1], '[0-9]*[0-9]'))):
    with open(body, encoding='ascii') as f:
        for line in f:
            row = json.loads(line)
            for key, value in zip(row.get('key', ()), row.get('value', ())):
                at = row['host'], row['time'], row['type'], row['device'], key
                again += at in got
                bad += got.get(at, value) != value
                got[at] = value
missing = len(want.keys() - got.keys())
foreign = len(got.keys() - want.keys())
other = sum(want[k] != got[k] for k in want.keys() & got.keys()) + bad
print(f'{len(got)} values, {again} came again; {missing} missing, {foreign} foreign, {other} others')
sys.exit(bool(missing or foreign or other or not want))
