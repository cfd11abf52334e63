#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""derived.py - compute derived figures again, from the raw files and this script's events

derived.py REPORT DIR JOB...: compare the derived figures of each host in "REPORT JOB --json --dir
DIR" with those that this script computes from DIR/HOST/*, with a tolerance of 1e-9 of the value.
Also compare what nodometer plot draws between two samples, as far as its digits allow. Exits with 1
if a value differs, or if none was compared.
"""
import collections
import json
import math
import os
import re
import subprocess
import sys

ENABLE = 1 << 22


def intel(event, umask):
    """Return a test of a control register: it counts the event with the umask, without edge,
    inversion or counter mask. The other bits do not matter."""
    return lambda ctl: (ctl & ENABLE and ctl & 0xff == event and ctl >> 8 & 0xff == umask
                        and not ctl >> 18 & 1 and not ctl >> 23 & 0x1ff)


def box(event, umask):
    return lambda ctl: (ctl & ENABLE and ctl & 0xff == event and ctl >> 8 & 0xff == umask
                        and not ctl >> 18 & 1 and not ctl >> 23 & 1)


def amd(event):
    return lambda ctl: (ctl & ENABLE and ctl & 0xff == event and not ctl >> 32 & 0xf
                        and not ctl >> 18 & 1 and not ctl >> 23 & 1)


SNB = {"loads": intel(0xd0, 0x81), "l1": intel(0xd1, 1), "l2": intel(0xd1, 2),
       "l3": intel(0xd1, 4), "stall": intel(0xa2, 1), "d1": intel(0x10, 0x80),
       "sse": intel(0x10, 0x90), "d2": intel(0x10, 0x10), "d4": intel(0x11, 2),
       "s1": intel(0x10, 0x20), "s4": intel(0x10, 0x40), "s8": intel(0x11, 1)}
SKX = {"d1": intel(0xc7, 1), "d2": intel(0xc7, 4), "d4": intel(0xc7, 0x10), "d8": intel(0xc7, 0x40),
       "s1": intel(0xc7, 2), "s4": intel(0xc7, 8), "s8": intel(0xc7, 0x20),
       "s16": intel(0xc7, 0x80)}
CAS = {"rd": box(4, 3), "wr": box(4, 0xc)}
EVENTS = {"intel_snb": SNB, "intel_8pmc3": SKX, "intel_4pmc3": SKX,
          "intel_nhm": {"vec": intel(0x10, 0x10), "scal": intel(0x10, 0x20),
                        "remote": intel(0x0f, 0x10), "local": intel(0x0f, 0x20)},
          "amd64_pmc": {"flop": amd(3), "cyc": amd(0x76), "inst": amd(0xc0)},
          "intel_snb_imc": CAS, "intel_ivb_imc": CAS, "intel_hsw_imc": CAS, "intel_skx_imc": CAS}
SCHEMAS = {}
FIXED = {"FIXED_CTR0": "inst", "FIXED_CTR1": "cyc", "FIXED_CTR2": "ref"}
CORES = ("intel_snb", "intel_8pmc3", "intel_4pmc3", "intel_nhm", "amd64_pmc")
METADATA = """fsync setattr truncate flock getattr statfs setxattr getxattr listxattr
removexattr readdir create lookup link unlink symlink mkdir rmdir mknod rename""".split()
NAMES = {("cpu", "user"): "user", ("cpu", "nice"): "user", ("cpu", "system"): "sys",
         ("cpu", "irq"): "sys", ("cpu", "softirq"): "sys",
         ("numa", "local_node"): "plocal", ("numa", "other_node"): "premote",
         ("mdc", "reqs"): "mreq", ("mdc", "wait"): "mwait",
         ("osc", "reqs"): "oreq", ("osc", "wait"): "owait",
         ("lnet", "tx_bytes"): "lbytes", ("lnet", "rx_bytes"): "lbytes",
         ("lnet", "tx_msgs"): "lmsg", ("lnet", "rx_msgs"): "lmsg",
         ("ib_sw", "tx_bytes"): "swbytes", ("ib_sw", "rx_bytes"): "swbytes",
         ("ib_sw", "tx_packets"): "swpkt", ("ib_sw", "rx_packets"): "swpkt",
         ("arm_neoverse", "instructions"): "inst", ("arm_neoverse", "cycles"): "cyc",
         ("arm_neoverse", "fp_spec"): "scal", ("arm_neoverse", "ase_spec"): "vec",
         ("arm_neoverse", "ll_cache_miss_rd"): "rd",
         ("perf_hw", "instructions"): "inst", ("perf_hw", "cycles"): "cyc",
         ("intel_rapl", "pkg_energy"): "jpkg", ("intel_rapl", "dram_energy"): "jmem",
         ("pm_counters", "energy"): "jnode", ("nvidia_gpu", "energy"): "jgpu", ("amd_gpu", "energy"): "jgpu",
         ("amd64_rapl", "pkg_energy"): "jpkg",
         ("nvidia_gpm", "dram_bytes"): "gpubytes",
         ("nvidia_gpm", "pcie_tx"): "pcie", ("nvidia_gpm", "pcie_rx"): "pcie",
         **{(kind, key): "gpm_" + key for kind in ("nvidia_gpm", "nvidia_gpm_mig")
            for key in ("elapsed", "sm", "occupancy", "integer", "tensor", "tensor_dfma",
                        "tensor_hmma", "tensor_imma", "fp64", "fp32", "fp16", "dram")},
         ("llite", "open"): "open", ("llite", "close"): "open",
         ("llite", "read_bytes"): "fs", ("llite", "write_bytes"): "fs",
         ("nfs", "server_read"): "fs", ("nfs", "server_write"): "fs",
         ("block", "rd_sectors"): "disk", ("block", "wr_sectors"): "disk",
         ("block", "rd_ios"): "diskreq", ("block", "wr_ios"): "diskreq",
         ("net", "rx_bytes"): "net", ("net", "tx_bytes"): "net",
         ("net", "rx_packets"): "netpkt", ("net", "tx_packets"): "netpkt",
         ("ib_ext", "port_rcv_data"): "ib4", ("ib_ext", "port_xmit_data"): "ib4",
         ("ib_ext", "port_rcv_pkts"): "ibpkt", ("ib_ext", "port_xmit_pkts"): "ibpkt",
         ("opa", "PortRcvData"): "opa8", ("opa", "PortXmitData"): "opa8",
         ("opa", "PortRcvPkts"): "opapkt", ("opa", "PortXmitPkts"): "opapkt",
         ("opa", "PortXmitWait"): "opawait", ("opa", "SwPortCongestion"): "opawait",
         ("opa", "PortRcvFECN"): "opawait", ("opa", "PortRcvBECN"): "opawait",
         ("cxi", "hni_sts_rx_ok_octets"): "cxi", ("cxi", "hni_sts_tx_ok_octets"): "cxi",
         ("amd64_pmc", "INST_RETIRED"): "inst", ("amd64_pmc", "APERF"): "cyc"}
# HPCPerfStats 3.0 has other names for the same types
TYPES = {"lustre_llite": "llite", "lustre_mdc": "mdc", "lustre_osc": "osc",
         "intel_x86_rapl": "intel_rapl", "intel_x86_pmc_gpr8": "cpu_hw"}
KEYS = {"port_rcv_data": "PortRcvData", "port_xmit_data": "PortXmitData",
        "port_rcv_pkts": "PortRcvPkts", "port_xmit_pkts": "PortXmitPkts",
        "port_xmit_wait": "PortXmitWait", "sw_port_congestion": "SwPortCongestion",
        "port_rcv_fecn": "PortRcvFECN", "port_rcv_becn": "PortRcvBECN"}
for width, weight in (("SCALAR", 1), ("128B_PACKED", 2), ("256B_PACKED", 4), ("512B_PACKED", 8)):
    NAMES["cpu_hw", f"FP_ARITH_INST_RETIRED_{width}_DOUBLE"] = f"d{weight}"
    NAMES["cpu_hw", f"FP_ARITH_INST_RETIRED_{width}_SINGLE"] = f"s{weight * (1 + (weight > 1))}"
NAMES["cpu_hw", "instr_retired"] = "inst"
NAMES["cpu_hw", "aperf"] = "cyc"
for imc in ("icx", "spr", "gnr"):
    NAMES["intel_x86_uncore_imc_" + imc, "dram_cas_reads"] = "rd"
    NAMES["intel_x86_uncore_imc_" + imc, "dram_cas_writes"] = "wr"
    NAMES["intel_x86_uncore_imc_" + imc, "hbm_cas_reads"] = "hbm"
    NAMES["intel_x86_uncore_imc_" + imc, "hbm_cas_writes"] = "hbm"
for way in ("reads", "writes"):
    NAMES["intel_x86_uncore_hbm_spr", "hbm_cas_" + way] = "hbm"
NAMES.update({("llite", k): "meta" for k in METADATA})
UNITS = {"512B": 512, "cs": .01, "ms": .001, "us": 1e-6, "mJ": 1e-3, "uJ": 1e-6, "4B": 4, "KB": 1024}


def schema(words):
    keys = []
    for word in words:
        name, *options = word.split(",")
        bits = [int(o[2:]) for o in options if o.startswith("W=")]
        unit = [o[2:] for o in options if o.startswith("U=")]
        keys.append((name, "E" in options, bits[0] if bits else 64, UNITS.get("".join(unit), 1),
                     "R=S" in options))
    return keys


def our_name(kind, key):
    if kind == "llite" and key.startswith("vfs_"):
        return key[4:-4] if key.endswith("_ops") else key[4:]
    return KEYS.get(key, key) if kind == "opa" else key


def is_counted(kind, device, uppers):
    """Tell if a device counts: not lo, and no device that passes the bytes of lower devices (VLAN,
    bridge, path)."""
    above = {"net": r"lo|.*\.\d+|(vir)?br\d+|macvtap\d+", "block": r"nvme\d+c\d+n\d+|dm-\d+"}
    return not re.fullmatch(above.get(kind, "(?!)"), device) and (kind, device) not in uppers


def take_row(words, keys, now, uppers):
    fast = words[2] == "@fast"
    if words[2][0] == "@":
        del words[2]
    mine = [k for k in keys if not (fast and k[4])]
    kind = words[0].removeprefix("host_")
    kind = TYPES.get(kind, kind)
    if len(words) == len(mine) + 2 and is_counted(kind, words[1], uppers):
        SCHEMAS[kind] = [(our_name(kind, k[0]), *k[1:]) for k in keys]
        now[3][kind, words[1]] = dict(zip([our_name(kind, k[0]) for k in mine], words[2:]))


def records(folder):
    """Yield time in microseconds, jobs, marks and {(type, device): {key: value}} of a host's
    records."""
    types, now, uppers = {}, None, set()
    for name in sorted(n for n in os.listdir(folder) if n.isdigit()):
        for line in open(os.path.join(folder, name), errors="replace"):
            words = line.split()
            if words and words[0] == "$below":
                uppers.add((words[1], words[2]))
            if not words or words[0][0] == "$":
                continue
            if words[0][0] == "!":
                types[words[0][1:]] = schema(words[1:])
            elif words[0][0] == "%":
                now[2].append(words)
            elif words[0][0].isdigit():
                if now:
                    yield now
                now = (round(float(words[0]) * 1e6), words[1].split(","), [], {})
            elif words[0] in types and now:
                take_row(words, types[words[0]], now, uppers)
    if now:
        yield now


def job_records(folder, job):
    """Return the records from the begin mark to the end mark of the job. If a mark is missing, the
    records that name the job set the limit."""
    mine, on = [], False
    for r in records(folder):
        begins = any(m[0] == "%begin" and m[1] == job for m in r[2])
        ends = any(m[0] == "%end" and m[1] == job for m in r[2])
        if begins:
            mine = []
        if begins or ends or job in r[1]:
            mine.append(r)
        if ends:
            break
    return mine


def term(kind, key, ctls):
    if kind in EVENTS and re.match(r"CTR\d$", key):
        for name, is_event in EVENTS[kind].items():
            if is_event(ctls.get("CTL" + key[3], 0)):
                return name
        return None
    if kind in CORES and key in FIXED:
        return FIXED[key]
    return NAMES.get((kind, key))


def changed(kind, rows):
    """Tell if an event moved to another counter, or was not counted for some of the time."""
    for name in EVENTS.get(kind, {}):
        where = [[k for k, v in row.items() if re.match(r"CTL\d$", k)
                  and term(kind, "CTR" + k[3], {k: int(v)}) == name] for row in rows]
        if any(where) and any(w != where[0] for w in where):
            return True
    return False


def count(mine):
    """Return the sums of all terms over the devices, the terms with a reset, the growth between
    samples, and the terms whose counter changed. If a counter with a width decreases, it has
    wrapped."""
    sums, steps, bad, moved = collections.Counter(), [], set(), set()
    devices = {d for r in mine for d in r[3]}
    for kind, device in devices:
        rows = [r[3].get((kind, device)) for r in mine]
        present = [row for row in rows if row]
        other = changed(kind, present)
        if kind == "net" and (kind, "p" + device) in devices:
            continue                # a bridge of Xen: its card p<device> counts the same bytes
        for key, counts, bits, scale, _ in SCHEMAS[kind]:
            if not counts:
                continue
            ctls = {k: int(v) for k, v in present[0].items() if k.startswith("CTL")}
            name = term(kind, key, ctls)
            if not name:
                continue
            if other and re.match(r"CTR\d$", key):
                # the event was counted for part of the time: use it for the peak, not for the sum
                moved.add(name)
                continue
            had = [(r[0], int(r[3][kind, device][key])) for r in mine
                   if key in r[3].get((kind, device), {})]
            values = [value for _, value in had]
            back = [b < a for a, b in zip(values, values[1:])]
            if any(back) and (bits == 64 or any(2 * ((b - a) % 2**bits) > 2**bits
                                                for a, b in zip(values, values[1:]))):
                bad.add(name)       # leave out a counter that was reset
            sums[name] += scale * sum((b - a) % 2**bits for a, b in zip(values, values[1:]))
            steps.append((name, [(t, u, scale * ((b - a) % 2**bits))
                                 for (t, a), (u, b) in zip(had, had[1:])]))
    return sums, bad, steps, moved


def peak(formula, mine, steps):
    """Return the largest rate between two successive samples that have all terms of the formula."""
    most = None
    over = formula(collections.defaultdict(float), 1)[2]
    used = [(name, {u: (t, n) for t, u, n in s}) for name, s in steps if name in over]
    for record in mine[1:]:
        got = collections.defaultdict(float)
        since = {s.get(record[0], (None, 0))[0] for _, s in used}
        if len(since) != 1 or None in since or record[0] - min(since) < 1e6:
            continue
        for name, s in used:
            got[name] += s[record[0]][1]
        rate = formula(got, (record[0] - min(since)) / 1e6)[0]
        most = rate if most is None else max(most, rate)
    return most


def ratio(over, under, scale=1):
    return lambda v, t: (scale * sum(w * v[n] for n, w in over.items())
                         / (sum(w * v[n] for n, w in under.items()) if under else t),
                         set(over) | set(under or {}), set(over), set(under or {}))


D = {"d1": 1, "sse": 1, "d2": 2, "d4": 4, "d8": 8}
S = {"s1": 1, "s4": 4, "s8": 8, "s16": 16}


def ones(terms):
    return {name: 1 for name in terms}


def wide(terms):
    return {name: w for name, w in terms.items() if w > 1}


FORMULAS = {
    "cpi": ratio({"cyc": 1}, {"inst": 1}),
    "clock": ratio({"cyc": 1e-9}, {"user": 1, "sys": 1}),
    "gflops64": ratio(D, None, 1e-9), "gflops32": ratio(S, None, 1e-9),
    "gflops": ratio({"flop": 1}, None, 1e-9),
    "vector64": ratio(wide(D), D, 100), "vector32": ratio(wide(S), S, 100),
    "width64": ratio(D, ones(D)), "width32": ratio(S, ones(S)),
    "vector_instructions": ratio({"vec": 1}, {"vec": 1, "scal": 1}, 100),
    "memory_read": ratio({"rd": 64e-9}, None), "memory_written": ratio({"wr": 64e-9}, None),
    "memory": ratio({"rd": 64e-9, "wr": 64e-9}, None),
    "intensity64": ratio(D, {"rd": 64, "wr": 64}),
    "l1_hits": ratio({"l1": 100}, {"loads": 1}), "l2_hits": ratio({"l2": 100}, {"loads": 1}),
    "l3_hits": ratio({"l3": 100}, {"loads": 1}), "stalls": ratio({"stall": 100}, {"cyc": 1}),
    "remote_loads": ratio({"remote": 100}, {"remote": 1, "local": 1}),
    "remote_pages": ratio({"premote": 100}, {"premote": 1, "plocal": 1}),
    "power_packages": ratio({"jpkg": 1}, None), "power_memory": ratio({"jmem": 1}, None),
    "power_gpus": ratio({"jgpu": 1}, None), "power_node": ratio({"jnode": 1}, None),
    "power": ratio({"jpkg": 1, "jmem": 1, "jgpu": 1}, None),
    "hbm": ratio({"hbm": 32e-9}, None),
    **{"gpu_" + key: ratio({"gpm_" + key: 100}, {"gpm_elapsed": 1})
       for key in ("sm", "occupancy", "integer", "tensor", "tensor_dfma", "tensor_hmma",
                   "tensor_imma", "fp64", "fp32", "fp16", "dram")},
    "gpu_memory": ratio({"gpubytes": 1e-9}, None), "gpu_pcie": ratio({"pcie": 1e-9}, None),
    "metadata": ratio({"meta": 1, "open": 1}, None), "open_close": ratio({"open": 1}, None),
    "files_bandwidth": ratio({"fs": 1e-6}, None),
    "disk_bandwidth": ratio({"disk": 1e-6}, None), "disk_rate": ratio({"diskreq": 1}, None),
    "disk_size": ratio({"disk": 1e-3}, {"diskreq": 1}),
    "net_bandwidth": ratio({"net": 1e-6}, None), "net_rate": ratio({"netpkt": 1}, None),
    "ib_bandwidth": ratio({"ib4": 1e-6}, None), "ib_rate": ratio({"ibpkt": 1}, None),
    "ib_size": ratio({"ib4": 1}, {"ibpkt": 1}),
    "opa_bandwidth": ratio({"opa8": 8e-6}, None), "opa_rate": ratio({"opapkt": 1}, None),
    "opa_size": ratio({"opa8": 8}, {"opapkt": 1}), "opa_congestion": ratio({"opawait": 1}, None),
    "cxi_bandwidth": ratio({"cxi": 1e-6}, None),
    "mdc_rate": ratio({"mreq": 1}, None), "mdc_wait": ratio({"mwait": 1e3}, {"mreq": 1}),
    "osc_rate": ratio({"oreq": 1}, None), "osc_wait": ratio({"owait": 1e3}, {"oreq": 1}),
    "lnet_bandwidth": ratio({"lbytes": 1e-6}, None), "lnet_rate": ratio({"lmsg": 1}, None),
    "lnet_size": ratio({"lbytes": 1e-3}, {"lmsg": 1}),
    "ib_sw_bandwidth": ratio({"swbytes": 1e-6}, None), "ib_sw_rate": ratio({"swpkt": 1}, None),
    "ib_sw_size": ratio({"swbytes": 1}, {"swpkt": 1}),
}


DRAWN = ("gpu_tensor", "gpu_memory", "cpi", "gflops64", "gflops32", "gflops", "memory", "hbm",
         "metadata", "mdc_wait",
         "osc_wait", "net_bandwidth", "power", "remote_loads", "vector_instructions")


# Factors from the units of charts (powers of 1024) to the units of the formulas.
AXES = {"KiB": 1024 / 1e3, "MiB/s": 1024**2 / 1e6, "GiB/s": 1024**3 / 1e9}


def drawn(report, folder, job, name):
    """Return {number of the line: its levels (from, to, value)} of the panel, or None without a
    panel."""
    plot = os.path.join(os.path.dirname(report), "nodometer-plot")
    done = subprocess.run([plot, job, name, "--dir", folder, "-o", "-"], env={"TZ": "UTC"},
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    lines, title = {}, re.search("^set label 2 '.*, (.*?)' at ", done.stdout, re.M)
    scale = AXES.get(title[1], 1) if title else 1
    for number, block in re.findall(r"^\$p0n(\d+) << EOD\n(.*?)^EOD", done.stdout, re.M | re.S):
        points = [tuple(map(float, line.split())) if line else None for line in block.split("\n")]
        lines[int(number)] = [(a[0], b[0], scale * a[1]) for a, b in zip(points, points[1:])
                              if a and b and a[1] == b[1]]
    return lines if done.returncode == 0 else None


def levels(formula, mine, steps):
    """Yield the figure between successive samples that have all terms of the formula."""
    over, under = formula(collections.defaultdict(lambda: 1.0), 1)[2:]
    used = [(name, {u: (t, n) for t, u, n in s}) for name, s in steps if name in over | under]
    for record in mine[1:]:
        got = collections.defaultdict(float)
        since = {s.get(record[0], (None, 0))[0] for _, s in used}
        if len(since) != 1 or None in since:
            continue
        for name, s in used:
            got[name] += s[record[0]][1]
        start = min(since)
        try:
            yield start / 1e6, record[0] / 1e6, formula(got, (record[0] - start) / 1e6)[0]
        except ZeroDivisionError:
            pass


def compare_drawn(report, folder, job, hosts):
    """Compare drawn levels with computed ones. hosts: values of each host, in the order of the
    page. Only up to eight hosts have their own lines."""
    same, failed = collections.Counter(), 0
    for name in DRAWN if len(hosts) <= 8 else ():
        lines = drawn(report, folder, job, name)
        if (lines is not None) != any(name in has for *_, has in hosts):
            print(f"FAIL: {job}: {name} is on the page or drawn, not both")
            failed += 1
        lines = lines or {}
        for i, (mine, steps, bad, _) in enumerate(hosts):
            if i not in lines or formula_terms(name) & bad:
                continue
            for start, end, want in levels(FORMULAS[name], mine, steps):
                at = [v for a, b, v in lines[i] if a < (start + end) / 2 < b]
                if not at:
                    same["gaps"] += 1
                elif not math.isclose(at[0], want, rel_tol=2e-5, abs_tol=1e-9):
                    print(f"FAIL: {job}, line {i}: {name} at {end} is {at[0]}, here {want}")
                    failed += 1
                same["drawn " + name] += 1
    return same, failed


def formula_terms(name):
    return FORMULAS[name](collections.defaultdict(lambda: 1.0), 1)[1]


def compare(report, folder, job):
    text = subprocess.run([report, job, "--json", "--dir", folder], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=True).stdout
    same, failed, steps_of = collections.Counter(), 0, []
    for host in json.loads(text)["hosts"]:
        mine = job_records(os.path.join(folder, host["host"]), job)
        sums, bad, steps, moved = count(mine)
        steps_of.append((mine, steps, bad | moved, host["derived"]))
        seconds = (mine[-1][0] - mine[0][0]) / 1e6
        for name, formula in FORMULAS.items():
            got = host["derived"].get(name)
            try:
                want, terms, over, under = formula(sums, seconds)
            except ZeroDivisionError:
                want, terms, over, under = None, set(), set(), set()
            if terms & bad:
                continue
            if not over & set(sums) or (under and not under & set(sums)):
                want = None
            if want is None and got is None:
                continue
            if want is None or got is None or not math.isclose(got, want, rel_tol=1e-9):
                print(f"FAIL: {job} on {host['host']}: {name} is {got}, here {want}")
                failed += 1
            same[name] += 1
            if under or terms & moved or name not in host["derived_peak"]:
                continue
            got, want = host["derived_peak"][name], peak(formula, mine, steps)
            if want is None or not math.isclose(got, want, rel_tol=1e-9):
                print(f"FAIL: {job} on {host['host']}: {name}'s peak is {got}, here {want}")
                failed += 1
            same["peak of " + name] += 1
    in_lines, wrong = compare_drawn(report, folder, job, steps_of)
    return same + in_lines, failed + wrong


def main():
    report, folder, *jobs = sys.argv[1:]
    same, failed = collections.Counter(), 0
    for job in jobs:
        one, bad = compare(report, folder, job)
        same += one
        failed += bad
    gaps = same.pop("gaps", 0)
    print(f"{sum(same.values())} values of {len(same)} figures, peaks and lines compared, {failed} "
          f"differ, {gaps} are not drawn")
    sys.exit(1 if failed or not same else 0)


if __name__ == "__main__":
    main()
