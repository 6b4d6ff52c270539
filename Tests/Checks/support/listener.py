"""A server that keeps the requests it received, and the responses that a function gave."""
import contextlib
import http.client
import http.server
import threading


class Exchange:
    """A request that a listener received, and the response that it sent."""

    def __init__(self, method, address, headers, body):
        self.method, self.address, self.headers, self.body = method, address, headers, body
        self.status, self.answer_headers, self.answer = 0, {}, b""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def respond(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        exchange = Exchange(self.command, self.server.address + self.path, self.headers, body)
        exchange.status, exchange.answer_headers, exchange.answer = self.server.respond(exchange)
        self.server.log.append(exchange)
        self.send_response_only(exchange.status)
        for name, value in exchange.answer_headers.items():
            if name.lower() not in ["connection", "content-length", "transfer-encoding"]:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(exchange.answer)))
        self.end_headers()
        self.wfile.write(exchange.answer)

    do_GET = do_POST = do_PUT = respond

    def log_message(self, *_):
        pass


class Listener(http.server.ThreadingHTTPServer):
    """A server; `respond` returns the status, the header fields and the body for an exchange."""

    def __init__(self, respond):
        super().__init__(("127.0.0.1", 0), Handler)
        self.respond, self.log, self.address = respond, [], f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, args=[0.02], daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()


def listening(respond):
    """A server that ends with its `with` statement."""
    return contextlib.closing(Listener(respond))


def forward(exchange, port):
    """The response of a server at a port to a request that arrived at another address."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    headers = {name: value for name, value in exchange.headers.items()
               if name.lower() not in ["host", "connection", "content-length"]}
    target = "/" + exchange.address.split("/", 3)[3]
    connection.request(exchange.method, target, exchange.body, headers)
    answer = connection.getresponse()
    with contextlib.closing(connection):
        return answer.status, answer.headers, answer.read()
