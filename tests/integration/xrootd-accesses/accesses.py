# SPDX-License-Identifier: BSD-3-Clause
"""accesses.py ADDRESS BASE SCRATCH ROUNDS STAGE...: access files on XRootD servers, with known
numbers of bytes

BASE/NAME is the folder of server NAME. For each access, print {"kind", "port" or null, "path",
"write", "least", "most"}: least and most are the bounds of the bytes of the file that were moved.
The stage "held" gets the process of server b, and kills it.
"""
import json
import os
import random
import signal
import subprocess
import sys
import time

from XRootD import client
from XRootD.client.flags import OpenFlags

ADDRESS, BASE, SCRATCH, ROUNDS = *sys.argv[1:4], int(sys.argv[4])
PORTS = {"a": 31094, "b": 31096, "c": 31100, "m": 31098}
PAGE, BLOCK = 4096, 128 << 10
CA = SCRATCH + "/cert.pem"
SIZES = [0, 1, 4095, 4096, 4097, 100003, 262144, 1 << 20, 3000001]
rng = random.Random(31)
stage = "none"
number = 0


def known(kind, server, path, write, least, most=None):
    print(json.dumps({"kind": f"{stage}: {kind}", "port": server and str(PORTS[server]),
                      "path": path, "write": write, "least": least,
                      "most": least if most is None else most}), flush=True)


def url(server, path):
    return f"root://{ADDRESS}:{PORTS[server]}/{path}"


def web(server, path, host=ADDRESS):
    return f"https://{host}:{PORTS[server] + 100}{path}"


def run(*command, **more):
    subprocess.run(command, check=True, timeout=60, stdout=subprocess.DEVNULL, **more)


def curl(*arguments):
    run("curl", "-sSf", "--cacert", CA, *arguments)


def new_path():
    global number
    number += 1
    return f"/data/{stage}{number}"


def content(size):
    return rng.randbytes(size)


def local(size):
    """Make a local file to upload."""
    path = f"{SCRATCH}/in"
    with open(path, "wb") as f:
        f.write(content(size))
    return path


def placed(server, size):
    """Put a file into the server's folder without an access."""
    path = new_path()
    with open(f"{BASE}/{server}{path}", "wb") as f:
        f.write(content(size))
    return path


def opened(server, path, flags):
    f = client.File()
    status, _ = f.open(url(server, path), flags)
    assert status.ok, (path, status.message)
    return f


def ok(answer):
    assert answer[0].ok, answer[0].message
    return answer[1]


def read_all(server, path, size, step=65536):
    f = opened(server, path, OpenFlags.READ)
    at = 0
    while at < size:
        at += len(ok(f.read(at, min(step, size - at))))
    ok(f.close())


def read_beyond(server, size):
    path = placed(server, size)
    f = opened(server, path, OpenFlags.READ)
    moved = len(ok(f.read(size - 100, 5000)))
    ok(f.close())
    known("read beyond the end", server, path, False, moved)


def read_parts(server, size):
    path = placed(server, size)
    f = opened(server, path, OpenFlags.READ)
    parts = [(rng.randrange(size - 5000), rng.randrange(1, 5000)) for _ in range(7)]
    moved = sum(len(ok(f.read(at, n))) for at, n in parts)
    moved += sum(len(c.buffer) for c in ok(f.vector_read(parts)).chunks)
    ok(f.close())
    known("read and readv", server, path, False, moved)


def write_parts(server):
    path = new_path()
    f = opened(server, path, OpenFlags.NEW | OpenFlags.MAKEPATH)
    moved = 0
    for _ in range(5):
        data = content(rng.randrange(1, 20000))
        ok(f.write(data, rng.randrange(50000)))
        moved += len(data)
    ok(f.close())
    known("writes in parts", server, path, True, moved)


def only_open(server):
    path = placed(server, 1000)
    ok(opened(server, path, OpenFlags.READ).close())
    known("opened and closed", server, path, False, 0)


def copy_in_and_out(server, size, to=None):
    path = new_path()
    run("xrdcp", "-s", local(size), url(server, path))
    known("xrdcp to", to or server, path, True, size)
    run("xrdcp", "-s", "-f", url(server, path), SCRATCH + "/out")
    known("xrdcp from", to or server, path, False, size)


def files():
    for i in range(ROUNDS):
        server = "ab"[i % 2]
        size = SIZES[i % len(SIZES)]
        copy_in_and_out(server, size)
        path = placed(server, size)
        read_all(server, path, size)
        known("read", server, path, False, size)
        read_beyond(server, 10000 + i)
        read_parts(server, 200000)
        write_parts(server)
        only_open(server)


def web_files():
    for i in range(ROUNDS):
        server = "ba"[i % 2]
        size = SIZES[i % len(SIZES)] or 7
        path = new_path()
        curl("-T", local(size), web(server, path))
        known("PUT", server, path, True, size)
        curl("-o", SCRATCH + "/out", web(server, path))
        known("GET", server, path, False, size)
        path = placed(server, 50000)
        curl("-r", "100-4299", "-o", SCRATCH + "/out", web(server, path))
        known("GET of a range", server, path, False, 4200)
        path = placed(server, 50000)
        curl("-r", "0-9,100-199,40000-40999", "-o", SCRATCH + "/out", web(server, path))
        known("GET of ranges", server, path, False, 1110)


def redirector():
    for i in range(ROUNDS):
        size = SIZES[-1 - i % len(SIZES)]
        path = placed("ab"[i % 2], size)
        run("xrdcp", "-s", "-f", url("m", path), SCRATCH + "/out")
        known("xrdcp by the redirector", "ab"[i % 2], path, False, size)
    path = new_path()
    run("xrdcp", "-s", local(70000), url("m", path))
    at = next(s for s in "ab" if os.path.exists(f"{BASE}/{s}{path}"))
    known("xrdcp to where it says", at, path, True, 70000)


def cache():
    for i in range(ROUNDS):
        origin = "ab"[i % 2]
        size = 3 * BLOCK + 1000 + i
        path = placed(origin, size)
        for _ in range(2):
            run("xrdcp", "-s", "-f", url("c", path), SCRATCH + "/out")
            known("xrdcp from the cache", "c", path, False, size)
        known("the cache's own", origin, path, False, size)
        path = placed(origin, size)
        f = opened("c", path, OpenFlags.READ)
        moved = len(ok(f.read(10, 1000)))
        ok(f.close())
        known("a part of the cache", "c", path, False, moved)
        known("the cache's block", origin, path, False, BLOCK)


def copies():
    for i in range(ROUNDS):
        a, b = ("a", "b") if i % 2 else ("b", "a")
        size = SIZES[3 + i % 6]
        path, copy = placed(a, size), new_path()
        run("xrdcp", "-s", "--tpc", "only", url(a, path), url(b, copy))
        # the client of a third-party copy asks the source and opens the file for the destination
        for moved in 0, 0, size:
            known("third-party copy from", a, path, False, moved)
        known("third-party copy to", b, copy, True, size)
        path, copy = placed(a, size), new_path()
        curl("-X", "COPY", "-H", "Source: " + web(a, path, "localhost"), web(b, copy))
        known("COPY, pulled from", a, path, False, size)
        known("COPY, pulled to", b, copy, True, size)
        path, copy = placed(a, size), new_path()
        curl("-X", "COPY", "-H", "Destination: " + web(b, copy, "localhost"), web(a, path))
        known("COPY, pushed from", a, path, False, size)
        known("COPY, pushed to", b, copy, True, size)


def wait_for_size(path, size):
    for _ in range(600):
        if os.path.exists(path) and os.path.getsize(path) >= size:
            return
        time.sleep(0.1)
    raise AssertionError(path)


def half_read(server):
    """Start a client that is in the middle of reading a file. Returns its process, the path, and
    the least and the most that it may have read."""
    size = 60000000
    path = placed(server, 0)
    os.truncate(f"{BASE}/{server}{path}", size)
    p = subprocess.Popen(["xrdcp", "-s", url(server, path), "-"], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL)
    got = 0
    while got < 20000000:
        got += len(p.stdout.read(1 << 20))
    return p, path, got, size


def half_written(server):
    path = new_path()
    p = subprocess.Popen(["xrdcp", "-s", "-", url(server, path)], stdin=subprocess.PIPE,
                         stderr=subprocess.DEVNULL)
    p.stdin.write(b"x" * 30000000)
    p.stdin.flush()
    wait_for_size(f"{BASE}/{server}{path}", 10000000)
    return p, path


def ended(server, readers, writers):
    """Wait for the killed clients, and note what readers got and what the disk has of each writer.
    """
    for p, path, got, size in readers:
        p.wait()
        known("killed while it read", server, path, False, got, size)
    time.sleep(1)
    for p, path in writers:
        p.wait()
        known("killed while it wrote", server, path, True,
              os.path.getsize(f"{BASE}/{server}{path}"))


def kills():
    for i in range(ROUNDS // 4):
        server = "ab"[i % 2]
        readers, writers = [half_read(server)], [half_written(server)]
        time.sleep(1.5)     # wait until a window of the t-stream is over
        for p, *_ in readers + writers:
            p.kill()
        ended(server, readers, writers)


def held():
    pid = int(sys.argv.pop(5))
    readers, writers = [half_read("b")], [half_written("b")]
    time.sleep(1.5)
    os.kill(pid, signal.SIGKILL)
    for p, *_ in readers + writers:
        p.kill()
    ended("b", readers, writers)


def again():
    for i in range(ROUNDS // 4):
        copy_in_and_out("b", SIZES[5 + i % 4])
        size = 2 * BLOCK
        path = placed("b", size)
        for _ in range(2):
            read_all("c", path, size)
            known("read from the cache", "c", path, False, size)
        known("the cache's own", "b", path, False, size)


STAGES = {"files": files, "web": web_files, "redirector": redirector, "cache": cache,
          "copies": copies, "kills": kills, "held": held, "again": again}
while len(sys.argv) > 5:
    stage = sys.argv.pop(5)
    STAGES[stage]()
