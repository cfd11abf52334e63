# SPDX-License-Identifier: BSD-3-Clause
"""receiver.py - the server that the sender posts to: part of the simulation, served between two turns"""
import os
import re
import select
import socket

WORKS, REFUSES, BUSY, FORGETFUL, HANGS = "works", "refuses", "busy", "forgetful", "hangs"
ANSWERS = {WORKS: b"HTTP/1.1 204 No Content\r\n\r\n",
           BUSY: b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"}


class Receiver:
    """A server with the rows that it received. Its behaviour changes during a history."""

    def __init__(self, path, row_of):
        self.path, self.row_of, self.how = path, row_of, WORKS
        self.rows, self.clients, self.listener = set(), {}, None
        self.listen()

    def listen(self):
        if self.listener:
            return
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(self.path)
        self.listener.listen(16)

    def close(self):
        if self.listener:
            self.listener.close()
            os.unlink(self.path)
        self.listener = None
        for client in self.clients.values():
            client[0].close()
        self.clients = {}

    def change(self, how):
        """Change the behaviour: refuse connections, answer that the server is busy, store without
        an answer, or stay silent."""
        self.how = how
        self.close()
        if how != REFUSES:
            self.listen()

    def mend(self):
        self.change(WORKS)

    def watched(self):
        fds = [self.listener.fileno()] if self.listener else []
        return [(fd, select.POLLIN) for fd in fds + list(self.clients)]

    def serve(self, fds):
        for fd in fds:
            if self.listener and fd == self.listener.fileno():
                client = self.listener.accept()[0]
                self.clients[client.fileno()] = [client, b""]
            elif fd in self.clients:
                self.take(fd)

    def drop(self, fd):
        self.clients.pop(fd)[0].close()

    def take(self, fd):
        """Receive from a connection. A sender may be killed at any time."""
        client = self.clients[fd]
        try:
            got = client[0].recv(1 << 20)
            client[1] += got
            if got:
                self.answer(fd, client)
        except OSError:
            got = b""
        if not got and fd in self.clients:
            self.drop(fd)

    def answer(self, fd, client):
        head, blank, body = client[1].partition(b"\r\n\r\n")
        length = re.search(rb"(?i)\ncontent-length: *(\d+)", head)
        if b"\nExpect: 100-continue" in head and blank and not body:
            client[0].sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        if not blank or not length or len(body) < int(length[1]):
            return
        client[1] = body[int(length[1]):]
        if self.how in (WORKS, FORGETFUL):
            self.rows.update(map(self.row_of, body[:int(length[1])].decode().splitlines()))
        if self.how == FORGETFUL:
            self.drop(fd)
        elif self.how in ANSWERS:
            client[0].sendall(ANSWERS[self.how])
