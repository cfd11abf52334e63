# SPDX-License-Identifier: BSD-3-Clause
"""receivers.py - receivers for nodometer-send: an HTTP server, a STOMP broker, an AMQP broker"""
import http.server
import socketserver
import struct
import threading


class Keeper(socketserver.ThreadingTCPServer):
    """Keeps the newest megabyte that it received."""
    allow_reuse_address = daemon_threads = True

    def __init__(self, handler):
        super().__init__(("127.0.0.1", 0), handler)
        self.taken, self.port = b"", self.server_address[1]
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def take(self, body):
        self.taken = body + self.taken[:1 << 20]

    def handle_error(self, *_):
        """Ignore connections that a killed sender closed in the middle."""


def read_whole(file, n):
    """Read n bytes. An incomplete body, from a killed sender, does not count as received."""
    body = file.read(n)
    if len(body) < n:
        raise ConnectionError("the sender hung up")
    return body


class Post(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.server.take(read_whole(self.rfile, int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


class Stomp(socketserver.StreamRequestHandler):
    """STOMP 1.2 broker that sends a receipt for each message"""

    def handle(self):
        while True:
            command = self.rfile.readline().strip()
            if not command:
                return
            lines = iter(lambda: self.rfile.readline().rstrip(b"\n"), b"")
            headers = dict(line.split(b":", 1) for line in lines)
            self.server.take(read_whole(self.rfile, int(headers.get(b"content-length", 0))))
            self.rfile.read(1)
            if command == b"CONNECT":
                self.wfile.write(b"CONNECTED\nversion:1.2\n\n\0")
            if b"receipt" in headers:
                self.wfile.write(b"RECEIPT\nreceipt-id:" + headers[b"receipt"] + b"\n\n\0")


class Amqp(socketserver.StreamRequestHandler):
    """AMQP 0-9-1 broker that confirms each message"""
    ANSWERS = {(10, 11): (10, 30, struct.pack(">HIH", 1, 131072, 60)), (10, 40): (10, 41, b"\0"),
               (10, 50): (10, 51, b""), (20, 10): (20, 11, struct.pack(">I", 0)), (20, 40): (20, 41, b""),
               (85, 10): (85, 11, b"")}

    def say(self, channel, of, number, arguments):
        body = struct.pack(">HH", of, number) + arguments
        self.wfile.write(struct.pack(">BHI", 1, channel, len(body)) + body + b"\xce")

    def handle(self):
        self.rfile.read(8)      # "AMQP" and its version
        text = (struct.pack(">I", 5) + b"PLAIN", struct.pack(">I", 5) + b"en_US")
        self.say(0, 10, 10, struct.pack(">BBI", 0, 9, 0) + b"".join(text))
        tag = left = 0
        while len(head := self.rfile.read(7)) == 7:
            kind, channel, size = struct.unpack(">BHI", head)
            body = read_whole(self.rfile, size + 1)[:-1]
            if kind == 1 and (answer := self.ANSWERS.get(struct.unpack_from(">HH", body))):
                self.say(channel, *answer)
            elif kind == 2:
                left = struct.unpack_from(">Q", body, 4)[0]
            elif kind == 3:
                self.server.take(body)
                left -= len(body)
                if left == 0:
                    tag += 1
                    self.say(channel, 60, 80, struct.pack(">QB", tag, 0))
