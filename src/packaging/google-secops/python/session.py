"""The SDK's session with the platform, and how a script ends that could not get one."""

import io
import json
import sys
import time

from platform_calls import ask, parse
from plugin_process import RunError, TimedOut, encode_proxy_credentials

TIMEOUT = "PythonProcessTimeout"
# The default of the parameter.
DEFAULT_TIMEOUT_IN_SECONDS = 300
LOG_ERROR = 3


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
        return ask(session, "what a script needs to start", deadline)
    except TimedOut:
        raise
    except RunError as error:
        raise RunError(
            f"{error}. Nothing was run. Run it again. If it keeps happening, contact the support of the platform."
        ) from error
    finally:
        plugin.hide(encode_proxy_credentials())


def connector_timeout(context):
    """The time limit of a connector's run in seconds, and what is wrong with the parameter; None when nothing is."""
    params = (context.get("connector_info") or {}).get("params") or []
    given = next((param.get("param_value") for param in params if param.get("param_name") == TIMEOUT), None)
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
