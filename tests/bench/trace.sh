#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# trace.sh - time the same work directly, in bindfs and in nodometer trace, which may take 1.2 times
# as long as bindfs
#
# Runs in the build folder, as root, for half a minute. Each time is the shortest of three, each in
# a new mount. CPU time includes the process that serves the file system. If only opens are
# recorded, Linux 6.9 reads and writes the files itself (passthrough).
for tool in python3 bindfs umount; do
	command -v $tool >/dev/null || { echo "trace: no $tool"; exit 0; }
done
if [ "$(id -u)" != 0 ] || [ ! -w /dev/fuse ] || [ ! -x ./nodometer-trace ]; then
	echo 'trace: not root, no /dev/fuse, or built without libfuse3'
	exit 0
fi
exec python3 - "$PWD" <<'END'
import os, subprocess, sys, tempfile, time

def sequential(at):
    with open(at + '/large', 'rb', buffering=0) as f:
        while f.read(1 << 20):
            pass

def reads(at):
    fd = os.open(at + '/large', os.O_RDONLY)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
    for i in range(20000):
        os.pread(fd, 4096, (i * 7919 % 16384) * 4096)
    os.close(fd)

def writes(at):
    fd = os.open(at + '/new', os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for i in range(20000):
        os.pwrite(fd, b'x' * 4096, i * 4096)
    os.close(fd)

def names(at):
    for where, _, files in os.walk(at + '/tree'):
        for name in files:
            os.stat(where + '/' + name)

def cpu_of(pid):
    with open('/proc/%d/stat' % pid) as f:
        words = f.read().rsplit(')', 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf('SC_CLK_TCK')

def measure(work, at, pid):
    before, began = os.times(), time.monotonic()
    served = cpu_of(pid) if pid else 0
    work(at)
    took, after = time.monotonic() - began, os.times()
    return took, after.user + after.system - before.user - before.system + (
        cpu_of(pid) - served if pid else 0)

with tempfile.TemporaryDirectory(dir=sys.argv[1]) as top:
    shadow, mount = top + '/shadow', top + '/mount'
    for d in shadow, mount:
        os.mkdir(d)
    with open(shadow + '/large', 'wb') as f:
        f.write(os.urandom(1 << 20) * 64)
    for i in range(50):
        os.makedirs('%s/tree/%d' % (shadow, i))
        for k in range(100):
            open('%s/tree/%d/%d' % (shadow, i, k), 'w').close()
    servers = {
        'direct': None,
        'bindfs': ['bindfs', '-f', shadow, mount],
        'trace': [sys.argv[1] + '/nodometer-trace', '--shadow', shadow, '--mount', mount,
                  '--out', top + '/records'],
        'opens only': [sys.argv[1] + '/nodometer-trace', '--shadow', shadow, '--mount', mount,
                       '--events', 'open', '--out', top + '/opens'],
    }
    for title, work in (('64 MiB, 1 MiB reads', sequential), ('4 KiB random reads', reads),
                        ('4 KiB writes', writes), ('find and stat, 5,000', names)):
        best = {}
        for _ in range(3):
            for name, words in servers.items():
                server = words and subprocess.Popen(words, stderr=subprocess.DEVNULL)
                while server and not os.path.ismount(mount):
                    time.sleep(0.01)
                got = measure(work, mount if server else shadow, server and server.pid)
                best[name] = [min(x) for x in zip(got, best.get(name, got))]
                if server:
                    subprocess.run(['umount', mount], check=True)
                    server.wait()
        print('trace, %-22s' % title, ', '.join('%s %.3f s (CPU %.2f)' % (n, *v)
              for n, v in best.items()), ': ratio to bindfs %.2f, CPU %.2f (bar 1.20)' % (
              best['trace'][0] / best['bindfs'][0],
              best['trace'][1] / max(best['bindfs'][1], 0.01)))
END
