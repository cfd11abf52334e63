#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# html.sh - every link and every picture on the pages that "make html" makes leads to an existing
# file
#
# Runs in a build folder.
for program in mandoc cmark-gfm python3; do
	command -v $program >/dev/null || { echo "SKIP: $program is not installed"; exit 77; }
done
make -s html || { echo 'FAIL: make html'; exit 1; }
python3 - html <<'END'
import glob, html.parser, os, re, sys

class Page(html.parser.HTMLParser):
    """Anchors and links of a page."""
    def __init__(self, path):
        super().__init__()
        self.anchors, self.links = set(), []
        self.feed(open(path, encoding='utf-8').read())

    def handle_starttag(self, tag, attributes):
        self.anchors |= {v for k, v in attributes if k == 'id'}
        self.links += [v for k, v in attributes if k in ('href', 'src')]

paths = {os.path.basename(path): path for path in glob.glob(sys.argv[1] + '/*')}
pages = {name: Page(path) for name, path in paths.items() if name.endswith('.html')}
links, wrong = 0, []
for name, page in pages.items():
    for link in page.links:
        to, _, anchor = link.partition('#')
        if re.match(r'https?:', link):
            continue
        links += 1
        to = to or name
        if to not in paths or anchor and anchor not in pages[to].anchors:
            wrong.append(f'FAIL: {name}: {link} leads nowhere')
print('\n'.join(wrong) if wrong else f'{len(pages)} pages, {links} links')
sys.exit(bool(wrong) or len(pages) < 40 or links < 1000)
END
