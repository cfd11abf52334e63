#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# compare.py - compare.py TRACE.csv STRACE...: both must have the same calls, in order within each
# process
#
# STRACE are files of strace -ff -yy -xx from the same run; the records have --result. --calls
# prints the calls that strace must trace.
import collections
import csv
import errno
import re
import sys

AT = 'statx faccessat2 fchmodat2 openat2 renameat2'.split()
OPERATION = {
    'access': 'access faccessat faccessat2 chdir fchdir',
    'close': 'close',
    'copy_file_range': 'copy_file_range sendfile',
    'fallocate': 'fallocate',
    'fsync': 'fsync fdatasync',
    'getxattr': 'getxattr lgetxattr fgetxattr',
    'link': 'link linkat',
    'listxattr': 'listxattr llistxattr flistxattr',
    'lseek': 'lseek',
    'mkdir': 'mkdir mkdirat',
    'mknod': 'mknod mknodat',
    'open': 'open openat openat2 creat',
    'read': 'read pread64 readv preadv preadv2',
    'readdir': 'getdents getdents64',
    'readlink': 'readlink readlinkat',
    'removexattr': 'removexattr lremovexattr fremovexattr',
    'rename': 'rename renameat renameat2',
    'setattr': 'truncate ftruncate chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime '
               'utimes futimesat utimensat',
    'setxattr': 'setxattr lsetxattr fsetxattr',
    'stat': 'stat lstat fstat newfstatat statx',
    'statfs': 'statfs fstatfs',
    'symlink': 'symlink symlinkat',
    'unlink': 'unlink unlinkat rmdir',
    'write': 'write pwrite64 writev pwritev pwritev2',
}
BY_CALL = {call: op for op, calls in OPERATION.items() for call in calls.split()}
BY_DESCRIPTOR = set('''close read pread64 readv preadv preadv2 write pwrite64 writev pwritev pwritev2 fstat
    lseek fsync fdatasync ftruncate getdents getdents64 fchdir fchmod fchown fstatfs fsetxattr fgetxattr
    flistxattr fremovexattr fallocate copy_file_range sendfile'''.split())
NO_FILE = re.compile(r'^(pipe|socket|anon_inode|UNIX|TCP|UDP|NETLINK|signalfd|eventpoll)\b|^.*<char |^/proc/\d+/ns/')


def unhex(text):
    return re.sub(rb'\\x([0-9a-f]{2})', lambda m: bytes([int(m[1], 16)]),
                  text.encode('latin-1')).decode('utf-8', 'surrogateescape')


def arguments(text):
    """Split the text at commas that are outside of quotes and brackets."""
    part, depth, quoted, found = '', 0, False, []
    for c in text:
        quoted ^= c == '"'
        if not quoted:
            depth += (c in '([{<') - (c in ')]}>')
        if c == ',' and depth == 0 and not quoted:
            found.append(part.strip())
            part = ''
        else:
            part += c
    return found + [part.strip()]


def described(text):
    """Return the path in a descriptor such as 3</a/b>, or None if it is no file."""
    m = re.match(r'^(?:AT_FDCWD|-?\d+)<(.*)>(\(deleted\))?$', text)
    if not m:
        return None
    path = unhex(m[1])
    return None if NO_FILE.match(path) else path


def string(text):
    m = re.match(r'^"(.*)"$', text)
    return unhex(m[1]) if m else None


def joined(base, text):
    while text.startswith('./'):
        text = text[2:]
    if text.startswith('/') or not text:
        return text or base
    return (base or '') + ('/' if not (base or '').endswith('/') else '') + text


def parts(text):
    return sum(int(n) for n in re.findall(r'iov_len=(\d+)', text))


LINE = re.compile(r'^(?:\d+ +)?(\w+)\((.*)\)\s+= (-?\d+|\?)(<.*>)?(?:\(deleted\))?(?: (E\w+).*)?(?: \(.*\))?$')


def call(line):
    """Return (operation, path, errno, values). If a path begins with "*", only its end is known."""
    m = LINE.match(line)
    if not m or m[1] not in BY_CALL or m[3] == '?':
        return None
    name, a, result = m[1], arguments(m[2]), int(m[3])
    error = getattr(errno, m[5]) if m[5] in dir(errno) else errno.EINTR if m[5] else 0
    op, values = BY_CALL[name], {}
    if name in BY_DESCRIPTOR:
        path = described(a[1] if name == 'sendfile' else a[0])
        if path is None:
            return None
        if op in ('read', 'write'):
            values['asked'] = parts(a[1]) if 'v' in name else int(a[2])
            values['done'] = max(result, 0)
            if name in ('pread64', 'pwrite64') or (name[:2] == 'pr' or name[:2] == 'pw') and a[3] != '-1':
                values['position'] = int(a[3])
        elif op == 'lseek':
            values['position'] = max(result, 0)
        elif op == 'copy_file_range':
            values['done'] = max(result, 0)
            values['text'] = described(a[0] if name == 'sendfile' else a[2])
        elif op in ('getxattr', 'setxattr', 'removexattr'):
            values['text'] = string(a[1])
        return op, path, error, values
    if op == 'symlink':
        values['text'], a = string(a[0]), a[1:]
    at = name.endswith('at') and name not in ('stat', 'lstat', 'creat') or name in AT
    base = described(a[0]) if at else '*'
    a = a[1:] if at else a
    text = string(a[0])
    if text is None or text == '' and base != '*':		# the path is empty: AT_EMPTY_PATH
        if base is None:
            return None
        text = ''
    path = joined(base, text)
    if op == 'open':
        path = unhex(m[4][1:-1]) if m[4] else path
        path = re.sub(r'<char .*|<block .*', '', path)
    if op in ('rename', 'link'):
        if at:
            values['text'] = joined(described(a[1]), string(a[2]))
        else:
            values['text'] = joined('*', string(a[1]))
    elif op in ('getxattr', 'setxattr', 'removexattr'):
        values['text'] = string(a[1])
    return op, path, error, values


COLUMNS = {
    'read': ('size', 'position', 'asked', 'done'), 'write': ('position', 'asked', 'done'),
    'copy_file_range': ('text', 'position', 'asked', 'done'), 'lseek': ('position',),
    'rename': ('text',), 'link': ('text',), 'symlink': ('text',), 'getxattr': ('text',),
    'setxattr': ('text',), 'removexattr': ('text',),
}


def records(path):
    by = collections.defaultdict(list)
    with open(path, newline='', encoding='utf-8', errors='surrogateescape') as f:
        for row in csv.reader(f):
            op = 'open' if row[11] == 'creat' else row[11]
            values = dict(zip(COLUMNS.get(op, ()), row[12:]))
            values = {k: v if k == 'text' else int(v) for k, v in values.items()}
            by[int(row[8])].append((op, row[9], int(row[-1]), values))
    return by


def same_path(theirs, ours):
    if theirs is None:
        return ours == ''
    if theirs.startswith('*'):
        return ours.startswith('/') and ours.endswith(theirs[1:])
    return theirs == ours


def same(theirs, ours):
    return theirs[0] == ours[0] and same_path(theirs[1], ours[1]) and theirs[2] == ours[2] and all(
        same_path(v, ours[3][k]) if k == 'text' else v == ours[3][k] for k, v in theirs[3].items())


def threads(files):
    """Return the process of each thread."""
    of = {}
    for pid, lines in files.items():
        for line in lines:
            m = re.match(r'^clone3?\(.*CLONE_THREAD.* = (\d+)', line)
            if m:
                of[int(m[1])] = pid
    return {t: of.get(p, p) for t, p in of.items()}


def main():
    if sys.argv[1] == '--calls':
        print(','.join('?' + c for c in list(BY_CALL) + ['clone', 'clone3']))
        return 0
    ours = records(sys.argv[1])
    files = {}
    for path in sys.argv[2:]:
        with open(path, encoding='latin-1') as f:
            files[int(path.rsplit('.', 1)[1])] = f.read().splitlines()
    process = threads(files)
    theirs = collections.defaultdict(list)
    for pid, lines in files.items():
        theirs[process.get(pid, pid)] += [c for c in map(call, lines) if c]
    bad = n = 0
    for pid, want in theirs.items():
        have = ours.get(pid, [])
        if pid in process.values():		# calls of threads, in any order
            for w in want:
                at = next((i for i, h in enumerate(have) if same(w, h)), None)
                if at is None:
                    print(pid, 'strace alone:', w)
                    bad += 1
                else:
                    del have[at]
            for h in have:
                print(pid, 'trace alone:', h)
            bad += len(have)
        else:
            for i in range(max(len(want), len(have))):
                w, h = want[i] if i < len(want) else None, have[i] if i < len(have) else None
                if not w or not h or not same(w, h):
                    print(pid, i, 'strace:', w, 'trace:', h)
                    bad += 1
                    break
        n += len(want)
    operations = {c[0] for want in theirs.values() for c in want}
    print(f'{n - bad} of {n} calls of {len(theirs)} processes, in {len(operations)} kinds')
    return bad != 0 or n == 0


sys.exit(main())
