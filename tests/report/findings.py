# SPDX-License-Identifier: BSD-3-Clause
"""findings.py - each finding is reported just beyond its threshold, and not just below it

findings.py REPORT JOBS FOLDER SOURCE: job 7 runs for 1800 s on two nodes of four CPUs, with a
sample each minute, like a healthy job; each case changes one thing.
"""
import json
import os
import re
import subprocess
import sys

REPORT, JOBS, WORK, SOURCE = sys.argv[1:]
START, STEP, STEPS, CPUS = 1700000000, 60, 30, 4
GIB = 1 << 30
# Skylake events for operations of 1, 2, 4 and 8 numbers
EVENTS = 4391367, 4392135, 4395207, 4407495

HEALTHY = {
    'busy': lambda t: [0.97] * CPUS, 'anon': 80, 'grown': lambda t: 0, 'oom': 0, 'limit': 2400, 'exit': '0:0',
    'swap': 0, 'back': 0, 'mine': lambda t: 1, 'kernel': lambda t: 0.02, 'forks': 5, 'opens': 10, 'files': 100e6, 'disk': (10, 2048), 'flops': (1e9, 0, 0, 1e9),
    'remote': 0.05, 'throttled': 0, 'ue': 0, 'links': 0, 'gpus': None, 'held': 0,
    'step': STEP,
    'switches': 500, 'fresh': 2000,
    'psi': (0, 0, 0),   # share of the time in which a task waits for a CPU, memory, I/O
}
# The last member lists findings that are also expected if the change is on one node only.
CASES = [
    ('killed-for-memory', {'oom': 1}, {'oom': 0}),
    ('no-cpu-time', {'busy': lambda t: [0.0024] * CPUS}, {'busy': lambda t: [0.0026] * CPUS}),
    ('no-cpu-time', {'busy': lambda t: [0.0024] * CPUS, 'alone': True},
     {'busy': lambda t: [0.0026] * CPUS, 'alone': True}),
    ('no-cpu-time', {'busy': lambda t: [0.0024] * CPUS, 'beside': 1}, {'mine': lambda t: 0}),
    ('idle-nodes', {'busy': lambda t: [0.009] * CPUS}, {'busy': lambda t: [0.011] * CPUS}),
    ('idle-nodes', {'busy': lambda t: [0.009] * CPUS}, {'kernel': lambda t: 1}),
    ('idle-gpus', {'gpus': (90, 0)}, {'gpus': (90, 1)}),
    ('stopped', {'busy': lambda t: [0.97 if t < 900 else 0] * CPUS},
     {'busy': lambda t: [0.97 if t < 900 else 0.05] * CPUS}, 'uneven'),
    ('process-storm', {'forks': 101}, {'forks': 99}),
    ('process-storm', {'busy': lambda t: [0.98, 0, 0, 0], 'alone': True, 'forks': 390},
     {'forks': 99}, 'serial'),
    ('kernel-time', {'kernel': lambda t: 0.51, 'all': True},
     {'kernel': lambda t: 0.49, 'all': True}),
    ('kernel-time', {'kernel': lambda t: 0.51, 'all': True, 'own': True},
     {'kernel': lambda t: 0.49, 'all': True, 'own': True}),
    ('kernel-time', {'kernel': lambda t: 0.51, 'all': True, 'own': True, 'beside': 1},
     {'kernel': lambda t: 0.49, 'all': True, 'own': True, 'beside': 1}),
    ('kernel-time', {'busy': lambda t: [0.09, 0, 0, 0], 'kernel': lambda t: 0.98, 'alone': True},
     {'busy': lambda t: [0.03, 0, 0, 0], 'kernel': lambda t: 0.98, 'alone': True}, 'asleep', 'kernel-time'),
    ('serial', {'busy': lambda t: [0.86, 0, 0, 0], 'alone': True},
     {'busy': lambda t: [0.84, 0, 0, 0], 'alone': True}),
    ('serial', {'busy': lambda t: [0.86 if i == t // STEP % CPUS else 0 for i in range(CPUS)],
                'alone': True}, {'busy': lambda t: [0.98, 0.04, 0, 0], 'alone': True}),
    ('low-cpu', {'busy': lambda t: [0.63] * CPUS, 'all': True},
     {'busy': lambda t: [0.67] * CPUS, 'all': True}),
    ('low-cpu', {'busy': lambda t: [0.32] * CPUS, 'all': True, 'cores': 2},
     {'busy': lambda t: [0.33] * CPUS, 'all': True, 'cores': 2}),
    ('faded', {'busy': lambda t: [0.97 if t < 900 else 0.2] * CPUS, 'mine': lambda t: 0},
     {'busy': lambda t: [0.67] * CPUS, 'all': True}, 'low-cpu'),
    ('low-gpu', {'gpus': (14, 14), 'all': True}, {'gpus': (16, 16), 'all': True}),
    ('memory-limit-near', {'anon': 96}, {'anon': 94}),
    ('memory-grows', {'anon': 20, 'grown': lambda t: 41 * t / 1800, 'exit': '1:0'},
     {'anon': 20, 'grown': lambda t: 38 * t / 1800, 'exit': '1:0'}),
    ('memory-grows', {'anon': 20, 'grown': lambda t: 41 * t / 1800 + t % 7 / 3, 'exit': '1:0'},
     {'anon': 20, 'grown': lambda t: 41 * t / 1800, 'exit': '0:0'}),
    ('memory-grows', {'anon': 10, 'grown': lambda t: 80 * t / 1800, 'exit': '1:0'},
     {'anon': 20, 'grown': lambda t: min(t, 900) / 15, 'exit': '1:0'}),
    ('memory-grows', {'anon': 10, 'grown': lambda t: 80 * t / 1800, 'exit': '1:0'},
     {'anon': 20, 'grown': lambda t: 41 * t / 1800 + 20 * (t // STEP % 2), 'exit': '1:0'}),
    ('memory-limit-far', {'anon': 69, 'all': True}, {'anon': 71, 'all': True}),
    ('time-limit-hit', {'limit': 1800, 'exit': '0:15'}, {'limit': 1810, 'exit': '0:15'}),
    ('time-limit-far', {'limit': 3100}, {'limit': 2900}),
    ('faded', {'busy': lambda t: [0.97 if t < 900 else 0.2] * CPUS},
     {'busy': lambda t: [0.97 if t < 900 else 0.3] * CPUS}),
    ('faded', {'busy': lambda t: [0.97 if t < 900 else 0.2] * CPUS},
     {'kernel': lambda t: 0 if t < 900 else 0.9}),
    ('faded', {'busy': lambda t: [0.97 if t < 900 else 0.2] * CPUS},
     {'busy': lambda t: [0.12 if t < 900 else 0.02] * CPUS}),
    ('faded', {'mine': lambda t: 1 if t < 900 else 0.2, 'beside': 1},
     {'mine': lambda t: 1 if t < 900 else 0.3, 'beside': 1}),
    ('stopped', {'mine': lambda t: 1 if t < 900 else 0, 'beside': 1},
     {'busy': lambda t: [0.97 if t < 900 else 0] * CPUS, 'mine': lambda t: 0, 'beside': 1}),
    ('uneven', {'busy': lambda t: [0.47] * CPUS}, {'busy': lambda t: [0.5] * CPUS}),
    ('swapping', {'swap': 0.6}, {'swap': 0.5}),
    ('swapping', {'swap': 0.6}, {'back': 60}),
    ('metadata', {'opens': 10100}, {'opens': 9900}),
    ('one-node-io', {'files': 1000e6}, {'files': 800e6}),
    ('small-io', {'disk': (101, 15.9e3), 'psi': (0, 0, 0.03), 'all': True},
     {'disk': (99, 15.9e3), 'psi': (0, 0, 0.03), 'all': True}),
    ('small-io', {'disk': (101, 15.9e3), 'psi': (0, 0, 0.03), 'all': True},
     {'disk': (101, 16.4e3), 'psi': (0, 0, 0.03), 'all': True}),
    ('no-vectors', {'flops': (1.93e9, 0, 0, 1e7), 'all': True},
     {'flops': (1.5e9, 0, 0, 1e7), 'all': True}),
    ('remote-memory', {'remote': 0.26, 'all': True}, {'remote': 0.24, 'all': True}),
    ('hot-gpus', {'gpus': (90, 90), 'held': 0.011}, {'gpus': (90, 90), 'held': 0.009}),
    ('hot-cpus', {'throttled': 1}, {}),
    ('memory-errors', {'ue': 1}, {}),
    ('link-errors', {'links': 1}, {}),
    ('cpu-wait', {'busy': lambda t: [0.7, 0, 0, 0], 'alone': True, 'psi': (0.26, 0, 0)},
     {'busy': lambda t: [0.7, 0, 0, 0], 'alone': True, 'psi': (0.24, 0, 0)}, 'low-cpu'),
    ('io-wait', {'busy': lambda t: [0.7, 0, 0, 0], 'alone': True, 'psi': (0, 0, 0.26)},
     {'busy': lambda t: [0.7, 0, 0, 0], 'alone': True, 'psi': (0, 0, 0.24)}, 'low-cpu'),
    ('memory-wait', {'busy': lambda t: [0.7, 0, 0, 0], 'alone': True, 'psi': (0, 0.11, 0.2)},
     {'busy': lambda t: [0.7, 0, 0, 0], 'alone': True, 'psi': (0, 0.09, 0.2)}, 'low-cpu'),
    ('io-wait', {'busy': lambda t: [0.4, 0, 0, 0], 'alone': True, 'psi': (0.2, 0.1, 0.4),
                 'kernel': lambda t: 0.55}, {'psi': (0, 0, 1)}, 'kernel-time', 'memory-wait', 'low-cpu'),
    ('asleep', {'busy': lambda t: [0.49] * CPUS, 'all': True},
     {'busy': lambda t: [0.51] * CPUS, 'all': True}),
    ('unseen-gpus', {'asked': '0,1', 'busy': lambda t: [0.3] * CPUS, 'all': True},
     {'asked': '0,1', 'gpus': (90, 90), 'all': True}),
    ('unseen-gpus', {'program': 'nvidia-persiste', 'busy': lambda t: [0.3] * CPUS, 'all': True},
     {'program': 'nvidia-persiste', 'gpus': (90, 90), 'all': True}),
    ('unseen-gpus', {'program': 'nvidia-persiste', 'busy': lambda t: [0.3] * CPUS, 'all': True},
     {'program': 'nvidia-persiste', 'beside': 1, 'all': True}),
    ('scattered-gpus', {'asked': '1', 'gpus': (90, 90), 'all': True},
     {'asked': '0,1', 'gpus': (90, 90), 'all': True}),
    ('many-nodes', {'cpus': 2, 'busy': lambda t: [0.97, 0.97, 0, 0], 'memory': 4, 'all': True},
     {'cpus': 3, 'busy': lambda t: [0.97, 0.97, 0.97, 0], 'memory': 4, 'all': True}),
    ('many-nodes', {'cpus': 2, 'busy': lambda t: [0.97, 0.97, 0, 0], 'memory': 2, 'all': True},
     {'cpus': 2, 'busy': lambda t: [0.97, 0.97, 0, 0], 'memory': 1.5, 'all': True}),
    ('held-gpus', {'gpus': (90, 90), 'on_gpu': lambda t: 0},
     {'gpus': (90, 90), 'on_gpu': lambda t: t == 60}),
    ('held-gpus', {'gpus': (90, 90), 'on_gpu': lambda t: 0},
     {'gpus': (90, 90), 'on_gpu': lambda t: None if t == 900 else 0}),
    ('held-gpus', {'gpus': (90, 90), 'on_gpu': lambda t: 0, 'split': True},
     {'gpus': (90, 90), 'on_gpu': lambda t: t == 900, 'split': True}),
    ('swap-storm', {'swap': 101, 'back': 101, 'all': True}, {'swap': 99, 'back': 200, 'all': True}),
    ('slow-node', {'kernel': lambda t: 0.06, 'peers': 4}, {'kernel': lambda t: 0.06, 'peers': 3}),
    ('slow-node', {'kernel': lambda t: 0.06, 'peers': 4}, {'kernel': lambda t: 0.04, 'peers': 4}),
    ('memory-thrash', {'faults': 11, 'peak': 0.99, 'psi': (0, 0.04, 0), 'anon': 9, 'all': True},
     {'faults': 9, 'peak': 0.99, 'psi': (0, 0.04, 0), 'anon': 9, 'all': True}),
    ('memory-thrash', {'faults': 11, 'peak': 0.99, 'psi': (0, 0.04, 0), 'anon': 9, 'all': True},
     {'faults': 11, 'peak': 0.9, 'psi': (0, 0.04, 0), 'anon': 9, 'all': True}),
    ('memory-thrash', {'faults': 11, 'peak': 0.99, 'psi': (0, 0.04, 0), 'anon': 9, 'all': True},
     {'faults': 900, 'peak': 0.99, 'psi': (0, 0.01, 0), 'anon': 9, 'all': True}),
    ('memory-thrash', {'faults': 11, 'peak': 0.99, 'psi': (0, 0.11, 0), 'unlimited': True, 'all': True},
     {'faults': 11, 'peak': 0.99, 'psi': (0, 0.09, 0), 'unlimited': True, 'all': True}),
    ('switches', {'switches': 19500, 'kernel': lambda t: 0.26, 'all': True},
     {'switches': 19300, 'kernel': lambda t: 0.26, 'all': True}),
    ('switches', {'switches': 19500, 'kernel': lambda t: 0.26, 'all': True},
     {'switches': 19500, 'kernel': lambda t: 0.24, 'all': True}),
    ('switches', {'switches': 19500, 'kernel': lambda t: 0.26, 'all': True},
     {'switches': 19500, 'kernel': lambda t: 0.26, 'disk': (2500, 65536), 'all': True}),
    ('memory-churn', {'fresh': 1.6e6, 'kernel': lambda t: 0.26, 'all': True},
     {'fresh': 1.5e6, 'kernel': lambda t: 0.26, 'all': True}),
    ('memory-churn', {'huge': (5200, 0), 'kernel': lambda t: 0.26, 'all': True},
     {'huge': (5100, 0), 'kernel': lambda t: 0.26, 'all': True}),
    ('compaction', {'huge': (9, 11), 'all': True}, {'huge': (9, 9), 'all': True}),
    ('serial-part', {'busy': lambda t: [0.97] + [0 if t < 480 else 0.97] * 3, 'alone': True},
     {'busy': lambda t: [0.97] + [0 if t < 420 else 0.97] * 3, 'alone': True}),
    ('serial-part', {'busy': lambda t: [0.97] + [0 if t > 1300 else 0.97] * 3, 'alone': True},
     {'busy': lambda t: [0.97, 0.97] + [0 if t > 1300 else 0.97] * 2, 'alone': True}),
    ('uneven-cpus', {'busy': lambda t: [0.97, 0.57, 0.57, 0.57], 'alone': True},
     {'busy': lambda t: [0.97, 0.6, 0.6, 0.6], 'alone': True}),
    ('uneven-cpus', {'busy': lambda t: [0.97, 0.57, 0.57, 0.57], 'alone': True},
     {'busy': lambda t: [0.8, 0.4, 0.4, 0.4], 'alone': True}),
    ('asleep', {'busy': lambda t: [0.4, 0, 0, 0], 'alone': True}, {'busy': lambda t: [0.6, 0, 0, 0], 'alone': True}),
    ('io-wait', {'busy': lambda t: [0.7, 0, 0, 0], 'alone': True, 'psi': (0, 0, 0.26),
                 'disk': (90, 131072), 'its_disk': 0.21},
     {'busy': lambda t: [0.7, 0, 0, 0], 'alone': True, 'psi': (0, 0, 0.26),
      'disk': (90, 131072), 'its_disk': 0.19}, 'low-cpu'),
    ('stopped', {'mine': lambda t: 0.3 if t < 900 else 0, 'others': True, 'all': True},
     {'mine': lambda t: 0.3 if t < 900 else 0.01, 'others': True, 'all': True}),
    ('other-programs', {'mine': lambda t: 0.8, 'psi': (0.06, 0, 0), 'others': True, 'all': True},
     {'mine': lambda t: 0.895, 'psi': (0.06, 0, 0), 'all': True}),
    ('other-programs', {'mine': lambda t: 0.8, 'psi': (0.06, 0, 0), 'others': True, 'all': True},
     {'mine': lambda t: 0.8, 'psi': (0.04, 0, 0), 'others': True, 'all': True}),
    ('ended-by-signal', {'exit': '0:11'}, {'exit': '0:15'}),
    ('ended-by-signal', {'exit': '139:0'}, {'exit': '1:0'}),
    ('ended-by-signal', {'exit': '0:6'}, {'exit': '0:6', 'oom': 1}),
    ('memory-grew', {'anon': 10, 'grown': lambda t: 30 * t / 1800, 'exit': '1:0'},
     {'anon': 40, 'grown': lambda t: 10 * t / 1800, 'exit': '1:0'}, 'memory-limit-far'),
    ('memory-grew', {'anon': 10, 'grown': lambda t: 30 * t / 1800, 'exit': '1:0'},
     {'anon': 10, 'grown': lambda t: 30 * t / 1800, 'exit': '0:6'}, 'memory-limit-far'),
    ('serial', {'cpus': 2, 'busy': lambda t: [0.99, 0, 0, 0], 'alone': True, 'wants': lambda t: 1.4},
     {'cpus': 2, 'busy': lambda t: [0.99, 0, 0, 0], 'alone': True, 'wants': lambda t: 1.6}, 'cpu-wait', 'serial'),
    ('kernel-time', {'kernel': lambda t: 0.51, 'fresh': 1.5e5, 'all': True},
     {'kernel': lambda t: 0.49, 'fresh': 1.5e5, 'all': True}),
    ('small-io', {'disk': (101, 15.9e3), 'psi': (0, 0, 0.021), 'all': True},
     {'disk': (101, 15.9e3), 'psi': (0, 0, 0.019), 'all': True}),
    ('memory-churn', {'fresh': 2e5, 'fault': 4000, 'kernel': lambda t: 0.26, 'all': True},
     {'fresh': 1.9e5, 'fault': 4000, 'kernel': lambda t: 0.26, 'all': True}),
    ('memory-churn', {'fresh': 2e5, 'fault': 4000, 'kernel': lambda t: 0.26, 'all': True},
     {'fresh': 2e5, 'fault': 4000, 'kernel': lambda t: 0.26}),
    ('memory-churn', {'busy': lambda t: [0.2, 0, 0, 0], 'alone': True, 'fresh': 2e5, 'fault': 4000, 'kernel': lambda t: 0.6},
     {'busy': lambda t: [0.09, 0, 0, 0], 'alone': True, 'fresh': 2e5, 'fault': 4000, 'kernel': lambda t: 0.6},
     'asleep', 'memory-churn', 'kernel-time'),
]

# Programs with one fault, as their counters show it, and the finding that must come first.
ONE = {'alone': True}
FIRST = [
    ('healthy', ONE, None),
    ('healthy, a thread a core', {**ONE, 'busy': lambda t: [0.5] * CPUS, 'cores': 2}, None),
    ('healthy, starts slowly', {**ONE, 'busy': lambda t: [0.3 if t < 120 else 0.97] * CPUS}, None),
    ('healthy, much kernel', {**ONE, 'kernel': lambda t: 0.3}, None),
    ('one thread', {**ONE, 'busy': lambda t: [0.99, 0, 0, 0]}, 'serial'),
    ('one process that moves', {**ONE, 'busy': lambda t: [0.99 * (i == t // STEP % CPUS) for i in range(CPUS)]},
     'serial'),
    ('uses two CPUs, waits, uses one',
     {**ONE, 'busy': lambda t: ([0.99, 0.99, 0, 0], [0] * 4, [0.99, 0, 0, 0])[t // 600]}, 'serial-part'),
    ('threads take turns', {**ONE, 'busy': lambda t: [0.24] * CPUS, 'pids': 9}, 'asleep'),
    ('two threads', {**ONE, 'busy': lambda t: [0.99, 0.99, 0, 0]}, 'low-cpu'),
    ('a quarter of each CPU', {**ONE, 'busy': lambda t: [0.24] * CPUS}, 'asleep'),
    ('sleeps between steps', {**ONE, 'busy': lambda t: [0.2] * CPUS}, 'asleep'),
    ('four processes on a CPU', {**ONE, 'busy': lambda t: [0.99, 0, 0, 0], 'psi': (0.98, 0, 0)}, 'cpu-wait'),
    ('reads a slow disk', {**ONE, 'busy': lambda t: [0.2, 0, 0, 0], 'psi': (0, 0, 0.78), 'disk': (90, 131072)},
     'io-wait'),
    ('fdatasync, slow disk', {**ONE, 'busy': lambda t: [0.2, 0, 0, 0], 'psi': (0, 0, 0.78),
                              'kernel': lambda t: 0.98, 'disk': (300, 4096)}, 'io-wait'),
    ('fdatasync, fast disk', {**ONE, 'busy': lambda t: [0.9, 0, 0, 0], 'psi': (0, 0, 0.05),
                              'kernel': lambda t: 0.98, 'disk': (9000, 4096)}, 'small-io'),
    ('writes of a byte', {**ONE, 'busy': lambda t: [0.99, 0, 0, 0], 'kernel': lambda t: 0.8}, 'kernel-time'),
    ('391 processes a second', {**ONE, 'busy': lambda t: [0.98, 0, 0, 0], 'kernel': lambda t: 0.7, 'forks': 391},
     'process-storm'),
    ('opens small files', {**ONE, 'busy': lambda t: [0.98, 0, 0, 0], 'kernel': lambda t: 0.9, 'opens': 20000},
     'metadata'),
    ('waits for opens', {**ONE, 'busy': lambda t: [0.2] * CPUS, 'opens': 20000}, 'metadata'),
    ('a leak', {**ONE, 'busy': lambda t: [0.98, 0, 0, 0], 'anon': 10, 'grown': lambda t: 80 * t / 1800,
                'exit': '1:0'}, 'memory-grows'),
    ('a leak until it is killed', {**ONE, 'busy': lambda t: [0.97 if t < 900 else 0, 0, 0, 0], 'anon': 10,
                                   'grown': lambda t: min(90, t / 10), 'oom': 1, 'exit': '0:9'},
     'killed-for-memory'),
    ('pages in and out', {**ONE, 'busy': lambda t: [0.3, 0, 0, 0], 'psi': (0, 0.5, 0.6), 'swap': 900, 'back': 900},
     'swap-storm'),
    ('pages in and out, fast disk', {**ONE, 'kernel': lambda t: 0.98, 'swap': 900, 'back': 900}, 'swap-storm'),
    ('hangs', {'busy': lambda t: [0.97 if t < 900 else 0] * CPUS, 'all': True}, 'stopped'),
    ('ends at different times', {'busy': lambda t: [0.97 if t < 600 else 0.1] * CPUS, 'all': True}, 'faded'),
    ('idles for two seconds at its end', {**ONE, 'step': 1, 'busy': lambda t: [0.97 if t < 1798 else 0] * CPUS},
     None),
    ('works for two seconds at its begin', {**ONE, 'step': 1, 'busy': lambda t: [0.97 if t < 2 else 0.15] * CPUS},
     'asleep'),
    ('hangs for ten minutes', {**ONE, 'step': 1, 'busy': lambda t: [0.97 if t < 1200 else 0] * CPUS}, 'stopped'),
    ('a leak that ends before its mark', {**ONE, 'step': 1, 'busy': lambda t: [0.98, 0, 0, 0], 'anon': 10,
                                          'grown': lambda t: 80 * t / 1800 if t < 1797 else -10, 'exit': '1:0'},
     'memory-grows'),
    ('sleeps, else in the kernel', {**ONE, 'busy': lambda t: [0.2] * CPUS, 'kernel': lambda t: 0.6}, 'asleep'),
    ('a node has less to do', {'busy': lambda t: [0.2] * CPUS}, 'uneven'),
    ('a node has nothing to do', {'busy': lambda t: [0.009] * CPUS}, 'idle-nodes'),
    ('a node without processes', {'busy': lambda t: [0] * CPUS}, 'no-cpu-time'),
    ('a node writes for all', {'files': 1000e6, 'psi': (0, 0, 0.02)}, 'one-node-io'),
    ('no GPU code', {'busy': lambda t: [0.3] * CPUS, 'gpus': (0, 0), 'all': True}, 'idle-gpus'),
    ('batches too small', {'busy': lambda t: [0.2] * CPUS, 'gpus': (9, 12), 'all': True}, 'low-gpu'),
    ('not vectorized', {**ONE, 'flops': (2e9, 0, 0, 1e7)}, 'no-vectors'),
    ('memory of one socket', {**ONE, 'remote': 0.5}, 'remote-memory'),
    ('GPUs that nobody counts', {**ONE, 'busy': lambda t: [0.99, 0, 0, 0], 'asked': '0'}, 'unseen-gpus'),
    ('asks for all the memory', {**ONE, 'anon': 9}, 'memory-limit-far'),
]


# If other programs use most of a node's CPUs, its counters prove nothing about the job.
BUSY_NEIGHBOUR = {**ONE, 'mine': lambda t: 0.15, 'others': True, 'psi': (0.96, 0.3, 0.9)}
NOT_ITS_OWN = [
    ('processes', {'forks': 391}),
    ('kernel work', {'kernel': lambda t: 0.8}),
    ('opens', {'opens': 20000}),
    ('swap', {'swap': 900, 'back': 900}),
    ('small requests', {'disk': (1000, 4096)}),
    ('scalar code', {'flops': (2e9, 0, 0, 1e7)}),
    ('remote memory', {'remote': 0.5}),
    ('much of everything', {'forks': 391, 'kernel': lambda t: 0.8, 'opens': 20000, 'swap': 900, 'back': 900,
                            'disk': (1000, 4096), 'flops': (2e9, 0, 0, 1e7), 'remote': 0.5}),
    ('one CPU', {'mine': lambda t: 0.24}),
]


def beside_idle(wants, busy):
    """A job that has the node alone, whose tasks want more CPUs than they use"""
    return {'wants': lambda t: wants, 'alone': True, 'busy': lambda t: [busy] * CPUS, 'mine': lambda t: 1}


def short_lived(read):
    """A job that has the node alone and page faults all the time, of whose CPU time the samples
    read this part: the rest is in processes that began and ended between two samples"""
    return {**beside_idle(1, 0.25), 'read': read, 'step': 2, 'own': True, 'kernel': lambda t: 0.6,
            'fresh': 2e5, 'fault': 4000}


def half_busy(t):
    """All CPUs are busy in the first half of the job only."""
    return [0.97] * CPUS if t < STEP * STEPS / 2 else [0.97, 0.2, 0.2, 0.2]


# Jobs whose tasks want this many CPUs, but get only half because other programs run.
WANTS = [
    ('bound', {'wants': lambda t: 2.7, 'bound': ['0-1', '0', '1']}, {'wants': lambda t: 2.5, 'bound': ['0-1', '0', '1']}),
    ('bound', {'wants': lambda t: 2.7, 'bound': ['0-1', '0', '1']}, {'wants': lambda t: 2.7, 'bound': ['0-1', '2-3', '0-3']}),
    ('bound', {'wants': lambda t: 2.7, 'bound': ['0-1', '0', '1']}, {'wants': lambda t: 2.7, 'bound': ['0-3', '0-3']}),
    ('oversubscribed', {'wants': lambda t: 6.1}, {'wants': lambda t: 5.9}),
    ('serial', {'wants': lambda t: 1}, {'wants': lambda t: 1.2}),
    ('serial', {'wants': lambda t: 1}, {'wants': lambda t: 0.9}),
    ('serial', {'wants': lambda t: 1}, {'wants': lambda t: 2 * (t >= 900)}),
    ('serial', {'wants': lambda t: 1}, {'wants': lambda t: 1, 'kernel': lambda t: 0.6, 'own': True}),
    ('serial-part', {'wants': lambda t: 1 if t < 480 else 3}, {'wants': lambda t: 1 if t < 420 else 3}),
    ('asleep', {'wants': lambda t: 0.49}, {'wants': lambda t: 0.51}),
    ('pauses', {'wants': lambda t: 0 if t < 480 else 3}, {'wants': lambda t: 0 if t < 420 else 3}),
    ('io-sleep', {'wants': lambda t: 0.84, 'moves': lambda t: 110e3},
     {'wants': lambda t: 0.84, 'moves': lambda t: 90e3}),
    ('io-sleep', {'wants': lambda t: 0.84, 'moves': lambda t: 110e3},
     {'wants': lambda t: 0.86, 'moves': lambda t: 110e3}),
    ('io-stops', {'wants': lambda t: 1 if t % 600 < 120 else 3, 'moves': lambda t: 2e7 * (t % 600 < 120)},
     {'wants': lambda t: 2.6 if t % 600 < 120 else 3, 'moves': lambda t: 2e7 * (t % 600 < 120)}),
    ('short-processes', {'wants': lambda t: 1, 'read': 0.59, 'step': 2}, {'wants': lambda t: 1, 'read': 0.61, 'step': 2}),
    ('short-processes', {'wants': lambda t: 1, 'read': 0.59, 'step': 2}, {'wants': lambda t: 1, 'read': 0.59, 'step': 3}),
    ('other-programs', {'wants': lambda t: 0.85}, {'wants': lambda t: 0.75}),
    ('asleep', {'wants': lambda t: 0 if t < 960 else 1.5}, {'wants': lambda t: 0 if t < 840 else 1.5}),
    ('bound', {'wants': lambda t: 1.9, 'bound': ['1']}, {'wants': lambda t: 2.7, 'bound': ['1']}),
    ('bound', {'wants': lambda t: 1.4, 'bound': ['1']}, {'wants': lambda t: 1.2, 'bound': ['1']}),
    ('io-sleep', {'wants': lambda t: 0.84, 'moves': lambda t: 110e3},
     {'wants': lambda t: 0.84, 'moves': lambda t: 9e6 if t < STEP else 0}),
    ('other-programs', {'wants': lambda t: 1.9}, {'wants': lambda t: 1.9, 'bound': ['1']}),
    ('other-programs', {'wants': lambda t: 1.9}, {'wants': lambda t: 1.9, 'quota': 0.1}),
    ('short-processes', {'wants': lambda t: 1, 'read': 0.59, 'step': 2, 'own': True, 'kernel': lambda t: 0.2},
     {'wants': lambda t: 1, 'read': 0.59, 'step': 2, 'own': True, 'kernel': lambda t: 0.01}),
    ('switches', {'switches': 25000, 'wants': lambda t: 3, 'alone': True, 'busy': lambda t: [0.6] * CPUS, 'mine': lambda t: 1},
     {'switches': 25000, 'wants': lambda t: 3, 'alone': True, 'busy': lambda t: [0.8] * CPUS, 'mine': lambda t: 1}),
    ('other-io', {'wants': lambda t: 0.84, 'moves': lambda t: 110e3, 'disk': (140, 4096)},
     {'wants': lambda t: 0.84, 'moves': lambda t: 110e3, 'disk': (130, 4096)}),
    ('asleep', {'wants': lambda t: 0, 'mine': lambda t: 0.002, 'busy': lambda t: [0.3] * CPUS},
     {'wants': lambda t: 3}),
    ('wait-beside-idle', beside_idle(2.51, 0.5), beside_idle(2.49, 0.5)),
    ('wait-beside-idle', beside_idle(2.51, 0.5), beside_idle(4.9, 0.95)),
    ('wait-beside-idle', beside_idle(2.51, 0.5), {**beside_idle(2.51, 0.5), 'cpus': 2}),
    ('wait-beside-idle', beside_idle(0.31, 0.05), beside_idle(0.29, 0.05)),
    ('cpu-wait', {**beside_idle(1.2, 0.175), 'cpus': 1}, beside_idle(1.2, 0.175)),
    ('other-programs', {'wants': lambda t: 1.9},
     {'wants': lambda t: 1.9, 'busy': half_busy, 'mine': lambda t: 0.95 / sum(half_busy(t))}),
    ('io-wait', {**beside_idle(0.9, 0.175), 'psi': (0, 0, 0.55), 'pids': 2},
     {**beside_idle(0.9, 0.175), 'psi': (0, 0, 0.55), 'pids': 1}),
    ('memory-churn', short_lived(0.61), short_lived(0.59)),
    ('small-io', {'wants': lambda t: 1, 'moves': lambda t: 1.86e6, 'disk': (1000, 4096)},
     {'wants': lambda t: 1, 'moves': lambda t: 1.83e6, 'disk': (1000, 4096)}),
    ('small-io', {'wants': lambda t: 1, 'moves': lambda t: 2.04e6, 'disk': (1000, 4096)},
     {'wants': lambda t: 1, 'moves': lambda t: 2.05e6, 'disk': (1000, 4096)}),
    ('small-io', {'wants': lambda t: 1, 'moves': lambda t: 7.949e6, 'disk': (1000, 15.9e3)},
     {'wants': lambda t: 1, 'moves': lambda t: 8.199e6, 'disk': (1000, 16.4e3)}),
    ('io-stops', {'wants': lambda t: 1 if t % 600 < 120 else 3, 'moves': lambda t: 2e7 * (t % 600 < 120),
                  'psi': (0.96, 0, 0.07)},
     {'wants': lambda t: 1 if t % 600 < 120 else 3, 'moves': lambda t: 2e7 * (t % 600 < 120),
      'psi': (0.96, 0, 0.06)}),
]


def wanting(change):
    return {**BUSY_NEIGHBOUR, 'mine': lambda t: change['wants'](t) / 2 / 0.97 / CPUS, **change}


def ramp(rate, t):
    return int(rate * t)


class Node:
    def __init__(self, name, job):
        self.name, self.job = name, job
        self.user = [0.0] * CPUS
        self.system = [0.0] * CPUS
        self.mine = self.wanted = self.moved = 0.0
        self.idle = [0.0] * CPUS

    def header(self):
        yield '$hpcperfstats 1.0.2\n$hostname %s\n$uname Linux x86_64 5.14.0' % self.name
        yield '$uptime 1000'
        if 'fault' in self.job:
            yield '$fault_ns %d' % self.job['fault']
        if 'cores' in self.job:
            yield '$topology sockets=1 cores=%d cpus=0-%d nodes=0' % (self.job['cores'], CPUS - 1)
        yield '!cpu user,E,U=cs nice,E,U=cs system,E,U=cs idle,E,U=cs'
        yield '!ps ctxt,E processes,E'
        if 'huge' in self.job:
            yield '!vm pswpin,E pswpout,E pgfault,E thp_fault_alloc,E compact_stall,E'
        else:
            yield '!vm pswpin,E pswpout,E pgfault,E'
        own = ' user,E,U=us system,E,U=us' if 'own' in self.job else ''
        faults = ' mem_peak,U=B pgmajfault,E' if 'faults' in self.job else ''
        faults += ' rd_bytes,E,U=B wr_bytes,E,U=B' if 'its_disk' in self.job else ''
        if 'pids' in self.job:
            faults += ' pids'
        if 'wants' in self.job:
            faults += ' cpu_wait,E,U=us cpu_wait_of,E,U=us rd_bytes,E,U=B wr_bytes,E,U=B throttled,E,U=us'
        limit = '' if 'unlimited' in self.job else ' mem_limit,U=B'
        yield '!job cpu,E,U=us' + own + limit + ' anon,U=B shmem,U=B oom_kill,E' + faults
        yield '!psi total,E,U=us'
        yield '!llite read_bytes,E,U=B write_bytes,E,U=B open,E close,E'
        yield '!block rd_ios,E rd_sectors,E,U=512B wr_ios,E wr_sectors,E,U=512B'
        yield '!numa numa_hit,E numa_miss,E numa_foreign,E interleave_hit,E local_node,E other_node,E'
        yield '!intel_8pmc3 ' + ' '.join('CTL%d,C' % i for i in range(4)) + ' ' + ' '.join(
            'CTR%d,E,W=48' % i for i in range(4))
        yield '!thermal_throttle core,E package,E'
        yield '!edac ce_count,E ue_count,E'
        yield '!ib symbol_error,E,W=16 port_rcv_errors,E,W=16 link_downed,E,W=8'
        if 'memory' in self.job:
            yield '!mem MemTotal,U=B'
        if 'program' in self.job:
            yield '!proc VmHWM,U=kB VmRSS,U=kB'
        if 'bound' in self.job:
            yield '!proc Threads'
        if self.job['gpus']:
            yield '!nvidia_gpu utilization thermal_violation,E,U=ns'
        if 'on_gpu' in self.job:
            yield '!gpu_job processes memory,U=B'

    def rows(self, t):
        j, late = self.job, t >= 900
        for i in range(CPUS):
            yield 'cpu %d %d 0 %d %d' % (i, self.user[i] * 100, self.system[i] * 100,
                                        self.idle[i] * 100)
        yield 'ps - %d %d' % (ramp(j['switches'], t), ramp(j['forks'], t))
        anon = 0 if t in (0, STEP * STEPS) else int((j['anon'] + j['grown'](t)) * GIB / 100)
        user, system = sum(self.user) * 1e6, sum(self.system) * 1e6
        own = '%d %d ' % (user, system) if 'own' in j else ''
        faults = ' %d %d' % (j['peak'] * GIB, ramp(j['faults'], t)) if 'faults' in j else ''
        if 'its_disk' in j:
            faults += ' %d 0' % ramp(j['its_disk'] * j['disk'][0] * j['disk'][1], t)
        if 'pids' in j:
            faults += ' %d' % j['pids']
        if 'wants' in j:
            faults += ' %d %d %d 0 %d' % ((self.wanted - self.mine) * 1e6, self.mine * j.get('read', 1) * 1e6,
                                          self.moved, ramp(j.get('quota', 0) * 1e6, t))
        limit = '' if 'unlimited' in j else '%d ' % GIB
        yield 'job 7 %d %s%s%d 0 %d%s' % (self.mine * 1e6, own, limit, anon, j['oom'] if late else 0, faults)
        huge = ' %d %d' % tuple(ramp(n, t) for n in j['huge']) if 'huge' in j else ''
        yield 'vm - %d %d %d%s' % (ramp(j['back'], t), ramp(j['swap'], t), ramp(j['fresh'], t), huge)
        for what, part in zip(('cpu', 'memory', 'io'), j['psi']):
            yield 'psi %s-some %d' % (what, ramp(part * 1e6, t))
        yield 'llite work-0 %d %d %d %d' % (ramp(j['files'] / 2, t), ramp(j['files'] / 2, t),
                                            ramp(j['opens'] / 2, t), ramp(j['opens'] / 2, t))
        ios, size = j['disk']
        yield 'block sda %d %d %d %d' % ((ramp(ios / 2, t), ramp(ios * size / 1024, t)) * 2)
        pages = ramp(10000, t)
        yield 'numa 0 %d 0 0 0 %d %d' % (pages, pages - int(pages * j['remote']),
                                         int(pages * j['remote']))
        for i in range(CPUS):
            if j['flops']:
                yield 'intel_8pmc3 %d %s %s' % (i, ' '.join('%d' % e for e in EVENTS), ' '.join(
                    '%d' % (ramp(f, t) % (1 << 48)) for f in j['flops']))
        yield 'thermal_throttle 0 %d 0' % (j['throttled'] if late else 0)
        yield 'edac mc0 0 %d' % (j['ue'] if late else 0)
        yield 'ib mlx5_0.1 0 %d 0' % (j['links'] if late else 0)
        if 'memory' in j:
            yield 'mem 0 %d' % (j['memory'] * GIB)
        if 'program' in j:
            yield 'proc %s/9 4096 4096' % j['program']
        for i, cpus in enumerate(j.get('bound', [])):
            yield 'proc a/%d/%s/0 2' % (i, cpus)
        for i, use in enumerate(j['gpus'] or []):
            yield 'nvidia_gpu %d %d %d' % (i, use, ramp(j['held'] * 1e9 / 2, t))
        # use by other jobs on GPU 0, and by this job on GPU 1
        if 'on_gpu' in j and j['on_gpu'](t) is not None:
            yield 'gpu_job nvidia/0 1 5\ngpu_job nvidia/0@8 1 5\ngpu_job nvidia/1 1 5'
            yield 'gpu_job nvidia/1@7 1 5'
            if j['on_gpu'](t):
                yield 'gpu_job nvidia/0@7 1 5'

    def parts(self, t):
        """Return the rows of a sample. If the sample is split, the rows of gpu_job are in a second
        record of the same time, before or after the other rows."""
        rows = list(self.rows(t))
        if 'split' not in self.job or t in (0, STEP * STEPS):
            return rows
        of_gpu = [row for row in rows if row.startswith('gpu_job')]
        others = [row for row in rows if row not in of_gpu]
        again = ['', '%d 7' % (START + t)]
        return others + again + of_gpu if t // STEP % 2 else of_gpu + again + others

    def write(self, folder):
        os.makedirs(os.path.join(folder, self.name))
        with open(os.path.join(folder, self.name, str(START)), 'w', encoding='ascii') as f:
            print('\n'.join(self.header()), file=f)
            step = self.job['step']
            for t in range(0, STEP * STEPS + 1, step):
                for i, share in enumerate(self.job['busy'](t - step)) if t else ():
                    kernel = self.job['kernel'](t - step)
                    self.user[i] += share * step * (1 - kernel)
                    self.system[i] += share * step * kernel
                    self.mine += share * step * self.job['mine'](t - step)
                    self.idle[i] += (1 - share) * step
                if t and 'wants' in self.job:
                    self.wanted += self.job['wants'](t - step) * step
                    self.moved += self.job.get('moves', lambda t: 0)(t - step) * step
                print('\n%d 7%s' % (START + t, ',8' if 'beside' in self.job else ''), file=f)
                if t == 0:
                    asked = self.job.get('asked', '0,1' if self.job['gpus'] else '')
                    gpus = ' gpus=' + asked if asked else ''
                    print('%%begin 7 nodes=%d cpus=%d limit=%d%s' % (
                        self.job['nodes'], given(self.job), self.job['limit'], gpus), file=f)
                if t == STEP * STEPS:
                    print('%%end 7 exit=%s' % self.job['exit'], file=f)
                print('\n'.join(self.parts(t)), file=f)


def cpu_time(job):
    return sum(sum(job['busy'](t)) * job['mine'](t) * job['step'] for t in range(0, STEP * STEPS, job['step']))


def given(job):
    return job.get('cpus', CPUS)


def unused(job):
    """Return the node-hours in which the GPUs were idle, or the CPUs if the node has no GPUs."""
    if job['gpus']:
        busy = sum(job['gpus']) / 100 / len(job['gpus'])
    else:
        busy = cpu_time(job) / given(job) / STEP / STEPS
    return (1 - busy) * STEP * STEPS / 3600


def whole(name, report, jobs):
    """Tell if the parts of the CPU time add up to the allocated time and have the expected values.
    """
    sums = {}
    for host in report['hosts']:
        for part, n in host['parts'].items():
            sums[part] = sums.get(part, 0) + n
    parts, wrong = report['parts'], []
    for part, n in parts.items():
        if abs(n - sums[part]) > 1e-9 * parts['given']:
            wrong.append('%s is not that of the hosts' % part)
    blind = [j for j in jobs if ('beside' in j or 'others' in j) and 'own' not in j]
    own = list(map(cpu_time, jobs))
    want = {'given': sum(map(given, jobs)) * STEP * STEPS,
            'used': sum(n for n, j in zip(own, jobs) if j not in blind)}
    rest = [0 if 'others' in j else given(j) * STEP * STEPS - n for j, n in zip(jobs, own)]
    for k, part in enumerate(('cpu_wait', 'memory_wait', 'io_wait')):
        want[part] = 0
        for i, j in enumerate(jobs):
            share = j['psi'][k] - (j['psi'][1] if part == 'io_wait' else 0)
            share = 0 if part == 'io_wait' and j.get('its_disk', 1) < 0.2 else share
            seconds = min(STEP * STEPS * max(share, 0), rest[i])
            want[part] += seconds
            rest[i] -= seconds
    got = {**parts, 'used': parts['user'] + parts['kernel']}
    for part, n in want.items():
        if abs(got[part] - n) > 1e-4 * parts['given']:
            wrong.append('%s is %g, not %g' % (part, got[part], n))
    if abs(sum(n for p, n in parts.items() if p != 'given') - parts['given']) > 1e-9 * parts['given']:
        wrong.append('the parts are not the whole')
    for one in wrong:
        print('FAIL: %s: %s: %s' % (name, one, parts))
    return not wrong


def agrees(name, folder, report, jobs):
    """Tell if the table of jobs agrees with the page of the job, and has the expected unused hours.
    """
    out = subprocess.run([JOBS, '--dir', folder, '--json', '--used'], check=True,
                         capture_output=True, text=True).stdout
    row = next(r for r in map(json.loads, out.splitlines()) if r['job'] == '7')
    hours = sum(map(unused, jobs))
    if (row['used'] != report['used'] or abs(row['unused_node_hours'] - hours) > 1e-3 or
            row['findings'] != [f['rule'] for f in report['findings']]):
        print('FAIL: %s: the table has %s, %g hours were unused' % (name, out, hours))
        return False
    return whole(name, report, jobs)


def findings(name, change):
    """Return the findings of a job whose second node has this change. With "all", both nodes have
    the change. "limit" and "exit" belong to the job, so both nodes always have them."""
    folder = os.path.join(WORK, name)
    both = {k: v for k, v in change.items() if k in ('limit', 'exit')}
    if change.get('all'):
        both = change
    gpus = {'gpus': (90, 90)} if change.get('gpus') else {}
    jobs = [{**HEALTHY, **change}]
    if 'alone' not in change:
        jobs.append({**HEALTHY, **gpus, **both})
    jobs += [HEALTHY] * (change.get('peers', 2) - 2)
    for i, job in enumerate(jobs):
        Node('n%d' % ((2 - i) if i < 2 else i + 1), {**job, 'nodes': len(jobs)}).write(folder)
    out = subprocess.run([REPORT, '--dir', folder, '--json', '7'], check=True,
                         capture_output=True, text=True).stdout
    report = json.loads(out)
    if 'wants' not in change and not agrees(name, folder, report, jobs):
        return None
    return [f['rule'] for f in report['findings']]


def main():
    failed = 0
    tried = [('healthy', {}, []), ('no counters', {'flops': None, 'all': True}, []), ('healthy, with GPUs', {'gpus': (90, 90)}, [])]
    for i, (name, beyond, below, *also) in enumerate(CASES):
        tried.append(('%s %d' % (name, i), beyond, also if name in also else [name] + also))
        tried.append(('%s %d, below' % (name, i), below, name))
    for name, change, want in tried:
        got = findings(name, change)
        if isinstance(want, str):
            good = got is not None and want not in got
        else:
            good = got == want
        if not good:
            print('FAIL: %s: found %s' % (name, got))
            failed += 1
    for name, change, first in FIRST:
        got = findings('first: ' + name, change)
        if got is None or got[:1] != [first] * bool(first):
            print('FAIL: %s: found %s, not %s first' % (name, got, first))
            failed += 1
    for name, change in NOT_ITS_OWN:
        got = findings('not its own: ' + name, {**BUSY_NEIGHBOUR, **change})
        if got != ['other-programs']:
            print('FAIL: not its own: %s: found %s' % (name, got))
            failed += 1
    for i, (name, beyond, below) in enumerate(WANTS):
        for what, change in (('wants', beyond), ('wants less', below)):
            got = findings('%s: %s %d' % (what, name, i), wanting(change))
            if (name in got) != (change is beyond):
                print('FAIL: %s: %s %d: found %s' % (what, name, i, got))
                failed += 1
    with open(SOURCE, encoding='ascii') as f:
        source = f.read()
    rules = re.findall(r'^\t{ "([a-z-]+)", [A-Z0-9]', source, re.M)
    titles = dict(re.findall(r'^\t{ "([a-z-]+)", [^}]*?, \d+, \w+,\s+"([^"]+)"', source, re.M))
    with open(os.path.join(os.path.dirname(SOURCE), '../../../man/nodometer-findings.7'),
              encoding='ascii') as f:
        page = f.read()
    for name in rules:
        if '.It Cm %s\n%s:' % (name, titles[name]) not in page:
            print('FAIL: nodometer-findings(7) has not "%s" of %s' % (titles[name], name))
            failed += 1
    for name in set(rules) - {case[0] for case in CASES + WANTS}:
        print('FAIL: no job has %s' % name)
        failed += 1
    print('%d jobs, %d rules, %d failed' % (len(tried) + len(FIRST) + len(NOT_ITS_OWN) + 2 * len(WANTS), len(rules), failed))
    return failed > 0


sys.exit(main())
