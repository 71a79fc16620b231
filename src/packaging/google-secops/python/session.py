"""The SDK's session with the platform, and how a script ends that could not get one."""

import io
import json
import re
import signal
import sys
import time

from platform_calls import ask, parse
from plugin_process import RunError, TimedOut, encode_proxy_credentials

TIMEOUT = "PythonProcessTimeout"
PROXY = "Proxy Server Address"
# The SDK leaves out a user name and a password in the address, and the brackets of an IPv6 address, and fails at a port
# that is none.
PROXY_ADDRESS = re.compile(r"https?://[^\s/@:\[\]]+(:0*(\d{1,5}))?/?", re.IGNORECASE)
LARGEST_PORT = 65_535
# The default of the parameter.
DEFAULT_TIMEOUT_IN_SECONDS = 300
LOG_ERROR = 3
# What the SDK exits with after SIGTERM.
TERMINATED = -143


def read_context():
    """What the platform tells the script on standard input, which the SDK reads again. Raises RunError."""
    text = ask(sys.stdin.buffer.read, "the context of the run", None)
    sys.stdin = io.TextIOWrapper(io.BytesIO(text), "utf-8")
    context = parse(text.decode("utf-8-sig", "replace"))
    # The SDK says what is wrong with anything else.
    return context if isinstance(context, dict) else {}


def construct(session, deadline, plugin):
    """An object of the SDK, whose constructor may ask the platform and set a proxy. Raises RunError."""
    try:
        constructed = ask(session, "what a script needs to start", deadline)
        end_when_terminated()
        return constructed
    except TimedOut:
        raise
    except RunError as error:
        raise RunError(
            f"{error}. Nothing was run. Run it again. If it keeps happening, contact the support of the platform."
        ) from error
    finally:
        plugin.redaction.hide(encode_proxy_credentials())


def end_when_terminated():
    """Makes the SDK's handler of SIGTERM end the script although its log fails.

    The SDK logs the signal before it exits. Python refuses to write to a stream whose writing the signal has
    interrupted, so a script that was just logging would go on for ever.
    """
    terminate = signal.getsignal(signal.SIGTERM)

    def end(number, frame):
        try:
            terminate(number, frame)
        except Exception:
            sys.exit(TERMINATED)

    if callable(terminate):
        signal.signal(signal.SIGTERM, end)


def check_proxy(context):
    """Raises RunError when the connector's proxy has no address, which the SDK would make another one of."""
    given = connector_parameter(context, PROXY)
    if given in (None, ""):
        return
    parts = PROXY_ADDRESS.fullmatch(str(given))
    if parts and int(parts[2] or 0) <= LARGEST_PORT:
        return
    raise RunError(
        f"{PROXY} is not an address such as http://proxy.example.com:3128. Nothing was run. Correct the parameter of"
        " the connector, or leave it empty to connect directly. User name and password have parameters of their own."
    )


def connector_parameter(context, name):
    """The value of a connector's parameter as the platform hands it over; None when there is none."""
    params = (context.get("connector_info") or {}).get("params") or []
    return next((param.get("param_value") for param in params if param.get("param_name") == name), None)


def connector_timeout(context):
    """The time limit of a connector's run in seconds, and what is wrong with the parameter; None when nothing is."""
    given = connector_parameter(context, TIMEOUT)
    if given in (None, ""):
        return DEFAULT_TIMEOUT_IN_SECONDS, None
    try:
        seconds = float(given)
    except (TypeError, ValueError):
        seconds = 0
    if seconds > 0:
        return seconds, None
    return DEFAULT_TIMEOUT_IN_SECONDS, (
        f"Python Process Timeout is not a positive number of seconds: {given}. This run stops after"
        f" {DEFAULT_TIMEOUT_IN_SECONDS} seconds. Correct the parameter of the connector."
    )


def end_action(message, value, execution_state):
    """Ends the script as the SDK ends an action."""
    answer = {"Message": message, "ResultObjectJson": "{}", "ResultValue": value, "ExecutionState": execution_state}
    write_answer(answer, message)
    print(message, file=sys.stderr)
    sys.exit(0)


def end_connector(message):
    """Ends the script as a connector that failed and has no alerts."""
    row = {"message": message, "log_level": LOG_ERROR, "timestamp": int(time.time() * 1000)}
    package = {"cases": [], "overflow_cases": [], "log_items": [], "variables": {}, "log_rows": [row]}
    write_answer({"ResultObjectJson": json.dumps(package)}, message)
    sys.exit(message)


def write_answer(answer, log):
    # The SDK has replaced sys.stdout.
    sys.__stdout__.write(json.dumps({**answer, "DebugOutput": log}))
