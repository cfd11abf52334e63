#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tcp.sh - compare the CPU time to record 1000 TCP sockets with `ss -ti`: at most half of its time
#
# Runs in the build folder for about 10 seconds, in its own network namespace if permitted.
set -u
for tool in python3 ss; do
	command -v $tool >/dev/null || { echo "tcp: no $tool"; exit 0; }
done
set -- python3 - "$PWD"
! unshare -n true 2>/dev/null || set -- unshare -n "$@"
exec "$@" <<'END'
import fcntl, os, resource, socket, struct, subprocess, sys, tempfile, time

with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
    try:
        fcntl.ioctl(s, 0x8914, struct.pack('16sH14x', b'lo', 0x41))
    except PermissionError:
        pass
listener = socket.socket()
listener.bind(('127.0.0.1', 0))
listener.listen(600)
kept = []
for _ in range(500):
    one = socket.create_connection(listener.getsockname())
    kept += [one, listener.accept()[0]]

def cpu(*words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

with tempfile.TemporaryDirectory(dir=sys.argv[1]) as work:
    file = os.path.join(work, 'bench.pm')
    ours, theirs = [], []
    for _ in range(3):
        took = cpu(os.path.join(sys.argv[1], 'nodometer-tcp'), 'record', '-i', '20', '--seconds',
                   '2', '-o', file)
        ours.append(took / ((os.path.getsize(file) - 1380) / 188 / 1000))
        theirs.append(min(cpu('ss', '-tin') for _ in range(20)))
ours, theirs = sorted(ours)[1] * 1e3, sorted(theirs)[1] * 1e3
print('tcp record, 1000 sockets: %.2f ms, ss -tin %.2f ms: ratio %.2f (bar 0.50)' % (
    ours, theirs, ours / theirs))
END
