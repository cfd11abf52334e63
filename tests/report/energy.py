#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""energy.py - compute the energy of a job's nodes again, from the raw files

energy.py REPORT DIR JOB...: compare "energy" of each host and of the job in "REPORT JOB --json
--dir DIR", and the job's energy in nodometer jobs, with values that this script computes from
DIR/HOST/*. The tolerance is 1e-9 of the value. Exits with 1 if a value differs, or if none was
compared.
"""
import json
import math
import os
import subprocess
import sys
import tempfile

from derived import count, job_records

METERS = (("bmc", "ipmi_dcmi", "power", 1), ("acpi", "hwmon_power", "input", 1e-6))


def is_meter(kind, device):
    return kind != "hwmon_power" or (device.split("/")[1] == "power_meter"
                                     and not device.endswith("/part"))


def metered(mine, kind, key, scale):
    """Return the joules that a meter measured, as (estimate, lower bound, upper bound): the power
    between two readings is their mean, the smaller or the larger one."""
    read = [(r[0] / 1e6, sum(scale * float(row[key]) for (k, d), row in r[3].items()
                             if k == kind and is_meter(k, d))) for r in mine
            if any(k == kind and is_meter(k, d) for k, d in r[3])]
    if len(read) < 2:
        return None
    steps = [(b[0] - a[0], a[1], b[1]) for a, b in zip(read, read[1:])]
    covers = read[-1][0] - read[0][0] >= .99 * (mine[-1][0] - mine[0][0]) / 1e6
    most = sum(t * max(a, b) for t, a, b in steps) if covers else None
    return sum(t * (a + b) / 2 for t, a, b in steps), sum(t * min(a, b) for t, a, b in steps), most


def energy(mine):
    sums = count(mine)[0]
    if "jnode" in sums:
        return "node-counter", (sums["jnode"],) * 3
    for name, kind, key, scale in METERS:
        got = metered(mine, kind, key, scale)
        if got:
            return name, got
    parts = [sums[name] for name in ("jpkg", "jmem", "jgpu") if name in sums]
    return ("parts", (sum(parts), sum(parts), None)) if parts else None


def is_same(where, got, want):
    if want is None or got is None:
        same = got is want
    else:
        numbers = [got["joules"], got["joules_least"], got.get("joules_most")]
        same = got["joules_from"] == want[0] and all(
            a is b if a is None or b is None else math.isclose(a, b, rel_tol=1e-9)
            for a, b in zip(numbers, want[1]))
    if not same:
        print(f"FAIL: {where}: {got}, here {want}")
    return same


def total(hosts):
    order = ["node-counter", "bmc", "acpi", "parts"]
    known = [h for h in hosts if h]
    if not known:
        return None
    sums = [[h[1][i] for h in known] for i in range(3)]
    most = None if None in sums[2] or len(known) < len(hosts) else sum(sums[2])
    return max((h[0] for h in known), key=order.index), (sum(sums[0]), sum(sums[1]), most)


def listed(report, folder, job):
    """Return the joules in the table of jobs. Use a copy of the archive, because nodometer jobs
    stores rows in it."""
    program = os.path.join(os.path.dirname(report), "nodometer-jobs")
    with tempfile.TemporaryDirectory() as work:
        subprocess.run(["cp", "-r", "--no-preserve=mode", folder, work + "/a"], check=True)
        rows = subprocess.run([program, "--used", "--json", "--dir", work + "/a"], check=True,
                              stdout=subprocess.PIPE).stdout
    row = next(r for r in map(json.loads, rows.splitlines()) if r["job"] == job)
    return row.get("joules"), row.get("joules_from")


def main():
    report, folder, *jobs = sys.argv[1:]
    results = []
    for job in jobs:
        got = json.loads(subprocess.run([report, job, "--json", "--dir", folder], check=True,
                                        stdout=subprocess.PIPE).stdout)
        want = [energy(job_records(os.path.join(folder, h["host"]), job)) for h in got["hosts"]]
        results += [is_same(h["host"], h.get("energy"), w) for h, w in zip(got["hosts"], want)]
        results.append(is_same(f"job {job}", got.get("energy"), total(want)))
        all_of_it = got.get("energy", {})
        results.append(listed(report, folder, job)
                       == (all_of_it.get("joules"), all_of_it.get("joules_from")))
    print(f"{len(results)} energies compared, {results.count(False)} differ")
    sys.exit(0 if results and all(results) else 1)


if __name__ == "__main__":
    main()
