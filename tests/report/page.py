# SPDX-License-Identifier: BSD-3-Clause
"""Reads a page of nodometer report --html: page.py PAGE REPORT.json

The page is well formed, asks for nothing from elsewhere, and its numbers are those of the JSON object:
each node's share of CPU, each derived figure, findings. Prints what is not so.
"""
import html.parser
import json
import re
import sys

VOID = {'meta', 'link', 'img'}


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
    """A number of the page has four digits that count; those of other rows have a unit."""
    try:
        return abs(float(shown.lstrip('≥ ')) - want) <= 5.1e-4 * max(1, abs(want))
    except ValueError:
        return False


page = Page()
with open(sys.argv[1], encoding='utf-8') as f:
    source = f.read()
page.feed(source)
page.close()
with open(sys.argv[2], encoding='utf-8') as f:
    job = json.load(f)
bad = page.bad + [f'<{tag}> is left open' for tag in page.open]
if re.search(r'url\(|@import|fetch\(|XMLHttp|eval\(', source):
    bad.append('style or script asks for something')
if page.found != len(job['findings']):
    bad.append(f'{page.found} findings, not {len(job["findings"])}')
for finding in job['findings']:
    if finding['evidence'] not in page.text:
        bad.append(f'no {finding["rule"]}: {finding["evidence"]}')
rows = {row[0][1]: row for row in page.rows if row}
compared = 0
for figure in job['derived']:
    if not figure['max'] and not figure['min']:
        continue
    named = [row for row in page.rows if row and row[0][1] == figure['label']]
    if not any(near(row[1][1], figure['value']) for row in named):
        bad.append(f'{figure["figure"]}: {named} for {figure["value"]}')
    compared += 1
columns = next((row for row in page.rows if row and row[0][1] == 'node'), [])
if len([row for row in page.rows if row and row[0][0] is None and len(row) == len(columns) and
        row[1][0] is not None]) < len(job['hosts']):
    bad.append('not every node has a row')
short = len({host['host'].partition('.')[2] for host in job['hosts']}) == 1
place = [c[1] for c in columns].index('CPU user') if 'CPU user' in [c[1] for c in columns] else None
for host in job['hosts']:
    row = rows.get(host['host'].partition('.')[0] if short else host['host'])
    if row and row[1][0] != str(host['samples']):
        bad.append(f'{host["host"]}: {row[1]} for {host["samples"]} samples')
    if row and place and row[place][0] and not 0 <= float(row[place][0]) <= 100.01:
        bad.append(f'{host["host"]}: CPU {row[place][0]}')
    compared += bool(row)
print(f'{len(page.rows)} rows, {compared} compared')
for line in bad:
    print(f'FAIL: {line}')
sys.exit(bool(bad))
