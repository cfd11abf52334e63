# SPDX-License-Identifier: BSD-3-Clause
# commands.py - extract the commands of README.md and of displays in manual pages, as readers copy
# them
#
#   commands.py NAMES OUT README PAGE.html...
#
# NAMES lists the programs of the system, one per line. The commands of a display become files "1",
# "2" ... in a folder OUT/NUMBER, beside a file "page" that names the page. Other text goes to
# OUT.text, as PAGE.NUMBER.
import html
import os
import re
import subprocess
import sys

WORDS = {'if', 'for', 'while', 'cd', 'echo', 'printf', 'restorecon', 'amqp-consume'}
# lines that are no commands: configuration, a syntax, or the content of a file
TEXT = re.compile(r'\[.*\]$|[!<]|\{"|\w+\(\w|\$\w|[\w."-]+ *={1,2} *\S|\w+\.\w+ |\w+:$')


def readme_displays(text):
    """Yield blocks of lines that are indented by four blanks, outside of fences."""
    text = re.sub(r'^```.*?^```$', '', text, flags=re.S | re.M)
    for block in re.finditer(r'(?:^    .*\n(?:\n(?=    ))?)+', text, re.M):
        yield re.sub(r'^    ', '', block.group(), flags=re.M)


def page_displays(text):
    """Yield the displays in the output of mandoc -T html. The text of a one-line display may be
    wrapped there."""
    literal = r'<pre[^>]*>(.*?)</pre>'
    one_line = r'<div class="Bd Bd-indent"><code class="Li">(.*?)</code>'
    for block in re.finditer(literal + '|' + one_line, text, re.S):
        inner = block.group(1) or re.sub(r'\s+', ' ', block.group(2))
        yield html.unescape(re.sub(r'<[^>]*>', '', inner)).replace('\u00a0', ' ')


def is_whole(command):
    """Tell if a shell would run the command, and not wait for more lines."""
    if command.endswith('\\'):
        return False
    parsed = subprocess.run(['bash', '-n', '-c', command], stderr=subprocess.DEVNULL)
    return parsed.returncode == 0


def commands(lines, prompted):
    """Yield complete commands. If lines have a prompt, lines without a prompt are output of
    commands."""
    command = ''
    for line in lines:
        if not command and prompted:
            if not re.match(r'[$#] ', line):
                continue
            line = line[2:]
        if not command and (not line.strip() or line.startswith('#')):
            continue
        command += re.sub(r'^> ', '', line) if command and prompted else line
        if is_whole(command):
            yield command
            command = ''
        else:
            command += '\n'
    if command:
        sys.exit('not a whole command: ' + command)


def main():
    names = WORDS | set(open(sys.argv[1]).read().split())
    out, number = sys.argv[2], 0
    seen = set()
    os.makedirs(out + '.text')
    for path in sys.argv[3:]:
        texts = 0
        page = re.sub(r'\.html$', '', os.path.basename(path))
        text = open(path, encoding='utf-8').read()
        if text in seen:    # the same page under a second name
            continue
        seen.add(text)
        for display in readme_displays(text) if path.endswith('.md') else page_displays(text):
            lines = display.rstrip().split('\n')
            while not lines[0].strip():
                lines.pop(0)
            prompted = any(re.match(r'[$#] ', line) for line in lines)
            first = lines[0].split()[0]
            known = first in names or first.startswith(('./', '/'))
            if not prompted and (not known or TEXT.match(lines[0])):
                if not TEXT.match(lines[0]):
                    sys.exit(f'{page}: neither commands of here nor text:\n{display}')
                texts += 1
                with open(f'{out}.text/{page}.{texts}', 'w') as f:
                    f.write(display)
                continue
            number += 1
            folder = f'{out}/{number:03}'
            os.makedirs(folder)
            with open(folder + '/page', 'w') as f:
                f.write(page + '\n')
            for i, command in enumerate(commands(lines, prompted), 1):
                with open(f'{folder}/{i}', 'w') as f:
                    f.write(command + '\n')


main()
