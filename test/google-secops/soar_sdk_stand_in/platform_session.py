"""What all scripts share on the platform: command line, signals, captured stdout, log, HTTP to the platform.

Own code that behaves as the platform's SDK does where a script can notice it, and refuses what the SDK merely ignores.
"""

import getopt
import io
import json
import logging
import os
import signal
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

OPTIONS = ["useElastic", "logPath=", "correlationId=", "traceId=", "baggage=", "onePlatformSupport"]
MOST_CHARACTERS = 3_000_000

real_stdout = sys.stdout
captured_stdout = io.StringIO()
sys.stdout = captured_stdout


class Logger:
    """Levels as the platform counts them; `module` changes how percent signs are treated."""

    def __init__(self):
        self.module = None
        self.log_rows = []
        self._log = logging.getLogger("script")
        self._log.setLevel(logging.INFO)
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("[%(asctime)s %(levelname)s] %(message)s"))
        self._log.addHandler(handler)

    def debug(self, message):
        pass

    def info(self, message):
        self._write(1, logging.INFO, message)

    def warn(self, message):
        self._write(2, logging.WARNING, message)

    def error(self, message):
        self._write(3, logging.ERROR, message)

    def exception(self, message):
        self._write(3, logging.ERROR, message)

    def _write(self, row_level, level, message):
        if not isinstance(message, str):
            raise TypeError("a log message is a text")
        self.log_rows.append({"message": message, "log_level": row_level, "timestamp": int(time.time() * 1000)})
        print(message)
        if self.module:
            self._log.log(level, message.replace("%", "%%"), {"module": self.module})
        else:
            self._log.log(level, message)


class Session:
    """Base of an action, of a connector and of a job."""

    def __init__(self, key_position):
        getopt.gnu_getopt(sys.argv[1:], "", OPTIONS)
        signal.signal(signal.SIGTERM, self._terminate)
        signal.signal(signal.SIGINT, lambda *_: None)
        self.LOGGER = Logger()
        self.script_name = ""
        self._key = sys.argv[key_position]
        scheme = "https" if os.environ.get("APP_USE_SSL", "True") == "True" else "http"
        self.API_ROOT = f"{scheme}://{os.environ['APP_IP']}:{os.environ['APP_PORT']}/api"
        self._root = f"{self.API_ROOT}/external/v1/sdk"
        self._context = json.loads(sys.stdin.buffer.read().decode("utf-8-sig"))

    def _terminate(self, number, _):
        self.LOGGER.warn(f"Termination signal [{number}] received, exiting...")
        sys.exit(-143)

    def _ask(self, path, body=None, method=None):
        return self._send(f"{self._root}/{path}", body, method)

    def _send(self, url, body, method=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"AppKey": self._key, "Content-Type": "application/json", "Accept": "application/json"}
        request = urllib.request.Request(url, data, headers, method=method)
        try:
            with urllib.request.build_opener().open(request) as response:
                text = response.read()
                return None if response.status == 204 or not text else json.loads(text)
        except urllib.error.HTTPError as error:
            raise Exception(f"{error}: {error.read()!r}") from error

    def get_context_property(self, context_type, identifier, key):
        return self._ask(
            "GetContextProperty", {"ContextType": context_type, "Identifier": identifier, "PropertyKey": key}
        )

    def set_context_property(self, context_type, identifier, key, value):
        if not isinstance(value, str):
            raise TypeError("a context property is a text")
        if len(value) > MOST_CHARACTERS:
            raise Exception("property value has reached maximum length")
        body = {"ContextType": context_type, "Identifier": identifier, "PropertyKey": key, "PropertyValue": value}
        return self._ask("SetContextProperty", body)


def use_proxy(settings):
    """Sets the platform's proxy for this process; the user name is not encoded, and neither are slashes in the password."""
    if not settings["proxy_server_address"]:
        return
    address = urllib.parse.urlparse(settings["proxy_server_address"])
    both = settings["username"] and settings["password"]
    credentials = f"{settings['username']}:{urllib.parse.quote(settings['password'])}@" if both else ""
    port = f":{address.port}" if address.port else ""
    url = f"{address.scheme}://{credentials}{address.hostname}{port}"
    os.environ.update(http_proxy=url, https_proxy=url, no_proxy=",".join(settings["ignore_addresses"]), proxy="on")


def write_answer(answer):
    """The script's one answer on the real standard output, which is left to the end of the process to flush."""
    real_stdout.write(json.dumps(answer, default=lambda value: value.__dict__))
