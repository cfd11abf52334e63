# SPDX-License-Identifier: BSD-3-Clause
# tcp_graph.py - nodometer tcp graph on files that pm.py writes: tcp_graph.py BUILD-FOLDER SCRATCH
#
# P and a number name a line of the checklist of the report on the TCP monitor, each of which needs
# a test (tests/gates/seeds.sh).
import os
import shutil
import struct
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pm  # noqa: E402

BUILD, WORK = sys.argv[1], sys.argv[2]
FILE = os.path.join(WORK, 'na.9903051452.pm')
LETTERS = {'b': 'snd_sb_cc', 'c': 'snd_cwnd', 'f': 'snd_fack', 'F': 'hiwat_fair_share',
           'H': 'sb_hiwat', 'l': 'location', 'm': 'm_clused', 'n': 'sb_net_target',
           'r': 'rcv_sb_cc', 's': 'snd_max', 't': 'sb_target_hiwat', 'v': 'callvalue'}


def graph(*args, program=('nodometer-tcp', 'graph'), env=None):
    env = dict(os.environ, DISPLAY='', WAYLAND_DISPLAY='', LC_ALL='C', **(env or {}))
    p = subprocess.run([os.path.join(BUILD, program[0]), *program[1:], *args], env=env,
                       capture_output=True, text=True, cwd=WORK, check=False)
    return p.returncode, p.stdout, p.stderr


def values(i, lport=1055, rport=5050):
    """Return the i-th snapshot. Each column has its own numbers."""
    v = {c[0]: 1000 * k + i for k, c in enumerate(pm.SEED)}
    v.update(seq_no=i, time=(922000000 + i, 500000), lport=lport, rport=rport)
    return v


def write(entries, path=FILE, wide=False, endian=0, columns=None, size=None, tail=b'', **more):
    own, own_size = pm.seed_columns(wide)
    columns, size = columns or own, size or own_size
    with open(path, 'wb') as f:
        f.write(pm.header(columns, size, endian=endian, **more))
        stored = 0 if endian is None else endian
        for e in entries:
            f.write(pm.entry(columns, size, e, stored))
        f.write(tail)


def rows(text):
    """Return the lines of -T as dictionaries."""
    lines = text.splitlines()
    heads = [line for line in lines if line.startswith('# seq_no')]
    names = heads[0][2:].split(' ')
    return [dict(zip(names, line.split(' '))) for line in lines if not line.startswith('#')]


class Format(unittest.TestCase):
    def same_text(self, **how):
        write([values(i) for i in range(3)], **how)
        r, out, err = graph('-T', FILE)
        self.assertEqual((r, err), (0, ''), how)
        got = rows(out)
        self.assertEqual(len(got), 3)
        for i, row in enumerate(got):
            want = values(i)
            for name, *_ in pm.SEED:
                if name == 'time':
                    self.assertEqual(row[name], '%d.500000' % (922000000 + i))
                elif name == 'm_clused':
                    self.assertEqual(int(row[name]), want[name] * (how.get('cluster', 2048) or 1))
                else:
                    self.assertEqual(int(row[name]), want[name], (name, how))

    def test_byte_orders_and_widths(self):      # P1 P2 P17 P18 P24 P26 P27 P31 P45 P48 P49 P91
        for wide in False, True:
            for endian in 0, 1, 2:
                for u32 in False, True:
                    self.same_text(wide=wide, endian=endian, u32=u32)
        self.same_text(endian=None)
        self.assertEqual(pm.seed_columns()[1], 64)
        self.assertEqual(pm.seed_columns(True)[1], 120)

    def test_clusters_of_64_kib(self):          # P19 P21 P91
        self.same_text(cluster=65536)
        self.same_text(cluster=65536, u32=True)
        self.same_text(cluster=2048, more=b'')
        self.same_text(cluster=None)

    def test_dirty_padding(self):               # P20 P22
        columns, size = pm.seed_columns()
        for endian, data in (0, b'\0\0\xde\xad'), (1, b'\0\1\xde\xad'), (2, b'\0\0\0\2'):
            h = pm.header(columns, size, endian=None, more=pm.record(5, data))
            with open(FILE, 'wb') as f:
                f.write(h + pm.entry(columns, size, values(1), endian))
            r, out, err = graph('-T', '-c', FILE)
            self.assertEqual((r, rows(out)[0]['snd_cwnd']), (0, '6001'), err)

    def test_unknown_order_of_bytes(self):      # P26
        columns, size = pm.seed_columns()
        with open(FILE, 'wb') as f:
            f.write(pm.header(columns, size, endian=None, more=pm.record(5, b'\0\7\0\7')))
        r, _, err = graph('-T', FILE)
        self.assertEqual(r, 1)
        self.assertIn('byte order 7', err)

    def test_no_mods_is_reno(self):             # P14 P23 P39
        write([values(1)], mods=None)
        r, out, err = graph('-T', '-f', '-c', FILE)
        self.assertIn('snd_fack: not in this kernel (mods 1)', err)
        self.assertEqual((r, rows(out)[0]['snd_fack'], rows(out)[0]['snd_cwnd']), (0, '-', '6001'))
        self.assertNotIn('snd_fack', graph('-T', FILE)[1])

    def test_unknown_records_and_columns(self):     # P28 P32 P40 P41 P42 P91
        columns, size = pm.seed_columns()
        columns = [c if c[0] != 'snd_fack' else (c[0], 0, 0, *c[3:]) for c in columns]
        columns += [('', 0, 4, 2, 0, 0), ('x' * 24, 64, 4, 2, 0, 0), ('text', 68, 8, 2, 0, 2),
                    ('three', 76, 3, 2, 0, 0), ('snd_cwnd', 0, 4, 2, 0, 0)]
        v = dict(values(1), text=b'a"\\\n', **{'x' * 24: 7})
        with open(FILE, 'wb') as f:
            f.write(pm.header(columns, 80, more=pm.record(99, b'whatever')))
            raw = bytearray(pm.entry([c for c in columns[:-1] if c[0] != 'three'], 80, v))
            raw[76:79] = b'\1\2\3'
            f.write(raw)
        r, out, err = graph('-T', FILE)
        row = rows(out)[0]
        self.assertEqual(r, 0, err)
        self.assertIn('1 columns defined twice, snd_cwnd first', err)
        self.assertNotIn('snd_fack', row)
        self.assertEqual(row['snd_cwnd'], '6001')
        self.assertEqual(row['x' * 24], '7')
        self.assertEqual(row['text'], '"a\\"\\\\\\012"')
        self.assertEqual(row['three'], '0x010203')
        r, _, err = graph('-T', '-f', FILE)
        self.assertEqual(r, 1)
        self.assertIn('snd_fack: not in this file', err)

    def test_m_closed(self):                    # P60 P91
        columns, size = pm.seed_columns()
        columns[-1] = ('m_closed', *columns[-1][1:])
        write([dict(values(1), m_closed=9)], columns=columns, size=size)
        r, out, _ = graph('-T', '-m', FILE)
        self.assertEqual((r, rows(out)[0]['m_clused']), (0, str(9 * 2048)))

    def test_wrong_headers(self):               # P11 P12 P13 P16 P25 P43
        columns, size = pm.seed_columns()
        whole = pm.header(columns, size)
        self.assertEqual(len(pm.header(columns, size, u32=True)), 624)
        for data, said in ((b'\0\1\0\3' + whole, 'record of kind 1 with length 3'),
                           (pm.record(4, b'') + whole, 'definition of 0 bytes'),
                           (whole[:-4], 'cut off'),
                           (pm.record(0), 'no size of entries'),
                           (pm.header([], 64), 'no column'),
                           (pm.header(columns, 63), 'column m_clused ends at byte 64 of entries of 63')):
            with open(FILE, 'wb') as f:
                f.write(data)
            r, out, err = graph('-T', FILE)
            self.assertEqual((r, out), (1, ''))
            self.assertIn(said, err)
            self.assertIn(FILE + ': at byte ', err)

    def test_cut_off_at_every_byte(self):       # P91
        columns, size = pm.seed_columns()
        head = pm.header(columns, size)
        body = b''.join(pm.entry(columns, size, values(i)) for i in range(2))
        for n in range(size * 2):
            if n not in (0, 1, size - 1, size, size + 1, 2 * size - 1):
                continue
            with open(FILE, 'wb') as f:
                f.write(head + body[:n])
            r, out, err = graph('-T', '-c', FILE)
            self.assertEqual(r, 0 if n >= size else 1)
            self.assertEqual(len(rows(out)) if out else 0, n // size)
            if n % size:
                self.assertIn('cut off after %d of 64 bytes' % (n % size), err)
        for n in list(range(0, 60)) + [len(head) - 1]:
            with open(FILE, 'wb') as f:
                f.write(head[:n])
            self.assertEqual(graph('-T', FILE)[0], 1)

    def test_unsorted_and_wrapped(self):        # P8 P95
        write([values(i) for i in (3, 1, 2)])
        self.assertEqual([r['seq_no'] for r in rows(graph('-T', FILE)[1])], ['1', '2', '3'])
        write([dict(values(0), seq_no=s) for s in (0xfffffffe, 0xffffffff, 0, 1)])
        r, out, _ = graph('-T', '-D', FILE)
        self.assertEqual((r, 'gap' in out), (0, False))

    def test_addresses_part_connections(self):      # P9
        columns, size = pm.seed_columns()
        columns += [('laddr', 64, 16, 2, 0, 2), ('raddr', 80, 16, 2, 0, 2)]
        here = b'\0' * 10 + b'\xff\xff\x0a\0\0\1'
        write([dict(values(i), laddr=here, raddr=here[:-1] + bytes([i])) for i in (2, 3)],
              columns=columns, size=96)
        r, _, err = graph('-x', '-c', '-p', '1055.5050', FILE)
        self.assertEqual((r, err), (0, ''))
        with open(FILE + '.1055.5050.2.xg', encoding='utf8') as f:
            self.assertIn('10.0.0.1:1055 10.0.0.3:5050', f.readline())


class Options(unittest.TestCase):
    def setUp(self):
        write([values(i, 1055 + i % 3, 5050 + i % 3) for i in range(9)])

    def xg(self, name, *args):
        for f in os.listdir(WORK):
            if f.endswith('.xg'):
                os.unlink(os.path.join(WORK, f))
        r, out, err = graph('-x', *args, FILE)
        self.assertEqual((r, out, err), (0, '', ''))
        with open(FILE + '.' + name + '.xg', encoding='utf8') as f:
            return f.read()

    def test_letters_as_text(self):             # P64-P75 P83 P93
        for letter, name in LETTERS.items():
            r, out, err = graph('-T', '-' + letter, FILE)
            self.assertEqual((r, err), (0, ''))
            lines = [x for x in out.splitlines() if not x.startswith('#')]
            want = []
            for port in range(3):
                for i in range(port, 9, 3):
                    v = values(i)[name] * (2048 if letter == 'm' else 1)
                    want.append('%d %d.500000 %d %d %d' % (i, 922000000 + i, 1055 + port,
                                                           5050 + port, v))
            self.assertEqual(lines, want, letter)
            self.assertIn('# seq_no time lport rport ' + name, out)

    def test_letters_as_xgraph(self):           # P64-P75 P84 P89 P90
        for letter, name in LETTERS.items():
            text = self.xg('1056.5051', '-' + letter, '-p', '1056.5051')
            first = values(1)[name] if letter not in 'sf' else 0
            base = values(1)['snd_max'] if letter == 'f' else values(1)[name]
            by = 2048 if letter == 'm' else 1
            got = text.split('\n')
            self.assertEqual(got[0], 'TitleText: na.9903051452.pm: 1056.5051')
            self.assertEqual(got[4], '"%s"' % name)
            points = [line.split() for line in got[5:] if line]
            self.assertEqual([float(x) for x, _ in points], [0, 3, 6])
            if letter in 'sf':
                want = [values(i)[name] - base for i in (1, 4, 7)]
            else:
                want = [(first + i) * by for i in (0, 3, 6)]
            self.assertEqual([float(y) for _, y in points], want, letter)

    def test_everything(self):                  # P63
        text = self.xg('1055.5050')
        for letter, name in LETTERS.items():
            self.assertIn('"%s"' % name, text)
        self.assertNotIn('"lport"', text)
        self.assertEqual(len([f for f in os.listdir(WORK) if f.endswith('.xg')]), 3)

    def test_debug(self):                       # P76
        r, out, err = graph('-d', '-T', '-c', FILE)
        self.assertEqual((r, len(rows(out))), (0, 9))
        self.assertIn('column snd_cwnd: offset 24, length 4', err)

    def test_gaps(self):                        # P4 P44 P77 P95
        write([values(i) for i in (0, 1, 5, 6)])
        line = 'gap 1 5 3 922000001.500000 922000005.500000\n'
        self.assertIn('# ' + line, graph('-D', '-T', '-c', FILE)[1])
        self.assertEqual(graph('-D', '-x', '-c', FILE)[1], line)

    def test_gaps_of_numbers_over_32_bits(self):
        def at(seq_no, i):
            return dict(values(i), seq_no=seq_no)
        for first in 2**32 + 5, 2**32 - 2:
            write([at(first, 0), at(first + 1, 1), at(first + 3, 2)], wide=True)
            out = graph('-D', '-T', '-c', FILE)[1]
            self.assertEqual([line.split()[4] for line in out.splitlines() if 'gap' in line],
                             ['1'], first)

    def test_help(self):                        # P78
        r, out, err = graph('-h')
        self.assertEqual((r, err), (0, ''))
        for letter in 'bcdDfFhHlmMnpPrsStTvx':
            self.assertIn('  -%s, ' % letter, out)

    def test_memory(self):                      # P25 P79
        most = values(8)['m_clused']
        said = '%d bytes of system memory at most\n' % (most * 2048)
        self.assertEqual(graph('-M', FILE), (0, said, ''))
        self.assertTrue(graph('-M', '-T', FILE)[1].startswith(said + '# seq_no'))
        write([values(8)], cluster=None)
        self.assertIn('%d clusters' % most, graph('-M', FILE)[1])

    def test_ports(self):                       # P80 P82
        out = graph('-T', '-p', '1056.5051', '-p', '1055.5050', FILE)[1]
        self.assertEqual({r['lport'] for r in rows(out)}, {'1055', '1056'})
        r, _, err = graph('-T', '-p', '1.2', FILE)
        self.assertEqual(r, 1)
        self.assertIn('no connection with these ports', err)
        out = graph('-T', '-p', '0.5051', '-p', '1055.0', FILE)[1]
        self.assertEqual({r['lport'] for r in rows(out)}, {'1055', '1056'})
        for bad in '1', '1.', '.2', '1.65536', '1.2x', '-1.2', '0.0':
            self.assertEqual(graph('-T', '-p', bad, FILE)[0], 2)

    def test_one_parameter(self):               # P7 P38 P81
        text = self.xg('snd_cwnd', '-P', '-c')
        for i in range(3):
            self.assertIn('"%d.%d"' % (1055 + i, 5050 + i), text)
        text = self.xg('m_clused', '-P', '-m', '-c')
        self.assertEqual(text.count('"'), 2)
        self.assertEqual(len([f for f in os.listdir(WORK) if f.endswith('.xg')]), 2)

    def test_scale(self):                       # P82 P94
        text = self.xg('1055.5050', '-l', '-S', '1000l')
        self.assertIn('"location × 1000"', text)
        y = [float(line.split()[1]) for line in text.split('\n')[5:] if line]
        self.assertEqual(y, [1000 * values(i)['location'] for i in (0, 3, 6)])
        self.assertIn('"snd_cwnd × 0.5"', self.xg('1055.5050', '-c', '-S', '.5c', '-S', '2l'))
        self.assertEqual(graph('-T', '-l', '-S', '1000l', FILE), graph('-T', '-l', FILE))
        for bad in '1000', 'l', '0l', '-1l', '0x1l', 'infl', 'nanl', '1p', '1..2l', '1ll':
            self.assertEqual(graph('-S', bad, '-T', FILE)[0], 2, bad)

    def test_experimental(self):                # P85
        columns, size = pm.seed_columns()
        columns = [c if c[0] not in ('hiwat_fair_share', 'sb_net_target', 'sb_target_hiwat')
                   else (c[0], 0, 0, *c[3:]) for c in columns]
        write([values(1)], columns=columns, size=size)
        r, _, err = graph('-x', '-F', '-n', '-t', '-c', FILE)
        self.assertEqual((r, err.count('not in this file')), (0, 3))
        self.assertEqual(graph('-x', '-F', FILE)[0], 1)

    def test_examples_of_the_report(self):      # P6 P86 P87 P88
        link = os.path.join(WORK, 'pmgraph')
        os.symlink(os.path.join(BUILD, 'nodometer'), link)
        for args, name in (('-p 1055.5050 -c -H', '1055.5050'), (
                '-P -p 1055.5050 -p 1056.5051 -p 1057.5052 -c', 'snd_cwnd')):
            words = [os.path.basename(FILE), *args.split()]
            self.assertEqual(graph(*words, '-x', program=(link,)), (0, '', ''))
            self.assertTrue(os.path.exists('%s.%s.xg' % (FILE, name)))
            self.assertEqual(graph(*words, '-T'), graph(*words, '-T', program=(link,)))

    def test_wrapped_sequence(self):            # P51 P90
        start = 0xffffff00
        write([dict(values(i), snd_max=(start + 100 * i) & 0xffffffff) for i in range(6)])
        text = self.xg('1055.5050', '-s')
        y = [float(line.split()[1]) for line in text.split('\n')[5:] if line]
        self.assertEqual(y, [100 * i for i in range(6)])

    def test_values_of_another_instant(self):       # P61
        columns, size = pm.seed_columns()
        columns += [('valid', 64, 4, 0, 0, 0)]
        write([dict(values(i), valid=0xffff if i % 2 else 0xffbf) for i in range(4)],
              columns=columns, size=68)
        got = [r['snd_cwnd'] for r in rows(graph('-T', '-c', FILE)[1])]
        self.assertEqual(got, ['-', '6001', '-', '6003'])
        self.assertEqual(self.xg('1055.5050', '-c').count('\n'), 7)

    def test_program_for_gnuplot(self):
        r, out, err = graph('-c', '-H', '--output', '-', '-p', '1055.5050', FILE)
        self.assertEqual((r, err), (0, ''))
        self.assertIn("title 'snd_cwnd'", out)
        self.assertEqual(out.count('\nplot '), 1)

    def test_legend(self):      # the legend names 16 curves, and says how many more there are
        write([values(i, 1000 + i) for i in range(30)])
        out = graph('-P', '-c', '--output', '-', FILE)[1]
        self.assertEqual((out.count('using 1:2'), out.count("title '10")), (30, 16))
        self.assertIn("title 'and 14 more'", out)
        write([values(i, 1000 + i) for i in range(16)])
        self.assertNotIn(' more', graph('-P', '-c', '--output', '-', FILE)[1])

    def test_limits(self):
        write([values(i, 1 + i) for i in range(1100)])
        said = 'only the first %d of 1100 connections are drawn; choose others with -p'
        r, out, err = graph('-D', '-c', '--output', '-', FILE)
        self.assertEqual((r, out.count('\nplot ')), (0, 100))
        self.assertIn(said % 100, err)
        r, out, err = graph('-P', '-c', '--output', '-', FILE)
        self.assertEqual((r, out.count('using 1:2')), (0, 1024))
        self.assertIn(said % 1024, err)
        self.assertEqual(graph('-T', FILE)[2], '')
        self.assertEqual(graph('-P', '-c', '-x', FILE), (0, '', ''))
        with open(FILE + '.snd_cwnd.xg', encoding='utf8') as f:
            self.assertEqual(f.read().count('"'), 2200)

    def test_not_known(self):   # min_rtt is unknown before the first sample
        columns, size = pm.seed_columns()
        columns += [('min_rtt', 64, 4, 2, 0, 0)]
        write([dict(values(i), min_rtt=v) for i, v in enumerate((0xffffffff, 0xfffffffe, 9))],
              columns=columns, size=68)
        got = [r['min_rtt'] for r in rows(graph('-T', '--column', 'min_rtt', FILE)[1])]
        self.assertEqual(got, ['-', '4294967294', '9'])
        self.assertNotIn('4294967295', graph('--column', 'min_rtt', '--output', '-', FILE)[1])
        cat = graph(FILE, program=('nodometer-cat',))[1]
        self.assertNotIn('4294967295', cat)
        self.assertIn('4294967294', cat)

    def test_window(self):
        stub = os.path.join(WORK, 'bin')
        os.makedirs(stub, exist_ok=True)
        with open(os.path.join(stub, 'gnuplot'), 'w', encoding='ascii') as f:
            f.write('#!/bin/sh\ncat >>%s/script\n' % WORK)
        os.chmod(os.path.join(stub, 'gnuplot'), 0o755)
        path = {'PATH': stub + ':' + os.environ['PATH']}
        r, _, err = graph('-P', '-c', '--window', FILE, env=path)
        with open(os.path.join(WORK, 'script'), encoding='utf8') as f:
            self.assertIn('persist title', f.read())
        self.assertEqual((r, err), (0, ''))

    @unittest.skipUnless(shutil.which('gnuplot'), 'no gnuplot')
    def test_pictures(self):                    # P6 P7
        r, out, err = graph('-c', '-p', '1055.5050', FILE)
        self.assertEqual((r, err), (0, ''))
        self.assertIn('snd_cwnd', out)
        for end, magic in ('.png', b'\x89PNG'), ('.svg', b'<?xml'):
            to = os.path.join(WORK, 'page' + end)
            self.assertEqual(graph('-P', '-c', '-s', '--output', to, FILE), (0, '', ''))
            with open(os.path.join(WORK, 'page.snd_cwnd' + end), 'rb') as f:
                self.assertEqual(f.read(len(magic)), magic)
        self.assertEqual(graph('--output', os.path.join(WORK, 'all.png'), FILE), (0, '', ''))
        self.assertTrue(os.path.exists(os.path.join(WORK, 'all.1057.5052.png')))

    def test_usage(self):
        self.assertEqual(graph()[0], 2)
        self.assertEqual(graph('-c', FILE, FILE)[0], 2)
        r, _, err = graph('-c', FILE + '.none')
        self.assertEqual(r, 1)
        self.assertIn('No such file', err)


unittest.main(argv=sys.argv[:1])
