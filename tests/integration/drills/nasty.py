# SPDX-License-Identifier: BSD-3-Clause
"""nasty.py PORT MODE-FILE KEEP-FOLDER [CERT KEY]: an HTTP server with the faults that a sink may
meet

The mode is read from MODE-FILE for each request. "ok" stores the body of a POST as
KEEP-FOLDER/NUMBER and that of a PUT as KEEP-FOLDER/PATH. A number is the HTTP status to answer. For
other modes see answer().
"""
import gzip
import os
import socketserver
import ssl
import sys
import threading
import time

PORT, MODE, KEEP = int(sys.argv[1]), sys.argv[2], sys.argv[3]
lock, count = threading.Lock(), [0]


def mode():
    with open(MODE, encoding='ascii') as f:
        return f.read().strip()


def keep(method, path, headers, body):
    """Store a body, under its final name only once it is complete."""
    with lock:
        count[0] += 1
        name = '%06d' % count[0]
    if headers.get('content-encoding') == 'gzip':
        body = gzip.decompress(body)
    to = KEEP + path if method == 'PUT' else os.path.join(KEEP, name)
    os.makedirs(os.path.dirname(to), exist_ok=True)
    with open(to + '.part', 'wb') as f:
        f.write(body)
    os.rename(to + '.part', to)


class Peer(socketserver.StreamRequestHandler):
    def take(self):
        line = self.rfile.readline().decode('latin-1').split()
        if len(line) < 2:
            return None
        headers = {}
        while True:
            h = self.rfile.readline().decode('latin-1').strip()
            if not h:
                break
            name, value = h.split(':', 1)
            headers[name.lower()] = value.strip()
        n = int(headers.get('content-length', 0))
        if mode() == 'cut':
            self.rfile.read(n // 2)
            return None
        body = self.rfile.read(n)
        return (line[0], line[1], headers, body) if len(body) == n else None

    def status(self, code, body=b''):
        self.wfile.write(b'HTTP/1.1 %d x\r\nContent-Length: %d\r\n\r\n' % (code, len(body)) + body)

    def answer(self, now, request):
        """Answer a request according to the mode. Returns true if the connection stays open."""
        if now in ('ok', 'lost'):
            keep(*request)
        if now == 'lost':           # all values were stored, but the client gets no answer
            return False
        if now == 'garbage':
            self.wfile.write(os.urandom(5000))
            return False
        if now == 'flood':          # an answer that never ends
            self.wfile.write(b'HTTP/1.1 200 OK\r\n\r\n')
            while True:
                self.wfile.write(b'x' * 65536)
        if now == 'drip':
            for c in b'HTTP/1.1 200 OK\r\n' + b'X-A: b\r\n' * 100000:
                self.wfile.write(bytes([c]))
                self.wfile.flush()
                time.sleep(1)
        if now == 'silent':
            time.sleep(3600)
        if now == 'redirect':
            self.wfile.write(b'HTTP/1.1 302 x\r\nLocation: http://127.0.0.1:9/\r\n'
                             b'Content-Length: 0\r\n\r\n')
            return True
        self.status(204 if now == 'ok' else int(now), b'' if now == 'ok' else b'a reason\n')
        return True

    def handle(self):
        try:
            while True:
                if mode() == 'refuses-speech':      # an answer that is not HTTP
                    self.wfile.write(b'220 mail.example.org ESMTP\r\n')
                    return
                request = self.take()
                if not request or not self.answer(mode(), request):
                    return
        except (OSError, ValueError):
            pass


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True

    def get_request(self):
        s, who = super().get_request()
        return (TLS.wrap_socket(s, server_side=True, do_handshake_on_connect=False)
                if TLS else s), who

    def handle_error(self, request, client_address):
        pass


TLS = None
if len(sys.argv) > 4:
    TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    TLS.load_cert_chain(sys.argv[4], sys.argv[5])
Server(('127.0.0.1', PORT), Peer).serve_forever()
