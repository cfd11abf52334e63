#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# live-tcp.sh - type tcp counts traffic of the test's connections, and still counts it after they
# are closed
#
# The test runs in its own network namespace, which has no other connections.
set -u
: "${srcdir:=.}" "${NODOMETER:=$PWD/nodometer}"
command -v python3 >/dev/null || { echo 'SKIP: python3 is not installed'; exit 77; }
grep -q '^#define HAVE_MNL ' config.h || { echo 'SKIP: built without libmnl'; exit 77; }
unshare -n true 2>/dev/null || { echo 'SKIP: no network namespace can be made'; exit 77; }
PYTHONDONTWRITEBYTECODE=1 exec unshare -n python3 - "$NODOMETER" <<'END'
import fcntl, socket, struct, subprocess, sys

SIOCSIFFLAGS = 0x8914
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
    fcntl.ioctl(s, SIOCSIFFLAGS, struct.pack('16sH14x', b'lo', 0x41))

def sample():
    out = subprocess.run([sys.argv[1], 'collect', '--stdout', 'tcp'], check=True,
                         capture_output=True, text=True).stdout.splitlines()
    keys = [l for l in out if l.startswith('!tcp ')][0].split()[1:]
    row = [l for l in out if l.startswith('tcp ')][0].split()[2:]
    return {k.split(',')[0]: int(v) for k, v in zip(keys, row)}

def is_(what, got, want):
    if got != want:
        sys.exit('FAIL: %s: %d, not %d' % (what, got, want))

listener = socket.socket()
listener.bind(('127.0.0.1', 0))
listener.listen()
is_('connections of a listener', sample()['connections'], 0)
one = socket.create_connection(listener.getsockname())
two, _ = listener.accept()
one.sendall(b'x' * 7000)
two.recv(7000, socket.MSG_WAITALL)
one.sendall(b'x' * 500)
v = sample()
is_('connections', v['connections'], 2)
is_('bytes received', v['bytes_received'], 7500)
is_('bytes that wait', v['rcv_queue'], 500)
is_('sent again', v['retrans'], 0)
is_('the histogram', sum(n for k, n in v.items() if k.startswith('rtt_')), 2)
one.close()
two.close()
END
