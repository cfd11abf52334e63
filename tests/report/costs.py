#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""costs.py - compute kWh, CO2 and price again, from a job's share of the energy in its report

costs.py REPORT DIR JOB...: for several configurations of [site], compare the costs in "energy" of
"REPORT JOB --json", and those in rows of nodometer jobs (JSON, CSV, --by, and --html with its fewer
digits), with costs that this script computes from the job's share of the joules, its start and its
end. The tolerance is 1e-9 of the value. Without settings of [site] there must be no costs. Exits
with 1 if something differs.
"""
import csv
import html
import io
import json
import math
import os
import re
import subprocess
import sys
import tempfile

START = 1700000000
NAMES = ("kwh", "co2_grams", "price")
# Values of [site]: grams of CO2 per kWh, each with the time from which it counts; PUE; price.
GRID = [(START - 3600, 400), (START + 90, 250.5), (START + 350, 612), (START + 730, 33),
        (START + 4000, 0)]
LATE = [(START + 701, 1), (START + 4000, 1)]
SITES = [("carbon = 350\nprice = 0.25\npue = 1.3\n", 1.3, [(0, 350), (2**40, 0)], .25),
         ("carbon = 12.5\n", 1, [(0, 12.5), (2**40, 0)], None),
         ("price=0.4", 1, None, .4), ("pue = 1.08\n# no more\n", 1.08, None, None),
         ("carbon = {grid}\npue = 1.3\n", 1.3, GRID, None),
         ("carbon = {late}\nprice = 1\n", 1, LATE, 1),
         ("", None, None, None)]
WRONG = ["pue = 0.9", "carbon = -1", "carbon = {none}", "carbon = {back}", "watts = 3", "price = x",
         "carbon = 3e19", "low-cpu = 3"]


def mean(grid, start, end):
    """Return the mean of the grid's CO2 per kWh from start to end. The value changes in steps."""
    steps = zip(grid, grid[1:])
    return sum(g * max(0, min(end, b) - max(start, a)) for (a, g), (b, _) in steps) / (end - start)


def costs(site, joules, start, end):
    _, pue, grid, price = site
    if pue is None:
        return {}
    kwh = joules / 3.6e6 * pue
    covers = grid and grid[0][0] <= start and end <= grid[-1][0]
    known = {"kwh": kwh, "co2_grams": kwh * mean(grid, start, end) if covers else None,
             "price": kwh * price if price else None}
    return {name: v for name, v in known.items() if v is not None}


def is_same(where, got, want):
    got = {name: float(got[name]) for name in NAMES if got.get(name) not in (None, "")}
    same = set(got) == set(want) and all(math.isclose(got[n], want[n], rel_tol=1e-9) for n in want)
    if not same:
        print(f"FAIL: {where}: {got}, here {want}")
    return same


def files(work):
    """Write the files for "carbon": a valid one, one that starts too late for the jobs, and one
    that is not in order. Returns their paths, and the path of a file that does not exist."""
    texts = {"grid": GRID, "late": LATE,
             "back": [(START, 1), (START - 1, 1)]}
    for name, steps in texts.items():
        with open(os.path.join(work, name), "w", encoding="ascii") as f:
            f.writelines(f"{at} {grams}\n" for at, grams in steps)
    return {name: os.path.join(work, name) for name in (*texts, "none")}


class Site:
    """The programs, an archive, and the settings of a site."""

    def __init__(self, report, work):
        self.report, self.jobs = report, os.path.join(os.path.dirname(report), "nodometer-jobs")
        self.work, self.advice = work, os.path.join(work, "advice")

    def set(self, lines):
        with open(self.advice, "w", encoding="ascii") as f:
            f.write("# thresholds\nlow-cpu = 30\n\n[site]\n" + lines.format(**files(self.work)))

    def run(self, *words, status=0):
        done = subprocess.run([*words, "--advice", self.advice, "--dir", self.work + "/a"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False)
        if (done.returncode != 0) != (status != 0) or (status and "advice" not in done.stderr
                                                       and self.work not in done.stderr):
            sys.exit(f"FAIL: {words}: status {done.returncode}: {done.stderr}")
        return done.stdout


def is_shown(page, row):
    """Tell if the page shows the costs of a row, and no other costs, with the digits that pages
    have."""
    cells = next(re.findall("<td>(.*?)</td>", tr) for tr in page.split("<tr>")
                 if f"<b>{row['job']}</b>" in tr)
    least = "" if "share_most" in row else ">="
    forms = {"kwh": "{}{:.4g} kWh", "co2_grams": "{}{:.4g} g CO2", "price": "price {}{:.4g}"}
    want = [form.format(least, row[n]) for n, form in forms.items() if n in row]
    cell = html.unescape(cells[-2]).split("; ", 1)
    got = re.sub(r" with PUE [\d.]+", "", cell[1]).split(", ") if len(cell) > 1 else []
    if got != want or ("share_joules" in row) != (cell[0] != "-"):
        print(f"FAIL: page: {cell}, here {want}")
        return False
    return True


def compare(s, site, jobs):
    sums, results = {}, []
    rows = {r["job"]: r for r in
            map(json.loads, s.run(s.jobs, "--used", "--json").splitlines())}
    lines = {r["job"]: r for r in csv.DictReader(io.StringIO(s.run(s.jobs, "--used", "--csv")))}
    for job in jobs:
        got = json.loads(s.run(s.report, job, "--json"))
        share = got["energy"]["share"]
        want = costs(site, share["joules"], got["start"], got["end"]) if "joules" in share else {}
        results += [is_same(f"{site[0]!r} {kind} {job}", have, want) for kind, have in
                    (("report", got["energy"]), ("jobs", rows[job]), ("CSV", lines[job]))]
        page = s.run(s.report, job)
        results.append(("  costs " in page) == bool(want) == ("kWh" in page))
        sums.update({name: sums.get(name, 0) + v for name, v in want.items()})
    page = " ".join(s.run(s.jobs, "--used", "--html").split())
    results += [is_shown(page, r) for r in rows.values()]
    by = json.loads(s.run(s.jobs, "--by", "user", "--json"))
    results.append(is_same(f"{site[0]!r} --by", by, sums))
    by = next(csv.DictReader(io.StringIO(s.run(s.jobs, "--by", "user", "--csv"))))
    results.append(is_same(f"{site[0]!r} --by, CSV", by, sums))
    return results


def main():
    report, folder, *jobs = sys.argv[1:]
    results = []
    with tempfile.TemporaryDirectory() as work:
        subprocess.run(["cp", "-r", "--no-preserve=mode", folder, work + "/a"], check=True)
        s = Site(report, work)
        for site in SITES:
            s.set(site[0])
            results += compare(s, site, jobs)
        for lines in WRONG:
            s.set(lines)
            s.run(report, jobs[0], status=1)
    print(f"{len(results)} costs compared, {results.count(False)} differ")
    sys.exit(0 if results and all(results) else 1)


if __name__ == "__main__":
    main()
