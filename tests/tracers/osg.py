#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# osg.py - check OSG and WLCG lines by the rules of OSG's collector: types, units, omitted lines
#
# osg.py OWN OSG WLCG: the three files have the same transfers, each in its own format. The rules
# were written from what opensciencegrid/xrootd-monitoring-collector e8161f0 does, and share no code
# with nodometer.
import json
import re
import sys

INT, REAL, TEXT, BOOL = (int,), (int, float), (str,), (bool,)
ALWAYS = {
    "timestamp": INT, "start_time": INT, "end_time": INT, "operation_time": INT,
    "HasFileCloseMsg": INT, "server": TEXT, "server_ip": TEXT, "server_hostname": TEXT,
    "filename": TEXT, "filesize": (int, str), "logical_dirname": TEXT,
    "read": INT, "readv": INT, "write": INT,
}
KNOWN = {
    "serverID": TEXT, "site": TEXT, "user": TEXT, "host": TEXT, "user_domain": TEXT,
    "user_dn": TEXT, "vo": TEXT, "protocol": TEXT, "ipv6": BOOL, "appinfo": TEXT,
    "dirname1": TEXT, "dirname2": TEXT, "experiment": TEXT, "activity": TEXT,
    "token_subject": TEXT, "token_username": TEXT, "token_org": TEXT, "token_role": TEXT,
    "token_groups": TEXT,
}
OPS = {
    "read_single_bytes": INT, "read_operations": INT, "read_single_operations": INT,
    "read_vector_operations": INT, "write_operations": INT, "read_average": REAL,
    "read_single_average": REAL, "read_vector_average": REAL, "read_vector_count_average": REAL,
    "write_average": REAL, "read_bytes_at_close": INT, "write_bytes_at_close": INT,
}
SIZES = {f"{kind}_{m}": INT for m in ("min", "max") for kind in
         ("read", "read_single", "read_vector", "read_vector_count", "write")}
DIRECTORIES = [
    ("/user", 2), ("/osgconnect/public", 3), ("/osgconnect/protected", 3),
    ("/ospool/PROTECTED", 3), ("/ospool", 4), ("/path-facility", 3), ("/hcc", 5),
    ("/pnfs/fnal.gov/usr", 4), ("/gwdata", 2), ("/chtc/", 1), ("/icecube/", 1), ("/igwn", 3),
    ("/store", 2),
]
failed = 0


def fail(*what):
    global failed
    failed += 1
    if failed < 20:
        print("FAIL:", *what)


def lines(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def is_a(value, kinds):
    return isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))


def check_types(r):
    for table, need in ((ALWAYS, True), (KNOWN, False), (OPS, "read_operations" in r),
                        (SIZES, False)):
        for key, kinds in table.items():
            if key not in r:
                if need:
                    fail("no", key, "in", r)
            elif not is_a(r[key], kinds):
                fail(key, "is", repr(r[key]))
    for key in r.keys() - ALWAYS.keys() - KNOWN.keys() - OPS.keys() - SIZES.keys():
        fail("a key that the collector does not have:", key)
    for key in KNOWN.keys() & r.keys():
        if r[key] == "" and key != "site":
            fail(key, "is empty, not left out")


def directory(path):
    for prefix, n in DIRECTORIES:
        if path.startswith(prefix):
            return "/".join(path.split("/")[:n + 1])
    return "unknown directory"


def check_values(r, own):
    """Compare the line with nodometer's own line about the same access."""
    same = ["user", "host", "protocol", "appinfo", "ipv6", "site", "server_ip", "experiment",
            "activity"] + [f"token_{k}" for k in ("subject", "username", "org", "role", "groups")]
    if "read_operations" in r:
        same += [*SIZES, "read_bytes_at_close", "write_bytes_at_close", "read_single_bytes"]
        for key in OPS:
            if key.endswith("_average") and r[key] != (own[key] or 0):
                fail(key, r[key], "is not", own[key])
    for key in ("server", "server_hostname"):
        if r[key] != (own["server_hostname"] if key != "server" else None) and (
                r[key] != own["server_ip"]):
            fail(key, r[key])
    if r.get("serverID", own["serverID"]) != own["serverID"]:
        fail("serverID", r["serverID"])
    for key in ("read_operations", "read_single_operations", "read_vector_operations",
                "write_operations"):
        if key in r and r[key] != (own[key] or 0):
            fail(key, r[key], "is not", own[key])
    for key in same:
        if r.get(key) != own[key] and not (key == "site" and not r.get(key)):
            fail(key, r.get(key), "is not", own[key])
    for key in ("read", "readv", "write"):
        if r[key] != (own[key] or 0):
            fail(key, r[key], "is not", own[key])
    opened, closed = own["open_window"], own["close_window"]
    end = closed[0] * 1000 if closed else r["end_time"]
    start = opened[0] * 1000 if opened else end
    if (r["timestamp"], r["end_time"], r["start_time"]) != (end, end, start):
        fail("times", r, own)
    if r["operation_time"] != int((end - start) / 1000):
        fail("operation_time", r)
    if r["HasFileCloseMsg"] != (1 if opened else 0):
        fail("HasFileCloseMsg", r, own)
    if closed and own["timestamp"] != end:
        fail("timestamp of our own", own["timestamp"])
    path = own["filename"]
    if r["filename"] != (path or "missing directory"):
        fail("filename", r["filename"])
    if path:
        parts = path.split("/")
        want = ["/".join(parts[:2]), "/".join(parts[:3]), directory(path)]
        if [r["dirname1"], r["dirname2"], r["logical_dirname"]] != want:
            fail("directories", r)
    if r["filesize"] != ("-1" if not opened else own["filesize"]):
        fail("filesize", r["filesize"])
    host = own["host"] or ""
    want = None if not host or re.match(r"[\[:.0-9]", host) else ".".join(host.split(".")[-2:])
    if r.get("user_domain") != want:
        fail("user_domain", r.get("user_domain"), want)


def crab(info):
    parts = info.split("_")
    if len(parts) != 3:
        return {}
    return {"CRAB_Id": parts[0], "CRAB_Retry": parts[2], "CRAB_Workflow": parts[1].split("/")[-1]}


def convert(r):
    """Convert a record as OSG's collector does, except for random values."""
    w = {
        "site_name": r.get("site", ""), "fallback": True, "server_site": r.get("site", ""),
        "server_host": r["server_hostname"], "server_ip": r["server_ip"],
        "file_lfn": r["filename"], "file_size": r["filesize"],
        "read_bytes": r["read"] + r["readv"], "read_single_bytes": r["read"],
        "read_vector_bytes": r["readv"], "write_bytes": r["write"],
        "ipv6": r.get("ipv6", False), "start_time": r["start_time"], "end_time": r["end_time"],
        "operation_time": r["operation_time"],
    }
    w["operation"] = "read" if w["read_bytes"] > 0 else "write" if r["write"] > 0 else "unknown"
    if not re.match(r"[\[:.0-9]", r["server_hostname"]):
        w["server_domain"] = ".".join(r["server_hostname"].split(".")[-2:])
    for to, key in (("user_dn", "user_dn"), ("client_host", "host"),
                    ("client_domain", "user_domain")):
        w[to] = r.get(key, "")
    for to, key in (("vo", "vo"), ("user_protocol", "protocol"), ("experiment", "experiment"),
                    ("activity", "activity")):
        if key in r:
            w[to] = r[key]
    if "CN=" in r.get("user_dn", ""):
        w["user"] = r["user_dn"].split("CN=")[1]
    w.update(crab(r.get("appinfo", "")))
    for key in list(OPS) + list(SIZES):
        if key != "read_single_bytes":
            w[key] = r.get(key, 0)
    return w


def check_wlcg(w, r, own):
    meta = w.pop("metadata")
    unique = w.pop("unique_id")
    if not re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
                        unique) or meta.pop("_id") != unique:
        fail("unique_id", unique)
    now = meta.pop("timestamp")
    if not isinstance(now, int) or now < 1600000000000 or not meta.pop("host"):
        fail("metadata of", now)
    if meta != {"producer": "cms", "type": "aaa-ng", "type_prefix": "raw"}:
        fail("metadata", meta)
    for kind in ("read", "read_single", "read_vector", "read_vector_count", "write"):
        if w.pop(kind + "_sigma") != (own[kind + "_sigma"] or 0):
            fail("sigma of", kind)
    want = convert(r)
    for key in w.keys() | want.keys():
        if w.get(key) != want.get(key) or (key in w) != (key in want):
            fail("wlcg", key, w.get(key), "is not", want.get(key))
    return unique


owns = [t for t in lines(sys.argv[1]) if t["close_window"] or t["bytes_from"] == "report"]
osgs, wlcgs = lines(sys.argv[2]), lines(sys.argv[3])
if not len(owns) == len(osgs) == len(wlcgs):
    fail(len(owns), "of our own,", len(osgs), "of OSG,", len(wlcgs), "of WLCG")
ids = set()
for own, osg, wlcg in zip(owns, osgs, wlcgs):
    check_types(osg)
    check_values(osg, own)
    ids.add(check_wlcg(wlcg, osg, own))
if len(ids) != len(wlcgs):
    fail("ids that stand twice")
print(len(osgs), "records are as the collector's")
sys.exit(failed != 0)
