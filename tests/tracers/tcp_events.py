# SPDX-License-Identifier: BSD-3-Clause
# tcp_events.py - test nodometer tcp record --events and --job: tcp_events.py BUILD-FOLDER SCRATCH
#
# Runs as root in its own network and mount namespaces. P and a number name a line of the checklist
# of the report on the TCP monitor, each of which needs a test (tests/gates/seeds.sh).
import ctypes
import fcntl
import os
import signal
import socket
import struct
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pm  # noqa: E402

BUILD, WORK = sys.argv[1], sys.argv[2]
POLL, FINAL, CWND, LOSS, RTO, RETRANSMIT, STATE = range(1, 8)
TRACING = '/sys/kernel/tracing'
EVENTS = '#define HAVE_TRACEEVENT 1' in open(os.path.join(BUILD, 'config.h'),
                                             encoding='ascii').read().splitlines()
libc = ctypes.CDLL(None, use_errno=True)


def mount(what, where, kind, options=''):
    if libc.mount(what.encode(), where.encode(), kind.encode(), 0, options.encode()) < 0:
        raise OSError(ctypes.get_errno(), 'mount %s' % where)


def loopback_up():
    s = socket.socket()
    fcntl.ioctl(s, 0x8914, struct.pack('16sh22x', b'lo', 0x49))     # SIOCSIFFLAGS
    s.close()


def wait_for(what, seconds=60, state=lambda: ''):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        got = what()
        if got:
            return got
        time.sleep(0.02)
    raise AssertionError('waited %d s for %s %s' % (seconds, what, state()))


def pair(family=socket.AF_INET, host='127.0.0.1', segment=None):
    listener = socket.socket(family)
    listener.bind((host, 0))
    listener.listen()
    one = socket.socket(family)
    if segment:
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, segment)
    one.connect(listener.getsockname()[:2])
    two, _ = listener.accept()
    listener.close()
    return one, two


def ports(s):
    return '%d.%d' % (s.getsockname()[1], s.getpeername()[1])


class Recorder:
    def __init__(self, *args, ready=True):
        self.path = os.path.join(WORK, 'a.pm')
        if os.path.exists(self.path):
            os.unlink(self.path)
        self.p = subprocess.Popen([os.path.join(BUILD, 'nodometer-tcp'), 'record', '-i', '20',
                                   '-o', self.path, *args], stderr=subprocess.PIPE, text=True)
        if ready:
            wait_for(lambda: os.path.exists(self.path) and self.rows())

    def rows(self, at=None, lport=None):
        with open(self.path, 'rb') as f:
            try:
                rows = pm.read(f.read())[1]
            except struct.error:
                return []
        return [e for e in rows if at in (None, e['location']) and lport in (None, e['lport'])]

    def end(self):
        self.p.send_signal(signal.SIGTERM)
        err = self.p.communicate()[1].splitlines(True)
        # a busy machine misses samples and loses snapshots, which messages say
        self.lost = [e for e in err if 'moments were missed' in e or 'snapshots were lost' in e]
        return self.p.returncode, ''.join(e for e in err if e not in self.lost)


@unittest.skipIf(EVENTS, 'built with libtraceevent')
class NoEvents(unittest.TestCase):
    def test_what_is_missing_is_said(self):
        p = subprocess.run([os.path.join(BUILD, 'nodometer-tcp'), 'record', '--events', '-o',
                            os.path.join(WORK, 'x.pm')], capture_output=True, text=True,
                           check=False)
        self.assertEqual(p.returncode, 1)
        self.assertIn('built without libtraceevent', p.stderr)


@unittest.skipUnless(EVENTS, 'built without libtraceevent')
class Events(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for path in (TRACING, '/sys/kernel/debug'):
            while libc.umount2(path.encode(), 2) == 0:
                pass

    def have_tracefs(self):
        if not os.path.exists(TRACING + '/events'):
            try:
                mount('tracefs', TRACING, 'tracefs')
            except OSError as e:
                self.skipTest('no tracefs: %s' % e)
        if not os.path.exists(TRACING + '/events/tcp/tcp_probe'):
            self.skipTest('this kernel has no tracepoint tcp_probe')

    def test_a_without_tracefs(self):
        p = subprocess.run([os.path.join(BUILD, 'nodometer-tcp'), 'record', '--events', '-o',
                            os.path.join(WORK, 'x.pm')], capture_output=True, text=True,
                           check=False)
        self.assertEqual(p.returncode, 1)
        self.assertIn('mount -t tracefs tracefs ' + TRACING, p.stderr)
        self.assertFalse(os.path.exists(os.path.join(WORK, 'x.pm')))

    def test_states(self):      # P3 P46 P47 P61
        self.have_tracefs()
        keep = pair()
        r = Recorder('--events')
        one, two = pair()
        local, remote = one.getsockname()[1], two.getsockname()[1]
        wait_for(lambda: r.rows(POLL, local))
        one.close()
        two.close()
        wait_for(lambda: [e for e in r.rows(STATE, local) if e['callvalue'] == 7],
                 state=lambda: [(e['location'], e['callvalue']) for e in r.rows(lport=local)])
        self.assertEqual(r.end(), (0, ''))
        # leave out SYN_SENT and SYN_RECV, recorded only if a poll has seen the connection by then
        rows = [e for e in r.rows(STATE, local) if e['callvalue'] != 2]
        # ESTABLISHED, then FIN_WAIT1, FIN_WAIT2 or CLOSING, CLOSE: include/net/tcp_states.h
        states = [e['callvalue'] for e in rows]
        self.assertEqual(states[:2], [1, 4])
        self.assertEqual(states[-1], 7)
        self.assertEqual([e['state'] for e in rows], states)
        self.assertEqual({e['laddr'] for e in rows}, {b'\0' * 10 + b'\xff\xff\x7f\0\0\1'})
        # these columns have no valid number
        self.assertEqual({e['valid'] >> 6 & 0x3ff for e in rows}, {0})
        self.assertEqual([e['callvalue'] for e in r.rows(STATE, remote) if e['callvalue'] != 3],
                         [1, 8, 9, 7])
        numbers = [e['seq_no'] for e in r.rows()]
        self.assertEqual(numbers, list(range(len(numbers))))
        for s in keep:
            s.close()

    def test_short_connections(self):   # each connection has one cookie, also in TIME_WAIT
        self.have_tracefs()
        keep = pair()
        r = Recorder('--events')
        r.p.send_signal(signal.SIGSTOP)
        for _ in range(100):
            one, two = pair()
            one.close()
            two.close()
        r.p.send_signal(signal.SIGCONT)
        wait_for(lambda: len({(e['lport'], e['rport']) for e in r.rows()}) > 101)
        self.assertEqual(r.end(), (0, ''))
        cookies = {}
        for e in r.rows():
            cookies.setdefault((e['lport'], e['rport']), set()).add(e['cookie'])
        self.assertEqual([k for k, c in cookies.items() if len(c) > 1], [])
        for s in keep:
            s.close()

    def grow(self, family, host):   # make a connection whose window grows, and return its rows
        one, two = pair(family, host, 500)
        other = pair()
        one.setsockopt(socket.IPPROTO_TCP, 13, b'reno')     # TCP_CONGESTION
        r = Recorder('--events', '-p', ports(one))
        for _ in range(15):     # send more than the first window at once, with pauses
            one.sendall(b'x' * 20000)
            two.recv(20000, socket.MSG_WAITALL)
            other[0].sendall(b'x' * 20000)
            other[1].recv(20000, socket.MSG_WAITALL)
            time.sleep(0.03)
        local = one.getsockname()[1]
        wait_for(lambda: [e for e in r.rows(POLL, local) if e['snd_max'] == 300000])
        two.sendall(b'x')
        one.recv(1)
        self.assertEqual(r.end(), (0, ''))
        self.assertEqual({e['lport'] for e in r.rows()}, {local})
        return one, two, other, r.rows(CWND, local)

    def test_window(self):      # P3 P51
        self.have_tracefs()
        for family, host in (socket.AF_INET, '127.0.0.1'), (socket.AF_INET6, '::1'):
            # on a busy machine a poll may come only afterwards, so try several times
            for _ in range(10):
                one, two, other, rows = self.grow(family, host)
                if rows:
                    break
                for s in (one, two, *other):
                    s.close()
            self.assertTrue(rows, family)
            cwnd = struct.unpack_from('=I', one.getsockopt(socket.IPPROTO_TCP, 11, 104), 80)[0]
            self.assertTrue(all(0 < e['callvalue'] <= cwnd for e in rows))
            for e in rows:
                self.assertEqual(e['snd_cwnd'], e['callvalue'] * e['snd_mss'])
                self.assertTrue(e['valid'] & 1 << 7)
                self.assertTrue(0 < e['snd_max'] <= 300000)
                self.assertEqual(e['snd_max'] % 20000 % e['snd_mss'], 0)    # whole segments
            for s in (one, two, *other):
                s.close()

    def test_lost(self):        # P44 P95
        self.have_tracefs()
        one, two = pair()
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        r = Recorder('--events', '-p', ports(one), '-p', ports(two))
        r.p.send_signal(signal.SIGSTOP)

        def talk(n):
            for _ in range(n):
                one.send(b'x')
                two.recv(1)
                two.send(b'x')
                one.recv(1)

        # The kernel reports the number of lost events with the next event of the same processor, so
        # use one processor only. The last losses are known once more rows come.
        cpus = os.sched_getaffinity(0)
        self.addCleanup(os.sched_setaffinity, 0, cpus)
        os.sched_setaffinity(0, {min(cpus)})
        seen = [0, 0]

        def all_told():
            talk(100)
            rows = r.rows()
            before = tuple(seen)
            seen[:] = len(rows), rows[-1]['seq_no'] + 1 - len(rows)
            return seen[1] > 1000 and seen[1] == before[1] and seen[0] > before[0]
        talk(6000)
        r.p.send_signal(signal.SIGCONT)
        wait_for(all_told)
        self.assertEqual(r.end(), (0, ''))
        with open(r.path, 'rb') as f:
            h, rows = pm.read(f.read())
        lost = rows[-1]['seq_no'] + 1 - len(rows)
        self.assertEqual(pm.losses(h)[1], lost)
        self.assertIn('%d snapshots were lost' % lost, ''.join(r.lost))
        p = subprocess.run([os.path.join(BUILD, 'nodometer-tcp'), 'graph', '-D', r.path],
                           capture_output=True, text=True, check=True)
        self.assertTrue(p.stdout.startswith('gap '), p.stdout)
        one.close()
        two.close()


TALK = '''
import os, socket, sys
if sys.argv[1]:
    with open(sys.argv[1] + '/cgroup.procs', 'w') as f:
        f.write(str(os.getpid()))
l = socket.socket()
l.bind(('127.0.0.1', 0))
l.listen()
s = socket.socket()
s.connect(l.getsockname())
t, _ = l.accept()
print(s.getsockname()[1], t.getsockname()[1], flush=True)
sys.stdin.read()
'''


def talker(group):
    p = subprocess.Popen([sys.executable, '-c', TALK, group], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, text=True)
    p.ports = {int(w) for w in p.stdout.readline().split()}
    return p


def move_to(group):
    with open(os.path.join(group, 'cgroup.procs'), 'w', encoding='ascii') as f:
        f.write(str(os.getpid()))


def hang_up(p):
    p.communicate()
    return p.returncode


class Jobs(unittest.TestCase):
    def setUp(self):
        mount('tmpfs', '/sys/fs/cgroup', 'tmpfs')
        self.made = []

    def tearDown(self):
        for path in reversed(self.made):
            os.rmdir(path)
        while libc.umount2(b'/sys/fs/cgroup', 2) == 0 and not os.listdir('/sys/fs/cgroup'):
            pass

    def make(self, path):
        missing = []
        while not os.path.isdir(path):
            missing.append(path)
            path = os.path.dirname(path)
        for path in reversed(missing):
            os.mkdir(path)
            self.made.append(path)

    # four processes: of the job, of its step that starts later, of another job, and of no job
    def follow(self, job):
        own, step, other = job, os.path.join(job, 'step_0'), os.path.join(job + '9')
        for path in own, step, other:
            self.make(path)
        first, stranger, none = talker(own), talker(other), talker('')
        r = Recorder('--job', '4711')
        second = talker(step)
        wait_for(lambda: {e['lport'] for e in r.rows()} >= first.ports | second.ports)
        hang_up(first)
        n = len(r.rows())
        wait_for(lambda: [e for e in r.rows()[n + 8:] if e['lport'] in second.ports])
        self.assertEqual(r.end(), (0, ''))
        self.assertEqual({e['lport'] for e in r.rows()}, first.ports | second.ports)
        self.assertFalse({e['lport'] for e in r.rows()[-2:]} & first.ports)
        for p in second, stranger, none:
            hang_up(p)

    def test_version_1(self):
        os.mkdir('/sys/fs/cgroup/memory')
        try:
            mount('none', '/sys/fs/cgroup/memory', 'cgroup', 'none,name=nodometer_test')
        except OSError as e:
            self.skipTest('no control groups of version 1: %s' % e)
        self.follow('/sys/fs/cgroup/memory/slurm/uid_0/job_4711')
        p = subprocess.run([os.path.join(BUILD, 'nodometer-tcp'), 'record', '--job', '47110'],
                           capture_output=True, text=True, check=False)
        self.assertEqual(p.returncode, 1)
        self.assertIn('job 47110 has no control group here', p.stderr)

    def test_version_2(self):       # in a namespace, so that agents outside see none of these jobs
        whole = os.path.join(WORK, 'cgroup')
        own = os.path.join(whole, 'nodometer_test.%d' % os.getpid())
        os.mkdir(whole)
        try:
            mount('none', whole, 'cgroup2')
        except OSError as e:
            self.skipTest('no control groups of version 2: %s' % e)
        self.addCleanup(libc.umount2, whole.encode(), 2)
        os.mkdir(own)
        self.addCleanup(os.rmdir, own)
        move_to(own)
        self.addCleanup(move_to, whole)
        if libc.unshare(0x02000000) < 0:    # CLONE_NEWCGROUP
            self.skipTest('no namespaces of control groups')
        mount('none', '/sys/fs/cgroup', 'cgroup2')
        # this cgroup is not the root cgroup
        self.assertEqual(os.path.exists('/sys/fs/cgroup/cgroup.type'), True)
        self.follow('/sys/fs/cgroup/system.slice/slurmstepd.scope/job_4711')


libc.mount(None, b'/', None, 0x44000, None)  # MS_PRIVATE
loopback_up()
unittest.main(argv=sys.argv[:1])
