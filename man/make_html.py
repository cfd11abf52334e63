#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""make_html.py - README as a guide of chapters, and the manual pages: HTML pages that link to each other

    make_html.py SOURCE OUT PAGE...

"make html" runs this script.  The script deletes the folder OUT and writes it again; it needs
cmark-gfm for Markdown and mandoc for manual pages.
"""
import glob
import html
import os
import re
import shutil
import subprocess
import sys

# file, title, sections of README; the first chapter begins with what stands before all sections
CHAPTERS = [
    ('first', 'The first page in a minute', ['What it collects']),
    ('use', 'Use', ['Use']),
    ('install', 'Install', ['Install', 'Configure']),
]
# files of the source that are pages as they are; sections of README that stand on the index
DOCUMENTS = {'NUMBERS.md': 'What it costs', 'CONTRIBUTING.md': 'For developers', 'NEWS': 'News',
             'LICENSE': 'Licence'}
# pages that CONTRIBUTING.md links to, besides doc/*.md
GUIDES = {'tests/README.md': 'tests'}
ON_INDEX = ['Develop']
SECTIONS = {1: 'Commands', 5: 'Formats', 7: 'Overviews', 8: 'Daemons and administration'}
HTML = ['cmark-gfm', '-e', 'table', '--to', 'html']


def output_of(command, text=None):
    try:
        return subprocess.run(command, input=text, check=True, encoding='utf-8',
                              stdout=subprocess.PIPE).stdout
    except FileNotFoundError:
        sys.exit(f'make html needs {command[0]}, which is not installed')
    except subprocess.CalledProcessError as e:
        sys.exit(f'{" ".join(command)}: status {e.returncode}')


def anchor(title):
    """The anchor that GitHub gives a heading."""
    return re.sub(r'[^\w -]', '', title.lower()).replace(' ', '-')


def of_markdown(text, places, pages):
    """HTML of Markdown.  places: where an anchor of README is; pages: the manual pages."""
    text = re.sub(r'^<!-- .* -->\n', '', text, flags=re.M)
    made = output_of(HTML, text)
    made = re.sub(r'<(h[1-4])>(.*?)</h', lambda m: '<{0} id="{1}">{2}</h'.format(
        m[1], anchor(html.unescape(re.sub(r'<.*?>', '', m[2]))), m[2]), made)
    made = re.sub(r'href="#([^"]*)"', lambda m: f'href="{places.get(m[1], "")}#{m[1]}"', made)
    made = re.sub(r'href="((?:doc/|tests/)?[\w-]+)(?:\.md)?"', lambda m:
                  f'href="{GUIDES.get(m[1] + ".md", os.path.basename(m[1]))}.html"', made)
    made = made.replace('src="man/', 'src="')
    return re.sub(r'\b(nodometer[\w.-]*)\(([1-8])\)', lambda m: m[0] if (m[1], m[2]) not in pages
                  else f'<a href="{m[1]}.{m[2]}.html">{m[0]}</a>', made)


def sections_of(text):
    """README's heading and head, and a list of sections by title."""
    parts = re.split(r'^## (.*)\n', text, flags=re.M)
    return parts[0], dict(zip(parts[1::2], parts[2::2]))


def summary(page):
    """What the line NAME of a manual page says."""
    return html.escape(re.search(r'^\.Nd ((?:.*\n)+?)\.', open(page, encoding='utf-8').read(),
                                 re.M)[1].replace('\n', ' ').strip())


def main():
    source, out = sys.argv[1:3]
    pages = {tuple(os.path.basename(page).rsplit('.', 1)): page for page in sys.argv[3:]}
    head, sections = sections_of(open(f'{source}/README.md', encoding='utf-8').read())
    for title in sections:
        if not any(title in of for _, _, of in CHAPTERS) and title not in ON_INDEX:
            sys.exit(f'README.md: no chapter of {sys.argv[0]} has the section "{title}"')
    places = {anchor(title): f'{file}.html' for file, _, of in CHAPTERS for title in of}
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    for file in ('html.css', 'plot-example.png'):
        shutil.copy(f'{source}/man/{file}', out)
    links = [('index.html', 'nodometer')] + [(f'{file}.html', title) for file, title, _ in CHAPTERS]

    def write(name, title, body):
        bar = '\n'.join(f'<a href="{to}"{" aria-current=page" * (to == name)}>{text}</a>'
                        for to, text in links)
        with open(f'{out}/{name}', 'w', encoding='utf-8') as f:
            f.write(f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
                    f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
                    f'<title>{html.escape(title)}</title>\n'
                    f'<link rel="stylesheet" href="html.css">\n</head>\n<body>\n'
                    f'<nav>\n{bar}\n</nav>\n<main>\n{body}</main>\n</body>\n</html>\n')

    for file, title, of in CHAPTERS:
        text = f'# {title}\n' + (re.sub(r'^# .*\n', '', head) if file == CHAPTERS[0][0] else '')
        text += ''.join(f'## {part}\n{sections[part]}' for part in of)
        write(f'{file}.html', f'nodometer: {title}', of_markdown(text, places, pages))
    for file, title in DOCUMENTS.items():
        text = open(f'{source}/{file}', encoding='utf-8').read()
        body = of_markdown(text, {}, pages) if file.endswith('.md') else \
            f'<pre>{html.escape(text)}</pre>\n'
        write(os.path.splitext(file)[0] + '.html', f'nodometer: {title}', body)
    guides = {path: os.path.basename(path)[:-3] for path in sorted(glob.glob(f'{source}/doc/*.md'))}
    guides |= {f'{source}/{path}': name for path, name in GUIDES.items()}
    for path, name in guides.items():
        text = open(path, encoding='utf-8').read()
        write(f'{name}.html', text.split('\n', 1)[0].strip('# '), of_markdown(text, {}, pages))
    for (name, section), page in pages.items():
        body = output_of(['mandoc', '-T', 'html', '-O', 'fragment,toc,man=%N.%S.html', page])
        body = re.sub(r'<a class="Xr" href="([^"]*)\.([1-8])\.html">(.*?)</a>', lambda m: m[0]
                      if (m[1], m[2]) in pages else f'<span class="Xr">{m[3]}</span>', body,
                      flags=re.S)
        write(f'{name}.{section}.html', f'{name}({section})', body)
    write('index.html', 'nodometer', of_markdown(index(head, pages, sections), places, pages))


def index(head, pages, sections):
    """Markdown of the first page: chapters, documents, manual pages by section."""
    text = '\n\n'.join(head.split('\n\n')[:2]) + '\n\n'
    text += ''.join(f'{i}. [{title}]({file}.html)\n'
                    for i, (file, title, _) in enumerate(CHAPTERS, 1))
    text += '\n' + ''.join(f'* [{title}]({os.path.splitext(file)[0]}.html)\n'
                           for file, title in DOCUMENTS.items())
    for section, title in SECTIONS.items():
        text += f'\n## {title}\n\n'
        text += ''.join(f'* {name}({section}): {summary(pages[name, number])}\n'
                        for name, number in sorted(pages) if number == str(section))
    return text + ''.join(f'\n## {title}\n{sections[title]}' for title in ON_INDEX)


main()
