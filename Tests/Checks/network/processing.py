"""An HTTP/2 server that counts the requests that it processes, and ends connections in the middle of its work."""
import collections
import socket
import ssl
import struct
import threading

import h2.config
import h2.connection
import h2.errors
import h2.events


class ProcessingServer:
    """Processes a request when its whole body has come; the body is the name of the request.

    `fault` takes the number of a request on this server, counted from 1, and says what happens then:
    - None: it is processed and answered.
    - "trailers": it is processed and answered, with trailers after the body.
    - "reset", "close": it is processed, then the connection ends without an answer.
    - "goaway": it is processed, then GOAWAY names its stream as the last, and the connection ends.
    - "unprocessed goaway": it is not processed, and GOAWAY names an earlier stream.
    - "refused": it is not processed, and its stream is refused (RST_STREAM with REFUSED_STREAM).
    - "flood": it is processed, then frames of an unknown kind come without an end.
    """

    def __init__(self, files, fault=lambda number: None, host="localhost", listener=None):
        self.fault, self.number, self.lock = fault, 0, threading.Lock()
        self.processed, self.connections = collections.Counter(), 0
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(*files)
        self.context.set_alpn_protocols(["h2"])
        self.listener = listener or socket.create_server(("127.0.0.1", 0), backlog=128)
        self.url = f"https://{host}:{self.listener.getsockname()[1]}/"
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def accept(self):
        while True:
            try:
                plain, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=[plain], daemon=True).start()

    def serve(self, plain):
        try:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            stream = self.context.wrap_socket(plain, server_side=True)
        except OSError:
            return
        with self.lock:
            self.connections += 1
        http = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        http.initiate_connection()
        bodies = collections.defaultdict(bytes)
        try:
            stream.sendall(http.data_to_send())
            while data := stream.recv(65536):
                for event in http.receive_data(data):
                    if isinstance(event, h2.events.DataReceived):
                        bodies[event.stream_id] += event.data
                        http.acknowledge_received_data(
                            event.flow_controlled_length, event.stream_id)
                    elif isinstance(event, h2.events.StreamEnded):
                        if not self.answer(http, stream, event.stream_id, bodies[event.stream_id]):
                            return
                stream.sendall(http.data_to_send())
        except OSError:
            pass
        finally:
            stream.close()

    def answer(self, http, stream, identifier, body):
        """Processes a request or not; returns whether the connection goes on."""
        with self.lock:
            self.number += 1
            fault = self.fault(self.number)
            if fault not in ("unprocessed goaway", "refused"):
                self.processed[body.decode()] += 1
        if fault in (None, "trailers"):
            http.send_headers(identifier, [(":status", "200"), ("content-length", str(len(body)))])
            http.send_data(identifier, body, end_stream=fault is None)
            if fault:
                http.send_headers(identifier, [("server-timing", "a"), ("x-status", "500")], end_stream=True)
            return True
        if fault == "refused":
            http.reset_stream(identifier, h2.errors.ErrorCodes.REFUSED_STREAM)
            return True
        if "goaway" in fault:
            last = identifier if fault == "goaway" else identifier - 2
            http.close_connection(last_stream_id=max(last, 0))
            stream.sendall(http.data_to_send())
        while fault == "flood":
            stream.sendall(bytes([0, 0, 0, 0xBB, 0, 0, 0, 0, 0]) * 1800)
        if fault == "reset":
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return False
