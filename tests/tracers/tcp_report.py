# SPDX-License-Identifier: BSD-3-Clause
# tcp_report.py - nodometer tcp report on files that pm.py writes: tcp_report.py BUILD-FOLDER SCRATCH
import csv
import io
import json
import os
import struct
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pm  # noqa: E402

BUILD, WORK = sys.argv[1], sys.argv[2]
FILE = os.path.join(WORK, 'a.pm')
MORE = {'state': 1, 'wmem_queued': 4, 'rtt': 4, 'min_rtt': 4, 'total_retrans': 4, 'rcv_wnd': 4, 'bytes_acked': 8,
        'bytes_received': 8, 'data_segs_out': 4, 'notsent_bytes': 4, 'busy_time': 8,
        'rwnd_limited': 8, 'sndbuf_limited': 8}
START = 1700000000
POLL, FINAL, CWND = 1, 2, 3


def report(*args):
    p = subprocess.run([os.path.join(BUILD, 'nodometer-tcp'), 'report', *args], cwd=WORK,
                       capture_output=True, text=True, check=False)
    return p.returncode, p.stdout, p.stderr


def columns(without=()):
    out, size = pm.seed_columns()
    for name, n in MORE.items():
        if name not in without:
            out.append((name, size, n, 2, 0, 0))
            size += n
    return out, size


def write(entries, without=(), losses=(0, 0), first=0, start=None, **how):
    """Write entries (milliseconds, values), sorted by time and numbered. start: start of the
    recording in ms after START; if it is 'unknown', 0 is written."""
    names, size = columns(without)
    more = pm.record(pm.LOSSES, struct.pack('>QQ', *losses)) if losses else b''
    if start is not None:
        more += pm.record(pm.START, struct.pack('>Q', 0 if start == 'unknown' else
                                                START * 10**6 + start * 1000))
    with open(FILE, 'wb') as f:
        f.write(pm.header(names, size, more=more, **how))
        for i, (ms, e) in enumerate(sorted(entries, key=lambda x: x[0])):
            f.write(pm.entry(names, size, dict(
                e, seq_no=first + i, time=(START + ms // 1000, ms % 1000 * 1000))))


def connection(lport, n=11, every=100, begin=0, location=POLL, **grows):
    """Return snapshots in which each counter grows by its argument. An argument that ends in "_is"
    is a constant value."""
    out = []
    for i in range(n):
        e = dict(lport=lport, rport=5050, location=location)
        for name, v in grows.items():
            if name.endswith('_is'):
                e[name[:-3]] = v
            else:
                e[name] = (5000 if name in ('bytes_acked', 'snd_max') else 7) + v * i
        e['snd_max'] = e.get('snd_max', e.get('bytes_acked', 0)) % 2**32
        out.append((begin + every * i, e))
    return out


# port, verdict, and growth in each snapshot (every 100 ms)
PLANTED = [
    (1, 'loss', dict(bytes_acked=10**6, busy_time=100000, notsent_bytes_is=5, data_segs_out=1000,
                     total_retrans=2, rtt_is=40000, min_rtt_is=20000)),
    (2, 'path', dict(bytes_acked=10**6, busy_time=90000, notsent_bytes_is=5, data_segs_out=10000,
                     total_retrans=1)),
    (3, 'receive-window', dict(bytes_acked=10**5, busy_time=95000, rwnd_limited=90000,
                               notsent_bytes_is=5)),
    (4, 'send-buffer', dict(bytes_acked=10**5, busy_time=100000, sndbuf_limited=80000)),
    (5, 'application', dict(bytes_acked=10**4, busy_time=30000, total_retrans=4,
                            data_segs_out=8)),
    (6, 'application', dict(bytes_acked=10**4, busy_time=90000, notsent_bytes_is=0)),
    (10, 'send-buffer', dict(bytes_acked=10**5, busy_time=100000, wmem_queued_is=70,
                             sb_hiwat_is=100)),
    (7, 'slow-reader', dict(bytes_acked=0, bytes_received=10**5, busy_time=0, rcv_sb_cc_is=9000,
                            rcv_wnd_is=1000)),
    (8, 'receives', dict(bytes_acked=0, bytes_received=10**5, busy_time=0, rcv_sb_cc_is=10,
                         rcv_wnd_is=1000)),
    (9, 'idle', dict(bytes_acked=0, busy_time=0)),
]
USUAL = dict(bytes_received=0, rwnd_limited=0, sndbuf_limited=0, data_segs_out=0, total_retrans=0)


def planted():
    return [e for port, _, grows in PLANTED for e in connection(port, **{**USUAL, **grows})]


class Report(unittest.TestCase):
    def by_port(self, *args):
        r, out, err = report('--json', *args, FILE)
        self.assertEqual((r, err), (0, ''))
        self.all = json.loads(out)
        return {c['lport']: c for c in self.all['connections']}

    def test_verdicts(self):
        write(planted())
        found = self.by_port()
        self.assertEqual({p: c['verdict'] for p, c in found.items()},
                         {p: verdict for p, verdict, _ in PLANTED})
        for c in found.values():
            self.assertEqual(c['advice'][-1], '.')
        self.assertEqual(self.all['verdicts']['application'], 2)
        self.assertEqual(sum(self.all['verdicts'].values()), len(PLANTED))

    def test_sums(self):
        write(planted())
        c = self.by_port()
        self.assertEqual((c[1]['sent'], c[1]['segments'], c[1]['retransmits']), (10**7, 10**4, 20))
        self.assertEqual((c[1]['rtt'], c[1]['least_rtt']), (0.04, 0.02))
        self.assertEqual(c[1]['limited'], dict(window=1, receiver=0, buffer=0, application=0))
        self.assertEqual(c[3]['limited'], dict(window=.05, receiver=.9, buffer=0, application=.05))
        self.assertEqual(c[4]['limited'], dict(window=0, receiver=0, buffer=.8, application=.2))
        self.assertEqual(c[5]['limited'], dict(window=0, receiver=0, buffer=0, application=1))
        self.assertEqual(c[8]['received'], 10**6)
        self.assertEqual(self.all['limited'], dict(window=1.95, receiver=.9, buffer=1.8,
                                                   application=4.35))
        self.assertEqual((self.all['sent'], self.all['received'], self.all['retransmits']),
                         (23200000, 2 * 10**6, 70))
        self.assertEqual((self.all['start'], self.all['seconds']), (START, 1))

    def test_rankings(self):
        write(planted())
        for by, first in (('held', 1), ('retransmits', 5), ('window', 1), ('receiver', 3),
                          ('buffer', 10), ('application', 8), ('rtt', 1)):
            self.by_port('--by', by)
            ports = [c['lport'] for c in self.all['connections']]
            self.assertEqual(self.all['worst'][by].split('.')[0], str(first if by != 'application'
                                                                      else ports[0]), by)
            values = {'retransmits': lambda c: c['retransmits'] or 0}.get(
                by, lambda c, by=by: c['limited'].get(by) or 0)
            if by not in ('held', 'rtt'):
                got = [values(c) for c in self.all['connections'] if c['verdict'] != 'idle']
                self.assertEqual(got, sorted(got, reverse=True), by)
            if by != 'application':
                self.assertEqual(ports[0], first, by)
        self.assertNotIn('stalls', self.all['worst'])

    def test_stalls(self):
        rows = connection(1, n=40, snd_sb_cc_is=100, bytes_acked=1000, busy_time=100000, **{
            k: v for k, v in USUAL.items() if k != 'bytes_acked'})
        for i in range(10, 16):     # nothing is acknowledged between 1000 and 1600 ms
            rows[i][1]['bytes_acked'] = rows[i][1]['snd_max'] = rows[10][1]['bytes_acked']
        for i in range(20, 22):     # a gap of 100 ms alone is no stall
            rows[i][1]['bytes_acked'] = rows[i][1]['snd_max'] = rows[20][1]['bytes_acked']
        for i in range(30, 34):     # no data wait to be sent: a pause, no stall
            rows[i][1]['bytes_acked'] = rows[i][1]['snd_max'] = rows[30][1]['bytes_acked']
            rows[i][1]['snd_sb_cc'] = 0
        write(rows)
        c = self.by_port()[1]
        self.assertEqual((c['stalls'], c['stalled']), (1, 0.5))
        # with a round-trip time of 300 ms, a pause is a stall only after 600 ms
        write([(ms, {**e, 'rtt': 300000}) for ms, e in rows])
        self.assertEqual(self.by_port()[1]['stalls'], 0)

    def test_counts_of_new_connections(self):
        old = connection(1, **{**USUAL, 'busy_time': 50000, 'bytes_acked': 1000})
        new = connection(2, n=5, begin=300, **{**USUAL, 'busy_time': 50000, 'bytes_acked': 1000})
        short = connection(3, n=1, begin=450, location=FINAL, **{**USUAL, 'busy_time': 0,
                                                                 'bytes_acked': 0})
        short[0][1].update(busy_time=60000, rwnd_limited=0, sndbuf_limited=0)
        write(old + new + short)
        c = self.by_port()
        self.assertEqual(c[1]['sent'], 10000)
        self.assertEqual(c[2]['sent'], 5000 + 4000)
        self.assertEqual((c[3]['sent'], c[3]['seconds'], c[3]['limited']['window']),
                         (5000, .06, .06))
        self.assertEqual(c[3]['start'], START + .39)
        for how in (dict(losses=(0, 1)), dict(losses=None), dict(first=1)):
            write(old + new + short, **how)
            c = self.by_port()
            self.assertEqual((c[2]['sent'], c[3]['verdict']), (4000, 'unknown'), how)

    def test_counts_what_moved_before_the_first_snapshot(self):
        rows = connection(1, n=5, begin=1300, **{**USUAL, 'busy_time': 50000, 'bytes_acked': 1000,
                                                 'bytes_received': 10})
        for how, sent, received in (
                (dict(start=0), 9000, 47), (dict(start=0, losses=(0, 3), first=3), 9000, 47),
                (dict(start=1299), 9000, 47), (dict(start=1300), 4000, 40),
                (dict(start=1400), 4000, 40), (dict(start='unknown'), 4000, 40), ({}, 4000, 40)):
            write(rows, **how)
            c = self.by_port()[1]
            self.assertEqual((c['sent'], c['received']), (sent, received), how)
        write(rows, start=0)
        self.by_port()
        self.assertEqual((self.all['start'], self.all['seconds']), (START, 1.7))
        write(rows, start=0, without=('busy_time', 'rwnd_limited', 'sndbuf_limited'))
        self.assertEqual(self.by_port()[1]['sent'], 9000)

    def test_received_is_without_the_fin(self):
        """bytes_received counts the FIN of the peer as a byte, bytes_acked counts our SYN and our
        FIN."""
        established, close, close_wait = 1, 7, 8

        def row(ms, state, received, acked=0, unread=0, location=POLL):
            return ms, dict({k: 0 for k in USUAL}, lport=1, rport=2, location=location, state=state,
                            bytes_received=received, bytes_acked=acked, snd_max=0,
                            rcv_sb_cc=unread, busy_time=0)

        def final(received, acked, unread):
            return row(100, close, received, acked, unread, FINAL)
        for name, rows, received in (
                ('open', [row(100, established, 50)], 50),
                ('the peer has closed', [row(100, close_wait, 51, unread=1)], 50),
                ('closed before the recording', [row(0, close_wait, 51), row(100, close_wait, 51)],
                 0),
                ('seen, then reset', [row(50, close_wait, 51), final(51, 0, 7)], 50),
                ('closed by the peer', [final(51, 1, 0)], 50),
                ('closed here, the FIN was not read', [final(51, 2, 1)], 50),
                ('nothing but a FIN', [final(1, 1, 0)], 0),
                ('reset by the peer', [final(50, 0, 0)], 50),
                ('opened here, reset', [row(50, established, 50, 1), final(50, 1, 0)], 50),
                ('reset, not all was read', [final(50, 1, 20)], 50)):
            write(rows, start=0)
            self.assertEqual(self.by_port()[1]['received'], received, name)

    def test_streams_over_4_gib(self):
        write(connection(1, **{**USUAL, 'bytes_acked': 3 << 30, 'busy_time': 100000}))
        self.assertEqual(self.by_port()[1]['sent'], 30 << 30)
        rows = connection(1, **{**USUAL, 'bytes_acked': 1 << 30})
        write(rows, without=MORE)
        c = self.by_port()[1]
        self.assertEqual((c['sent'], c['verdict']), (10 << 30, 'unknown'))
        self.assertFalse({'limited', 'received', 'retransmits', 'stalls', 'rtt'} & set(c))
        self.assertEqual(self.all['limits_unknown'], 1)

    def test_segments_over_32_bits(self):
        grows = dict(USUAL, bytes_acked=10**6, busy_time=100000, notsent_bytes_is=5)
        rows = connection(1, **grows)
        for i, (_, e) in enumerate(rows):   # both counters wrap, one of them twice
            e['data_segs_out'] = (2**32 - 5 + 10**9 * i) % 2**32
            e['total_retrans'] = (2**32 - 5 + 10**6 * i) % 2**32
        write(rows)
        c = self.by_port()[1]
        self.assertEqual((c['segments'], c['retransmits']), (10**10, 10**7))

    def test_a_connection_that_may_receive_is_not_idle(self):
        write(connection(1, **{**USUAL, 'bytes_acked': 0}), without=MORE)
        self.assertEqual(self.by_port()[1]['verdict'], 'unknown')

    def test_unexplained_time_is_halved(self):
        rows = connection(1, n=2, **{**USUAL, 'busy_time': 100000, 'bytes_acked': 1000})
        rows[0][1]['notsent_bytes'], rows[1][1]['notsent_bytes'] = 5, 0
        write(rows)
        limited = self.by_port()[1]['limited']
        self.assertEqual((limited['window'], limited['application']), (0.05, 0.05))

    def test_events_are_no_moments(self):
        rows = connection(1, **{**USUAL, 'busy_time': 100000, 'bytes_acked': 1000,
                                'notsent_bytes_is': 5})
        event = [(250, dict(lport=1, rport=5050, location=CWND))]
        write(rows + event)
        self.assertEqual(self.by_port()[1]['limited']['window'], 1)

    def test_losses_are_said(self):
        write(planted(), losses=(3, 4))
        self.by_port()
        self.assertEqual((self.all['missed_moments'], self.all['lost_snapshots']), (3, 4))
        self.assertIn('3 moments were missed and 4 snapshots lost', report(FILE)[1])
        row = list(csv.DictReader(io.StringIO(report('--csv', FILE)[1])))[-1]
        self.assertEqual((row['missed_moments'], row['lost_snapshots']), ('3', '4'))

    def test_text_csv_and_json_agree(self):
        write(planted())
        found = self.by_port()
        rows = list(csv.DictReader(io.StringIO(report('--csv', FILE)[1])))
        self.assertEqual(len(rows), len(PLANTED))
        for row in rows:
            c = found[int(row['connection'].split('.')[0])]
            self.assertEqual(row['verdict'], c['verdict'])
            for name in 'window', 'receiver', 'buffer', 'application':
                self.assertEqual(float(row[name]), c['limited'][name])
            for name in 'sent', 'received', 'segments', 'retransmits', 'seconds', 'stalls':
                self.assertEqual(float(row[name]), c[name])
        r, out, err = report('--top', '2', FILE)
        self.assertEqual((r, err), (0, ''))
        self.assertIn('10 connections in 0:00:01: 22.13 MiB sent, 1.907 MiB received\n', out)
        self.assertIn('70 of 110080 segments sent again (0.06 %)\n', out)
        self.assertIn('and 8 more', out)
        self.assertLessEqual(max(map(len, [x for x in out.split('\n') if ': ' not in x])), 80)
        self.assertEqual(report('-p', '3.5050', FILE)[1].count('peer\'s window is the limit'), 1)

    def test_accesses_are_joined(self):
        write(planted())
        lines = os.path.join(WORK, 'lines')

        def line(name, src, start, end, **more):
            return json.dumps({
                'filename': name, 'user': 'alice', 'vo': None, 'read': 5, 'write': 0, 'flow': {
                    'src_ip': '192.0.2.1', 'src_port': src, 'dst_ip': '192.0.2.7',
                    'dst_port': 5050, 'experiment_id': 3, 'activity_id': 14,
                    'application': 'xrdcp', 'start': START + start, 'end': end and START + end,
                    'sent': 900, 'received': 100, **more}})
        with open(lines, 'w', encoding='utf-8') as f:
            f.write('\n'.join([
                line('/a\x1b[31m', 3, 0.25, 0.75), line('/b', 3, 0, None), '{"flow":null}',
                line('/before', 3, -9, -8), line('/after', 3, 8, 9),
                line('/other', 3, 0, 1, dst_port=5051), 'no line',
                line('/swapped', 5050, 0, 1, dst_port=4)]) + '\n')
        found = self.by_port('--join', lines)
        for port, c in found.items():
            self.assertEqual([t['filename'] for t in c.get('transfers', [])],
                             {3: ['/a\x1b[31m', '/b'], 4: ['/swapped']}.get(port, []))
        self.assertEqual(found[3]['transfers'][0], {
            'filename': '/a\x1b[31m', 'user': 'alice', 'read': 5, 'write': 0,
            'experiment_id': 3, 'activity_id': 14, 'application': 'xrdcp',
            'start': START + 0.25, 'end': START + 0.75, 'rate': 2000})
        self.assertNotIn('rate', found[3]['transfers'][1])
        r, out, err = report('-p', '3.5050', '--join', lines, FILE)
        self.assertEqual((r, err), (0, ''))
        self.assertIn('    /a?[31m of alice: experiment 3, activity 14, 1.953 KiB/s\n', out)
        self.assertIn('    /b of alice: experiment 3, activity 14\n', out)
        self.assertNotIn('/before', out)
        self.assertNotIn('/after', out)
        self.assertEqual(report('--join', lines, '--csv', FILE)[0], 2)
        r, _, err = report('--join', os.path.join(WORK, 'none'), FILE)
        self.assertEqual(r, 1)
        self.assertIn('none: No such file', err)

    def test_wrong_use(self):
        for args in ([], ['a', 'b'], ['--by', 'x', FILE], ['--json', '--csv', FILE],
                     ['--top', '0', FILE], ['-p', '1', FILE]):
            self.assertEqual(report(*args)[0], 2, args)
        write(planted())
        for args in (['none.pm'], ['-p', '77.77', FILE], [WORK]):
            r, out, err = report(*args)
            self.assertEqual((r, out), (1, ''), args)
            self.assertIn(args[-1], err)
        write([])
        self.assertIn('no snapshots', report(FILE)[2])
        with open(FILE, 'wb') as f:
            f.write(b'no recording')
        self.assertIn('is it a .pm file?', report(FILE)[2])
        own, size = pm.seed_columns()
        own = [c for c in own if c[0] != 'time']
        with open(FILE, 'wb') as f:
            f.write(pm.header(own, size) + pm.entry(own, size, dict(seq_no=1, lport=1, rport=2)))
        self.assertIn('no time column', report(FILE)[2])

    def test_full_disk(self):
        write(planted())
        with open('/dev/full', 'w', encoding='ascii') as full:
            p = subprocess.run([os.path.join(BUILD, 'nodometer-tcp'), 'report', FILE], stdout=full,
                               stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(p.returncode, 1)
        self.assertIn('No space left', p.stderr)


unittest.main(argv=sys.argv[:1])
