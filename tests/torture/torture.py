#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""torture.py - fail every call that can fail, in every way, and check that no data are lost

    torture.py BUILD SHIM FOLDER [--seconds N] [--seed N] [SCENARIO...]

Run each scenario once to count its calls (shim.c). Each case repeats the scenario with one failure:
one call site, the nth call there, and an error of calls.inc, a short result or a kill. The results
are then checked. With --seconds, run only cases drawn at random by the seed, for N seconds of CPU
time.
"""
import argparse
import collections
import errno
import filecmp
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time

from receivers import Amqp, Keeper, Post, Stomp

HERE = os.path.dirname(os.path.abspath(__file__))
PLACES, HEAD, WATCH, SEEN, SHORT, KILL = 4096, "=QIiII", "=ii", "=QII", -1, -2
LIMIT = 60              # seconds, after which a process counts as hanging
SOON = 0.3              # seconds to wait for a sender in which a call fails
CASES_OF_A_WORLD = 60   # number of cases after which a new archive is made
CALLS = re.findall(r'^CALL\((\w+), +(\w+), +(\w+), +"([A-Z0-9 ]+)"\)', open(HERE + "/calls.inc").read(), re.M)


class Wrong(Exception):
    """A check that failed: data are lost, or a process hangs or ends wrongly."""


class Control:
    """The file of struct control (shim.c), which the shim and this program share."""

    def __init__(self, path):
        self.path = path
        with open(path, "wb") as f:
            f.truncate(struct.calcsize(HEAD + WATCH[1:]) + PLACES * struct.calcsize(SEEN))
        self.f, self.ever = open(path, "r+b", buffering=0), 0

    def set(self, place=0, nth=0, what=0):
        self.ever |= self.fired()
        os.pwrite(self.f.fileno(), struct.pack(HEAD, place, nth, what, 0, 0), 0)

    def fired(self):
        return struct.unpack(HEAD, os.pread(self.f.fileno(), struct.calcsize(HEAD), 0))[4]

    def watch(self, pid):
        os.pwrite(self.f.fileno(), struct.pack(WATCH, pid, 0), struct.calcsize(HEAD))

    def blocks(self):
        """Return how many blocks the watched process has allocated and not freed since watch()."""
        return struct.unpack(WATCH, os.pread(self.f.fileno(), struct.calcsize(WATCH), struct.calcsize(HEAD)))[1]

    def seen(self):
        """Return {call site: (name of the call, number of calls)}."""
        data = os.pread(self.f.fileno(), PLACES * struct.calcsize(SEEN), struct.calcsize(HEAD + WATCH[1:]))
        return {p: (CALLS[c][0], n) for p, c, n in struct.iter_unpack(SEEN, data) if p}

    def forget(self):
        self.set(0)
        os.pwrite(self.f.fileno(), bytes(PLACES * struct.calcsize(SEEN)), struct.calcsize(HEAD + WATCH[1:]))


class World:
    """A node: its configuration, archive, agent if one runs, and the marks that it acknowledged."""

    def __init__(self, t, folder):
        self.t, self.folder = t, folder
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder + "/root/proc")
        os.mkdir(folder + "/archive")
        self.write("root/proc/stat", "cpu0 1 2 3 4\ncpu  1 2 3 4\n")
        self.write("root/proc/uptime", "5000.11 9999.22\n")
        self.write("conf", f"[types]\nproc = off\n[agent]\ndir = {folder}/archive\nruntime-dir = {folder}/run\n"
                   "hostname = node.test\njob-file =\ninterval = 24h\nfree-floor = 0\ncompress = no\n"
                   f"job-cgroups = no\n[send]\nstate-dir = {folder}/state\n")
        os.mkdir(folder + "/central")
        for keeper in t.keepers.values():
            keeper.taken = b""
        self.agent, self.jobs, self.old, self.due, self.reports = None, 0, [], [], 0
        self.host, self.expected = folder + "/archive/node.test", None
        self.promised = {}      # mark: numbers of times that it may be in the archive

    def write(self, name, text):
        with open(f"{self.folder}/{name}", "w") as f:
            f.write(text)

    def start(self, *argument):
        env = dict(self.t.env, LD_PRELOAD=self.t.shim, TORTURE=self.t.control.path)
        node = []       # with --root, a command does not ask the agent
        if argument[0] in ("nodometer", "nodometer-send"):
            node = ["--config", self.folder + "/conf"] + ([] if self.agent else ["--root", self.folder + "/root"])
        return subprocess.Popen([f"{self.t.build}/{argument[0]}", *node, *argument[1:]], env=env,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, *argument, fault=None):
        """Run a command with this failure. Return its exit status and standard error."""
        self.t.control.set(*(fault or (1, 0, 0)))
        p = self.start(*argument)
        try:
            self.out, err = p.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            p.kill()
            p.communicate()
            raise Wrong(f"{' '.join(argument)} hangs")
        return p.returncode, err.decode(errors="replace")

    def clean(self, *argument):
        status, err = self.run(*argument)
        if status:
            raise Wrong(f"afterwards {' '.join(argument)}: status {status}: {err}")

    def promise(self, mark, status, err):
        """Note from the status of a --strict command how often its mark may be in the archive."""
        self.may_end(status, err)
        self.promised[mark] = (1,) if status in (0, 3) else (0, 1)

    def may_end(self, status, err):
        if status not in (0, 1, 2, 3, *self.t.deaths):
            raise Wrong(f"status {status}: {err}")
        if status > 0 and not err.strip():
            raise Wrong(f"status {status}, and nothing is said")

    def readers(self):
        """Return the sorted lines that nodometer cat reads from the archive."""
        self.clean("nodometer-cat", *(f"{self.host}/{n}" for n in os.listdir(self.host) if n[0].isdigit()))
        return sorted(set(self.out.splitlines()))

    def sinks(self, text):
        text = text.format(folder=self.folder, **{name: k.port for name, k in self.t.keepers.items()})
        self.write("password", "secret\n")
        os.chmod(self.folder + "/password", 0o600)
        os.makedirs(self.folder + "/state/node.test", exist_ok=True)
        with open(self.folder + "/conf", "r+") as f:
            if text not in f.read():
                f.write(text)

    def must_be(self, before, who):
        now = self.readers()
        if now != before:
            raise Wrong(f"{who} had {len(before)} lines, now {len(now)}: {sorted(set(before) ^ set(now))[:3]}")

    def is_central(self, _mark):
        there = self.folder + "/central/node.test"
        return all(os.path.exists(f"{there}/{n}") and filecmp.cmp(f"{self.host}/{n}", f"{there}/{n}", False)
                   for n in os.listdir(self.host) if n.isdigit())

    @staticmethod
    def is_taken(keeper):
        return lambda w, mark: f'"{mark} '.encode() in w.t.keepers[keeper].taken

    @staticmethod
    def is_read_by(sink):
        """Judge by the sink's cursor, because nothing here receives its packets or reads its page."""
        def is_read(w, _mark):
            path = f"{w.folder}/state/node.test/{sink}"
            if not os.path.exists(path):
                return False
            with open(path) as f:
                words = f.read().split()
            at = dict(zip(words[3::2], words[4::2]))
            current = w.host + "/current"
            return at.get("offset") == str(os.path.getsize(current)) and \
                os.path.samefile(current, f"{w.host}/{at['file']}")
        return is_read

    def agent_start(self, fault=None):
        """Start the agent. Return False if it has ended, which is allowed with a fault."""
        self.due = self.old
        path = self.folder + "/ready"
        if os.path.exists(path):
            os.unlink(path)
        ready = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        ready.bind(path)
        ready.settimeout(0.05)
        self.t.control.set(*(fault or (1, 0, 0)))
        env = dict(self.t.env, LD_PRELOAD=self.t.shim, TORTURE=self.t.control.path, NOTIFY_SOCKET=path)
        with open(self.folder + "/log", "ab") as log:
            self.agent = subprocess.Popen([f"{self.t.build}/nodometerd", "--foreground", "--config",
                                           self.folder + "/conf", "--root", self.folder + "/root"], env=env,
                                          stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.t.control.watch(self.agent.pid)
        for _ in range(LIMIT * 20):
            try:
                if b"READY=1" in ready.recv(4096):
                    break
            except socket.timeout:
                if self.agent.poll() is not None:
                    break
                if fault and self.t.control.fired() and self.run_status():
                    break
        else:
            raise Wrong("the agent neither starts nor ends")
        ready.close()
        return self.agent.poll() is None

    def run_status(self):
        """Return whether the agent answers, because the failing call may be the notification."""
        p = subprocess.run([f"{self.t.build}/nodometer", "--config", self.folder + "/conf", "status"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.t.env)
        return p.returncode == 0

    def agent_end(self):
        if self.agent and self.agent.poll() is None:
            self.agent.terminate()
            try:
                self.agent.wait(LIMIT)
            except subprocess.TimeoutExpired:
                self.agent.kill()
                self.agent.wait()
                raise Wrong("the agent does not end")
        status = self.agent.returncode if self.agent else 0
        self.agent = None
        return status

    def agent_is_dead(self):
        """Return whether no agent runs. It may die only of the kill or of a failed allocation."""
        if self.agent is None or self.agent.poll() is None:
            return self.agent is None
        if self.agent.returncode not in self.t.deaths:
            raise Wrong(f"the agent ends with {self.agent.returncode}: {self.said()}")
        return True

    def agent_again(self):
        if self.agent_is_dead() and not self.agent_start():
            raise Wrong("the next agent does not start: " + self.said())

    def said(self):
        with open(self.folder + "/log", errors="replace") as f:
            return f.read()[-600:]

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.agent.pid}/fd"))

    def judge_marks(self):
        """Check that each mark is in the archive as often as allowed. Return the files."""
        folder = self.folder + "/archive/node.test"
        files = sorted(f"{folder}/{name}" for name in os.listdir(folder) if name[0].isdigit())
        found = collections.Counter()
        for name in files:
            with open(name, errors="replace") as f:
                found.update(re.match(r"%(?:(?:begin|end) )?\S+", line)[0] for line in f if line[0] == "%")
        for mark, allowed in self.promised.items():
            if found[mark] not in allowed:
                raise Wrong(f"{mark} stands {found[mark]} times, not {allowed}")
        return files

    def judge(self):
        files = self.judge_marks()
        p = subprocess.run([f"{self.t.build}/nodometer-check", *files], capture_output=True, text=True)
        if p.returncode:
            raise Wrong("check: " + "".join(re.findall(r"^.*: .*(?:defect|:\d+:).*$", p.stdout, re.M)[:3]) + p.stderr)
        self.judge_spool()

    def judge_spool(self):
        """Check that no mark waits, and that the agent removed old temporary files when it started."""
        left = os.listdir(self.folder + "/run/marks")
        wrong = [n for n in left if n not in ("lock", "groups") and (not n.endswith("~") or n in self.due)]
        if wrong:
            raise Wrong(f"marks are left that nobody writes: {wrong}")
        self.old = [n for n in left if n.endswith("~")]
        for name in self.old:   # make the temporary file look old
            os.utime(f"{self.folder}/run/marks/{name}", (0, 0))

    def job(self):
        self.jobs += 1
        return f"j{self.jobs}"


def hook_begin(w, fault):
    job = w.job()
    w.promise("%begin " + job, *w.run("nodometer", "begin", "--strict", job, fault=fault))
    end_and_judge(w, job)


def hook_end(w, fault):
    job = w.job()
    w.clean("nodometer", "begin", "--strict", job)
    w.promise("%begin " + job, 0, "")
    w.promise("%end " + job, *w.run("nodometer", "end", "--strict", job, fault=fault))
    w.clean("nodometer", "mark", "after-" + job)
    w.promise("%after-" + job, 0, "")
    w.judge()


def end_and_judge(w, job):
    w.clean("nodometer", "end", "--strict", "--timeout", "20", job)
    w.promise("%end " + job, 0, "")
    w.judge()


def with_agent(act):
    """Make a scenario of an act with an agent, which survives or is started again."""
    def once(w, fault):
        act(w, fault)
        w.agent_again()
        job = w.job()
        w.clean("nodometer", "begin", "--strict", "--timeout", "20", job)
        w.promise("%begin " + job, 0, "")
        w.agent_again()
        end_and_judge(w, job)
        return w.agent.pid, w.descriptors(), w.t.control.blocks()

    def run(w, fault):
        if w.agent is None:
            w.agent_again()
            w.has = once(w, None)
        before, after = w.has, once(w, fault)
        for _ in range(3):      # a leak grows every time; a new timer is counted once
            if after[0] != before[0] or (after[1] <= before[1] and after[2] <= before[2]):
                break
            before, after = after, once(w, fault)
        else:
            raise Wrong(f"(process, descriptors, blocks of memory) of the agent: {before}, then {after}")
        w.has = after
    return run


def agent_verb(*verb):
    def act(w, fault):
        w.run("nodometer", *verb, fault=fault)
    return with_agent(act)


def agent_begins(w, fault):
    job = w.job()
    w.promise("%begin " + job, *w.run("nodometer", "begin", "--strict", job, fault=fault))
    w.clean("nodometer", "end", "--strict", "--timeout", "20", job)
    w.promise("%end " + job, 0, "")


def agent_ends(w, fault):
    job = w.job()
    w.clean("nodometer", "begin", "--strict", job)
    w.promise("%begin " + job, 0, "")
    w.promise("%end " + job, *w.run("nodometer", "end", "--strict", job, fault=fault))
    if w.promised["%end " + job] == (0, 1):     # the failed end may have left the job running
        w.clean("nodometer", "end", "--strict", "--timeout", "20", job)
        w.promised["%end " + job] = (1, 2)


def start_after_kill(w, fault):
    """Start the agent after a kill that left a running job and a request in the spool."""
    job = w.job()
    w.clean("nodometer", "begin", "--strict", job)
    w.promise("%begin " + job, 0, "")
    w.jobs += 1
    w.write(f"run/marks/{w.jobs:019d}.1.1.mark", f"begin left{w.jobs} request={w.jobs}.1")
    w.promised[f"%begin left{w.jobs}"] = (1,)
    alive = w.agent_start(fault)
    if not alive and w.agent.returncode not in (1, 2, *w.t.deaths):
        raise Wrong(f"the agent ends with {w.agent.returncode}: {w.said()}")
    if not alive and not w.agent_start():
        raise Wrong("the next agent does not start: " + w.said())
    end_and_judge(w, job)
    status = w.agent_end()
    if status not in (0, *w.t.deaths):
        raise Wrong(f"the agent ends with {status}")


def job_of(w, packed):
    """Record a job in a rotated file, and compress the file if packed. Return the job's id."""
    job = w.job()
    for argument in (("begin", "--strict", job), ("collect",), ("end", "--strict", job), ("rotate",)):
        w.clean("nodometer", *argument)
    if packed:
        w.clean("nodometer-tidy", "--compress", w.host)
    return job


def pack(w, fault):
    """Compress a file. Readers must see each record once, whatever files the failure leaves."""
    job = job_of(w, False)
    before = w.readers()
    status, err = w.run("nodometer-tidy", "--compress", w.host, fault=fault)
    w.may_end(status, err)
    w.must_be(before, "a reader")
    w.clean("nodometer-tidy", "--compress", w.host)
    w.must_be(before, "a reader after the next run")
    left = [n for n in os.listdir(w.host) if n.endswith(".tmp")]
    plain = [n for n in os.listdir(w.host) if n.isdigit()]
    if left or len(plain) > 1:
        raise Wrong(f"not packed or left: {left} {plain}")
    w.clean("nodometer-report", "--json", "--dir", w.folder + "/archive", job)      # finds the job by the index
    if f'"{job}"' not in w.out.decode():
        raise Wrong(f"the report of {job}: {w.out[:300]}")


def reader(*argument):
    """Run a command that must print everything, or report an error unless the pager has ended."""
    def run(w, fault):
        w.jobs += 2
        if w.expected is None:
            job = job_of(w, True)
            w.argument = [a.format(archive=w.folder + "/archive", job=job) for a in argument]
            w.clean(*w.argument)
            w.expected = w.out
        status, err = w.run(*w.argument, fault=fault)
        w.may_end(status, err)
        if status == 0 and w.out != w.expected and not err.strip() and fault[2] != errno.EPIPE:
            raise Wrong(f"status 0, nothing said, and it prints {w.out[:300]}")
    return run


def end(w, p, what):
    """Terminate a process, and return what it wrote to standard error."""
    if p.poll() is None:
        p.terminate()
    try:
        err = p.communicate(timeout=LIMIT)[1].decode(errors="replace")
    except subprocess.TimeoutExpired:
        p.kill()
        raise Wrong(f"the {what} does not end") from None
    if p.returncode != -signal.SIGTERM:     # SIGTERM came before its handler was set
        w.may_end(p.returncode, err)
    return err


def receive(w, fault):
    """Receive a server's packets with a fault, then without: the second time nothing may be lost."""
    if not w.reports:
        receive_round(w, None)
        w.reports = len(receive_round(w, None))
    elif fault:
        receive_round(w, fault)
    reports = receive_round(w, None)
    if len(reports) < w.reports:
        raise Wrong(f"{len(reports)} accesses are reported, not {w.reports}")
    folder = f"{w.folder}/central"
    w.clean("nodometer-check", *(f"{folder}/{host}/current" for host in os.listdir(folder)))


def receive_round(w, fault):
    """Receive packets of a server that started later than all before. Return the new lines."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    w.jobs += 2
    w.t.control.set(*(fault or (1, 0, 0)))
    lines, began = w.folder + "/lines", 1_700_000_000 + w.jobs
    size = os.path.getsize(lines) if os.path.exists(lines) else 0
    p = w.start("nodometer-xrootd", "-p", str(port), "--bind", "127.0.0.1", "--state", w.folder + "/state",
                "--transfers", lines, "--raw", w.folder + "/central/", "--buffer", "1")
    wait(p, lambda: queued(port) is not None)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        for datagram in datagrams(HERE + "/../tracers/s2_io_http.dgram"):
            s.sendto(datagram[:4] + struct.pack(">I", began) + datagram[8:], ("127.0.0.1", port))
            wait(p, lambda: queued(port) == 0)
    err = end(w, p, "receiver")
    if not fault and p.returncode:
        raise Wrong(f"the next receiver: status {p.returncode}: {err}")
    if not os.path.exists(lines):
        return []
    with open(lines, "rb") as f:
        f.seek(size)
        new = f.read().splitlines()
    return new if fault else list(map(json.loads, new))


def wait(p, condition):
    until = time.monotonic() + LIMIT
    while not condition() and p.poll() is None:
        if time.monotonic() > until:
            p.kill()
            raise Wrong("it neither receives nor ends")
        time.sleep(0.001)


def queued(port):
    """Return the number of bytes queued at a UDP port, or None if no process has bound it."""
    with open("/proc/net/udp") as f:
        found = re.search(rf":{port:04X} \S+ \S+ \w+:(\w+)", f.read())
    return int(found[1], 16) if found else None


def datagrams(path):
    with open(path, "rb") as f:
        f.read(8)
        while head := f.read(24):
            yield f.read(struct.unpack_from(">I", head, 16)[0])


def send(sink, has_all):
    """Make a scenario: all data must have arrived after the next run of the sender."""
    return lambda w, fault: send_to(w, fault, sink, has_all)


def send_to(w, fault, sink, has_all):
    if fault and fault[2] == errno.ENOENT:
        return          # if its cursor is missing, a sink starts with new records only
    w.sinks(sink)
    mark = w.job()
    w.clean("nodometer", "mark", mark)
    if w.jobs == 1:         # create the cursor: without one, a sink skips older records
        send_until(w, lambda _w, _mark: set(os.listdir(w.folder + "/state/node.test")) - {".lock"}, mark, LIMIT)
        w.clean("nodometer", "mark", mark)
    w.t.control.set(*(fault or (1, 0, 0)))
    w.jobs += 1
    for patience in (SOON, LIMIT):
        err = send_until(w, has_all, mark, patience)
        if has_all(w, mark):
            return
        w.t.control.set(1, 0, 0)
    raise Wrong(f"something does not arrive: {err[-500:]}")


def send_until(w, has_all, mark, patience):
    p = w.start("nodometer-send")
    until = time.monotonic() + patience
    while time.monotonic() < until and p.poll() is None and not has_all(w, mark):
        time.sleep(0.002)
    return end(w, p, "sender")


LOGIN = "rate = 100000\nuser = u\npassword-file = {folder}/password\n"
SCENARIOS = {
    "hook-begin": hook_begin,
    "hook-end": hook_end,
    "agent-begin": with_agent(agent_begins),
    "agent-end": with_agent(agent_ends),
    "tick": agent_verb("collect"),
    "rotate": agent_verb("rotate"),
    "status": agent_verb("status"),
    "start": start_after_kill,
    "pack": pack,
    "report": reader("nodometer-report", "--json", "--dir", "{archive}", "{job}"),
    "jobs": reader("nodometer-jobs", "--json", "--dir", "{archive}"),
    "receive": receive,
    "xrootd": reader("nodometer-xrootd", "--read", HERE + "/../tracers/s2_io_http.dgram"),
    "send-archive": send("[sink archive]\ndir = {folder}/central\n", World.is_central),
    "send-http": send("[sink http]\nurl = http://127.0.0.1:{http}/x\ncompress = no\nformat = jsonl\n"
                      "rate = 100000\n", World.is_taken("http")),
    "send-stomp": send("[sink stomp]\nbroker = 127.0.0.1:{stomp}\ntls = no\n" + LOGIN, World.is_taken("stomp")),
    "send-amqp": send("[sink amqp]\nbroker = 127.0.0.1:{amqp}\ntls = no\n" + LOGIN, World.is_taken("amqp")),
    "send-kafka": send("[sink kafka]\nbrokers = 127.0.0.1:9\ntls = no\nrate = 100000\n"
                       "options = test.mock.num.brokers=1\n", World.is_read_by("kafka")),
    "send-xrootd": send("[sink xrootd]\ndestination = 127.0.0.1:9\nrate = 100000\n", World.is_read_by("xrootd")),
    "send-metrics": send("[sink metrics]\ntextfile-dir = {folder}/central\n", World.is_read_by("metrics")),
}


class Torture:
    def __init__(self, o):
        self.o, self.build, self.shim = o, os.path.abspath(o.build), os.path.abspath(o.shim)
        self.env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}
        self.control = Control(o.folder + "/control")
        self.keepers = {"http": Keeper(Post), "stomp": Keeper(Stomp), "amqp": Keeper(Amqp)}
        self.reached, self.errors, self.cases, self.unmade, self.wrong = {}, set(), 0, 0, []
        self.random, self.deaths = random.Random(o.seed), []

    def world(self):
        return World(self, self.o.folder + "/world")

    def count(self, scenario):
        """Count the calls of a scenario's second run, as Control.seen(). The first run makes folders."""
        w = self.world()
        try:
            SCENARIOS[scenario](w, None)
            self.control.forget()
            SCENARIOS[scenario](w, (0, 0, 0))
            return self.control.seen()
        finally:
            w.agent_end()

    def cases_of(self, seen):
        ways = {name: [getattr(errno, e) for e in errors.split()] + ([SHORT] if sized in ("ARG3", "MSG") else []) + [KILL]
                for name, _, sized, errors in CALLS}
        return [(place, nth, what) for place, (name, n) in sorted(seen.items())
                for nth in range(1, n + 1) for what in ways[name]]

    def try_all(self, scenario, seconds):
        try:
            seen = self.count(scenario)
        except Wrong as e:
            if "this build has no" not in str(e):
                raise
            print(f"{scenario}: not tried: {e}", flush=True)
            return
        self.reached.update({place: name for place, (name, _) in seen.items()})
        cases = self.cases_of(seen)
        all_of_them = len(cases)
        if seconds:
            self.random.shuffle(cases)
        w, n, until = None, 0, used() + seconds
        for case in cases:
            if seconds and used() > until:
                break
            if w is None or w.jobs > 2 * CASES_OF_A_WORLD:
                if w:
                    w.agent_end()
                w = self.world()
            w = self.try_one(scenario, w, case, seen[case[0]][0])
            n += 1
        if w:
            w.agent_end()
        print(f"{scenario}: {len(seen)} call sites, {sum(c for _, c in seen.values())} calls, "
              f"{n} of {all_of_them} cases", flush=True)
        self.cases += n

    def try_one(self, scenario, w, case, name):
        self.errors.add(case[2])
        self.control.ever = 0
        self.deaths = [-signal.SIGKILL] if case[2] == KILL else \
            [-signal.SIGABRT] if name in ("malloc", "calloc", "realloc") else []
        try:
            SCENARIOS[scenario](w, case)
            self.unmade += not self.control.ever
            return w
        except Wrong as e:
            place, nth, what = case
            said = {SHORT: "short", KILL: "kill"}.get(what) or errno.errorcode[what]
            self.wrong.append(e)
            print(f"WRONG {scenario}: {name} at {self.line(place)}, time {nth}, {said}: {e}", flush=True)
        if w.agent and w.agent.poll() is None:
            w.agent.kill()
            w.agent.wait()
        return None

    def program_of(self, place):
        for name in sorted(n for n in os.listdir(self.build) if re.fullmatch("nodometerd?(-[a-z]+)?", n)):
            h = 0
            for c in name.encode():
                h = (h * 31 + c) & 0xffffffff
            if h & 0xffff == place >> 48:
                return name
        return "?"

    def line(self, place):
        program = f"{self.build}/{self.program_of(place)}"
        p = subprocess.run(["addr2line", "-f", "-i", "-s", "-e", program, hex((place & (1 << 48) - 1) - 1)],
                           capture_output=True, text=True)
        return " < ".join(p.stdout.split("\n")[:-1][1::2][:1] + p.stdout.split("\n")[:-1][0::2])

    def unreached(self):
        """Return the call sites that no scenario reached, in the programs that ran."""
        names, missed = {c[0] for c in CALLS}, []
        for program in sorted({self.program_of(p) for p in self.reached}):
            text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", f"{self.build}/{program}"],
                                  capture_output=True, text=True).stdout
            reached = {p & (1 << 48) - 1 for p in self.reached if self.program_of(p) == program}
            for name, back in re.findall(r"\tcall +[0-9a-f]+ <(\w+)@plt>\n +([0-9a-f]+):", text):
                if name in names and int(back, 16) not in reached:
                    missed.append((program, name, int(back, 16)))
        return missed


def used():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def options():
    a = argparse.ArgumentParser()
    a.add_argument("build")
    a.add_argument("shim")
    a.add_argument("folder")
    a.add_argument("scenarios", nargs="*")
    a.add_argument("--seconds", type=float, default=0)
    a.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    a.add_argument("--unreached", help="file for the list of call sites that no scenario reaches")
    return a.parse_intermixed_args()


def main():
    o = options()
    print(f"seed {o.seed}", flush=True)
    t = Torture(o)
    chosen = o.scenarios or list(SCENARIOS)
    for scenario in chosen:
        t.try_all(scenario, o.seconds / len(chosen))
    if o.unreached:
        with open(o.unreached, "w") as f:
            f.writelines(f"{program} {name} {back:x}\n" for program, name, back in t.unreached())
    print(f"{len(t.reached)} call sites reached, {len([e for e in t.errors if e > 0])} errnos, {t.cases} cases, "
          f"{t.unmade} did not come to the call, "
          f"{len(t.wrong)} wrong, {used():.0f} s of processor time")
    return 1 if t.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
