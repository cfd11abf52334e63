#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bounds.py - if a counter is missing, a figure computed without it is a correct bound or unknown

bounds.py REPORT DIR JOB...: for each counter of the archive DIR, write a copy of the archive
without the counter, and compare "REPORT JOB --json" of the copy with that of the whole archive. A
number without a mark must be the same; a number marked "at least" must not be larger, and one
marked "at most" must not be smaller. Exits with 1 if a number is wrong, or if no number was a
bound.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

# A counter that stays the same while another counter of the same event grows: no rule can detect
# that it is wrong.
STILL = {('amd64_pmc', None, '4391030')}
TYPES = re.compile(r'(host_)?(cpu|numa|(lustre_)?(mdc|osc|llite)|lnet|ib_ext|ib_sw|opa|cxi|block|net|nfs|'
                   r'amd64_|intel_|arm_|perf_hw|cpu_hw)')


def without(lines, kind, key=None, control=None):
    """Yield the lines without a key of type `kind`. If control is set, yield them with register 0
    in place of this value, so that these counters count another event."""
    keys = []
    for line in lines:
        words = line.split()
        if words and words[0] == '!' + kind:
            keys = words[1:]
            words = words[:1] + [k for k in keys if k.split(',')[0] != key]
        elif words and words[0] == kind:
            head = 3 if len(words) > 2 and words[2][0] == '@' else 2
            here = [k for k in keys if words[head - 1] != '@fast' or ',R=S' not in k]
            pairs = zip([k.split(',')[0] for k in here], words[head:])
            words = words[:head] + ['0' if v == control and re.match(r'CTL\d', k) else v
                                    for k, v in pairs if k != key]
        else:
            yield line
            continue
        yield ' '.join(words) + '\n'


def variants(files):
    """Return the keys and control values to leave out, from the schemas and the first rows."""
    found = collections.OrderedDict()
    for lines in files.values():
        schemas = {}
        for line in lines:
            words = line.split()
            if words and words[0][0] == '!' and TYPES.match(words[0][1:]):
                schemas[words[0][1:]] = words[1:]
            elif words and words[0] in schemas:
                for option, value in zip(schemas[words[0]], words[2:]):
                    name = option.split(',')[0]
                    if re.match(r'CTL\d', name):
                        found[words[0], None, value] = True
                    elif ',E' in option and not re.match(r'CTR\d', name):
                        found[words[0], name, None] = True
    return found


def derived(report, folder, job):
    out = subprocess.run([report, job, '--json', '--dir', folder], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, check=True).stdout
    page = json.loads(out)
    return {d['figure']: d for d in page['derived']}, page['hosts']


def is_right(part, whole):
    """Tell if a number of a copy, with its marks, agrees with the number of the whole archive."""
    value, true = part['value'], whole['value']
    if value is None or true is None:
        return value is None
    if part['at_least'] or part['at_most']:
        return value <= true * (1 + 1e-9) if part['at_least'] else value >= true * (1 - 1e-9)
    return abs(value - true) <= 1e-9 * abs(true)


def main():
    report, folder, *jobs = sys.argv[1:]
    files = {}
    for root, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(root, name)
            with open(path, encoding='utf-8', errors='replace') as f:
                files[os.path.relpath(path, folder)] = f.readlines()
    count, wrong = collections.Counter(), 0
    for job in jobs:
        whole, _ = derived(report, folder, job)
        for variant in variants(files).keys() - STILL:
            with tempfile.TemporaryDirectory() as to:
                for name, lines in files.items():
                    os.makedirs(os.path.dirname(os.path.join(to, name)), exist_ok=True)
                    with open(os.path.join(to, name), 'w', encoding='utf-8') as f:
                        f.writelines(without(lines, *variant))
                part, _ = derived(report, to, job)
            for name, d in part.items():
                true = whole.get(name, {'value': None})
                if true.get('at_least') or true.get('at_most') or d['nodes'] != true.get('nodes'):
                    continue        # the archive has no limit, or one for fewer nodes
                count['least' if d['at_least'] else 'most' if d['at_most'] else
                      'unknown' if d['value'] is None else 'same'] += 1
                if not is_right(d, true):
                    print('FAIL: %s without %s: %s is %s, at least: %s, at most: %s; it is %s' % (
                        job, variant, name, d['value'], d['at_least'], d['at_most'], true['value']))
                    wrong += 1
    print(os.path.basename(os.path.dirname(folder)), dict(count))
    sys.exit(1 if wrong or not count['least'] + count['most'] else 0)


if __name__ == '__main__':
    main()
