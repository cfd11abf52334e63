#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# operations.py - do all kinds of operations on files, through copied and inherited descriptors
import mmap
import os
import threading


def fails(what, *args, **more):
    try:
        what(*args, **more)
    except OSError:
        pass


f = os.open('passwd', os.O_RDONLY)
d = os.dup(f)
os.pread(d, 10, 5)
os.read(f, 100)
os.read(d, 7)
os.preadv(f, [bytearray(3), bytearray(4)], 2)
mmap.mmap(f, 0, prot=mmap.PROT_READ)[:10]	# reading the mapped bytes makes no system call
if os.fork() == 0:
    os.read(d, 11)
    os.chdir('dir')
    os.dup2(d, 20, inheritable=True)
    fails(os.stat, 'none')
    os.execvp('head', ['head', '-c', '5', '/dev/fd/20'])
os.wait()

o = os.open('new', os.O_WRONLY | os.O_CREAT | os.O_APPEND)
os.writev(o, [b'ab', b'c'])
os.pwrite(o, b'x', 1)
q = os.open('other', os.O_RDWR | os.O_CREAT)
os.sendfile(q, f, 0, 4)
os.copy_file_range(f, q, 10, offset_src=3)
os.copy_file_range(f, q, 10)
fails(os.posix_fallocate, q, 0, 100)
os.lseek(q, 5, 0)
os.fsync(q)
os.ftruncate(q, 3)
os.fdatasync(q)
os.read(q, 10)
fails(os.setxattr, 'other', 'user.a', b'1')
fails(os.getxattr, 'other', 'user.a')
fails(os.listxattr, 'other')
fails(os.removexattr, q, 'user.a')

os.truncate('other', 2)
os.chmod('other', 0o600)
os.fchmod(q, 0o640)
os.utime('other')
os.symlink('target', 'link')
os.readlink('link')
os.rename('new', 'renamed,"name"\n')
os.write(o, b'x')			# the record must have the new path
os.link('renamed,"name"\n', 'linked')
os.mkfifo('fifo')
os.mkdir('made')
os.rmdir('made')
here = os.open('.', os.O_RDONLY)
os.mkdir('made', dir_fd=here)
os.rename('made', 'moved', src_dir_fd=here, dst_dir_fd=here)
os.rmdir('moved', dir_fd=here)
os.fchdir(here)
os.statvfs('.')
os.fstatvfs(here)
os.listdir(here)
for name in ('link', 'fifo', 'linked', 'renamed,"name"\n'):
    os.unlink(name)
os.write(o, b'x')			# the file has no name
os.access('none', os.R_OK | os.W_OK)
fails(os.open, './none/none', os.O_RDONLY)
fails(os.stat, 'x' * 300)
os.write(os.memfd_create('memory'), b'no file system that is mounted')


def work():
    for _ in range(50):
        with open('passwd', encoding='utf-8') as g:
            g.read()


threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
