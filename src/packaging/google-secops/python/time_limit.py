"""Time limits for whatever a script waits for. The requests of the platform's SDK have none of their own."""

import math
import signal
import time

# A platform that works answers in less than a second.
LONGEST_ANSWER_IN_SECONDS = 30
# A signal that arrives just before a wait begins does not end the wait. Python handles it when the next one arrives.
BEAT_IN_SECONDS = 1
# What cleans up after a wait that has ended may take so long. The logger of the SDK swallows whatever is raised in it,
# so what goes on for longer is ended again.
LONGEST_CLEANUP_IN_SECONDS = 5


class TimeIsUp(BaseException):
    """No Exception, so that the SDK does not take it for a failed request, log it, and go on."""


_ends = []


def at_most(seconds):
    """Raises TimeIsUp in what runs inside after so many seconds; None is no limit. Limits may be nested.

    Any other signal is handled within BEAT_IN_SECONDS, too.
    """
    return _Limit(math.inf if seconds is None else time.monotonic() + seconds)


class _Limit:
    def __init__(self, end):
        self._end = end

    def __enter__(self):
        signal.signal(signal.SIGALRM, _ring)
        _ends.append(self._end)
        _set_alarm()

    def __exit__(self, *_):
        _ends.remove(self._end)
        _set_alarm()


def seconds_to_wait(deadline, most=LONGEST_ANSWER_IN_SECONDS):
    """Half the time until a deadline in epoch milliseconds, so that some is always left to end in; at most `most`."""
    return most if deadline is None else max(0, min(most, (deadline / 1000 - time.time()) / 2))


def reason(error):
    """Why a call of the platform failed."""
    return "it did not answer in time" if isinstance(error, TimeIsUp) else error


def _set_alarm():
    # Zero would switch the alarm off.
    seconds = max(0.001, min(BEAT_IN_SECONDS, min(_ends) - time.monotonic())) if _ends else 0
    signal.setitimer(signal.ITIMER_REAL, seconds, BEAT_IN_SECONDS)


def _ring(_, frame):
    # Not while this module runs: a limit that is not removed would end later calls at once. The alarm rings again soon.
    if _ends and time.monotonic() >= min(_ends) and frame.f_globals is not globals():
        signal.setitimer(signal.ITIMER_REAL, LONGEST_CLEANUP_IN_SECONDS, BEAT_IN_SECONDS)
        raise TimeIsUp
    _set_alarm()
