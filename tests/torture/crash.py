#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""crash.py - each state that a power failure may leave is opened again, with what was acknowledged

    crash.py BUILD SHIM FOLDER [--seconds N] [--seed N]

The shim records what a scenario changes below its folder. A crash is after any of these changes. A
file system keeps the order of names (creations, links, renames, removals), and a sync makes durable all
names before it and the data of its file. So a state has the names up to a change that is not older than
the last sync, and, of data that were not synced: all, nothing, half of the last block, zeros, or zeros
from its middle on. The runtime directory is on a disk, or in memory and gone; the sender's cursor is on the
disk, and the central archive on a machine that runs on.
"""
import json
import os
import shutil
import struct
import subprocess
import sys

import torture
from torture import CALLS, Wrong, World, used

RECORD, HEAD = 8 << 20, "=IIQqq"
NAMES = {"open", "openat", "mkdir", "mkdirat", "unlink", "unlinkat", "rmdir", "rename", "renameat", "linkat"}
PARTS = ("/archive", "/run", "/state", "/central")
SYNCS = ("fsync", "fdatasync")
KEPT = ("all", "none", "torn", "zeros", "half zeros")


class Record:
    """What the shim recorded: (call, inode, at, n, data)."""

    def __init__(self, path):
        self.path = path
        with open(path, "wb") as f:
            f.truncate(RECORD)

    def changes(self):
        with open(self.path, "rb") as f:
            data = f.read()
        end, at, found = struct.unpack_from("=Q", data)[0] + 8, 8, []
        while at < end:
            size, call, inode, offset, n = struct.unpack_from(HEAD, data, at)
            found.append((CALLS[call][0], inode, offset, n, data[at + struct.calcsize(HEAD):at + size]))
            at += size
        return found


def paths(change):
    return [p.decode() for p in change[4].split(b"\0")[:-1]]


def name(names, change):
    """What it makes of {path: file, or None for a folder}."""
    call, file = change[:2]
    path, *to = paths(change)
    if call in ("open", "openat"):
        names.setdefault(path, file)
    elif call in ("mkdir", "mkdirat"):
        names[path] = None
    elif call in ("unlink", "unlinkat", "rmdir"):
        names.pop(path, None)
    elif path in names:
        names[to[0]] = names[path] if call == "linkat" else names.pop(path)


def only_below(changes, folders):
    """The others become None. A file is its inode and how many files had that inode before."""
    names, file, found = {}, {}, []
    for call, inode, *rest in changes:
        change = (call, inode, *rest)
        if call in NAMES:
            path = paths(change)[0]
            if not path.startswith(folders):
                found.append(None)
                continue
            if call in ("open", "openat") and path not in names:
                file[inode] = (inode, len(found))
            change = (call, file.get(inode), *rest)
            name(names, change)
        elif inode in file:
            change = (call, file[inode], *rest)
        found.append(change if call in NAMES or inode in file or call in SYNCS else None)
    return found


def put(text, at, data):
    text.extend(bytes(max(0, at - len(text))))
    text[at:at + len(data)] = data


def apply(text, change, kept="all"):
    """One change of a file's data, as much of it as is kept."""
    call, _, at, n, data = change
    if call == "ftruncate" and kept != "none":
        put(text, at, b"")
        del text[at:]
    elif call in ("write", "pwrite"):
        if kept == "torn":
            data = data[:n // 2]
        elif kept == "zeros":
            data = bytes(n)
        elif kept == "half zeros":
            data = data[:n // 2] + bytes(n - n // 2)
        if kept != "none":
            put(text, at, data)
    elif call in ("open", "openat") and at and kept != "none":
        text.clear()


def contents(changes, file, kept):
    """Synced changes are whole; of later ones the last is kept so, or all of them are zeros or not there."""
    mine = [c for c in changes if c[1] == file]
    synced = max((i for i, c in enumerate(mine) if c[0] in SYNCS), default=-1)
    text = bytearray()
    for i, c in enumerate(mine):
        last = i == len(mine) - 1 or kept in ("none", "zeros")
        apply(text, c, kept if i > synced and last else "all")
    return bytes(text)


def states(changes, moments):
    """(how many changes happened, {path: file}, {file: contents}) of each that differs."""
    seen = set()
    for n in range(1, len(changes) + 1):
        if changes[n - 1] is None and n not in moments:
            continue
        done = [c for c in changes[:n] if c]
        promised = sum(m <= n for m in moments)
        named = [i for i, c in enumerate(done) if c[0] in NAMES]
        synced = max((i for i, c in enumerate(done) if c[0] in SYNCS), default=-1)
        late = [i for i in named if i > synced]
        elsewhere = {}
        for i in named:
            name(elsewhere, done[i])
        elsewhere = {p: f for p, f in elsewhere.items() if "/central/" in p}    # of a machine that runs on
        central = set(elsewhere.values())
        for most in range(len(late) + 1):
            names = {}
            for i in named[:len(named) - len(late) + most]:
                name(names, done[i])
            for kept in KEPT:
                names.update(elsewhere)
                text = {f: contents(done, f, "all" if f in central else kept) for f in set(names.values()) if f}
                for part in ("", "/run/"):
                    left = {p: f for p, f in names.items() if not part or part not in p}
                    key = promised, hash(frozenset((p, text.get(f)) for p, f in left.items()))
                    if key not in seen:
                        seen.add(key)
                        yield n, left, text


class Crash:
    """A recorded world, and its states."""

    def __init__(self, o):
        self.t = torture.Torture(o)
        self.folder = o.folder + "/crash"
        self.record = Record(o.folder + "/record")
        self.acknowledged = []  # (changes by then, mark)

    def play(self):
        """Marks of hooks alone and of an agent, ticks, a rotation, a kill."""
        w = World(self.t, self.folder)
        w.sinks("[sink archive]\ndir = {folder}/central\n")
        self.t.env["TORTURE_RECORD"] = self.record.path
        for with_agent in (False, True):
            if with_agent and not w.agent_start():
                raise Wrong("the agent does not start")
            for job in ("a", "b"):
                job += str(int(with_agent))
                self.mark(w, "begin", job)
                w.clean("nodometer", "collect")
                w.clean("nodometer", "rotate")
                self.mark(w, "end", job)
                torture.send_until(w, World.is_central, job, torture.LIMIT)
        w.agent.kill()
        w.agent.wait()
        w.agent = None
        self.mark(w, "begin", "last")
        self.world = w
        del self.t.env["TORTURE_RECORD"]
        self.lines = self.cat()

    def mark(self, w, verb, job):
        w.clean("nodometer", verb, "--strict", "--timeout", "20", job)
        self.acknowledged.append((len(self.record.changes()), f"%{verb} {job}"))

    def files(self):
        host = self.folder + "/archive/node.test"
        return sorted(f"{host}/{n}" for n in os.listdir(host) if n[0].isdigit())

    def cat(self):
        p = subprocess.run([f"{self.t.build}/nodometer-cat", *self.files()], capture_output=True, text=True)
        return p.stdout.splitlines()

    def make(self, names, text):
        for part in PARTS:
            shutil.rmtree(self.folder + part, ignore_errors=True)
        os.mkdir(self.folder + "/archive")
        os.mkdir(self.folder + "/central")
        os.makedirs(self.folder + "/state/node.test")
        made = {}
        for path, file in sorted(names.items(), key=lambda item: item[0].count("/")):
            if file is None:
                os.makedirs(path, exist_ok=True)
            elif file in made:
                os.link(made[file], path)
            else:
                with open(path, "wb") as f:
                    f.write(text[file])
                os.chmod(path, 0o640 if "/archive/" in path else 0o600)
                made[file] = path

    def judge(self, n):
        w = self.world
        w.promised = {mark: (0, 1) for _, mark in self.acknowledged}
        w.promised.update({mark: (1,) for by, mark in self.acknowledged if by <= n})
        w.clean("nodometer", "mark", "next")
        w.promised["%next"] = (1,)
        w.judge_marks()
        p = subprocess.run([f"{self.t.build}/nodometer-check", self.folder + "/archive/node.test/current"],
                           capture_output=True, text=True)
        if p.returncode:
            raise Wrong("check: " + p.stdout + p.stderr)
        read = self.cat()
        lost = [mark for by, mark in self.acknowledged
                if by <= n and not any(f'"mark":"{mark[1:]} ' in line for line in read)]
        if lost:
            raise Wrong(f"no reader has {lost}")
        err = torture.send_until(w, self.is_central, "", torture.LIMIT / 10)
        if not self.is_central(w, ""):
            raise Wrong(f"the central archive has not all marks: {err[-300:]}")
        last = max(map(time_of, self.lines))
        strange = [g for g in read if time_of(g) <= last and g not in self.whole]
        if strange:
            raise Wrong(f"a group that nobody wrote whole: {strange[0]}")

    def is_central(self, w, _mark):
        """Whether the marks that must be there arrived."""
        there, text = self.folder + "/central/node.test", ""
        for name_there in os.listdir(there) if os.path.exists(there) else []:
            with open(f"{there}/{name_there}", errors="replace") as f:
                text += f.read()
        return all(mark + " " in text for mark, times in w.promised.items() if times == (1,))

    def try_all(self, seconds):
        changes = only_below(self.record.changes(), tuple(self.folder + part for part in PARTS))
        self.whole = set(self.lines)
        all_of_them = list(states(changes, {by for by, _ in self.acknowledged}))
        chosen, until, wrong, tried = all_of_them[:], used() + seconds, 0, 0
        if seconds:
            self.t.random.shuffle(chosen)
        for n, names, text in chosen:
            if seconds and used() > until:
                break
            tried += 1
            self.make(names, text)
            try:
                self.judge(n)
            except Wrong as e:
                wrong += 1
                print(f"WRONG after change {n}, {[c for c in changes[:n] if c][-1][0]}: {e}", flush=True)
                for path, file in names.items():
                    print("  ", path[len(self.folder):], file and len(text[file]), flush=True)
        print(f"{sum(c is not None for c in changes)} changes, {tried} of {len(all_of_them)} states, {wrong} wrong, "
              f"{used():.0f} s of processor time")
        return 1 if wrong else 0


def time_of(line):
    return json.loads(line)["time"]


def main():
    o = torture.options()
    print(f"seed {o.seed}", flush=True)
    c = Crash(o)
    c.play()
    return c.try_all(o.seconds)


if __name__ == "__main__":
    sys.exit(main())
