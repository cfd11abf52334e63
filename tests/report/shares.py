#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""shares.py - compute again how jobs share the energy of a node that they use together

shares.py REPORT DIR: simulate nodes with jobs that come and go, in DIR/NUMBER, with energy, CPU
time, memory and GPUs of each job. Compare "share" in "REPORT JOB --json" and in nodometer jobs with
the share that this script computes from the same numbers (tolerance 1e-9 of the value). Also
compare the sum of all shares, plus the energy that belongs to no job, with the energy of the node
(tolerance 0.1 %). Exits with 1 if something differs.
"""
import json
import math
import os
import random
import subprocess
import sys

START, CPUS, MEMORY = 1700000000, 8, 64 << 30
SCHEMA = """$hpcperfstats 1.0.2
$hostname {host}
$uname Linux x86_64 6.6.0 #1 SMP
$uptime 5000
!pm_counters energy,E,U=J
!ipmi_dcmi power,U=W
!intel_rapl pkg_energy,E,U=mJ dram_energy,E,U=mJ
!cpu user,E,U=cs system,E,U=cs idle,E,U=cs
!mem MemTotal,U=KB MemUsed,U=KB
!job cpu,E,U=us mem,U=B
!nvidia_gpu energy,E,U=mJ
!gpu_job processes memory,U=B busy,E,U=ns
"""
# first and last sample of each job, and the CPUs, memory and GPUs in its begin mark
JOBS = {"a": (0, 9, 2, 8 << 30, (0,)), "b": (3, 7, 3, 16 << 30, ()), "c": (5, 14, 2, None, (1,)),
        "d": (10, 12, 1, 4 << 30, (1,)), "e": (15, 18, 4, 8 << 30, ())}


class Node:
    """A simulated node. All its values are integers, as in records."""

    def __init__(self, seed, source, **what):
        self.random, self.source, self.what = random.Random(seed), source, what
        self.lines, self.steps, self.watts = [], [], 0
        self.sum = {}

    def add(self, name, least, most):
        n = self.random.randrange(least, most)
        self.sum[name] = self.sum.get(name, 0) + n
        return n

    def names(self, at):
        """Return the jobs that ran before this sample, since the previous one, and the jobs that
        the record lists."""
        there = [j for j, (begin, end, *_) in JOBS.items() if begin < at <= end]
        return there, [j for j, (begin, end, *_) in JOBS.items() if begin <= at <= end]

    def step(self, at):
        """Simulate the time up to this sample."""
        seconds = self.random.randrange(20, 90)
        there, _ = self.names(at)
        s = {"there": there, "seconds": seconds, "was": self.watts, "cpu": {}, "mem": {}, "busy": {}}
        s["joules"] = self.add("joules", 300 * seconds, 500 * seconds)
        s["pkg"] = self.add("pkg", 60000 * seconds, 90000 * seconds) / 1e3
        s["dram"] = self.add("dram", 9000 * seconds, 20000 * seconds) / 1e3
        s["gpu"] = [self.add(f"gpu{i}", 40000 * seconds, 70000 * seconds) / 1e3 for i in (0, 1)]
        for job in there:
            s["cpu"][job] = self.add("cpu " + job, 0, JOBS[job][2] * seconds * 1000000) / 1e6
            s["busy"][job] = self.add("busy " + job, 1, seconds * 10**9)
            s["mem"][job] = self.random.randrange(1 << 30, 4 << 30)
        s["busy_cpu"] = round(100 * sum(s["cpu"].values()) * self.what.get("system", 1.02)) + 7
        s["busy_cpu"] = min(s["busy_cpu"], 100 * CPUS * seconds)
        s["used"] = (sum(s["mem"].values()) >> 10) + self.random.randrange(1 << 20, 2 << 20)
        self.watts = s["watts"] = self.random.randrange(300, 500)
        self.sum["user"] = self.sum.get("user", 0) + s["busy_cpu"]
        self.sum["idle"] = self.sum.get("idle", 0) + 100 * CPUS * seconds - s["busy_cpu"]
        self.steps.append(s)
        return s

    def write(self, at, now, s):
        """Write the record of a sample. A job has rows from the sample after its begin on."""
        there, listed = self.names(at)
        say = self.lines.append
        say(f"\n{now} {','.join(listed) or '-'}")
        for job, (begin, end, cpus, mem, gpus) in JOBS.items():
            known = [f"cpus={cpus}"] * (job not in self.what.get("no_cpus", ()))
            known += [f"mem={mem}"] * bool(mem)
            known += ["gpus=" + ",".join(map(str, gpus))] * bool(gpus and "no_gpus" not in self.what)
            if at == begin:
                say(" ".join([f"%begin {job}", *known, "source=hook"]))
            if at == end:
                say(f"%end {job}")
        if self.source == "counter":
            say(f"pm_counters - {self.sum['joules']}")
        if self.source == "bmc" and at != self.what.get("no_reading"):
            say(f"ipmi_dcmi - {self.watts}")
        say(f"intel_rapl 0 {self.sum['pkg']} {self.sum['dram']}")
        for cpu in range(CPUS):
            more = [self.sum[k] // CPUS + (cpu < self.sum[k] % CPUS) for k in ("user", "idle")]
            say(f"cpu {cpu} {more[0]} 0 {more[1]}")
        say(f"mem 0 {MEMORY >> 10} {s['used']}")
        for job in there:
            if job not in self.what.get("no_rows", ()) and (job, at) not in self.what.get("lost", ()):
                say(f"job {job} {self.sum['cpu ' + job]} {s['mem'][job]}")
        for gpu in (0, 1):
            say(f"nvidia_gpu {gpu} {self.sum[f'gpu{gpu}']}")
            if "no_gpus" not in self.what:
                say(f"gpu_job nvidia/{gpu} 1 0 0")
                for job in self.on(gpu, there):
                    say(f"gpu_job nvidia/{gpu}@{job} 1 1000 {self.sum['busy ' + job]}")

    @staticmethod
    def on(gpu, there):
        return [j for j in there if gpu in JOBS[j][4]]

    def make(self, folder, host):
        os.makedirs(os.path.join(folder, host))
        now, s = START, self.step(0)
        self.steps.clear()
        for at in range(22):
            if at:
                s = self.step(at)
                now += s["seconds"]
            self.write(at, now, s)
        with open(os.path.join(folder, host, str(START)), "w", encoding="ascii") as f:
            f.write(SCHEMA.format(host=host) + "\n".join(self.lines) + "\n")


def mix(joules, idle, used, given):
    """Divide the joules. Returns {job: (joules, lower bound, upper bound)}, and the joules of no
    job."""
    return {j: (joules * (used[j] * (1 - idle) + given[j] * idle), joules * min(used[j], given[j]),
                joules * max(used[j], given[j])) for j in used}, \
        joules * ((1 - sum(used.values())) * (1 - idle) + (1 - sum(given.values())) * idle)


def divided(node, s, joules):
    """Return {job: (joules, lower bound, upper bound)} of a step, and the joules of no job."""
    there, seconds = s["there"], s["seconds"]
    if len(there) < 2:
        return {j: (joules,) * 3 for j in there}, 0 if there else joules
    busy = max(s["busy_cpu"] / 100, sum(s["cpu"].values()))
    given = {j: JOBS[j][2] / CPUS for j in there}
    memory = max(s["used"] << 10, sum(s["mem"].values()))
    of_memory, rest = mix(s["dram"], 1 - memory / MEMORY, {j: s["mem"][j] / memory for j in there},
                          {j: JOBS[j][3] / MEMORY if JOBS[j][3] else given[j] for j in there})
    alike, more = mix(joules - s["dram"] - sum(s["gpu"]), 1 - s["busy_cpu"] / 100 / CPUS / seconds,
                      {j: s["cpu"][j] / busy for j in there}, given)
    rest += more
    shares = {j: [a + b for a, b in zip(alike[j], of_memory[j])] for j in there}
    for gpu in (0, 1):
        on = node.on(gpu, there)
        for j in on:
            part = s["gpu"][gpu] * s["busy"][j] / sum(s["busy"][k] for k in on)
            for i, n in enumerate((part, part, part) if len(on) == 1 else (part, 0, s["gpu"][gpu])):
                shares[j][i] += n
        rest += 0 if on else s["gpu"][gpu]
    return shares, rest


def joules_of(node, s):
    """Return the node's joules in a step, with lower and upper bound, from the source that it has.
    """
    if node.source == "counter":
        return (s["joules"],) * 3
    if node.source == "bmc":
        return tuple(s["seconds"] * n for n in ((s["was"] + s["watts"]) / 2,
                                                min(s["was"], s["watts"]), max(s["was"], s["watts"])))
    return (s["pkg"] + s["dram"] + sum(s["gpu"]),) * 3


def report_of(report, folder, job):
    return json.loads(subprocess.run([report, job, "--json", "--dir", folder], check=True,
                                     stdout=subprocess.PIPE).stdout)


def listed(report, folder):
    """Return {job: row} of the table of jobs. The second call reads the rows that the first has
    stored."""
    program = os.path.join(os.path.dirname(report), "nodometer-jobs")
    rows = [subprocess.run([program, "--used", "--json", "--dir", folder], check=True,
                           stdout=subprocess.PIPE).stdout for _ in range(2)]
    if rows[0] != rows[1]:
        sys.exit(f"FAIL: rows that were kept: {rows[1]}, were {rows[0]}")
    return {r["job"]: r for r in map(json.loads, rows[0].splitlines())}


def listed_by(report, folder, what):
    """Return the joules in the only row of a table of nodometer jobs --by."""
    program = os.path.join(os.path.dirname(report), "nodometer-jobs")
    done = subprocess.run([program, "--by", what, "--json", "--dir", folder], check=True,
                          stdout=subprocess.PIPE)
    return json.loads(done.stdout).get("joules")


class Results:
    """Number of comparisons, and of those that failed."""

    def __init__(self):
        self.n = self.bad = 0

    def check(self, same, *what):
        self.n += 1
        if not same:
            self.bad += 1
            print("FAIL:", *what)


def alike(got, want):
    return all(g is w if g is None or w is None else math.isclose(g, w, rel_tol=1e-9, abs_tol=1e-6)
               for g, w in zip(got, want))


def compare(results, report, folder, node):
    sums, rest = {}, 0
    whole = sum(joules_of(node, s)[0] for s in node.steps)
    for s in node.steps:
        joules, least, most = joules_of(node, s)
        shares, more = divided(node, s, joules)
        rest += more
        for j, (n, low, high) in shares.items():
            bounds = (n, low * least / joules, high * most / joules)
            sums[j] = [a + b for a, b in zip(sums.get(j, (0, 0, 0)), bounds)]
    total, rows = rest, listed(report, folder)
    for j, want in sums.items():
        got = report_of(report, folder, j)
        share = got["energy"]["share"]
        if node.source == "parts":
            want[2] = None
        row = {k.replace("share_", "joules_").replace("joules_joules", "joules"): n
               for k, n in rows[j].items() if k.startswith("share_")}
        results.check({"is": rows[j]["share"], **row} == share, j, rows[j], "and", share)
        numbers = [share.get(k) for k in ("joules", "joules_least", "joules_most")]
        results.check(alike(numbers, want), j, node.source, numbers, "here", want)
        results.check(share == got["hosts"][0]["energy"]["share"], j, "host")
        results.check(share["is"] == ("measured" if j == "e" else "estimated"), j, share)
        results.check(j != "e" or share["joules"] == got["energy"]["joules"], j, "not all", share)
        total += share["joules"]
    for what in "user", "node":
        got = listed_by(report, folder, what)
        results.check(got and math.isclose(got, total - rest), "by", what, got, "of", total - rest)
    results.check(abs(total - whole) <= 1e-3 * whole, node.source, total, "of", whole)


def half_known(results, report, work):
    """Check that a job with missing data has an unknown share, or a share with bounds if these are
    known."""
    cases = {"no_cpus": {"no_cpus": "b"}, "no_rows": {"no_rows": "b"}, "no_gpus": {"no_gpus": "b"},
             "lost": {"lost": (("b", 5),)}, "no_reading": {"no_reading": 4}}
    for name, what in cases.items():
        folder = os.path.join(work, name)
        Node(7, "bmc" if name == "no_reading" else "counter", **what).make(folder, "n1")
        got = {j: report_of(report, folder, j)["energy"]["share"] for j in "abe"}
        if name in ("lost", "no_reading"):
            b = got["b"]
            results.check(b["is"] == "estimated" and b["joules_least"] < b["joules"]
                          < b["joules_most"], name, b)
        else:
            results.check(got["b"] == {"is": "unknown"}, name, got["b"])
        results.check(got["a"]["is"] == ("unknown" if name == "no_gpus" else "estimated"), name,
                      got["a"])
        results.check(got["e"]["is"] == "measured", name, got["e"])


def main():
    report, work, results = *sys.argv[1:], Results()
    for i, source in enumerate(("counter", "bmc", "parts", "counter", "bmc", "parts")):
        node = Node(i, source, system=(1.02, 1.3, .9)[i // 2])
        node.make(os.path.join(work, str(i)), "n1")
        compare(results, report, os.path.join(work, str(i)), node)
    half_known(results, report, work)
    print(f"{results.n} shares compared, {results.bad} differ")
    sys.exit(0 if results.n and not results.bad else 1)


if __name__ == "__main__":
    main()
