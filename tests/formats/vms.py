#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# vms.py - write and read MONITOR recordings with struct, from the tables of the manual, without
# code of nodometer. M and a number name a line of the checklist (tests/gates/seeds.sh).
"""vms.py write KIND FILE | vms.py read FILE

KIND: plain (13-byte class headers, frames, a customer record first, 52 bytes of system information,
a class without a layout, two names in one RMS file record), v83 (16-byte class headers, longwords
at multiples of 4, 47 bytes of system information), bare (as v83, no frames), open (never closed),
second (another node, the same minutes), odd (two disks with one label, stamped 0.9 ms later than
other classes at the end; the clock stands still once), moved (ALPHA stays, BETA leaves, GAMMA takes
its index and leaves, and BETA returns), taken (GAMMA takes the index of BETA, which never left).
"""
import struct
import sys

EPOCH = 0x007C95674BEB4000
START = 1_700_000_000


def stamp(seconds):
    return int(seconds * 10_000_000) + EPOCH


def counted(text, size):
    return (bytes([len(text)]) + text).ljust(size, b"\0")


def header(classes, records, interval, ending, v83, comment=b"made by struct", revs=None):
    bits = sum(1 << c for c in classes)
    revs = revs or {}
    rev0 = sum(1 << c for c in classes if not revs.get(c))
    levels = bytes(revs.get(c, 0) for c in range(128))
    return struct.pack("<BIqqI16sI8s60sH16s128s", 128, 0, stamp(START), ending, interval,
                       rev0.to_bytes(16, "little"), records, b"MON01060" if v83 else b"MON30050",
                       comment.ljust(60), len(comment), bits.to_bytes(16, "little"), levels)


def system(name, index, vector):
    r = struct.pack("<BHqHB16sIIIBI", 129, 0, stamp(START - 86400), 32768, 2,
                    counted(name, 16), 1000000, 50000, 128, index, 3)
    return r + struct.pack("<BI", 0, 0) if vector else r


def class_record(number, seconds, body, index=0, flags=0, v83=False, prefix=None):
    head = struct.pack("<BBBqH", number, flags, index, stamp(seconds), 0)
    if v83:
        head += b"\0\0\0"
    if prefix:
        head += struct.pack("<II", *prefix)
    return head + body


def process(pid, name, cpu, dio, bio, faults, v83, group=7):
    return struct.pack("<IIHB16s" + "x" * v83 + "10I", pid, group << 16 | 9, 5, 20,
                       counted(name, 16), 11, 22, 1, dio, faults, cpu, bio, pid, 0, 0)


def disk(name, ops, queue, node=b"", unit=0, volume=None, group=0):
    return struct.pack("<B4sHB8s12sII", group, counted(name[:3], 4), unit, 0, counted(node, 8),
                       (volume or name).ljust(12), ops, queue)


def mode(cpu, ticks, v83):
    return (struct.pack("<I", cpu) if v83 else bytes([cpu])) + struct.pack("<8I", *ticks)


def interval(step, v83, index, scale, odd=False):
    """Return an interval of all classes. Per second: MODES has 60 user and 40 idle, DISK 10
    operations and a queue of 0.5."""
    t = START + 10 * (step - (odd and step == 3))
    n = 10 * step * scale
    rec = lambda number, body, **more: class_record(number, t, body, index, v83=v83, **more)
    out = [rec(0, process(100, b"first", 50 * step, 30 * step, 40 * step, 20 * step, v83),
               flags=1, prefix=(1, 2)),
           rec(0, process(101, b"second", 0, 0, 0, 0, v83, 200), prefix=(1, 2)),
           rec(1, struct.pack("<14I", 0, 1, 0, 0, 7 + step, 0, 2, 0, 0, 0, 0, 3, 0, 1)),
           rec(2, mode(0, [0, 0, 0, 0, 0, 60 * n, 0, 40 * n], v83) +
               mode(1, [10 * n, 0, 20 * n, 0, 0, 30 * n, 0, 40 * n], v83), prefix=(2, 0)),
           rec(6, struct.pack("<12I", 5, 6 + step, 0, 0, 0, 0, 0, 0, 0, 0, 4096, 0)),
           rec(7, struct.pack("<10I", 4 * n, 0, 2 * n & 0xFFFFFFFF, 0, 0, 0, 0, 0, 100 + step, 9)),
           rec(8, struct.pack("<5I", (2**32 - 50 + 10 * n) % 2**32, n, 0, 0, 0)),
           rec(12, disk(b"sda", 10 * n, n // 2) + disk(b"sdb", 0, 0), prefix=(2, 0))]
    if odd:
        t += 0.0009 * (step == 6)
        out[-1] = rec(12, b"".join(disk(b"DKA", 10 * n // u, 0, b"ALPHA", 100 * u, b"SYSDISK", u - 1)
                                   for u in (1, 2)), prefix=(2, 0))
    out += [] if v83 else [rec(13, b"any" * 5, prefix=(1, 0))]
    ticks = struct.pack("<I" if v83 else "<B", 1) + struct.pack("<I", 20 * n)
    return out + [rec(19, struct.pack("<13I", 25 * n, 700 + step, *range(3, 14))),
                  rec(23, ticks, prefix=(1, 0)),
                  rec(24, struct.pack("<13I", 512 * n, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 3 * n))]


def moves(leaves):
    """Return system information, classes, and transitions of nodes that use one index in turn."""
    shared = 1 if leaves else 0
    out = [system(b"ALPHA", 0, False)] if leaves else []
    for name, scale, steps in (b"BETA", 2, range(3)), (b"GAMMA", 3, range(3, 7)), (b"BETA", 2, (7, 8)):
        if name == b"BETA" and steps != range(3) and not leaves:
            continue
        out.append(system(name, shared, False))
        for step in steps:
            out += (interval(step, False, 0, 1) if leaves else []) + \
                interval(step, False, shared, scale)
        out += [bytes([130, shared])] if leaves else []
    return out


def records(kind):
    v83 = kind in ("v83", "bare")
    second = kind == "second"
    index = 1 if second else 0
    body = [system(b"VMSB" if second else b"VMSA", index, kind == "plain")]
    body.append(bytes([131]) + counted(b"ONE.DAT", 8) +
                (counted(b"TWO.DAT", 8) if kind == "plain" else b""))
    moving = kind in ("moved", "taken")
    if moving:
        body = moves(kind == "moved")
    for step in range(0 if moving else 7):
        body += interval(step, v83, index, 2 if second else 1, kind == "odd")
    classes = [0, 1, 2, 6, 7, 8, 12, 19, 23, 24] + ([] if v83 else [13])
    count = len(body) + 1 + (kind == "plain")
    closed = kind != "open"
    body.insert(0, header(classes, count if closed else 0, 10,
                          stamp(START + 60) if closed else 0, v83))
    return ([b"\xf0not of MONITOR"] if kind == "plain" else []) + body


def write(kind, path):
    with open(path, "wb") as f:
        for r in records(kind):
            if kind != "bare":
                f.write(struct.pack("<H", len(r)))
            f.write(r + (b"\0" if len(r) % 2 and kind != "bare" else b""))


def frames(data):
    at = 0
    while at + 2 <= len(data):
        n = struct.unpack_from("<H", data, at)[0]
        assert 0 < n <= 32000 and at + 2 + n <= len(data), at
        yield data[at + 2:at + 2 + n]
        at += 2 + n + n % 2
    assert at == len(data), at


BLOCKS = {0: 67, 2: 33, 12: 36, 15: 56, 20: 32, 23: 5}
SIZES = {1: 69, 3: 65, 4: 69, 5: 61, 6: 61, 7: 53, 8: 33, 11: 69, 14: 73, 17: 49, 19: 65, 21: 65,
         22: 69, 24: 65}


def read_class(r, seen):
    number, flags, index, time, reserved = struct.unpack_from("<BBBqH", r)
    assert reserved == 0 and index in seen["nodes"] and time >= seen["time"]    # M53 M54 M55
    assert flags == 0 or (number == 0 and flags == 1)                           # M11 M52
    # number of the first class of an interval; the next interval may have the same time stamp: M16
    seen.setdefault("first", number)
    assert (time, index, number) >= seen["last"] or number == seen["first"]     # M4 M10
    assert not seen["left"] or (number == 0 and time == seen["time"])           # M59
    seen["last"] = (time, index, number)
    assert number in seen["classes"], number
    seen["time"] = time
    seen["kinds"].add(number)
    if number in SIZES:
        assert len(r) == SIZES[number], (number, len(r))
        values = struct.unpack_from("<%dI" % ((len(r) - 13) // 4), r, 13)
        print("class", number, (time - EPOCH) / 1e7, *values)
        return
    n, total = struct.unpack_from("<II", r, 13)                                 # M56 M57
    assert total == 0 or number == 0                                            # M58
    size = BLOCKS[number]
    assert len(r) == 21 + n * size, (number, n, len(r))
    for i in range(n):
        block = r[21 + i * size:21 + (i + 1) * size]
        if number == 0:
            f = struct.unpack("<IIHB16sIIIIIIIIII", block)
            print("process", (time - EPOCH) / 1e7, *f[:4], f[4][1:1 + f[4][0]].decode(), *f[5:])
        elif number == 2:
            print("cpu", (time - EPOCH) / 1e7, block[0], *struct.unpack("<8I", block[1:]))
        elif number == 12:
            f = struct.unpack("<B4sHB8s12sII", block)
            print("disk", (time - EPOCH) / 1e7, f[5].decode().rstrip(), f[6], f[7])
        else:
            print("block", number, (time - EPOCH) / 1e7, block.hex())
    if number == 0:
        seen["left"] = (seen["left"] or total) - n
        assert bool(flags & 1) == (seen["left"] > 0)                            # M60


def read(path):
    """Print the contents of a recording. Fails on anything that the manual does not allow."""
    seen = {"nodes": set(), "time": 0, "last": (0, 0, 0), "kinds": set(), "classes": set(), "left": 0}
    count = 0
    with open(path, "rb") as f:
        data = f.read()
    for r in frames(data):
        count += 1
        if count == 1:                      # M6 M8 M18 M20 M21 M22 M29 M30
            assert len(r) == 259 and r[0] == 128
            h = struct.unpack("<BIqqI16sI8s60sH16s128s", r)
            assert h[7] == b"MON30050" and h[1] == 0
            bits = int.from_bytes(h[10], "little")
            seen["classes"] = {c for c in range(128) if bits >> c & 1}
            assert int.from_bytes(h[5], "little") == sum(
                1 << c for c in seen["classes"] if h[11][c] == 0)
            print("header", h[4], (h[2] - EPOCH) / 1e7, (h[3] - EPOCH) / 1e7 if h[3] else 0,
                  h[8][:h[9]].decode(), "|", *sorted(seen["classes"]))
        elif r[0] == 129:                   # M33 to M45
            assert len(r) == 47 and (count == 2 or r[42] not in seen["nodes"]), len(r)
            f = struct.unpack("<BHqHB16sIIIBI", r)
            seen["nodes"].add(f[9])
            print("node", f[9], f[5][1:1 + f[5][0]].decode(), "cpus", f[4])
        elif r[0] == 130:                   # M9 M47 M48
            assert len(r) == 2 and r[1] in seen["nodes"]
            print("gone", r[1])
        elif r[0] == 131:                   # M49
            print("file", r[2:2 + r[1]].decode())
        elif r[0] >= 192:
            print("customer", r[0], repr(r[1:].decode()))
        else:
            read_class(r, seen)
    assert count == h[6] or h[3] == 0, (count, h[6])
    assert seen["kinds"] <= seen["classes"]
    print("records", count)


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2], sys.argv[3])
    else:
        read(sys.argv[2])
