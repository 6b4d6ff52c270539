"""nginx with TLS, in front of a server that counts the requests that it processes."""
import collections
import http.server
import os
import signal
import socket
import subprocess
import threading
import time


def free_port():
    with socket.socket() as any_socket:
        any_socket.bind(("127.0.0.1", 0))
        return any_socket.getsockname()[1]


class CountingServer:
    """Answers each request with its body, and counts the bodies."""

    def __init__(self):
        counted, lock = collections.Counter(), threading.Lock()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                with lock:
                    counted[body.decode()] += 1
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.counted = counted
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


class Nginx:
    """nginx with one server for each pair of files; it ends with its `with` statement.

    `sites` maps the name of a site to its files and its own settings; `ports` names the ports of some.
    """

    def __init__(self, folder, sites, backend, ports=()):
        self.ports = {title: free_port() for title in sites} | dict(ports)
        servers = "".join(f"""
          server {{
            listen 127.0.0.1:{self.ports[title]} ssl http2;
            listen [::1]:{self.ports[title]} ssl http2;
            ssl_certificate {files[0]};
            ssl_certificate_key {files[1]};
            {settings}
            location / {{ proxy_pass http://127.0.0.1:{backend.port}; }}
          }}""" for title, (files, settings) in sites.items())
        self.configuration = folder / "nginx.conf"
        self.configuration.write_text(f"""
          pid {folder}/nginx.pid;
          error_log {folder}/error.log;
          worker_processes 2;
          events {{ worker_connections 4096; }}
          http {{
            access_log {folder}/access.log;
            client_body_temp_path {folder};
            proxy_temp_path {folder};
            {servers}
          }}""")
        self.process = subprocess.Popen([
            "nginx", "-p", folder, "-e", folder / "error.log", "-c", self.configuration, "-g",
            "daemon off; user root;"])
        for port in self.ports.values():
            for _ in range(200):
                with socket.socket() as attempt:
                    if attempt.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.05)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=20)

    def url(self, title, host="localhost"):
        return f"https://{host}:{self.ports[title]}/"

    def reload(self):
        os.kill(self.process.pid, signal.SIGHUP)
