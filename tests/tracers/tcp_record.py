# SPDX-License-Identifier: BSD-3-Clause
# tcp_record.py - nodometer tcp record, checked by pm.py: tcp_record.py BUILD-FOLDER SCRATCH
#
# P and a number name a line of the checklist of the report on the TCP monitor, each of which needs
# a test (tests/gates/seeds.sh).
import json
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
LOCATION = {'poll': 1, 'final': 2}
EXTRA = [('state', 64, 1), ('ca_state', 65, 1), ('snd_mss', 68, 4), ('rtt', 72, 4),
         ('rttvar', 76, 4), ('min_rtt', 80, 4), ('snd_ssthresh', 84, 4), ('rcv_wnd', 88, 4),
         ('snd_wnd', 92, 4), ('total_retrans', 96, 4), ('wmem_queued', 100, 4),
         ('snd_cwnd_bytes', 108, 8), ('delivery_rate', 116, 8), ('bytes_acked', 124, 8),
         ('bytes_received', 132, 8), ('bytes_retrans', 140, 8), ('laddr', 148, 16),
         ('raddr', 164, 16), ('family', 66, 1), ('cookie', 180, 8), ('valid', 188, 8),
         ('notsent_bytes', 104, 4), ('data_segs_out', 196, 4), ('busy_time', 200, 8),
         ('rwnd_limited', 208, 8), ('sndbuf_limited', 216, 8)]


def wait_for(what, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        got = what()
        if got:
            return got
        time.sleep(0.02)
    raise AssertionError('waited %d s for %s' % (seconds, what))


def pair(family=socket.AF_INET, host='127.0.0.1'):
    listener = socket.socket(family)
    listener.bind((host, 0))
    listener.listen()
    one = socket.socket(family)
    one.connect(listener.getsockname()[:2])
    two, _ = listener.accept()
    listener.close()
    return one, two


def ports(s):
    return '%d.%d' % (s.getsockname()[1], s.getpeername()[1])


class Recorder:
    def __init__(self, *args, name='a.pm', ready=True):
        self.path = os.path.join(WORK, name)
        if os.path.exists(self.path):
            os.unlink(self.path)
        self.p = subprocess.Popen([os.path.join(BUILD, 'nodometer-tcp'), 'record', '-i', '20',
                                   '-o', self.path, *args], stderr=subprocess.PIPE, text=True)
        if ready:
            wait_for(lambda: self.read()[1])

    def read(self):
        try:
            with open(self.path, 'rb') as f:
                data = f.read()
            return pm.read(data)
        except (FileNotFoundError, struct.error):
            return {}, []

    def descriptors(self):
        folder = '/proc/%d/fd' % self.p.pid
        for f in os.listdir(folder):
            try:
                yield os.readlink(os.path.join(folder, f))
            except FileNotFoundError:       # the descriptor was closed meanwhile
                pass

    def end(self):
        self.p.send_signal(signal.SIGTERM)
        err = self.p.communicate()[1].splitlines(True)
        # a busy machine misses samples, which messages say
        return self.p.returncode, ''.join(e for e in err if 'moments were missed' not in e)


class Record(unittest.TestCase):
    def setUp(self):
        self.one, self.two = pair()

    def tearDown(self):
        self.one.close()
        self.two.close()

    def test_header(self):      # P15 P29 P30 P31 P33-P37 P42 P44-P60 P62 P92
        r = Recorder('-p', ports(self.one))
        self.assertEqual(r.end(), (0, ''))
        h, _ = r.read()
        seed = [c if c[4] != 8 else (c[0], 0, 0, 2, 8, 0) for c in pm.seed_columns()[0]]
        self.assertEqual(h['columns'][:16], seed)
        self.assertEqual([c[0] for c in h['columns'][16:]], [c[0] for c in EXTRA])
        for (name, at, size), c in zip(EXTRA, h['columns'][16:]):
            self.assertIn(c[1:3], ((at, size), (0, 0)), name)
        with open('/proc/sys/net/ipv4/tcp_sack', encoding='ascii') as f:
            sack = int(f.read())
        columns = pm.header(h['columns'], 224, mods=6 if sack else 1, version=b'nodom1',
                            cluster=None, endian=None)
        page = os.sysconf('SC_PAGESIZE')
        middle = pm.record(5, b'\0\0\0\0') + pm.record(6, struct.pack('>I', page)) + \
            pm.record(pm.LOSSES, struct.pack('>QQ', *pm.losses(h))) + \
            pm.record(pm.START, struct.pack('>Q', pm.start(h)))
        want = columns[:20] + middle + columns[20:]
        with open(r.path, 'rb') as f:
            self.assertEqual(f.read(len(want)), want)

    def test_values(self):      # P5 P41 P45 P47 P48 P49 P51 P54 P55 P61
        before = time.time()
        r = Recorder('-p', ports(self.one), '-p', ports(self.two))
        self.one.sendall(b'x' * 3000)
        rows = wait_for(lambda: [e for e in r.read()[1] if e['rcv_sb_cc'] == 3000])
        e = rows[0]
        self.assertEqual((e['lport'], e['rport']), (self.two.getsockname()[1],
                                                    self.one.getsockname()[1]))
        self.assertEqual(e['location'], LOCATION['poll'])
        self.assertTrue(before - 1 <= e['time'][0] <= time.time() + 1)
        self.assertEqual(e['laddr'], b'\0' * 10 + b'\xff\xff\x7f\0\0\1')
        self.assertEqual(e['bytes_received'], 3000)
        sent = wait_for(lambda: [x for x in r.read()[1] if x['snd_max'] == 3000 and
                                 x['snd_fack'] == 3000])[0]
        self.assertEqual(sent['lport'], self.one.getsockname()[1])

        def sizes():        # the kernel may change both buffer sizes at any time
            info = self.one.getsockopt(socket.IPPROTO_TCP, 11, 104)
            return (struct.unpack_from('=I', info, 80)[0],
                    self.one.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF))

        def settled():      # return a row that was read while the sizes did not change
            before, n = sizes(), len(r.read()[1])
            rows = wait_for(lambda: [x for x in r.read()[1][n:]
                                     if x['lport'] == sent['lport']][1:])
            return before == sizes() and (*before, rows[0])
        cwnd, buffer, sent = wait_for(settled)
        self.assertEqual(sent['sb_hiwat'], buffer)
        self.assertEqual(sent['snd_cwnd'], cwnd * sent['snd_mss'])
        self.assertEqual(sent['snd_cwnd'], sent['snd_cwnd_bytes'])
        self.assertEqual(sent['valid'] & 1 << 6, 1 << 6)
        self.assertEqual(sent['valid'] & 1 << 12, 0)
        names = [c[0] for c in r.read()[0]['columns']]
        # nothing was lost yet, so the slow start threshold is infinite
        self.assertEqual(sent['snd_ssthresh'], 0x7fffffff)
        self.assertEqual(sent['valid'] & 1 << names.index('snd_ssthresh'), 0)
        self.assertEqual(r.end(), (0, ''))
        h, entries = r.read()
        self.assertEqual(h['rest'], 0)
        self.assertEqual([x['seq_no'] for x in entries], list(range(len(entries))))

    def test_filter(self):      # P80
        other = pair()
        r = Recorder('-p', ports(self.one))
        self.assertEqual(r.end()[0], 0)
        self.assertEqual({e['lport'] for e in r.read()[1]}, {self.one.getsockname()[1]})
        port = self.two.getsockname()[1]
        r = Recorder('-p', '%d.0' % port, '-p', '0.%d' % port)     # 0 stands for any port
        wait_for(lambda: len({e['lport'] for e in r.read()[1]}) == 2)
        self.assertEqual(r.end()[0], 0)
        self.assertTrue(all(port in (e['lport'], e['rport']) for e in r.read()[1]))
        for s in other:
            s.close()

    def test_end_of_a_connection(self):
        r = Recorder('-p', ports(self.one), '-p', ports(self.two))
        self.one.sendall(b'x' * 5000)
        self.two.recv(5000, socket.MSG_WAITALL)
        self.two.close()
        self.one.close()
        wait_for(lambda: r.p.poll() is not None or
                 [e for e in r.read()[1] if e['location'] == LOCATION['final']] or
                 os.geteuid())
        r_, err = r.end()
        self.assertEqual(r_, 0)
        if 'CAP_NET_ADMIN' in err:
            self.skipTest('ends take CAP_NET_ADMIN')
        last = [e for e in r.read()[1] if e['location'] == LOCATION['final']]
        self.assertTrue({e['bytes_received'] for e in last} & {5000, 5001} or
                        {e['snd_max'] for e in last} & {5000, 5001})

    def test_counts_what_moved_before_the_first_snapshot(self):
        listener = socket.socket()
        listener.bind(('127.0.0.1', 0))
        listener.listen()
        port = listener.getsockname()[1]
        r = Recorder('-p', '%d.0' % port, '-p', '0.%d' % port, ready=False)
        start = wait_for(lambda: r.read()[0] and pm.start(r.read()[0]))
        self.assertLess(abs(start / 1e6 - time.time()), 60)
        self.assertEqual(r.read()[1], [])
        one = socket.create_connection(('127.0.0.1', port))
        two = listener.accept()[0]
        one.sendall(b'x' * 100000)
        two.recv(100000, socket.MSG_WAITALL)
        n = len(r.read()[1])
        wait_for(lambda: len(r.read()[1]) > n + 4)
        one.sendall(b'y' * 4600)
        one.shutdown(socket.SHUT_WR)
        two.recv(4600, socket.MSG_WAITALL)
        wait_for(lambda: [e for e in r.read()[1] if e['state'] == 8])     # CLOSE_WAIT
        self.assertEqual(r.end(), (0, ''))
        p = subprocess.run([os.path.join(BUILD, 'nodometer-tcp'), 'report', '--json', r.path],
                           capture_output=True, text=True, check=True)
        found = {c['lport']: c for c in json.loads(p.stdout)['connections']}
        local = one.getsockname()[1]
        self.assertEqual((found[local]['sent'], found[local]['received']), (104600, 0))
        self.assertEqual((found[port]['sent'], found[port]['received']), (0, 104600))
        for s in one, two, listener:
            s.close()

    def test_time_wait(self):   # the kernel reports FIN_WAIT2 until the peer closes
        r = Recorder('-p', ports(self.one), '-p', ports(self.two))
        local = self.one.getsockname()[1]
        self.one.close()
        # the peer's socket is in CLOSE_WAIT
        wait_for(lambda: [e for e in r.read()[1] if e['state'] == 8])
        n = len(r.read()[1])
        wait_for(lambda: len([e for e in r.read()[1][n:] if e['lport'] != local]) > 3)
        self.assertEqual(r.end()[0], 0)
        rows = r.read()[1]
        self.assertEqual([e for e in rows if e['snd_cwnd'] == 0], [])
        self.assertNotIn(local, [e['lport'] for e in rows[n + 4:]])

    def test_missed_moments(self):
        began = time.monotonic()
        r = Recorder('-p', ports(self.one))
        r.p.send_signal(signal.SIGSTOP)
        time.sleep(1)
        r.p.send_signal(signal.SIGCONT)
        n = len(r.read()[1])
        wait_for(lambda: r.read()[1][n + 2:])
        # the loss is written while the recording continues
        missed = wait_for(lambda: pm.losses(r.read()[0])[0])
        self.assertGreater(missed, 20)
        r.p.send_signal(signal.SIGTERM)
        err = r.p.communicate()[1]
        most = (time.monotonic() - began) / 0.02 + 1
        h, rows = r.read()
        times = sorted({e['time'][0] * 10**6 + e['time'][1] for e in rows})
        missed = pm.losses(h)[0]
        self.assertIn('%d of %d moments were missed' % (missed, missed + len(times)), err)
        self.assertGreaterEqual(missed + len(times), (times[-1] - times[0]) / 20000 - 1)
        self.assertLessEqual(missed + len(times), most)
        p = subprocess.run([os.path.join(BUILD, 'nodometer-tcp'), 'graph', '-c', '--output', '-',
                            r.path], capture_output=True, text=True, check=True)
        self.assertIn(', %d moments were missed' % missed, p.stdout)

    def test_missed_moments_until_the_end(self):
        r = Recorder('-p', ports(self.one), '--seconds', '1')
        r.p.send_signal(signal.SIGSTOP)
        time.sleep(1.3)     # no sample is due after the end
        r.p.send_signal(signal.SIGCONT)
        err = r.p.communicate()[1]
        h, rows = r.read()
        found = len({tuple(e['time']) for e in rows})
        missed = pm.losses(h)[0]
        self.assertEqual(missed + found, 51)
        if missed:          # 0 if all snapshots had been taken before the program was stopped
            self.assertIn('%d of 51 moments were missed' % missed, err)

    def test_ring(self):        # P4 P96
        r = Recorder('-p', ports(self.one), '--ring', '5', ready=False)

        def dumped():
            r.p.send_signal(signal.SIGUSR1)
            return [e['seq_no'] for e in r.read()[1]]
        wait_for(lambda: any('signalfd' in name for name in r.descriptors()))
        got = wait_for(lambda: len(dumped()) == 5 and dumped()[0] > 3 and dumped())
        self.assertEqual(got, list(range(got[0], got[0] + 5)))
        self.assertEqual(r.end(), (0, ''))
        last = [e['seq_no'] for e in r.read()[1]]
        self.assertEqual(last, list(range(last[0], last[0] + 5)))
        self.assertEqual(pm.start(r.read()[0]), 0)      # the first snapshot was overwritten
        r = Recorder('-p', ports(self.one), '--ring', '100000', '--seconds', '1', ready=False)
        r.p.wait()
        self.assertGreater(pm.start(r.read()[0]), 0)

    def test_graph_reads_it(self):
        r = Recorder('-p', ports(self.one))
        self.assertEqual(r.end(), (0, ''))
        p = subprocess.run([os.path.join(BUILD, 'nodometer-tcp'), 'graph', '-T', '-l', r.path],
                           capture_output=True, text=True, check=True)
        self.assertTrue(p.stdout.startswith('# location: 1 poll 2 final 3 cwnd 4 loss 5 rto'))

    def test_usual_name(self):  # P10 P88
        p = subprocess.run([os.path.join(BUILD, 'nodometer-tcp'), 'record', '--seconds', '1'],
                           cwd=WORK, capture_output=True, text=True, check=True)
        host = socket.gethostname()[:64]
        names = [n for n in os.listdir(WORK) if n.startswith(host + '.') and len(n) ==
                 len(host) + 14 and n.endswith('.pm')]
        self.assertEqual(len(names), 1, p.stderr)

    def test_wrong_usage(self):
        for args in ('-i', '0'), ('-i', 'x'), ('--ring', '0'), ('-p', '1'), ('word',):
            p = subprocess.run([os.path.join(BUILD, 'nodometer-tcp'), 'record', *args],
                               capture_output=True, text=True, check=False)
            self.assertEqual(p.returncode, 2, args)
        p = subprocess.run([os.path.join(BUILD, 'nodometer-tcp'), 'record', '--job', 'no-such-job',
                            '-o', os.path.join(WORK, 'j.pm')], capture_output=True, text=True,
                           check=False)
        self.assertEqual(p.returncode, 1)
        self.assertIn('no-such-job', p.stderr)
        p = subprocess.run([os.path.join(BUILD, 'nodometer-tcp'), 'record', '-o',
                            os.path.join(WORK, 'no', 'x.pm')], capture_output=True, text=True,
                           check=False)
        self.assertEqual(p.returncode, 1)


unittest.main(argv=sys.argv[:1])
