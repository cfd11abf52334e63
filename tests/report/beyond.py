#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""beyond.py - no figure exceeds what the nodes can do, whatever is forged in an archive

beyond.py REPORT N: make an archive of job 7 on two nodes, in which all figures are known, and N
forged copies of it with other boot ids and uptimes, swapped files and edited values. For each copy,
no number in "REPORT 7 --json" may exceed what the node's CPUs, ports, disks and memory can do, and
the page must name the values that were rejected. For the archive itself, the report must have the
true figures. Exits with 1 if a check fails, or if no copy had a value to reject.
"""
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

START, STEP, STEPS, CPUS, MEMORY = 1700000000, 60, 10, 4, 64 << 20    # memory in KB
PORT = 100e9
WATTS = {'intel_rapl.pkg_energy': 5e3, 'nvidia_gpu.energy': 5e3, 'pm_counters.energy': 100e3}   # lib/figures/limits.c
BYTES = {'net': ('rx_bytes', 'tx_bytes'), 'ib_ext': ('port_rcv_data', 'port_xmit_data'),
         'block': ('rd_sectors', 'wr_sectors')}
HEADER = '''$hpcperfstats 1.0.2
$hostname %s
$uname Linux x86_64 6.1.0
$uptime %d
$boot_id %s
!cpu user,E,U=cs nice,E,U=cs system,E,U=cs irq,E,U=cs softirq,E,U=cs iowait,E,U=cs idle,E,U=cs
!mem MemTotal,U=KB MemUsed,U=KB FilePages,U=KB Slab,U=KB
!net rx_bytes,E,U=B rx_packets,E tx_bytes,E,U=B tx_packets,E rx_errors,E tx_errors,E
!ib_ext port_rcv_data,E,U=4B port_xmit_data,E,U=4B port_rcv_pkts,E port_xmit_pkts,E
!block rd_ios,E rd_sectors,E,U=512B wr_ios,E wr_sectors,E,U=512B
!psi total,E,U=us
!cpu_virt steal,E,U=cs
!intel_rapl pkg_energy,E,U=mJ
!nvidia_gpu energy,E,U=mJ
!pm_counters energy,E,U=J
!proc VmHWM,U=KB VmRSS,U=KB Threads
!job cpu,E,U=us user,E,U=us system,E,U=us mem_peak,U=B mem,U=B anon,U=B shmem,U=B rd_bytes,E,U=B
'''


def rows(t):
    for cpu in range(CPUS):
        yield f'cpu {cpu} {80 * t} 0 {10 * t} 0 0 0 {10 * t + 99999}'
        yield f'cpu_virt {cpu} {2 * t + 1000}'
    yield f'mem - {MEMORY} {MEMORY // 2} {MEMORY // 8} {MEMORY // 16}'
    yield f'net eth0 {10**8 * t} {10**5 * t} {10**7 * t} {10**4 * t} 0 0'
    yield f'ib_ext mlx5_0.1 {10**9 * t} {10**8 * t} {10**6 * t} {10**5 * t}'
    yield f'block sda {100 * t} {10**5 * t} {50 * t} {10**4 * t}'
    yield f'psi cpu-some {10**5 * t}'
    yield f'intel_rapl 0 {200000 * t + 10**9}'
    yield f'nvidia_gpu 0 {300000 * t + 10**9}'
    yield f'pm_counters - {700 * t + 10**6}'
    yield f'proc a.out/7 {MEMORY // 4} {MEMORY // 5} 4'
    yield f'job 7 {3500000 * t} {3200000 * t} {300000 * t} {MEMORY * 256} {MEMORY * 200} ' \
          f'{MEMORY * 128} 0 {10**6 * t}'


def archive():
    """Return the lines of two files for each node, by the names of the files."""
    files = {}
    for host in ('n1', 'n2'):
        for part in (0, 1):
            lines = (HEADER % (host, 500000 + part * 300, 'aaaa' + host)).splitlines()
            for i in range(part * STEPS // 2, (part + 1) * STEPS // 2 + part):
                t = i * STEP
                lines += ['', f'{START + t} 7']
                lines += ['%begin 7 source=hook'] if i == 0 else []
                lines += ['%end 7 source=hook'] if i == STEPS else []
                lines += rows(t)
            files[f'{host}/{START + part * STEPS // 2 * STEP}'] = lines
    return files


def edit_values(files, luck):
    for _ in range(luck.randint(1, 4)):
        lines = files[luck.choice(sorted(files))]
        at = luck.choice([i for i, line in enumerate(lines) if re.match(r'[a-z_]+ ', line)])
        words = lines[at].split()
        k = luck.randrange(2, len(words))
        words[k] = str(luck.choice([0, int(words[k]) * 10, int(words[k]) * 1000, 10**luck.randint(6, 18),
                                    2**64 - 1, 2**63, int(words[k]) // 3]))
        lines[at] = ' '.join(words)


def shift_values(files, luck):
    """Add the same amount to a counter from some record on."""
    kind, jump, on = luck.choice(['cpu', 'net', 'ib_ext', 'block', 'psi', 'job', 'cpu_virt',
                                  'intel_rapl', 'nvidia_gpu', 'pm_counters']), 10**luck.randint(4, 15), False
    for name in sorted(files):
        for i, line in enumerate(files[name]):
            words = line.split()
            if words and words[0] == kind:
                on |= luck.random() < .2
                words[2] = str(int(words[2]) + jump * on)
                files[name][i] = ' '.join(words)


def forge_boots(files, luck):
    for lines in files.values():
        at = sorted(luck.sample(range(20, len(lines)), luck.randint(1, 3)), reverse=True)
        for i in [i for i in at if lines[i] == '']:
            lines[i:i] = ['$hpcperfstats 1.0.2', '$hostname n1',
                          f'$uptime {luck.choice([0, 1, 59, 600, 500000, 10**18])}',
                          f'$boot_id {luck.choice("bcde")}'] + \
                [line for line in lines if line[:1] == '!']
        for i, line in enumerate(lines):
            if line.startswith('$uptime') and luck.random() < .3:
                lines[i] = f'$uptime {luck.randrange(10**luck.randint(1, 12))}'


def swap_files(files, luck):
    a, b = luck.sample(sorted(files), 2)
    files[a], files[b] = files[b], files[a]


def report(program, files, *options):
    with tempfile.TemporaryDirectory() as folder:
        for name, lines in files.items():
            os.makedirs(os.path.join(folder, os.path.dirname(name)), exist_ok=True)
            with open(os.path.join(folder, name), 'w', encoding='ascii') as f:
                f.write('\n'.join(lines) + '\n')
        return subprocess.run([program, '7', '--dir', folder, *options], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False).stdout.decode()


def installed(files):
    words = [line.split() for lines in files.values() for line in lines if line.startswith('mem ')]
    return 1024 * max(int(w[2]) for w in words)


def beyond(page, files):
    """Yield the numbers of the page that exceed what the node can do."""
    memory = installed(files)
    for host in page['hosts']:
        seconds, f = host['duration'] * 1.01 + 1, {k: v or 0 for k, v in host['figures'].items()}
        most = {'job.cpu': CPUS * seconds, 'job.user': CPUS * seconds, 'job.system': CPUS * seconds,
                'psi.cpu-some': seconds}
        most.update({k: watts * seconds for k, watts in WATTS.items()})
        most.update({f'{t}.{k}': PORT * seconds for t, keys in BYTES.items() for k in keys})
        most.update({k: CPUS * seconds for k in f if k.startswith('cpu.')})
        most.update({k: memory for k in f if re.match(r'(mem\.|job\.(mem|anon|shmem))', k)})
        most['CPUs'], f['CPUs'] = CPUS * seconds, sum(v for k, v in f.items() if k.startswith('cpu.'))
        yield from ((host['host'], k, f[k], n) for k, n in most.items() if not 0 <= f.get(k, 0) <= n
                    and (host['begin_mark'] or not k.startswith('job.')))
        rates = {'net_bandwidth': 2 * PORT, 'ib_bandwidth': 2 * PORT, 'disk_bandwidth': 2 * PORT}
        for k, n in rates.items():
            for where in ('derived', 'derived_peak'):
                got = (host[where].get(k) or 0) * 1e6
                if got > 1.05 * n + n / max(host['duration'], 60):
                    yield host['host'], where + ' ' + k, got, n
        watts = {'power_packages': WATTS['intel_rapl.pkg_energy'], 'power_gpus': WATTS['nvidia_gpu.energy'],
                 'power_node': WATTS['pm_counters.energy']}
        yield from ((host['host'], f'{where} {k}', host[where][k], n) for k, n in watts.items()
                    for where in ('derived', 'derived_peak')
                    if (host[where].get(k) or 0) > 1.05 * n + n / max(host['duration'], 60))
    yield from (('processes', p['name'], p['VmHWM'], memory) for p in page['processes']
                if p['VmHWM'] > memory)
    share = page['used'].get('cpus', {}).get('percent', 0)
    if share > 101 + 100 / min(h['duration'] or 1 for h in page['hosts']):
        yield 'used', 'cpus', share, 100


def as_made(page):
    """Return what is wrong in the report of the archive without changes."""
    t, nodes = STEP * STEPS, 2
    true = {'cpu.user': nodes * CPUS * .8 * t, 'cpu.idle': nodes * CPUS * .1 * t, 'job.cpu': nodes * 3.5 * t,
            'net.rx_bytes': nodes * 1e8 * t, 'ib_ext.port_rcv_data': nodes * 4e9 * t,
            'block.rd_sectors': nodes * 512e5 * t, 'psi.cpu-some': nodes * .1 * t,
            'intel_rapl.pkg_energy': nodes * 200 * t, 'nvidia_gpu.energy': nodes * 300 * t,
            'pm_counters.energy': nodes * 700 * t}
    got = {f['figure']: f.get('total') for f in page['figures']}
    return [f'{k}: {got.get(k)} for {v}' for k, v in true.items()
            if got.get(k) is None or abs(got[k] - v) > 1e-9 * v] + \
        [f'{f["figure"]} is beyond' for f in page['figures'] if f['nodes_beyond']] + \
        [f'{h["host"]}: {h["boots"]} boots' for h in page['hosts'] if h['boots']]


def before_the_begin(program):
    """Leave out the begin marks, and let the job have used CPU time before the first sample, when
    the nodes had been up for 600 s: 2000 s are possible, and 100,000 s are not."""
    for seconds, over in ((2000, 0), (10**5, 2)):
        files = archive()
        for lines in files.values():
            lines[:] = [line for line in lines if not line.startswith('%begin')]
            at = next(i for i, line in enumerate(lines) if line.startswith('!job'))
            lines.insert(at, '!nodometer cpu,U=us boottime,U=us')
            t = 0
            for i, line in enumerate(lines):
                words = line.split()
                if len(words) == 2 and words[0].isdigit():
                    t = int(words[0]) - START
                elif words[:1] == ['job']:
                    words[2] = str(int(words[2]) + seconds * 10**6)
                    lines[i] = ' '.join(words) + f'\nnodometer - 100 {(600 + t) * 10**6}'
        got = {f['figure']: f for f in json.loads(report(program, files, '--json'))['figures']}['job.cpu']
        if got['nodes_beyond'] != over:
            yield f'{seconds} s of CPU before the first sample: beyond on {got["nodes_beyond"]} nodes'


def main():
    program, count = sys.argv[1], int(sys.argv[2])
    bad, seen = as_made(json.loads(report(program, archive(), '--json'))), collections.Counter()
    bad += before_the_begin(program)
    kinds = [edit_values, shift_values, forge_boots, swap_files]
    for seed in range(count):
        luck, files = random.Random(seed), archive()
        for kind in luck.sample(kinds, luck.randint(1, 3)):
            kind(files, luck)
        page = json.loads(report(program, files, '--json') or '{"hosts": [], "figures": [], "used": {}, '
                          '"processes": [], "processes_beyond": 0}')
        bad += [f'{seed}: {b}' for b in beyond(page, files)]
        over = [f for f in page['figures'] if f['nodes_beyond']]
        seen['archives'] += 1
        seen['figures beyond'] += len(over)
        if over:
            text = report(program, files)
            bad += [f'{seed}: the page does not say it of {f["label"]}' for f in over
                    if f'{f["label"]}: more than' not in text]
    for line in bad[:20]:
        print('FAIL:', line)
    print(dict(seen), len(bad), 'wrong')
    sys.exit(1 if bad or not seen['figures beyond'] else 0)


if __name__ == '__main__':
    main()
