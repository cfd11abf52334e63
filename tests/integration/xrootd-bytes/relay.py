# SPDX-License-Identifier: BSD-3-Clause
# relay.py PORT TO EVERY FILE - pass on datagrams, except each EVERYth with the close of a file
#
# FILE gets the datagrams that were dropped, in the format of nodometer xrootd --read.
import socket
import struct
import sys
import time

port, to, every = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
took = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
took.bind(("127.0.0.1", port))
sent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
dropped = open(sys.argv[4], "wb", buffering=0)
dropped.write(b"XDGRAM1\n")


def has_close(datagram):
    if datagram[:1] != b"f":
        return False
    at = 8
    while at + 4 <= len(datagram):
        kind, _, size = struct.unpack_from(">BBH", datagram, at)
        if kind == 0:
            return True
        at += max(size, 4)
    return False


seen = 0
while True:
    datagram, (_, source) = took.recvfrom(65536)
    if has_close(datagram):
        seen += 1
        if seen % every == 0:
            dropped.write(struct.pack(">QIHHII", time.time_ns() // 1000, 0x7f000001, source, port,
                                      len(datagram), 0) + datagram)
            continue
    sent.sendto(datagram, ("127.0.0.1", to))
