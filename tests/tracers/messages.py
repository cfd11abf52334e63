#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# messages.py - check messages of caches, copies, connections and summaries by independent rules
#
# "g KIND EVENTS OSG WLCG" compares messages in both forms with the events of KIND (cache, tpc, tcp)
# that --events prints. "summary PACKETS OUT" compares messages with summary packets. "routes OWN
# WLCG REST" checks which accesses go to WLCG and which to the rest. The rules were written from
# opensciencegrid/xrootd-monitoring-collector and xrootd-monitoring-shoveler 2.3.0.
import json
import re
import struct
import sys
from datetime import datetime, timezone
from xml.etree import ElementTree

CACHE = {
    "lfn": "file_path", "blk_size": "block_size", "n_blks": "numbers_blocks",
    "n_blks_done": "numbers_blocks_done", "access_cnt": "access_count",
    "attach_t": "attach_time", "detach_t": "detach_time", "remotes": "remotes_origin",
    "b_hit": "bytes_hit_cache", "b_miss": "bytes_miss_cache", "b_bypass": "bytes_bypass_cache",
    "b_todisk": "bytes_to_disk", "b_prefetch": "bytes_by_prefetch",
    "n_cks_errs": "numbers_checksum_errors",
}
COPY = {"TPC": "tpc_protocol", "Client": "client", "Src": "source", "Dst": "destination",
        "Size": "size"}
XEQ = {"Beg": "begin_transfer", "End": "end_transfer", "IPv": "ip_version", "RC": "return_code",
       "Strm": "used_streams", "Type": "flow_direction"}
VO = [("/user", "osg"), ("/osgconnect/public", "osg"), ("/pnfs/fnal.gov/usr", "fermilab"),
      ("/hcc", "hcc"), ("/gwdata", "gwdata"), ("/chtc/", "chtc"), ("/icecube/", "icecube")]


def lines(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def server_keys(hdr, kind):
    host = hdr["server_host"] or hdr["server"]
    keys = {"sid": f"{hdr['server_start']}#{hdr['server']}#{hdr['port']}",
            "server_ip": hdr["server"], "server_hostname": host,
            "from": f"{hdr['server']}:{hdr['port']}"}
    if hdr["server_host"]:
        keys["site"] = hdr["site"] or ""
    if kind == "tcp":
        keys["hostname"] = host
    return keys


def cache(event):
    want = {CACHE.get(k, k): v for k, v in event.items()}
    path = event["lfn"]
    want["vo"] = next((vo for prefix, vo in VO if path.startswith(prefix)), "noVO")
    if "b_todisk" in event and "b_prefetch" in event:
        want["bytes_read_by_remote"] = event["b_todisk"] + event["b_bypass"]
        want["bytes_explicit_remote_read"] = (want["bytes_read_by_remote"]
                                              - event["b_prefetch"])
    return want


def copy(event):
    want = {COPY[k]: v for k, v in event.items() if k in COPY}
    for side in "source", "destination":
        want[side] = want[side].split("?")[0]
    want["xeq"] = {XEQ[k]: v for k, v in event["Xeq"].items()}
    return want


def g(kind, events, osg, wlcg):
    make = {"cache": cache, "tpc": copy, "tcp": dict}[kind]
    want = [dict(make(e["op"]["event"]), **server_keys(e["hdr"], kind))
            for e in lines(events) if e["op"]["type"] == kind]
    got = lines(osg)
    assert want == got, [(w, g) for w, g in zip(want, got) if w != g][:1] or (len(want), len(got))
    for with_metadata, plain in zip(lines(wlcg), want):
        m = with_metadata.pop("metadata")
        assert with_metadata == plain
        assert m["producer"] == "cms-xrootd-cache" and m["type_prefix"] == "raw" and m["host"]
        assert m["type"] == {"cache": "metric", "tpc": "tpc"}[kind]
        assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-"
                            r"[0-9a-f]{12}", m["_id"]) and m["timestamp"] > 10**12
    print(len(want))


def datagrams(path):
    with open(path, "rb") as f:
        data = f.read()
    at = 8
    while at < len(data):
        source, n = struct.unpack_from(">8x4s4xI", data, at)
        yield ".".join(map(str, source)), data[at + 24:at + 24 + n].rstrip(b"\0")
        at += 24 + n


KEYS = {
    "link": {"link_total": "tot", "link_in": "in", "link_out": "out", "link_ctime": "ctime",
             "link_tmo": "tmo"},
    "proc": {"proc_usr": "usr/s", "proc_sys": "sys/s"},
    "xrootd": {"ops_open": "ops/open", "ops_preread": "ops/pr", "ops_read": "ops/rd",
               "ops_readv": "ops/rv", "ops_sync": "ops/sync", "ops_write": "ops/wr",
               "xrootd_errors": "err", "xrootd_delays": "dly", "xrootd_redirections": "rdr",
               "login_attempts": "lgn/num", "authentication_failures": "lgn/af",
               "authentication_successes": "lgn/au", "unauthenticated_successes": "lgn/ua"},
}
NOW = {"link": {"link_num": "num"}, "sgen": {"sgen_as": "as"},
       "sched": {"sched_in_queue": "inq", "sched_threads": "threads",
                 "sched_idle_threads": "idle"}}


def moment(text):
    return datetime.fromtimestamp(int(text), timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")


def message(root, address, before):
    want = {"server_ip": address, "type": "summary", "pid": int(root.get("pid")),
            "timestamp": moment(root.get("tod")), "tos": moment(root.get("tos")),
            "cstart": moment(root.get("tod")), "version": root.get("ver"),
            "site": root.get("site", "UnknownSite")}
    blocks = {s.get("id"): s for s in root.findall("stats")}
    if "sgen" in blocks:
        want["cend"] = moment(blocks["sgen"].findtext("toe"))
    counts = {name: int(blocks[b].findtext(path)) for b, keys in KEYS.items() if b in blocks
              for name, path in keys.items()}
    if "site" in root.attrib and before is not None:
        if "info" in blocks:
            want["host"] = blocks["info"].findtext("host")
        want.update({name: int(blocks[b].findtext(path)) for b, keys in NOW.items()
                     if b in blocks for name, path in keys.items()})
        want.update({name: n - before[name] if n >= before[name] else n
                     for name, n in counts.items() if name in before})
    return want, counts


def summary(packets, out):
    known, all_of_them = {}, []
    for address, packet in datagrams(packets):
        if not packet.startswith(b"<"):
            continue
        root = ElementTree.fromstring(packet)
        if root.get("pgm") != "xrootd":
            continue
        key = address, root.get("pid")
        want, counts = message(root, address, known.get(key))
        if key in known or "site" not in root.attrib:
            all_of_them.append(want)
        known[key] = counts
    got = lines(out)
    assert got == all_of_them, [(w, g) for w, g in zip(all_of_them, got) if w != g][:1] or (
        len(all_of_them), len(got))
    print(len(got), sum("link_in" in m for m in got))


def is_wlcg(path, vo):
    return path.startswith(("/store", "/user/dteam")) or (vo or "").lower() == "cms"


def routes(own, wlcg, rest):
    every = [(t["filename"], t["vo"]) for t in lines(own)
             if t["filename"] and t["ended_by"] == "close"]
    taken = [t["file_lfn"] for t in lines(wlcg)]
    left = [t["filename"] for t in lines(rest)]
    assert taken == [p for p, vo in every if is_wlcg(p, vo)], taken
    assert left == [p for p, vo in every if not is_wlcg(p, vo)], left
    print(len(taken), len(left))


{"g": g, "summary": summary, "routes": routes}[sys.argv[1]](*sys.argv[2:])
