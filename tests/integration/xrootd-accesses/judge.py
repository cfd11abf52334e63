# SPDX-License-Identifier: BSD-3-Clause
"""judge.py KNOWN LINES: compare known accesses with the lines of a receiver

Each access must have exactly one line, in which the bytes of the file are exact and right, or not
exact for a stated reason and then not fewer than were moved.
"""
import collections
import json
import sys


def load(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def judge(k, t):
    """Return "exact", "flagged", or a text that says what is wrong."""
    way = "write" if k["write"] else "read"
    payload, sure = t[way + "_payload"], t[way + "_payload_is"]
    wire = None if t[way] is None else t[way] + ((t["readv"] or 0) if way == "read" else 0)
    if sure == "exact":
        return "exact" if k["least"] <= payload <= k["most"] else f"says {payload}, exact"
    if sure == "at_most":
        return ("flagged" if t["payload_why"] and payload >= k["least"]
                else f"says {payload}, at most: {t['payload_why']}")
    if t[way + "_is"] == "exact":
        return f"{wire} is exact, and no bytes of the file are known"
    if not (t["bytes_why"] or t["missing"]):
        return "no bytes, and no reason"
    # The bytes on the wire may include checksums of pages, and pages that a client read again
    # because their checksums were wrong.
    most = 2 * (k["most"] + 4 * (k["most"] // 4096 + 64))
    return "flagged" if wire is None or wire <= most else f"says {wire}, at least"


def in_turn(line):
    return (line["write"] if line["for_write"] else line["read"]) or 0


accesses, lines = collections.defaultdict(list), collections.defaultdict(list)
for known in load(sys.argv[1]):
    accesses[known["port"], known["path"], known["write"]].append(known)
for line in load(sys.argv[2]):
    # kXR_new alone does not open a file for writing
    wrote = line["for_write"] or bool(line["write"])
    lines[line["server_port"], line["filename"], wrote].append(line)

count, wrong = collections.Counter(), []
reasons = collections.Counter()
for key, all_known in accesses.items():
    found = lines.pop(key, [])
    if len(found) != len(all_known):
        wrong.append(f"{key} has {len(found)} lines, not {len(all_known)}: {all_known[0]}")
        continue
    for known, line in zip(all_known, sorted(found, key=in_turn)):
        said = judge(known, line)
        count[said] += 1
        if said not in ("exact", "flagged"):
            wrong.append(f"{known}: {said}: {json.dumps(line)}")
        elif said == "flagged":
            reasons[line["payload_why"] or line["bytes_why"] or str(line["missing"])] += 1
for key in lines:
    wrong.append(f"nobody made an access to {key}")
total = sum(map(len, accesses.values()))
right = count["exact"] + count["flagged"]
print(f"{right} of {total} known accesses exact or flagged: {count['exact']} exact,",
      ", ".join(f"{n} {why}" for why, n in sorted(reasons.items())))
for text in wrong[:12]:
    print("FAIL:", text)
sys.exit(bool(wrong) or not total)
