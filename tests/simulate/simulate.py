#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""simulate.py - a node under a simulated clock: from each seed one history, judged by what was promised

    simulate.py BUILD SHIM FOLDER [--seed N] [--seeds N] [--days N] [--twice N] [--until-wrong]
                                  [--say]

The agent with its writer, hooks, the sender, its receiver and the disk run under the clock of world.c, one at
a time. Jobs begin and end as a scheduler has it, while processes are killed, the wall clock is set, the disk
fills, hangs or loses what was not synced, the receiver goes away and comes back, the configuration changes,
the node boots again. At last all works again, and the archive and the receivers are judged.
"""
import argparse
import bisect
import collections
import ctypes
import heapq
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys

from receiver import BUSY, FORGETFUL, HANGS, REFUSES, Receiver

SLOTS, FILES = 128, 4096
FREE, DONE = 0, 4
SECOND = 1_000_000_000
MINUTE, HOUR, DAY = 60 * SECOND, 3600 * SECOND, 86400 * SECOND
NEVER = (1 << 63) - 1
EPOCH = 1_750_000_000 * SECOND          # wall clock when the history begins
HOOK_MOST = 3 * SECOND                  # longest time of a hook: 2 s, and some tolerance
RSS_MOST = 24 << 20                     # limit of the agent's resident memory, bytes
WAKEUPS_MOST = 5_000                    # limit of a process in an hour: a feed without a file wakes up each second
WAKEUPS_MORE = 20_000                   # added for a hanging disk: wakeups each 250 ms
BACK = 35 * SECOND                      # older writes are on the disk: BACK_NS of world.h
TICK_LATE = 2 * SECOND                  # longest delay of a sample on a busy machine
SETTLE = 40 * MINUTE                    # for the sender's backoff of at most 128 s, and ticks each 10 minutes


# types that need more than a tree of captured files
TYPES_OFF = "".join(f"{name} = off\n" for name in ("proc", "ps", "net", "tcp", "block"))


class Slot(ctypes.Structure):
    _fields_ = [("pid", ctypes.c_int32), ("parent", ctypes.c_int32), ("number", ctypes.c_uint32),
                ("go", ctypes.c_uint32), ("state", ctypes.c_uint32), ("checked", ctypes.c_uint64),
                ("deadline_ns", ctypes.c_int64), ("dies_with_parent", ctypes.c_int32),
                ("in_disk", ctypes.c_int32), ("killed", ctypes.c_int32), ("sleeps", ctypes.c_int32),
                ("status", ctypes.c_int32),
                ("cpu_ns", ctypes.c_int64), ("wakeups", ctypes.c_uint64)]


class File(ctypes.Structure):
    _fields_ = [("inode", ctypes.c_uint64), ("synced", ctypes.c_int64), ("written_ns", ctypes.c_int64)]


class World(ctypes.Structure):
    _fields_ = [("random", ctypes.c_uint64), ("hash", ctypes.c_uint64), ("generation", ctypes.c_uint64),
                ("mono_ns", ctypes.c_int64), ("boot_ns", ctypes.c_int64), ("offset_ns", ctypes.c_int64),
                ("clock_sets", ctypes.c_uint32), ("numbers", ctypes.c_uint32), ("running", ctypes.c_int32), ("reap", ctypes.c_int32),
                ("asker", ctypes.c_int32), ("pause_1_in", ctypes.c_uint32), ("room", ctypes.c_int64),
                ("hangs_until_ns", ctypes.c_int64), ("sync_fails", ctypes.c_uint32),
                ("turns", ctypes.c_uint64), ("slot", Slot * SLOTS), ("file", File * FILES)]


class PollFd(ctypes.Structure):
    _fields_ = [("fd", ctypes.c_int), ("events", ctypes.c_short), ("revents", ctypes.c_short)]


class Wrong(Exception):
    """A promise that was not kept."""


class Process:
    """A process that the driver started."""

    def __init__(self, slot, pid, began, ended):
        self.slot, self.pid, self.began, self.ended, self.status = slot, pid, began, ended, None


class Mark:
    """A mark that a hook requested, and what the hook was told about it."""

    def __init__(self, text, asked):
        self.text, self.asked, self.done, self.status = text, asked, None, None
        self.may_be_lost = False


def library(path):
    lib = ctypes.CDLL(path)
    if ctypes.c_size_t.in_dll(lib, "sim_size").value != ctypes.sizeof(World):
        sys.exit("World of simulate.py is not struct world of world.h")
    lib.sim_create.restype = ctypes.POINTER(World)
    lib.sim_create.argtypes = [ctypes.c_char_p, ctypes.c_uint64]
    lib.sim_wait.argtypes = [ctypes.c_int64, ctypes.POINTER(PollFd), ctypes.c_int]
    return lib


class Node:
    """A history: the node, the events that happen to it, and what was promised."""

    def __init__(self, o, lib, seed):
        self.o, self.lib, self.seed, self.random = o, lib, seed, random.Random(seed)
        self.folder = folder = f"{o.folder}/node"
        shutil.rmtree(folder, ignore_errors=True)
        for name in ("disk/archive", "disk/state/node.test", "central", "kept", "root/proc/sys/kernel/random"):
            os.makedirs(f"{folder}/{name}")
        self.sim = lib.sim_create(f"{folder}/world".encode(), seed).contents
        self.sim.boot_ns, self.sim.offset_ns = -1000 * SECOND, EPOCH
        self.start_ns = self.sim.mono_ns
        self.sim.pause_1_in = self.random.choice((0, 0, 200, 30))
        self.events, self.order, self.processes, self.said = [], 0, {}, []
        self.marks, self.lives, self.excused, self.spans = [], [], [], []
        self.agent = self.sender = None
        self.wanted = {"agent": True, "sender": True}
        self.interval = 600 * SECOND
        self.jobs = self.boots = self.steps = 0
        self.stuck = False              # the disk was full, hung or failed since the boot: samples may wait in memory
        self.healed = NEVER
        self.receiver = Receiver(f"{folder}/receiver", row_of)
        self.boot_id()
        self.configure()

    # the world

    def now(self):
        return self.sim.mono_ns

    def wall(self):
        return self.sim.mono_ns + self.sim.offset_ns

    def say(self, text):
        self.said.append(f"{(self.now() - self.start_ns) / SECOND:12.3f} {self.wall() / SECOND:.3f} {text}")

    def write(self, name, text):
        with open(f"{self.folder}/{name}", "w", encoding="ascii") as f:
            f.write(text)

    def boot_id(self):
        self.boots += 1
        self.write("root/proc/sys/kernel/random/boot_id", f"{self.seed:08x}-0000-4000-8000-{self.boots:012x}\n")
        self.write("root/proc/uptime", f"{self.boots}00.11 9999.22\n")
        self.count()

    def count(self):
        """Write /proc/stat with larger counters."""
        n = (self.now() - self.start_ns) // (SECOND // 100)
        self.write("root/proc/stat", f"cpu0 {n} 2 3 4\ncpu  {n} 2 3 4\n")

    def configure(self):
        folder = self.folder
        self.write("conf", f"[types]\n{TYPES_OFF}[agent]\ndir = {folder}/disk/archive\nruntime-dir = {folder}/run\n"
                   f"hostname = node.test\njob-file =\ninterval = {self.interval // SECOND}s\nfree-floor = 64K\n"
                   f"confine = no\nbpf = no\njob-cgroups = no\n[send]\nstate-dir = {folder}/disk/state\n"
                   f"[sink archive]\ndir = {folder}/central\n[sink http]\nurl = http://127.0.0.1:9/x\n"
                   "compress = no\nformat = jsonl\nrate = 100000\n")
        self.spans.append((self.now(), self.sim.offset_ns, self.interval))

    def at(self, delay, act, *argument):
        self.order += 1
        heapq.heappush(self.events, (self.now() + int(delay), self.order, act, argument))

    def start(self, program, *argument, ended):
        slot = self.lib.sim_new_slot(0)
        env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC", "LD_PRELOAD": self.o.shim, "SIM_SLOT": str(slot),
               "SIM_WORLD": f"{self.folder}/world", "SIM_DISK": f"{self.folder}/disk/",
               "SIM_ROOT": f"{self.folder}/root", "SIM_RECEIVER": f"{self.folder}/receiver"}
        log = f"{self.folder}/{program}.log"
        how = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        actions = [(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, log, how, 0o600),
                   (os.POSIX_SPAWN_DUP2, 1, 2)]
        pid = os.posix_spawn(f"{self.o.build}/{program}",
                             [program, "--config", f"{self.folder}/conf", *argument], env, file_actions=actions)
        self.sim.slot[slot].pid = pid
        p = self.processes[slot] = Process(slot, pid, self.now(), ended)
        return p

    def bury(self):
        for i in range(1, SLOTS):
            if self.sim.slot[i].state != DONE:
                continue
            status = os.waitstatus_to_exitcode(self.sim.slot[i].status)
            p = self.processes.pop(i, None)
            if p:
                self.judge_wakeups(p, self.sim.slot[i])
            self.sim.slot[i].state = FREE
            if p:
                p.status = status
                p.ended(p)

    def judge_wakeups(self, p, slot):
        hours = (self.now() - p.began) / HOUR
        if slot.wakeups > WAKEUPS_MOST * hours + WAKEUPS_MORE:
            raise Wrong(f"slot {p.slot} woke up {slot.wakeups} times in {hours:.2f} hours")

    def wait(self, until):
        """Run events and processes until this time."""
        while True:
            due = min(until, self.events[0][0]) if self.events else until
            if self.now() >= due:
                if not self.events or self.events[0][0] > self.now():
                    return
                _, _, act, argument = heapq.heappop(self.events)
                act(*argument)
                continue
            watched = self.receiver.watched()
            polled = (PollFd * len(watched))(*[PollFd(fd, events, 0) for fd, events in watched])
            what = self.lib.sim_wait(due, polled, len(watched))
            if what == 2:
                self.bury()
            elif what == 1:
                self.receiver.serve([p.fd for p in polled if p.revents])

    # what the node runs

    def start_agent(self):
        if self.agent or not self.wanted["agent"]:
            return
        self.say("agent starts")
        self.agent = self.start("nodometerd", "--foreground", ended=self.agent_ended)
        self.agent.sync_failed = self.sim.sync_fails > 0    # the agent may then fail to start, and systemd tries again
        self.lives.append([self.now(), NEVER])

    def agent_ended(self, p):
        self.say(f"agent ends: {p.status}")
        self.agent = None
        self.lives[-1][1] = self.now()
        if p.status not in (0, -signal.SIGKILL) and not (p.status == 1 and p.sync_failed):
            raise Wrong(f"the agent ends with {p.status}")
        self.at(self.random.choice((SECOND // 10, 2 * SECOND, 60 * SECOND)), self.start_agent)

    def start_sender(self):
        if self.sender or not self.wanted["sender"]:
            return
        self.say("sender starts")
        self.sender = self.start("nodometer-send", ended=self.sender_ended)

    def sender_ended(self, p):
        self.say(f"sender ends: {p.status}")
        self.sender = None
        if p.status not in (0, -signal.SIGKILL, -signal.SIGTERM):
            raise Wrong(f"the sender ends with {p.status}")
        self.at(self.random.choice((SECOND, 10 * SECOND, 5 * MINUTE)), self.start_sender)

    def hook(self, verb, job):
        mark = Mark(f"%{verb} {job}" if verb != "mark" else f"%{job}", self.now())
        strict = ["--strict"] if verb != "mark" else []

        def ended(p):
            mark.done, mark.status = self.now(), p.status
            if verb == "mark" and p.status == 0:
                mark.status = 3         # without --strict, the mark may also wait
            if p.status < 0:
                self.say(f"{mark.text}: killed")
            elif self.now() - mark.asked > HOOK_MOST:
                raise Wrong(f"{mark.text} took {(self.now() - mark.asked) / SECOND} s")
            elif p.status not in (0, 1, 2, 3):
                raise Wrong(f"{mark.text}: status {p.status}")
            else:
                self.say(f"{mark.text}: {p.status}")
        self.marks.append(mark)
        self.say(f"{mark.text} is asked")
        return self.start_front(verb, *strict, job, ended=ended)

    def start_front(self, verb, *argument, ended):
        return self.start("nodometer", verb, *argument, ended=ended)

    # what happens

    def jobs_come(self):
        """Let a scheduler start a job, or a few at once."""
        for _ in range(self.random.choice((1, 1, 1, 2, 5))):
            self.jobs += 1
            job = f"{self.jobs}"
            length = self.random.choice((20 * SECOND, 10 * MINUTE, HOUR, 5 * HOUR)) * (0.1 + self.random.random())
            self.at(0, self.hook, "begin", job)
            self.at(length, self.hook, "end", job)
            if self.random.random() < 0.2:
                self.at(length / 2, self.hook, "mark", f"half-{job}")
        self.count()
        self.at(self.random.expovariate(1 / HOUR), self.jobs_come)

    def children_of(self, p):
        return [i for i in range(1, SLOTS) if self.sim.slot[i].state in (1, 2, 3) and self.sim.slot[i].parent == p.slot]

    def kill_one(self):
        """Kill the agent, its writer, the sender, one of its feeds, or a hook."""
        parents = [p for p in (self.agent, self.sender) if p]
        candidates = [p.slot for p in self.processes.values()] + [c for p in parents for c in self.children_of(p)]
        if candidates:
            self.kill(self.random.choice(sorted(set(candidates))))

    def kill(self, slot):
        self.say(f"kill {self.sim.slot[slot].number}")
        self.lib.sim_die(slot)
        self.bury()

    def strike(self):
        """Start jobs, and kill a process while it makes or writes their marks."""
        for n in range(self.random.choice((1, 3))):
            self.jobs += 1
            self.at(0, self.hook, "begin", f"{self.jobs}")
        for n in range(self.random.choice((1, 2))):
            self.at(self.random.uniform(0, 12_000_000), self.kill_one)

    def power_after_writes(self):
        """Let the power fail soon after a sample or after marks, perhaps soon after a new file began."""
        delay = self.interval - self.wall() % self.interval
        if self.random.random() < 0.5:
            delay = SECOND
            for n in range(self.random.choice((1, 2))):
                self.jobs += 1
                self.at(delay, self.hook, "begin", f"{self.jobs}")
        if self.random.random() < 0.4:
            self.reload()
        after = self.random.choice((SECOND // 50, SECOND // 5, 10 * SECOND))
        self.at(delay + self.random.uniform(0, after), self.fail_power)

    def kill_while_stuck(self):
        """Kill the agent while samples wait in memory for the disk."""
        self.random.choice((self.full, self.hang))()
        self.at(self.random.uniform(0, 20 * MINUTE), self.kill_agent)

    def kill_agent(self):
        if self.agent:
            self.kill(self.agent.slot)

    def signal(self, p, number):
        os.kill(p.pid, number)
        self.lib.sim_wake(p.slot)

    def reload(self):
        self.interval = self.random.choice((120, 600, 600, 900)) * SECOND
        self.configure()
        self.say(f"reload, interval {self.interval // SECOND} s")
        for p in (self.agent, self.sender):
            if p and self.now() - p.began > 5 * SECOND:     # the process has set its handler by then
                self.signal(p, signal.SIGHUP)

    def step(self):
        by = self.random.choice((-1, 1)) * self.random.choice((SECOND // 2, SECOND, 90 * SECOND, HOUR, DAY))
        self.set_clock(by)

    def set_clock(self, by):
        self.say(f"the clock is set by {by / SECOND} s")
        self.steps += 1
        self.sim.offset_ns += by
        self.sim.clock_sets += 1
        self.spans.append((self.now(), self.sim.offset_ns, self.interval))

    def leap(self):
        """Insert a leap second: the kernel repeats second 59 in place of second 60."""
        self.at(DAY - self.wall() % DAY, self.set_clock, -SECOND)

    def full(self):
        self.stuck = True
        self.sim.room = self.random.choice((0, 1000, 20000))
        self.say(f"the disk has {self.sim.room} bytes")
        self.keep()
        self.at(self.random.choice((MINUTE, HOUR, 5 * HOUR)), self.room)

    def room(self):
        self.say("the disk has room")
        self.sim.room = -1

    def keep(self):
        """Copy the files of the archive, because the agent may remove them on a full disk."""
        host = f"{self.folder}/disk/archive/node.test"
        for path in self.files(host) if os.path.exists(host) else []:
            shutil.copy2(path, f"{self.folder}/kept/")
        if self.sim.room >= 0:
            self.at(MINUTE, self.keep)

    def hang(self):
        until = self.now() + int(self.random.choice((SECOND // 3, 2 * SECOND, MINUTE, 10 * MINUTE)))
        self.stuck = True
        self.sim.hangs_until_ns = until
        self.say(f"the disk hangs for {(self.sim.hangs_until_ns - self.now()) / SECOND} s")

    def sync_fails(self):
        self.stuck = True
        self.sim.sync_fails = self.random.choice((1, 2, 5))
        self.say(f"{self.sim.sync_fails} syncs fail")

    def receiver_changes(self):
        how = self.random.choice((REFUSES, BUSY, FORGETFUL, HANGS))
        self.say(f"the receiver {how}")
        self.receiver.change(how)
        self.at(self.random.choice((MINUTE, HOUR, 5 * HOUR)), self.receiver.mend)

    def end_all(self):
        for i in range(1, SLOTS):
            self.sim.slot[i].in_disk = 0
            if self.sim.slot[i].state in (1, 2, 3):
                self.lib.sim_die(i)

    def fail_power(self):
        """Let the power fail: files lose what was not synced, and processes lose their memory."""
        self.say("the power fails")
        self.end_all()
        self.bury()
        self.excused.append((self.now() - BACK, self.now()))    # ticks between these may be missing
        self.lose_unsynced()
        if self.stuck:
            self.excused += [(at, at) for at, _ in self.missing(self.cat(self.all_files()))]
        self.sim.hangs_until_ns = 0
        self.boot()

    def boot(self):
        shutil.rmtree(f"{self.folder}/run", ignore_errors=True)
        self.sim.boot_ns = self.now() - 20 * SECOND
        for mark in self.marks:
            mark.may_be_lost |= mark.status != 0
        self.stuck = self.sim.room >= 0 or self.sim.sync_fails > 0
        self.boot_id()
        self.say("the node boots")

    def lose_unsynced(self):
        known = {f.inode: f for f in self.sim.file if f.inode}
        for top, _, names in sorted(os.walk(f"{self.folder}/disk")):
            for name in sorted(names):
                st = os.lstat(f"{top}/{name}")
                f = known.get(st.st_ino)
                if f is None or f.synced >= st.st_size or self.now() - f.written_ns > BACK:
                    continue
                left = self.random.randint(f.synced, st.st_size)
                self.say(f"of {name} {left} of {st.st_size} bytes are left, {f.synced} were synced")
                os.truncate(f"{top}/{name}", left)
                f.synced = left
                if self.random.random() < 0.3:      # append zeros, as blocks that were not written
                    os.truncate(f"{top}/{name}", st.st_size)

    def disasters(self):
        act, weight = zip(*self.chances())
        self.random.choices(act, weight)[0]()
        self.at(self.random.expovariate(1 / (HOUR if self.o.days else HOUR // 2)), self.disasters)

    def chances(self):
        return ((self.kill_one, 4), (self.strike, 4), (self.reload, 1), (self.step, 1), (self.leap, 0.3),
                (self.full, 1), (self.hang, 2), (self.sync_fails, 1), (self.receiver_changes, 2), (self.fail_power, 1),
                (self.power_after_writes, 3), (self.kill_while_stuck, 2))

    # the history, and the checks of what was promised

    def run(self, days):
        self.start_agent()
        self.wait(self.now() + 2 * SECOND)
        self.start_sender()
        self.wait(self.now() + 10 * SECOND)
        self.hook("mark", "first")
        self.wait(self.now() + 10 * SECOND)
        self.at(0, self.jobs_come)
        self.at(HOUR // 3, self.disasters)
        self.wait(self.now() + int(days * DAY))
        self.heal()

    def heal(self):
        """Repair everything, and then end all processes."""
        self.healed = self.now()
        self.say("heal")
        self.events = [e for e in self.events if e[2] in (self.start_agent, self.start_sender)]
        heapq.heapify(self.events)
        self.receiver.mend()
        self.room()
        self.sim.hangs_until_ns = self.sim.sync_fails = 0
        self.wait(self.now() + 2 * MINUTE)
        self.hook("mark", "last")
        self.wait(self.now() + SETTLE)
        self.rss = self.memory(self.agent.pid)
        self.status = self.ask_status()
        self.wanted = {"agent": False, "sender": False}
        for p in (self.sender, self.agent):
            self.signal(p, signal.SIGTERM)
        self.wait(self.now() + 30 * SECOND)
        if self.agent or self.sender or self.processes:
            raise Wrong(f"still there: {self.agent} {self.sender} {self.processes}")

    def memory(self, pid):
        with open(f"/proc/{pid}/statm", encoding="ascii") as f:
            return int(f.read().split()[1]) * resource.getpagesize()

    def ask_status(self):
        before = os.path.getsize(f"{self.folder}/nodometer.log") if os.path.exists(f"{self.folder}/nodometer.log") else 0
        self.start_front("status", "--json", ended=lambda p: None)
        self.wait(self.now() + 5 * SECOND)
        with open(f"{self.folder}/nodometer.log", "rb") as f:
            f.seek(before)
            return json.loads(f.read().decode().splitlines()[-1])

    def files(self, folder):
        return sorted((f"{folder}/{n}" for n in os.listdir(folder) if re.fullmatch(r"\d+(\.zst)?", n)), key=epoch_of)

    def cat(self, files):
        p = subprocess.run([f"{self.o.build}/nodometer-cat", *files], capture_output=True, text=True)
        return p.stdout.splitlines()

    def all_files(self):
        """Return the archive's files and those that the agent removed on a full disk, in order of time."""
        host = self.files(f"{self.folder}/disk/archive/node.test")
        there = {epoch_of(path) for path in host}
        kept = {epoch_of(path): path for path in self.files(f"{self.folder}/kept") if epoch_of(path) not in there}
        return sorted(host + list(kept.values()), key=epoch_of)

    def judge(self):
        files = self.all_files()
        p = subprocess.run([f"{self.o.build}/nodometer-check", *files], capture_output=True, text=True)
        if p.returncode:
            raise Wrong("check: " + p.stdout[-800:] + p.stderr)
        lines = self.cat(files)
        self.judge_marks(lines)
        self.judge_ticks(lines)
        self.judge_sinks(lines)
        if self.rss > RSS_MOST:
            raise Wrong(f"the agent has {self.rss} bytes")

    def judge_marks(self, lines):
        places = collections.defaultdict(list)
        for n, line in enumerate(lines):
            for text in re.findall(r'"mark":"((?:begin |end )?[^ "]+)', line):
                places["%" + text].append(n)
        last = -1
        for mark in sorted(self.marks, key=lambda m: m.asked):
            found = places[mark.text]
            sure = mark.status == 0 or (mark.status == 3 and not mark.may_be_lost)
            if len(found) > 1 or (sure and not found):
                raise Wrong(f"{mark.text} is there {len(found)} times, its hook ended with {mark.status}")
        if self.steps:
            return
        sure = [m for m in self.marks if m.status == 0]
        for mark in sorted(sure, key=lambda m: m.asked):
            for earlier in sure:
                if earlier.done < mark.asked and places[earlier.text][0] > places[mark.text][0]:
                    raise Wrong(f"{mark.text} comes before {earlier.text}")

    def ticks(self):
        """Yield (monotonic, wall) times of all ticks during which an agent ran."""
        spans = self.spans + [(NEVER, 0, 0)]
        for began, ended in self.lives:
            for (first, offset, interval), (end, _, _) in zip(spans, spans[1:]):
                least = max(began + 10 * SECOND, first + 5 * SECOND) + offset
                most = min(ended, end, self.healed, self.now()) - TICK_LATE + offset
                for tick in range(least + -least % interval, most, interval):
                    if not any(a <= tick - offset <= b for a, b in self.excused):
                        yield tick - offset, tick

    def missing(self, lines):
        """Return (monotonic, wall) times of the ticks without a sample."""
        times = sorted(time_of(line) for line in lines) + [NEVER]
        return [(at, tick) for at, tick in self.ticks() if times[bisect.bisect_left(times, tick)] > tick + TICK_LATE]

    def judge_ticks(self, lines):
        missing = self.missing(lines)
        if missing:
            at, tick = missing[0]
            raise Wrong(f"{len(missing)} samples are missing, the first of {tick // SECOND}, "
                        f"{(at - self.start_ns) / SECOND} s after the begin")

    def judge_sinks(self, lines):
        """Check that each row and mark since a sink's first one has arrived, except those that the
        sender reported as lost."""
        begin = next(i for i, line in enumerate(lines) if '"mark":"first' in line)
        missing = self.not_among(self.receiver.rows, lines[begin:], self.said_lost("http"))
        if missing:
            raise Wrong(f"{len(missing)} records are not at the receiver: {missing[0][:300]}")
        central = set(map(row_of, self.cat(self.files(f"{self.folder}/central/node.test"))))
        missing = self.not_among(central, lines[begin:], self.said_lost("archive"))
        if missing:
            raise Wrong(f"{len(missing)} records are not in the central archive: {missing[0][:300]}")

    def not_among(self, rows, lines, excused):
        """Return the lines whose rows are neither in rows nor excused. After the clock was set, files are
        read in another order, so a row may lack counters that went back."""
        left_out = collections.defaultdict(list)
        for row in rows if self.steps else ():
            left_out[row[:-1]].append(set(row[-1]))
        return [line for line in lines for row in [row_of(line)] if row not in rows and row not in excused and
                not any(values <= set(row[-1]) for values in left_out[row[:-1]])]

    def said_lost(self, sink):
        """Return the rows that the sender reported as lost: the agent removed their files on a full disk
        before this sink had them."""
        with open(f"{self.folder}/nodometer-send.log", encoding="ascii", errors="replace") as f:
            spans = re.findall(rf"\[sink {sink}\] file (\d+) was removed before .* to (\d+|now) are lost", f.read())
        there = set(map(epoch_of, self.files(f"{self.folder}/disk/archive/node.test")))
        removed = [path for path in self.files(f"{self.folder}/kept") if epoch_of(path) not in there and
                   any(int(a) <= epoch_of(path) and (b == "now" or epoch_of(path) < int(b)) for a, b in spans)]
        return set(map(row_of, self.cat(removed)))


def epoch_of(path):
    return int(re.search(r"(\d+)(?:\.zst)?$", path)[1])


def row_of(line):
    """Return time, type, device, mark and values of a line of JSON from nodometer-cat or a sink."""
    row = json.loads(line)
    values = row.get("values") or dict(zip(row.get("key", ()), row.get("value", ())))
    return row["time"], row.get("type"), row.get("device"), row.get("mark"), tuple(sorted(values.items()))


def time_of(line):
    seconds, _, rest = re.search(r'"time":([\d.]+)', line)[1].partition(".")
    return int(seconds) * SECOND + int((rest + "000000000")[:9])


def used():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def live(o, lib, seed):
    """Run one history. Returns its hash, or what is wrong."""
    node = Node(o, lib, seed)
    try:
        node.run(o.days or node.random.uniform(0.05, 0.3))
        node.judge()
        wrong = None
    except Wrong as e:
        wrong = e
    finally:
        node.end_all()
    node.receiver.close()
    node.simulated = node.now() - node.start_ns
    return node, wrong


def options():
    a = argparse.ArgumentParser()
    a.add_argument("build")
    a.add_argument("shim")
    a.add_argument("folder")
    a.add_argument("--seed", type=int, default=1, help="the first one")
    a.add_argument("--seeds", type=int, default=1, help="how many")
    a.add_argument("--days", type=float, default=0, help="how long each is; by default the seed says")
    a.add_argument("--twice", type=int, default=0, help="so many of them twice: each history must be the same")
    a.add_argument("--until-wrong", action="store_true", help="end with the first that is wrong")
    a.add_argument("--say", action="store_true", help="print what happens")
    o = a.parse_args()
    o.build, o.shim, o.folder = (os.path.abspath(p) for p in (o.build, o.shim, o.folder))
    return o


def main():
    o = options()
    lib, wrong, simulated = library(o.shim), 0, 0
    for seed in range(o.seed, o.seed + o.seeds):
        node, why = live(o, lib, seed)
        simulated += node.simulated
        if o.say:
            print("\n".join(node.said))
        if why:
            wrong += 1
            print(f"WRONG seed {seed}, history {node.sim.hash:016x}: {why}", flush=True)
        if seed < o.seed + o.twice:
            first = node.sim.hash
            again, _ = live(o, lib, seed)
            if again.sim.hash != first:
                wrong += 1
                print(f"WRONG seed {seed}: {first:016x}, then {again.sim.hash:016x}", flush=True)
        elif o.say:
            print(f"seed {seed}: {node.sim.hash:016x}, {node.simulated / DAY:.2f} days")
        if o.until_wrong and wrong:
            break
    print(f"{seed - o.seed + 1} histories, {simulated / DAY:.0f} days, {wrong} wrong, {used():.0f} s of processor time, "
          f"{simulated / DAY / 30 / (used() / 60):.1f} months in a minute of it")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
