# SPDX-License-Identifier: BSD-3-Clause
# pm.py - .pm files by Python's struct alone: an independent writer and reader
import struct

# fields of struct tpm_entry in the report: name, bytes if a long has 4 bytes, bytes if a long has 8
# bytes, scope, mask, flags
SEED = [
    ('seq_no', 4, 8, 0, 0, 0), ('time', 8, 16, 0, 0, 0), ('callvalue', 4, 8, 0, 0, 0),
    ('location', 4, 8, 0, 0, 0), ('lport', 2, 2, 2, 0, 1), ('rport', 2, 2, 2, 0, 1),
    ('snd_cwnd', 4, 8, 2, 0, 0), ('snd_max', 4, 4, 2, 0, 0), ('snd_fack', 4, 4, 2, 6, 0),
    ('sb_hiwat', 4, 8, 2, 0, 0), ('snd_sb_cc', 4, 8, 2, 0, 0), ('rcv_sb_cc', 4, 8, 2, 0, 0),
    ('sb_target_hiwat', 4, 8, 2, 8, 0), ('sb_net_target', 4, 8, 2, 8, 0),
    ('hiwat_fair_share', 4, 8, 2, 8, 0), ('m_clused', 4, 8, 1, 0, 0),
]
CODE = {1: 'B', 2: 'H', 4: 'I', 8: 'Q'}
LOSSES = 0x4e4d     # kind of the record
START = 0x4e53      # kind of the record


def seed_columns(wide=False):
    """Return a list of (name, offset, length, scope, mask, flags), and the size of an entry."""
    out, at = [], 0
    for name, narrow, long, scope, mask, flags in SEED:
        n = long if wide else narrow
        align = min(n, 8 if wide else 4)
        at += -at % align
        out.append((name, at, n, scope, mask, flags))
        at += n
    return out, at + -at % (8 if wide else 4)


def record(kind, data=b''):
    return struct.pack('>HH', kind, len(data) + 4) + data


def column_record(name, offset, length, scope, mask, flags):
    return record(4, struct.pack('>24sHBBHH', name.encode(), offset, length, scope, mask, flags))


def header(columns, size, mods=15, version=b'0.9', endian=0, cluster=2048, u32=False, more=b''):
    pack = (lambda v: struct.pack('>I', v)) if u32 else (lambda v: struct.pack('>HH', v, 0))
    out = more
    if version is not None:
        out += record(2, version.ljust(8, b'\0'))
    if mods is not None:
        out += record(1, pack(mods))
    if endian is not None:
        out += record(5, pack(endian))
    if cluster is not None:
        out += record(6, struct.pack('>I', cluster) if u32 or cluster > 65535 else pack(cluster))
    out += record(3, pack(size))
    for c in columns:
        out += column_record(*c)
    return out + record(0)


def losses(h):
    """Return (missed samples, lost snapshots) from nodometer's own record."""
    return struct.unpack('>QQ', h[LOSSES])


def start(h):
    """Return the start of the recording in microseconds since the epoch, from nodometer's own
    record."""
    return struct.unpack('>Q', h[START])[0]


def number(value, n, endian):
    if endian < 2 or n == 1:
        return struct.pack('<>'[endian == 1] + CODE[n], value)
    halves = [value >> 16 * i & 0xffff for i in range(n // 2)]
    return b''.join(struct.pack('<H', h) for h in reversed(halves))


def entry(columns, size, values, endian=0):
    out = bytearray(size)
    for name, offset, length, _, _, flags in columns:
        if length == 0 or name not in values:
            continue
        v = values[name]
        if name == 'time':
            half = {8: 4, 12: 8, 16: 8}[length]
            raw = number(v[0], half, endian) + number(v[1], length - half, endian)
        elif flags == 2:
            raw = v.ljust(length, b'\0')
        else:
            raw = number(v, length, 1 if flags == 1 else endian)
        out[offset:offset + length] = raw
    return bytes(out)


def read(data):
    """Return (header as a dictionary, entries as dictionaries) of a little-endian file."""
    h, columns, at = {}, [], 0
    while True:
        kind, length = struct.unpack_from('>HH', data, at)
        body = data[at + 4:at + length]
        at += length
        if kind == 0:
            break
        if kind == 4:
            name, *rest = struct.unpack('>24sHBBHH', body)
            columns.append((name.rstrip(b'\0').decode(), *rest))
        else:
            h[kind] = body
    h['columns'] = columns
    size = struct.unpack('>HH', h[3])[0]
    assert h[5] == struct.pack('>I', 0), h[5]
    entries = []
    while at + size <= len(data):
        e = {}
        for name, offset, length, _, _, flags in columns:
            raw = data[at + offset:at + offset + length]
            if name == 'time' and length:
                e[name] = struct.unpack('<II', raw)
            elif flags == 2:
                e[name] = raw
            elif length:
                e[name] = int.from_bytes(raw, 'big' if flags == 1 else 'little')
        entries.append(e)
        at += size
    h['rest'] = len(data) - at
    return h, entries
