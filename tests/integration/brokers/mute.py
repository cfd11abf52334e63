# SPDX-License-Identifier: BSD-3-Clause
"""mute.py PORT garbage|mail|silent|drip|beats: a server that listens in place of a broker, and
answers in one of these ways"""
import os
import socket
import sys
import threading
import time

PORT, MODE = int(sys.argv[1]), sys.argv[2]


def answer(peer):
    try:
        if MODE == 'garbage':
            peer.recv(1000)
            peer.sendall(os.urandom(100000))
        elif MODE == 'mail':
            peer.sendall(b'220 mail.example.org ESMTP\r\n')
        elif MODE in ('drip', 'beats'):
            while True:
                peer.sendall(b'A' if MODE == 'drip' else b'\n')
                time.sleep(1)
        else:
            time.sleep(3600)
    except OSError:
        pass
    peer.close()


s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(('127.0.0.1', PORT))
s.listen(64)
while True:
    threading.Thread(target=answer, args=(s.accept()[0],), daemon=True).start()
