#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bounds.py - where a counter is missing, what is made of it is a bound on the right side, or unknown

bounds.py REPORT DIR JOB...: of each counter of the archive DIR, the archive is written without it, and
"REPORT JOB --json" of that compared with the one of the whole archive: a number without a mark is the
same, "at least" is not more and "at most" not less. Ends with 1 if one is not, or none was a bound.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

# Counters that do not change while another counter of the same event does: no rule can detect this.
STILL = {('amd64_pmc', None, '4391030')}
TYPES = re.compile(r'(host_)?(cpu|numa|(lustre_)?(mdc|osc|llite)|lnet|ib_ext|ib_sw|opa|cxi|block|net|nfs|'
                   r'amd64_|intel_|arm_|perf_hw|cpu_hw)')


def without(lines, kind, key=None, control=None):
    """Without a key of a type; or with another event in the counters whose register has this one."""
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
    """What may be missing, from the schemas and the control registers of the first rows."""
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
    """Of a number and its marks, against what it is."""
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
                    continue        # the limit is unknown from the archive, or is for fewer nodes
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
