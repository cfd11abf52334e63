#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# text.py - measure how comments and manual pages read: fragments, pronouns, inversions
"""usage: text.py [--list] FOLDER...   (in the top folder of the source)

For each folder: the number of comments, the share that begins as a fragment, pronouns without a
noun per 100 words, and inverted sentences.  --list prints each place instead.
"""
import os
import re
import sys

# A comment that begins with one of these words seems to continue a sentence that the reader does
# not see.
FRAGMENT = re.compile(r'(of|in which|whose|which|and|or|but|so|such|what|whoever|whom|who|where|'
                      r'those|one|that|these|they|it|its|as|also|than|then|thereof|else|both|'
                      r'neither|nor|same|the other|another|others|not)\b', re.I)
PRONOUN = re.compile(r'\b(what|those|who|whoever|one|ones|such|of which|of them|of it|of these|'
                     r'thereof|therein|whose)\b', re.I)
# "one of the" and "one second" are numbers; "such as" introduces examples.
COUNTED = re.compile(r'\bone (of|or|to|for|per|and|line|file|byte|second|minute|sample|record|more|'
                     r'at a time|by one|[a-z]+)\b|\bsuch as\b|\bat one\b|\bone-', re.I)
INVERTED = re.compile(r'(?:^|[.!?:] +)(Of |So (long|many|much|often|soon|far|late|old)\b|'
                      r'(What|Who|Whoever|Whatever|Those|Where|Which|One (that|which|who)) )')
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|/\*.*?\*/', re.S)


def comments(path):
    """Yields (line, text) of each comment but the line of the licence."""
    with open(path, encoding='utf-8') as f:
        source = f.read()
    for m in STRING.finditer(source):
        if not m[0].startswith('/*'):
            continue
        text = re.sub(r'\n[ \t]*\*?[ \t]*', ' ', m[0][2:-2]).strip()
        if text and 'SPDX-License' not in text:
            yield source.count('\n', 0, m.start()) + 1, text


def sentences(path):
    """Yields (line, text) of each sentence of a manual page or of Markdown."""
    code = False
    with open(path, encoding='utf-8') as f:
        for n, line in enumerate(f, 1):
            if line.startswith(('.Bd', '```')):
                code = not code or line.startswith('.Bd')
            elif line.startswith('.Ed'):
                code = False
            if code or line.startswith(('.', '|', '    ', '#', '<!--', '\'')):
                continue
            text = line.strip()
            if text:
                yield n, text


def faults(text, first_only_comment):
    """Names what is hard to read in a text, as (kind, word) pairs."""
    body = re.sub(r'^\S+\.[ch] - ', '', text)
    found = []
    if first_only_comment and FRAGMENT.match(body):
        found.append(('fragment', FRAGMENT.match(body)[0]))
    plain = COUNTED.sub(' ', body)
    found += [('pronoun', m[0]) for m in PRONOUN.finditer(plain)]
    found += [('inversion', m[0].strip()) for m in INVERTED.finditer(body)]
    return found


def texts(folder):
    """Yields (path, line, text, is_comment) below a folder."""
    for top, folders, files in os.walk(folder):
        folders[:] = sorted(d for d in folders if d != 'root')
        for name in sorted(files):
            path = os.path.join(top, name)
            if name.endswith(('.c', '.h')) and not name.endswith('.skel.h'):
                for line, text in comments(path):
                    yield path, line, text, True
            elif re.search(r'\.([1578]|md)(\.in)?$', name):
                for line, text in sentences(path):
                    yield path, line, text, False


def main(arguments):
    listing = arguments[:1] == ['--list']
    for folder in arguments[1:] if listing else arguments:
        n = words = 0
        count = {'fragment': 0, 'pronoun': 0, 'inversion': 0}
        for path, line, text, is_comment in texts(folder):
            n += 1
            words += len(text.split())
            for kind, word in faults(text, is_comment):
                count[kind] += 1
                if listing:
                    print(f'{path}:{line}: {kind}: {word}: {text[:90]}')
        if not n:
            sys.exit(f'{folder}: no text')
        if not listing:
            print(f'{folder:22} {n:5} texts  {100 * count["fragment"] / n:5.1f} % fragments  '
                  f'{100 * count["pronoun"] / words:5.2f} pronouns in 100 words  '
                  f'{100 * count["inversion"] / n:5.2f} % inversions')


if __name__ == '__main__':
    main(sys.argv[1:])
