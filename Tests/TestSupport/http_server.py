# Part of Usher. SPDX-License-Identifier: Apache-2.0
"""An HTTP server that behaves as badly as a test asks it to, on raw sockets of 127.0.0.1.

An address is /STEPS/TOKEN/anything: the n-th request of a token gets the n-th of the
comma-separated steps, and the last one from then on. /log/TOKEN gives the heads of the requests
that came, as a JSON array. /open/TOKEN lets the token's gated answers go, those to come too. A step is
the name of a function below, `step_NAME`, with an argument after `=`.

It is a proxy too: for requests with a whole address, which it answers itself, and for CONNECT, which is
logged under the host and port that it leads to.

Prints one line when it serves: its port, its TLS port, and the file of its certificate. Ends when
its standard input does.
"""
import email.utils
import gzip
import json
import os
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

lock = threading.Lock()
requests = {}  # token -> heads of its requests
gates = {}  # token -> event, set when its gated answers may go


def movie(number, **more):
    row = {"id": number, "title": f"Film {number}", "original_title": f"Film {number}",
           "original_language": "en", "overview": "", "release_date": "2001-02-03",
           "poster_path": "/abcDEF123.jpg", "backdrop_path": None, "genre_ids": [18],
           "popularity": 1.5, "vote_average": 7, "vote_count": 3, "adult": False, "video": False}
    return {**row, **more}


def page_of(number):
    """Three pages of three films; the list shifted by one between the first and the second."""
    starts = {1: 1, 2: 3, 3: 6}
    if number not in starts:
        return {"page": number, "results": [], "total_pages": 3, "total_results": 8}
    start = starts[number]
    rows = [movie(n) for n in range(start, start + 3)]
    return {"page": number, "results": rows, "total_pages": 3, "total_results": 8}


USERS = {
    "1": {"id": 1, "name": "Ann Example", "username": "ann", "phone": "555-0101", "more": {}},
    "2": {"id": 2, "name": "Bo", "username": "bo", "phone": None},
    "3": {"id": 3, "name": "Cy", "username": "cy"},
    "4": {"id": 4, "name": "Di", "username": "di", "phone": 5550104},
    "5": {"id": "5", "name": "Ed", "username": None, "phone": ""},
    "6": {"id": 6, "name": "", "username": "fay"},
    "7": {"id": 8, "name": "Wrong", "username": "wrong"},
    "8": [{"id": 8}],
}


class Exchange:
    """One request, and the ways to answer it."""

    def __init__(self, connection, head):
        self.connection = connection
        self.verb, target = head.split(" ")[:2]
        self.headers = {}
        for line in head.split("\r\n")[1:]:
            name, _, value = line.partition(":")
            self.headers[name.lower()] = value.strip()
        if target.startswith("http://"):
            target = "/" + target.split("/", 3)[3]
        self.path, _, query = target.partition("?")
        self.query = urllib.parse.parse_qs(query)
        self.target = target
        self.goes_on = False  # Whether the connection can take another request.

    def send(self, data):
        self.connection.sendall(data)

    def head(self, status, *headers):
        lines = [f"HTTP/1.1 {status} Whatever", *headers]
        self.send(("\r\n".join(lines) + "\r\n\r\n").encode())

    def answer(self, status, body, *headers, kind="application/json;charset=utf-8"):
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        if isinstance(body, str):
            body = body.encode()
        self.head(status, f"Content-Type: {kind}", f"Content-Length: {len(body)}", *headers)
        self.send(body)
        self.goes_on = True

    def page(self):
        return json.dumps(page_of(int(self.query.get("page", ["1"])[0]))).encode()

    def is_known(self, header, value):
        """Answers 304 if the request's header has the value."""
        if self.headers.get(header) == value:
            self.head(304)
            self.goes_on = True
            return True
        return False

    def wait_for_peer(self):
        """Sends nothing more, and returns when the peer has had enough."""
        while self.connection.recv(4096):
            pass


def step_page(exchange, _):
    exchange.answer(200, exchange.page(), 'ETag: W/"abc"')


def step_leave(exchange, _):
    """Answers as if the connection could be used again, and closes it."""
    exchange.answer(200, exchange.page())
    exchange.goes_on = False


def step_user(exchange, _):
    record = USERS.get(exchange.path.rsplit("/", 1)[-1])
    exchange.answer(200 if record else 404, record or {})


def step_json(exchange, argument):
    exchange.answer(200, argument)


def step_status(exchange, argument):
    """`status=404` or `status=404:{"status_code":34}`."""
    status, _, body = argument.partition(":")
    exchange.answer(int(status), body)


def step_limited(exchange, argument):
    exchange.answer(429, {"status_code": 25}, f"Retry-After: {argument}")


def step_html(exchange, argument):
    exchange.answer(int(argument or 200), "<html>sign in</html>", kind="text/html")


def step_redirect(exchange, argument):
    """To the argument; without one to itself, for ever."""
    exchange.answer(302, "", f"Location: {argument or exchange.target}")


def step_later(exchange, argument):
    """The page, of a list whose films have numbers that are larger by the argument."""
    page = page_of(int(exchange.query.get("page", ["1"])[0]))
    page["results"] = [movie(row["id"] + int(argument)) for row in page["results"]]
    exchange.answer(200, page)


def step_tagged(exchange, argument):
    """The later list, marked with its tag: `tagged=1000`."""
    if not exchange.is_known("if-none-match", f'"{argument}"'):
        body = json.loads(exchange.page())
        body["results"] = [movie(row["id"] + int(argument)) for row in body["results"]]
        exchange.answer(200, body, f'ETag: "{argument}"')


def step_tagged_gzip(exchange, _):
    if not exchange.is_known("if-none-match", '"z"'):
        exchange.answer(200, gzip.compress(exchange.page()), 'ETag: "z"')


def step_dated(exchange, argument):
    if not exchange.is_known("if-modified-since", argument):
        exchange.answer(200, exchange.page(), f"Last-Modified: {argument}")


def step_unstored(exchange, _):
    exchange.answer(200, exchange.page(), 'ETag: "x"', "Cache-Control: private, no-store")


def step_odd_tag(exchange, argument):
    exchange.answer(200, exchange.page(), "ETag: " + (argument or "x" * 300))


def step_unchanged(exchange, _):
    """Says so to everybody."""
    exchange.head(304)
    exchange.goes_on = True


def step_limited_until(exchange, argument):
    """429 until so many seconds from now, by a clock that is a year ahead."""
    now = time.time() + 365 * 86400
    dates = [email.utils.formatdate(moment, usegmt=True) for moment in (now, now + int(argument))]
    exchange.answer(429, {}, f"Date: {dates[0]}", f"Retry-After: {dates[1]}")


def step_unavailable(exchange, argument):
    exchange.answer(503, {}, f"Retry-After: {argument}")


def gate(token):
    with lock:
        return gates.setdefault(token, threading.Event())


def step_gated(exchange, argument):
    """The step of the argument, once /open/TOKEN was asked for."""
    gate(exchange.path.split("/")[2]).wait()
    run_step(exchange, argument)


def step_zipped(exchange, _):
    exchange.answer(200, gzip.compress(exchange.page()), "Content-Encoding: gzip")


def step_bare_gzip(exchange, _):
    exchange.answer(200, gzip.compress(exchange.page()))


# Eight kilobytes that become eight megabytes.
BOMB = gzip.compress(b" " * (8 << 20))


def step_bomb(exchange, _):
    exchange.answer(200, BOMB, "Content-Encoding: gzip")


def step_bare_bomb(exchange, _):
    exchange.answer(200, BOMB)


def step_damaged_gzip(exchange, argument):
    """With its header if the argument is `said`."""
    headers = ["Content-Encoding: gzip"] if argument == "said" else []
    exchange.answer(200, gzip.compress(exchange.page())[:30] + b"\xff" * 50, *headers)


def step_cut(exchange, _):
    body = exchange.page()
    exchange.head(200, f"Content-Length: {len(body)}")
    exchange.send(body[:40])


def step_short(exchange, _):
    """Announces less than it sends."""
    body = exchange.page()
    # In one piece: the rest, if it came later, could be taken for the beginning of the next answer.
    exchange.send(b"HTTP/1.1 200 Whatever\r\nContent-Length: %d\r\n\r\n%s" % (len(body) - 30, body))


def step_chunked(exchange, _):
    body = exchange.page()
    exchange.head(200, "Content-Type: application/json", "Transfer-Encoding: chunked")
    for start in range(0, len(body), 100):
        piece = body[start:start + 100]
        exchange.send(b"%x\r\n%s\r\n" % (len(piece), piece))
    exchange.send(b"0\r\n\r\n")


def step_interim(exchange, _):
    """An interim answer with headers of its own before the real one."""
    exchange.head(103, "Link: </x>", "Retry-After: 7", "ETag: early")
    exchange.answer(200, exchange.page())


def step_hang(exchange, _):
    exchange.wait_for_peer()


def step_hang_in_body(exchange, _):
    exchange.head(200, "Content-Length: 1000")
    exchange.send(b'{"page":1')
    exchange.wait_for_peer()


def step_drip(exchange, _):
    exchange.head(200, "Content-Length: 1000")
    for _ in range(1000):
        exchange.send(b" ")
        time.sleep(1)


def step_huge(exchange, argument):
    """A gigabyte, announced if the argument is `said`."""
    if argument == "said":
        exchange.head(200, f"Content-Length: {1 << 30}")
    else:
        exchange.head(200)
    for _ in range(1 << 14):
        exchange.send(b" " * (1 << 16))


def step_many_headers(exchange, _):
    exchange.head(200, *[f"X-{n}: {'x' * 1000}" for n in range(200)])


def step_empty(exchange, _):
    exchange.answer(200, "")


def step_reset(exchange, _):
    exchange.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def step_nothing(exchange, _):
    pass


def step_noise(exchange, _):
    exchange.send(b"\x16\x03\x01 this is not HTTP\r\n\r\n")


def step_broken(exchange, argument):
    """The step of the argument until /open/TOKEN was asked for, then the page."""
    is_mended = gate(exchange.path.split("/")[2]).is_set()
    run_step(exchange, "page" if is_mended else argument)


def read_head(connection):
    head = b""
    while b"\r\n\r\n" not in head:
        piece = connection.recv(4096)
        if not piece:
            return None
        head += piece
        if head[0] == 0x16:
            return None  # A TLS handshake, which is for the other port.
    return head.decode("latin-1")


def serve_one(connection):
    """Answers one request; says whether the connection can take another."""
    head = read_head(connection)
    if head is None:
        return False
    exchange = Exchange(connection, head)
    if exchange.verb == "CONNECT":
        return tunnel(exchange, head)
    steps, token = exchange.path.split("/")[1:3]
    if steps == "log":
        with lock:
            heads = list(requests.get(token, []))
        exchange.answer(200, heads)
        return True
    if steps == "open":
        gate(token).set()
        exchange.answer(200, [])
        return True
    with lock:
        heads = requests.setdefault(token, [])
        heads.append(head)
        count = len(heads)
    names = steps.split(",")
    run_step(exchange, urllib.parse.unquote(names[min(count, len(names)) - 1]))
    return exchange.goes_on


def run_step(exchange, text):
    name, _, argument = text.partition("=")
    globals()["step_" + name](exchange, argument)


def tunnel(exchange, head):
    """Leads to where CONNECT wants to go, if that is on this machine; asks `locked.test` for a password."""
    place = exchange.target
    with lock:
        requests.setdefault(place, []).append(head)
    host, _, port = place.rpartition(":")
    if host == "locked.test":
        exchange.answer(407, "", 'Proxy-Authenticate: Basic realm="x"')
        return False
    # A name of its own too, which no `no_proxy` of the machine leads past it.
    if host not in ("films.test", "localhost", "127.0.0.1"):
        exchange.answer(502, "")
        return False
    with socket.create_connection(("127.0.0.1", int(port))) as other:
        exchange.head(200)
        there = threading.Thread(target=pour, args=(exchange.connection, other), daemon=True)
        there.start()
        pour(other, exchange.connection)
        there.join()
    return False


def pour(source, target):
    try:
        while piece := source.recv(65536):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # Either end gave up.


def serve(connection):
    with connection:
        try:
            while serve_one(connection):
                pass
        except OSError:
            pass  # The peer gave up, which many tests are about.


def accept_on(listener, context=None):
    def handle(connection):
        if context:
            try:
                connection = context.wrap_socket(connection, server_side=True)
            except OSError:
                return
        serve(connection)

    while True:
        connection, _ = listener.accept()
        threading.Thread(target=handle, args=(connection,), daemon=True).start()


def make_certificate(folder):
    """A certificate that nobody trusts who is not told to."""
    key, certificate = os.path.join(folder, "key.pem"), os.path.join(folder, "certificate.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost,DNS:films.test,IP:127.0.0.1"],
        check=True, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context, certificate


def main():
    folder = tempfile.mkdtemp(prefix="usher-http-")
    try:
        context, certificate = make_certificate(folder)
        plain = socket.create_server(("127.0.0.1", 0), backlog=128)
        secure = socket.create_server(("127.0.0.1", 0), backlog=128)
        threading.Thread(target=accept_on, args=(plain,), daemon=True).start()
        threading.Thread(target=accept_on, args=(secure, context), daemon=True).start()
        print(plain.getsockname()[1], secure.getsockname()[1], certificate, flush=True)
        sys.stdin.read()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main()
