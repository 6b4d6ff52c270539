"""nginx with TLS, in front of a server that counts the requests that it processes."""
import collections
import contextlib
import os
import signal
import subprocess
import threading

from support.listener import Listener
from support.ports import free_port, wait_for_port


class CountingServer:
    """Answers each POST with its body, and counts the bodies."""

    def __init__(self):
        self.counted, self.lock = collections.Counter(), threading.Lock()
        self.server = Listener(self.respond)
        self.port = self.server.server_port

    def respond(self, exchange):
        if exchange.method != "POST":
            return 501, {}, b""
        with self.lock:
            self.counted[exchange.body.decode()] += 1
        return 200, {}, exchange.body


@contextlib.contextmanager
def running_nginx(folder, sites, backend, ports=()):
    """nginx with one server for each pair of files.

    `sites` maps the name of a site to its files and its own settings; `ports` names the ports of some.
    """
    nginx = Nginx(folder, sites, backend, ports)
    try:
        for port in nginx.ports.values():
            wait_for_port(port, nginx.process, folder / "error.log")
        yield nginx
    finally:
        nginx.process.terminate()
        nginx.process.wait(timeout=20)


class Nginx:
    def __init__(self, folder, sites, backend, ports):
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

    def url(self, title, host="localhost"):
        return f"https://{host}:{self.ports[title]}/"

    def reload(self):
        os.kill(self.process.pid, signal.SIGHUP)
