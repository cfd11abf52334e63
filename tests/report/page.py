# SPDX-License-Identifier: BSD-3-Clause
"""page.py - check pages of nodometer report --html

page.py FOLDER: compare each NAME.html with NAME.json. A page must be well formed and must load
nothing from elsewhere. Its numbers must be those of the JSON object: a row for each node and each
derived figure, and the findings. Prints what is wrong.
"""
import glob
import html.parser
import json
import os
import re
import sys

VOID = {'meta', 'link', 'img'}


# The page shows bytes in powers of 1024.
SHOWN = {'kB': 1e3 / 2**10, 'MB/s': 1e6 / 2**20, 'GB/s': 1e9 / 2**30}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.bad, self.rows, self.text = [], [], [], ''
        self.found = 0

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        for name in ('src', 'href'):
            where = attrs.get(name, '')
            if where and not where.startswith('data:') and tag != 'a':
                self.bad.append(f'<{tag}> asks for {where}')
        for name in attrs:
            if name.startswith('on'):
                self.bad.append(f'<{tag}> has {name}')
        if tag == 'script' and attrs:
            self.bad.append('a script from elsewhere')
        self.found += attrs.get('class') == 'found'
        if tag == 'tr':
            self.rows.append([])
        if tag in ('td', 'th') and self.rows:
            self.rows[-1].append([attrs.get('data-v'), ''])
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.bad.append(f'</{tag}> ends nothing')

    def handle_data(self, data):
        self.text += data
        if self.open and self.open[-1] in ('td', 'th', 'button') and self.rows:
            self.rows[-1][-1][1] += data


def near(shown, want):
    """Tell if a shown number agrees: pages show four significant digits. A text with a unit never
    agrees."""
    try:
        return abs(float(shown.lstrip('≥≤ ')) - want) <= 5.1e-4 * max(1, abs(want))
    except ValueError:
        return False


def wrong(path, report):
    """Return a list of what is wrong with a page, and the number of rows that were compared."""
    page = Page()
    with open(path, encoding='utf-8') as f:
        source = f.read()
    page.feed(source)
    page.close()
    with open(report, encoding='utf-8') as f:
        job = json.load(f)
    bad = page.bad + [f'<{tag}> is left open' for tag in page.open]
    if re.search(r'url\(|@import|fetch\(|XMLHttp|eval\(', source):
        bad.append('style or script asks for something')
    if page.found != len(job['findings']):
        bad.append(f'{page.found} findings, not {len(job["findings"])}')
    bad += [f'no {f["rule"]}: {f["evidence"]}' for f in job['findings']
            if f['evidence'] not in page.text]
    compared = 0
    for figure in job['derived']:
        if figure['value'] is not None and not figure['max'] and not figure['min']:
            continue
        named = [row for row in page.rows if row and row[0][1].strip() == figure['label']]
        by = SHOWN.get(figure['unit'], 1)
        sign = '≥' if figure['at_least'] else '≤' if figure['at_most'] else ''
        if not any(row[1][1] == 'unknown' if figure['value'] is None else
                   near(row[1][1], by * figure['value']) and row[1][1].startswith(sign)
                   for row in named):
            bad.append(f'{figure["figure"]}: {named} for {sign} {figure["value"]}')
        compared += 1
    columns = [c[1] for c in next((row for row in page.rows if row and row[0][1] == 'node'), [])]
    rows = {row[0][1]: row for row in page.rows if len(row) == len(columns)}
    short = len({host['host'].partition('.')[2] for host in job['hosts']}) == 1
    place = columns.index('CPU user') if 'CPU user' in columns else None
    for host in job['hosts']:
        row = rows.get(host['host'].partition('.')[0] if short else host['host'])
        if not row:
            bad.append(f'{host["host"]} has no row')
            continue
        if row[1][0] != str(host['samples']):
            bad.append(f'{host["host"]}: {row[1]} for {host["samples"]} samples')
        if place and row[place][0] and not 0 <= float(row[place][0]) <= 100.01:
            bad.append(f'{host["host"]}: CPU {row[place][0]}')
        compared += 1
    return bad, compared


failed, total = False, 0
for name in sorted(glob.glob(os.path.join(sys.argv[1], '*.html'))):
    bad, compared = wrong(name, name[:-len('html')] + 'json')
    total += compared
    for line in bad:
        print(f'FAIL: {os.path.basename(name)}: {line}')
        failed = True
print(f'{total} rows compared')
sys.exit(failed or not total)
