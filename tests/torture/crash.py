#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""crash.py - open the archive in every state that a power failure can leave, and check its marks

    crash.py BUILD SHIM FOLDER [--seconds N] [--seed N]

The shim records the changes that a scenario makes below its folder. The power may fail after any of
them. The model of a file system: changes of names (creations, links, renames, removals) keep their
order, and a sync makes durable all earlier changes of names and the data of its file. Therefore a
state has all names up to some change after the last sync. Data that were not synced are complete or
missing, or their last block is cut in half, all zeros, or zeros in its second half. The runtime
directory is either on the disk or in memory, where it is lost. The sender's cursor is on the disk.
The central archive is on another machine, which does not fail.
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
    """The file to which the shim writes changes: (call, inode, offset, length, data)."""

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
    """Apply a change of names to {path: file, or None for a folder}."""
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
    """Replace changes elsewhere by None. Name a file by its inode and creation, as inodes are reused."""
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
    """Apply a change of data to a file's text. kept: the part that survives, see KEPT."""
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
    """Return a file's data. Synced changes are complete; `kept` applies to the last change after the
    sync or, if it is "none" or "zeros", to all changes after the sync."""
    mine = [c for c in changes if c[1] == file]
    synced = max((i for i, c in enumerate(mine) if c[0] in SYNCS), default=-1)
    text = bytearray()
    for i, c in enumerate(mine):
        last = i == len(mine) - 1 or kept in ("none", "zeros")
        apply(text, c, kept if i > synced and last else "all")
    return bytes(text)


def states(changes, moments):
    """Yield each distinct state: (number of changes before it, {path: file}, {file: contents})."""
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
        elsewhere = {p: f for p, f in elsewhere.items() if "/central/" in p}    # the other machine does not fail
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
    """A recorded scenario, and the states that a crash can leave."""

    def __init__(self, o):
        self.t = torture.Torture(o)
        self.folder = o.folder + "/crash"
        self.record = Record(o.folder + "/record")
        self.acknowledged = []  # (number of changes before the acknowledgement, mark)

    def play(self):
        """Record marks without and with an agent, samples, rotations, and a kill of the agent."""
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
        """Return whether the central archive has all acknowledged marks."""
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
