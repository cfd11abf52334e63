# SPDX-License-Identifier: BSD-3-Clause
"""decode.py - read AdminComment as jobstats and reportseff do, and print what each node used, in
percent

The format is that of jobstats: docs/setup/summaries.md of PrincetonUniversity/jobstats.
"""
import base64
import gzip
import json
import sys

comment = sys.stdin.read().strip()
if not comment.startswith("JS1:"):
    sys.exit("no JS1: " + comment)
job = json.loads(gzip.decompress(base64.b64decode(comment[4:], validate=True)))
gpus = 0
for name, node in sorted(job["nodes"].items()):
    cpu = node["total_time"] / node["cpus"] / job["total_time"] * 100
    memory = node["used_memory"] / node["total_memory"] * 100
    if not (cpu > 0 and 0 < memory <= 100):
        sys.exit(f"{name}: {cpu} % CPU, {memory} % memory")
    print(name, node["cpus"], int(job["total_time"]))
    memory = node.get("gpu_total_memory", {})
    gpus += len(memory)
    for number in sorted(memory):
        used = node["gpu_used_memory"][number] / memory[number] * 100
        print(f"GPU {number}: {node['gpu_utilization'][number]} %, memory {used:.1f} %")
if job["gpus"] != gpus:
    sys.exit(f"{job['gpus']} GPUs, of nodes {gpus}")
