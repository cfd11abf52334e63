# SPDX-License-Identifier: BSD-3-Clause
# talk.py COUNT SECONDS SEED - make connections, each of which is limited by one of four causes
#
# Prints "PORT CAUSE" for each connection, with the sender's port. The ports of the listeners, from
# 20000 on, encode the delay and the losses for relay.c.
import random
import socket
import sys
import threading
import time

CAUSES = 'loss', 'receive-window', 'send-buffer', 'application'
COUNT, SECONDS, SEED = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
END = time.monotonic() + SECONDS


def listen(loss, buffer):
    for _ in range(1000):
        s = socket.socket()
        if buffer:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        try:
            s.bind(('10.9.0.1', random.randrange(20, 32) * 1000 + loss * 10 + random.randrange(10)))
            s.listen()
            return s
        except OSError:
            s.close()
    raise OSError('no port')


def read(s):
    one, _ = s.accept()
    while one.recv(1 << 16):
        pass


def write(s, cause, size, pause):
    data = bytes(size if cause == 'application' else 1 << 16)
    while time.monotonic() < END:
        try:
            s.send(data)
        except TimeoutError:
            continue
        if cause == 'application':
            time.sleep(pause)


def talk(cause):
    small = random.randrange(8, 24) << 10
    listener = listen(random.randrange(10, 50) if cause == 'loss' else 0,
                      small if cause == 'receive-window' else 0)
    threading.Thread(target=read, args=(listener,), daemon=True).start()
    s = socket.socket()
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, random.choice((b'reno', b'cubic')))
    if cause == 'send-buffer':
        s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, small)
    s.connect(('10.9.0.2', listener.getsockname()[1]))
    s.settimeout(1)
    print(s.getsockname()[1], cause, flush=True)
    writer = threading.Thread(target=write, args=(s, cause, random.randrange(1000, 30000),
                                                  random.uniform(0.1, 0.4)))
    writer.start()
    return writer


random.seed(SEED)
for writer in [talk(CAUSES[i % 4]) for i in range(COUNT)]:
    writer.join()
