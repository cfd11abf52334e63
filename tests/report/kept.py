# SPDX-License-Identifier: BSD-3-Clause
# kept.py - compare tables of jobs from stored rows with reports, sums, and changes of the files
"""kept.py BIN SCRATCH ARCHIVE...: run the checks. The archives must be writable.

kept.py --forge FILE: change the rows in FILE, and keep their checksums right.
"""
import email
import email.policy
import json
import math
import os
import resource
import shutil
import struct
import subprocess
import sys
import time

# fields: checksum, size, stamp, variant, first and last; see report/jobs/kept.c
HEAD = struct.Struct("=QQQQqq")
failures = 0


def fail(text):
    global failures
    failures += 1
    print("FAIL:", text)


def checksum(data):
    value = 14695981039346656037
    for (word,) in struct.iter_unpack("=Q", data):
        value = (value ^ word) * 1099511628211 & 0xffffffffffffffff
        value ^= value >> 32
    return value


def rows_of(data):
    """Yield the offset and the number of bytes of each row."""
    at = 16
    while at + HEAD.size <= len(data):
        size = (HEAD.unpack_from(data, at)[1] + 7) // 8 * 8
        yield at, HEAD.size + size
        at += HEAD.size + size


def forge(path):
    """Add 3 to the used CPUs in each row, and correct the checksums."""
    data = bytearray(open(path, "rb").read())
    for at, size in rows_of(data):
        cpus = at + HEAD.size + 56      # offset of .used[0].n in struct job_used
        struct.pack_into("=d", data, cpus, struct.unpack_from("=d", data, cpus)[0] + 3)
        struct.pack_into("=Q", data, at, checksum(bytes(data[at + 8:at + size])))
    open(path, "wb").write(data)


if sys.argv[1] == "--forge":
    forge(sys.argv[2])
    sys.exit(0)

BIN, scratch, archives = sys.argv[1], sys.argv[2], sys.argv[3:]


def run(program, *args, **how):
    done = subprocess.run([f"{BIN}/nodometer-{program}", *args], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, **how)
    return done.stdout, done.stderr, done.returncode


def table(archive, *args):
    return run("jobs", "--dir", archive, *args)[0]


def number_of(figure):
    """Return the value that a table shows for this figure of a report."""
    if figure["nodes"] == 0:
        return None
    how = figure["how"]
    if how in ("counted", "added"):
        return figure["total"]
    return figure[{"share": "percent", "mean": "mean"}.get(how, "max")]


def near(a, b):
    return math.isclose(a, b)    # within 1e-9


def compare(job, report, where):
    want = {f["figure"]: number_of(f) for f in report["figures"]}
    want.update({d["figure"]: d["value"] for d in report["derived"]})
    want = {name: value for name, value in want.items() if value is not None}
    got = job["figures"]
    if set(want) != set(got):
        fail(f"{where}: figures differ: {sorted(set(want) ^ set(got))}")
        return 0
    for name, value in want.items():
        # reports print seconds with nine decimals
        if not near(value, got[name]) and abs(value - got[name]) > 5.1e-10:
            fail(f"{where}: {name} is {got[name]}, report: {value}")
    if job["used"] != report["used"]:
        fail(f"{where}: used {job['used']}, report: {report['used']}")
    if job.get("parts") != report.get("parts"):
        fail(f"{where}: parts {job.get('parts')}, report: {report.get('parts')}")
    if job["findings"] != [f["rule"] for f in report["findings"]]:
        fail(f"{where}: found {job['findings']}, report: {report['findings']}")
    if job["hosts"] != [h["host"] for h in report["hosts"]]:
        fail(f"{where}: hosts {job['hosts']}")
    hours = sum(h["duration"] for h in report["hosts"]) / 3600
    if not near(hours, job["node_hours"]) and abs(hours - job["node_hours"]) > 1e-9:
        fail(f"{where}: {job['node_hours']} hours, not {hours}")
    return len(want)


def against_reports(archive):
    first = table(archive, "--figures", "all", "--json")
    second = table(archive, "--figures", "all", "--json")
    if first != second:
        fail(f"{archive}: rows that are kept are others than those computed")
    n = 0
    for line in second.splitlines():
        job = json.loads(line)
        if "figures" not in job:
            continue
        middle = f"{job['start'] + job['length'] / 2:.6f}"
        said = run("report", "--dir", archive, "--json", "--since", middle, "--until", middle,
                   job["job"])[0]
        if said:
            n += compare(job, json.loads(said.splitlines()[0]), f"{archive}, job {job['job']}")
    return n


def damage(archive, want):
    """Check that the table stays the same if the stored rows are damaged, missing or behind a link.
    """
    path = os.path.join(archive, ".runs")
    whole = open(path, "rb").read()
    ways = {"half of it": whole[:len(whole) // 2], "nothing": b"", "noise": os.urandom(9999),
            "another formula": whole[:8] + b"12345678" + whole[16:]}
    for at in range(0, len(whole), max(1, len(whole) // 16)):
        ways[f"byte {at} is another"] = whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1:]
    for name, data in ways.items():
        open(path, "wb").write(data)
        if table(archive, "--figures", "all", "--json") != want:
            fail(f"{archive}: rows are damaged, {name}, and the table is another")
    os.unlink(path)
    open(scratch + "/elsewhere", "wb").write(whole)
    os.symlink(scratch + "/elsewhere", path)
    if table(archive, "--figures", "all", "--json") != want:
        fail(f"{archive}: rows behind a link")
    os.unlink(path)


def same_bytes(archive):
    """Check that the same records give the same stored bytes, without uninitialised memory."""
    path, seen = os.path.join(archive, ".runs"), set()
    for n in range(4):
        run("jobs", "--dir", archive, "--keep", env={**os.environ, "MOVES_THE_STACK": "x" * 100 * n})
        seen.add(open(path, "rb").read())
        os.unlink(path)
    is_equal(f"{archive}: rows of the same records", len(seen), 1)


def raw(host, jobs):
    """Return records of a node with two CPUs, on which each job runs for an hour. jobs: (job,
    start, user, account, percent of the CPUs)."""
    text = f"$hpcperfstats 1.0.2\n$hostname {host}\n!cpu user,E,U=cs system,E,U=cs idle,E,U=cs\n"
    user = idle = 0
    for job, start, who, account, percent in jobs:
        for i in range(7):
            if i:
                user += 600 * percent
                idle += 600 * (100 - percent)
            text += f"\n{start + 600 * i} {job}\n"
            if i == 0:
                text += f"%begin {job} user={who} nodes=1 account={account}\n"
            if i == 6:
                text += f"%end {job} exit=0:0\n"
            text += f"cpu 0 {user} 0 {idle}\ncpu 1 {user} 0 {idle}\n"
    return text


def write(archive, host, epoch, text):
    os.makedirs(f"{archive}/{host}", exist_ok=True)
    with open(f"{archive}/{host}/{epoch}", "w") as f:
        f.write(text)


def is_equal(what, got, want):
    if got != want:
        fail(f"{what}: {got}, not {want}")


def sums(archive):
    """Compare sums by account, user and node with values that were computed by hand."""
    now = int(time.time())
    for host, n in ("n1", 0), ("n2", 1):
        write(archive, host, now - 86400 * 40, raw(host, [(10 + n, now - 86400 * 40, "ann", "old", 5)]))
        write(archive, host, now - 86400 * 10, raw(host, [
            (20 + n, now - 86400 * 10, "ann", "phys", 50),
            (30 + n, now - 86400 * 9, "bob", "chem", 80 + n)]))
    jobs = [json.loads(line) for line in table(archive, "--used", "--json").splitlines()]
    is_equal("jobs", [j["job"] for j in jobs], ["10", "11", "20", "21", "30", "31"])
    month = ["--since", "-1month", "--json", "--by"]
    by = [json.loads(line) for line in table(archive, *month, "account").splitlines()]
    is_equal("accounts", [(g["name"], g["runs"], g["node_hours"]) for g in by],
             [("phys", 2, 2), ("chem", 2, 2)])
    for g, percent in zip(by, (50, 80.5)):
        got = g["cpu_hours"]
        if not near(got["percent"], percent) or not near(got["of"], 4):
            fail(f"account {g['name']}: {got}")
        if not near(g["unused_node_hours"], 2 * (1 - percent / 100)):
            fail(f"account {g['name']}: {g['unused_node_hours']} unused")
    by = [json.loads(line) for line in
          table(archive, *month, "node", "--figures", "cpu.user").splitlines()]
    is_equal("nodes", [(g["name"], g["runs"]) for g in by], [("n1", 2), ("n2", 2)])
    for g, percent in zip(by, (65, 65.5)):
        if not near(g["figures"]["cpu.user"], percent):
            fail(f"node {g['name']}: {g['figures']}")
    by = table(archive, "--by", "user", "--csv").splitlines()
    is_equal("users", [line.split(",")[:2] for line in by],
             [["user", "runs"], ["ann", "4"], ["bob", "2"]])
    text = table(archive, "--by", "user", "--since", "-2weeks").splitlines()
    is_equal("users, text", [line.split() for line in text],
             [["USER", "RUNS", "NODE-HOURS", "UNUSED", "CPUS", "GPUS", "kWh", "FOUND", "MOST"],
              ["ann", "2", "2.0", "1.0", "50%", "-", "-", "low-cpu", "2"],
              ["bob", "2", "2.0", "0.4", "80%", "-", "-"]])
    order = [json.loads(line)["job"] for line in
             table(archive, "--sort", "cpu.user", "--json").splitlines()]
    is_equal("order by a figure", order, ["31", "30", "20", "21", "10", "11"])
    worst = table(archive, "--worst", "1", "--sort", "cpu.user", "--csv").splitlines()
    is_equal("the most by a figure", worst[1].split(",")[0], "31")
    messages(archive)
    lines(archive)
    other_files(archive, now)


def of_two_nodes(archive):
    """Check that the figures of a node come only from runs that were on no other node."""
    for host, first in ("n1", [(1, 1700000000, "ann", "phys", 50)]), ("n2", []):
        write(archive, host, 1700000000, raw(host, [*first, (2, 1700010000, "ann", "phys", 80)]))
    by = [json.loads(line) for line in
          table(archive, "--json", "--by", "node", "--figures", "cpu.user").splitlines()]
    is_equal("figures of nodes", sorted((g["name"], g["runs"], g["figures"]) for g in by),
             [("n1", 2, {"cpu.user": 50}), ("n2", 1, {})])


def lines(archive):
    """Check that --append writes a line for each run once, and writes it later if writing failed.
    """
    path = scratch + "/runs.jsonl"
    os.unlink(f"{archive}/.runs")
    said, why, status = run("jobs", "--dir", archive, "--keep", "--append", scratch + "/no/runs")
    if status != 1 or "no/runs" not in why:
        fail(f"--append to no folder: {status}, {why}")
    for option in "--keep", f"--append={path}":
        said, why, status = run("jobs", "--dir", archive, "--host", "n1", option)
        is_equal(f"{option} --host", (status, "used with --host" in why, os.path.exists(path)), (2, True, False))
    for option in ("--html",), ("--mail", "help@example.org"):
        said, why, status = run("jobs", "--dir", archive, "--json", *option)
        is_equal(f"{option} --json", (status, said, "cannot be used with --json" in why), (2, "", True))
    why = run("jobs", "--dir", archive, "--keep", "--append", path, restore_signals=False,
              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))[1]
    is_equal("a line that was cut", ("File too large" in why, os.path.getsize(path)), (True, 0))
    for _ in 1, 2:
        run("jobs", "--dir", archive, "--keep", "--append", path)
    rows = sorted((json.loads(line) for line in open(path)), key=lambda row: row["job"])
    is_equal("lines", [row["job"] for row in rows], ["10", "11", "20", "21", "30", "31"])
    for row, text in zip(rows, table(archive, "--figures", "all", "--json", "--sort", "job").splitlines()):
        job = json.loads(text)
        is_equal("figures of a line", dict(zip(row["figure"], row["value"])), job["figures"])
        is_equal("parts of a line", dict(zip(row["part"], row["part_seconds"])),
                 {name: n for name, n in job["parts"].items() if name != "given"})
        for key in "start", "user", "account", "hosts", "findings", "unused_node_hours":
            is_equal(f"{key} of a line", row[key], job[key])
        is_equal("CPUs of a line", (row["cpus"], row["cpus_given"]),
                 (job["used"]["cpus"]["used"], job["used"]["cpus"]["of"]))


def messages(archive):
    text = table(archive, "--since", "-1month", "--worst", "2", "--mail", "help@example.org")
    m = email.message_from_string(text, policy=email.policy.default)
    is_equal("the message", [m["To"], m.get_content_type(), bool(m["Subject"]), m.defects],
             ["help@example.org", "multipart/alternative", True, []])
    parts = list(m.iter_parts())
    is_equal("its parts", [p.get_content_type() for p in parts], ["text/plain", "text/html"])
    is_equal("its text", parts[0].get_content().strip(),
             table(archive, "--since", "-1month", "--worst", "2").strip())
    page = table(archive, "--since", "-1month", "--worst", "2", "--html")
    is_equal("its page", parts[1].get_content().strip().split("<h1")[1].split("</h1>")[1],
             page.strip().split("<h1")[1].split("</h1>")[1])
    every = table(archive, "--figures", "all", "--mail", "help@example.org")
    is_equal("lines of more than 998 bytes", [len(s) for s in every.splitlines() if len(s) > 998], [])
    for job in "20", "21":
        if f"<b>{job}</b>" not in page:
            fail(f"job {job} is not on the page: {page}")
    for to in "a@b\nBcc: c@d", "-f", "":
        said, why, status = run("jobs", "--dir", archive, "--mail", to)
        if status != 2 or "is not a mail address" not in why:
            fail(f"--mail {to!r}: {status}, {why}")
    for args in (["--by", "planet"], ["--sort", "cpu.usr"], ["--figures", "cpu.user,x"]):
        said, why, status = run("jobs", "--dir", archive, *args)
        if status != 2 or args[1].split(",")[-1] not in why:
            fail(f"{args}: {status}, {why}")
    if "is not a time" not in run("jobs", "--dir", archive, "--since", "-1moth")[1]:
        fail("--since -1moth")


def other_files(archive, now):
    """Check that stored rows are not used for another file with the same size and time."""
    def percent():
        job = [json.loads(line) for line in table(archive, "--used", "--json").splitlines()][-1]
        return round(job["used"]["cpus"]["percent"], 6)

    is_equal("job 31", percent(), 81)
    path = f"{archive}/n2/{now - 86400 * 10}"
    before = os.stat(path)
    text = open(path).read()
    rows = raw("n2", [(21, now - 86400 * 10, "ann", "phys", 50), (31, now - 86400 * 9, "bob", "chem", 83)])
    is_equal("size", len(rows), len(text))
    open(path, "w").write(rows)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    is_equal("job 31 of another file", percent(), 83)
    size = os.stat(f"{archive}/.runs").st_size
    is_equal("rows", len(list(rows_of(open(f"{archive}/.runs", "rb").read()))), 6)
    os.unlink(path)
    table(archive, "--used")
    write(archive, "n3", now - 86400, raw("n3", [(40, now - 86400, "eve", "bio", 9)]))
    table(archive, "--used")
    if os.stat(f"{archive}/.runs").st_size >= size:
        fail("rows of files that went are kept for ever")


numbers = sum(against_reports(archive) for archive in archives)
if numbers < 500:
    fail(f"only {numbers} numbers were compared")
for archive in [a for a in archives if os.path.exists(a + "/.runs")][:2]:
    damage(archive, table(archive, "--figures", "all", "--json"))
for archive in [a for a in archives if os.path.basename(a) in ("found-serial", "found-idle-gpu")]:
    same_bytes(archive)
sums(scratch + "/sums")
of_two_nodes(scratch + "/sums/two")
shutil.rmtree(scratch + "/sums")
print(f"{numbers} numbers of tables are those of reports")
sys.exit(failures > 0)
