#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bmc.py - the management controller of a node, for ipmi-bmc-extern of QEMU; it measures 300 W

bmc.py SOCKET: listen at SOCKET. A message (qemu/hw/ipmi/ipmi_bmc_extern.c) is a number, the
request, a byte that makes the sum of all bytes 0, and 0xa0 at its end, with escapes. A message that
ends with 0xa1 is about the machine, and is ignored.
"""
import socket
import sys

MESSAGE, COMMAND, ESCAPE = 0xa0, 0xa1, 0xaa
READING = bytes([0xdc, 0x2c, 1, 0x64, 0, 0x90, 1, 0xfa, 0, 0, 0, 0, 0, 0x60, 0xea, 0, 0, 0x40])
# Answer data for each (function, command) of IPMI; the first command is Get Device ID.
ANSWERS = {(0x06, 0x01): bytes([0x20, 1, 2, 0, 2, 0xdf, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
           (0x06, 0x2e): b"", (0x06, 0x2f): b"\0", (0x06, 0x30): b"", (0x06, 0x31): b"\0"}


def answer(request):
    """Return completion code and data. Code 0xc1 means that there is no such command."""
    function, command, data = request[0] >> 2, request[1], request[2:]
    if (function, command) == (0x2c, 0x02) and data == bytes([0xdc, 1, 0, 0]):
        return b"\0" + READING
    known = ANSWERS.get((function, command))
    return b"\xc1" if known is None else b"\0" + known


def packed(message):
    out = bytearray()
    for byte in message + bytes([-sum(message) & 0xff]):
        out += bytes([ESCAPE, byte | 0x10]) if byte in (MESSAGE, COMMAND, ESCAPE) else bytes([byte])
    return bytes(out) + bytes([MESSAGE])


def serve(machine):
    message, escaped = bytearray(), False
    while data := machine.recv(4096):
        for byte in data:
            if byte == MESSAGE and len(message) > 3 and sum(message) & 0xff == 0:
                head = bytes([message[0], message[1] | 4, message[2]])
                machine.sendall(packed(head + answer(bytes(message[1:-1]))))
            if byte in (MESSAGE, COMMAND):
                message.clear()
            elif byte != ESCAPE:
                message.append(byte & ~0x10 if escaped else byte)
            escaped = byte == ESCAPE


def main():
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(sys.argv[1])
        listener.listen()
        while True:		# a guest that froze is booted again, and then connects again
            machine, _ = listener.accept()
            with machine:
                serve(machine)


if __name__ == "__main__":
    main()
