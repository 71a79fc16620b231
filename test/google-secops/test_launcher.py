"""What of the launcher no run of a script can show in short time. Run by launcher-modules.test.ts."""

import copy
import os
import signal
import sys
import threading
import time
import types
import unittest
from unittest import mock

import AttackPathAnalysisAlertFindings as findings
import AttackPathAnalysisDelivery as delivery
import AttackPathAnalysisJob as job
import AttackPathAnalysisSession as session
import AttackPathAnalysisTimeLimit as time_limit
from AttackPathAnalysisPluginProcess import RunError
from AttackPathAnalysisRedaction import Redaction
from AttackPathAnalysisTimeLimit import TimeIsUp, at_most, seconds_to_wait


def hang():
    """As a request without a time limit does: its errors are caught, logged and swallowed."""
    try:
        signal.pause()
    except Exception:
        pass


class TimeLimits(unittest.TestCase):
    def test_end_what_hangs_and_let_nothing_catch_it(self):
        with self.assertRaises(TimeIsUp), at_most(0.01):
            hang()

    def test_end_what_goes_on_after_the_logger_of_the_sdk_has_swallowed_the_end(self):
        with mock.patch.object(time_limit, "LONGEST_CLEANUP_IN_SECONDS", 0.01):
            with self.assertRaises(TimeIsUp), at_most(0.01):
                try:
                    signal.pause()
                except BaseException:
                    pass
                time.sleep(10)

    def test_that_are_over_end_the_next_wait(self):
        with self.assertRaises(TimeIsUp), at_most(0):
            hang()

    def test_do_not_outlive_their_call(self):
        with at_most(10):
            pass
        self.assertEqual(signal.getitimer(signal.ITIMER_REAL), (0.0, 0.0))

    def test_do_not_outlive_a_call_that_ends_just_when_its_time_is_up(self):
        def ring(frame, *_):
            """As Python does when the alarm has rung and a function begins."""
            if frame.f_code.co_name == "__exit__":
                sys.settrace(None)
                with mock.patch("time.monotonic", return_value=time.monotonic() + 60):
                    time_limit._ring(signal.SIGALRM, frame)

        raised = None
        try:
            with at_most(10):
                sys.settrace(ring)
        except TimeIsUp as error:
            # The launcher keeps it as the cause of another error.
            raised = error
        finally:
            sys.settrace(None)
        self.assertEqual((time_limit._ends, raised), ([], None))

    def test_end_the_outer_call_too_when_its_own_time_is_over(self):
        reached = []
        with self.assertRaises(TimeIsUp), at_most(0.5):
            with self.assertRaises(TimeIsUp), at_most(0.01):
                hang()
            reached.append("inner")
            with at_most(10):
                hang()
        self.assertEqual(reached, ["inner"])
        self.assertEqual(signal.getitimer(signal.ITIMER_REAL), (0.0, 0.0))

    def test_let_a_signal_end_a_wait_that_it_came_too_early_to_interrupt(self):
        for limit in [None, 30]:
            nothing, write = os.pipe()
            late = []
            rescue = threading.Timer(10, lambda to=write, seen=late: (seen.append("rescued"), os.close(to)))
            # A signal that another thread takes does not interrupt the main thread either.
            other = threading.Timer(0.1, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGTERM))
            before = signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
            try:
                with self.assertRaises(SystemExit), at_most(limit):
                    rescue.start()
                    other.start()
                    os.read(nothing, 1)
            finally:
                signal.signal(signal.SIGTERM, before)
                rescue.cancel()
            self.assertEqual(late, [])

    def test_leave_half_of_the_time_that_is_left(self):
        now = 1_800_000_000
        with mock.patch("time.time", return_value=now):
            self.assertAlmostEqual(seconds_to_wait((now + 10) * 1000), 5)
            self.assertEqual(seconds_to_wait((now + 3600) * 1000), time_limit.LONGEST_ANSWER_IN_SECONDS)
            self.assertEqual(seconds_to_wait((now - 1) * 1000), 0)
        self.assertEqual(seconds_to_wait(None), time_limit.LONGEST_ANSWER_IN_SECONDS)


class HiddenPasswords(unittest.TestCase):
    def test_are_taken_out_of_messages_and_errors_and_not_out_of_what_the_service_says(self):
        redaction = Redaction()
        redaction.hide(["CORP.TEST", "short"])
        members = {"error": "http://ann:CORP.TEST@proxy.test:3128", "items": ["BOB@CORP.TEST"]}
        result = {
            "message": "Through CORP.TEST, in short.",
            "json": {"assets": [{"name": "DC01.CORP.TEST", "members": members}], "error": 7},
            "checkpoint": {"CORP.TEST": 1},
        }
        result["tables"] = [{"title": "Assets", "rows": [["DC01", "refused by CORP.TEST", 7]]}]
        result["json"]["summary"] = {"report": "Not answered: CORP.TEST said no."}
        result["entities"] = [{"identifier": "BOB@CORP.TEST"}]
        cleaned = redaction.clean_result(copy.deepcopy(result))
        result["tables"][0]["rows"][0][1] = "refused by [redacted]"
        result["json"]["summary"]["report"] = "Not answered: [redacted] said no."
        result["message"] = "Through [redacted], in short."
        members["error"] = "http://[redacted]@proxy.test:3128"
        self.assertEqual(cleaned, result)
        self.assertEqual(redaction.clean_result({"message": "", "json": "CORP.TEST"})["json"], "CORP.TEST")

    def test_are_taken_out_of_an_address_however_short_they_are(self):
        cleaned = Redaction().clean("no answer from http://ann:pw@proxy.test:3128, see https://proxy.test/a:b@c")
        self.assertEqual(cleaned, "no answer from http://[redacted]@proxy.test:3128, see https://proxy.test/a:b@c")


class Tenants(unittest.TestCase):
    def test_are_known_by_every_form_of_their_address_that_the_plugin_takes(self):
        links = {
            "https://t.test/ui/graphview?x=1": [
                *["t.test", "//t.test", " HTTPS://T.Test./ ", "t.test:443/UI/home#x"],
                *["t.test/ui/explore?next=https://x", "https://t.test/a/../ui", "https://t.test/./api/v2"],
            ],
            "https://xn--bcher-kva.test/ui/x": ["https://bücher.test"],
            "https://t.test/pr%C3%A4fix/%7Bid%7D/ui/x": ["https://t.test/präfix/{id}/ui", "t.test/pr%C3%A4fix//{id}/"],
            "https://t.test:8443/~a|b/ui/x": ["t.test:8443/~a|b"],
            "http://[::1]:8080/ui/x": ["http://[::1]:8080"],
        }
        for link, addresses in links.items():
            for address in addresses:
                self.assertEqual(findings.tenant_of(address), findings.tenant_of(link), address)
        tenants = [findings.tenant_of(link) for link in links]
        self.assertTrue(all(tenants.count(tenant) == 1 for tenant in tenants))
        self.assertIsNone(findings.tenant_of("https://t.test:port"))


class Changes(unittest.TestCase):
    def test_that_do_not_fit_into_the_run_are_left_to_the_next_one(self):
        made, log = [], mock.Mock()
        alerts = types.SimpleNamespace(apply=lambda change: made.append(change) or "Done.")
        with mock.patch("time.time", side_effect=[10, 19, 20]):
            failed = job.apply(alerts, ["A", "B", "C", "D"], log, str, until=20_000)
        self.assertEqual((made, failed), (["A", "B"], ["C", "D"]))
        log.error.assert_not_called()
        self.assertIn("2 of 4 changes", log.warn.call_args.args[0])


class ReadingTheAlerts(unittest.TestCase):
    def test_for_too_long_ends_the_run_without_changes_and_says_what_to_do(self):
        started = 1_800_000_000
        clock = [started]
        case_ids = range(1_000)

        def read_case(_):
            clock[0] += 25
            return {"cyber_alerts": []}

        platform = mock.Mock(parameters={}, unique_identifier="job-3", _get_case_by_id=read_case)
        platform.get_job_context_property.return_value = None
        entries = [types.SimpleNamespace(alert_group_id=str(case_id), tracking_time=1) for case_id in case_ids]
        platform.get_updated_sync_alerts_metadata = lambda since, *_, **__: entries if since < 2 else []
        platform.get_sync_alerts = lambda ids: [
            types.SimpleNamespace(alert_group_id=id, alert_id=id, case_id=int(id), status=0) for id in ids
        ]
        sdk = types.SimpleNamespace(SiemplifyJob=lambda: platform)
        with mock.patch.dict(sys.modules, SiemplifyJob=sdk), mock.patch("time.time", lambda: clock[0]):
            with self.assertRaisesRegex(SystemExit, "could not be read within 8 minutes.*close alerts"):
                job.run_job("AttackPathAnalysis", "Follow Up", [], [], "Vendor")
        self.assertLess(clock[0] - started, 9 * 60)
        platform.set_job_context_property.assert_not_called()


class TheSdk(unittest.TestCase):
    def test_may_hang_in_its_constructor_and_the_reason_is_told_before_the_deadline(self):
        with self.assertRaisesRegex(RunError, "it did not answer in time. Nothing was run."):
            session.construct(hang, (time.time() + 0.1) * 1000, mock.Mock())


    def test_ends_the_script_when_it_is_terminated_although_its_log_fails(self):
        def construct():
            signal.signal(signal.SIGTERM, lambda *_: log.warn("reentrant call"))

        log = mock.Mock(warn=mock.Mock(side_effect=RuntimeError))
        before = signal.getsignal(signal.SIGTERM)
        try:
            session.construct(construct, None, mock.Mock())
            with self.assertRaises(SystemExit):
                os.kill(os.getpid(), signal.SIGTERM)
                time.sleep(5)
        finally:
            signal.signal(signal.SIGTERM, before)


class Checkpoints(unittest.TestCase):
    def finish(self, deadline, store=lambda *_: None, status="completed"):
        """Ends a run without alerts, and returns what happened in order."""
        events = []
        logger = types.SimpleNamespace(
            info=lambda text: None, warn=events.append, error=lambda text: events.append(text)
        )
        connector = mock.Mock(LOGGER=logger, is_test_run=False)
        connector.return_package = lambda alerts: events.append("alerts")
        connector.set_connector_context_property = lambda *given: (events.append("checkpoint"), store(*given))
        ended = delivery.Delivery(connector, mock.Mock, lambda text: text, deadline)

        def leave(code):
            events.append(code)
            raise SystemExit

        with mock.patch("os._exit", leave), self.assertRaises((SystemExit, StopIteration)):
            ended.finish({"status": status, "message": "Done.", "checkpoint": {"n": 1}})
            raise StopIteration
        return events

    def test_are_stored_after_the_alerts_and_nothing_comes_after_them(self):
        self.assertEqual(self.finish(None), ["alerts", "checkpoint", 0])

    def test_are_not_stored_when_the_platform_may_kill_the_script_at_any_moment(self):
        message = "The checkpoint was not stored, because the run's time is over. The next run repeats this one."
        self.assertEqual(self.finish(1), ["alerts", message])

    def test_end_the_script_in_order_when_it_is_terminated_meanwhile(self):
        before = signal.getsignal(signal.SIGTERM)
        terminate = lambda *_: os.kill(os.getpid(), signal.SIGTERM)  # noqa: E731
        try:
            self.assertEqual(self.finish(None, terminate), ["alerts", "checkpoint", 0])
        finally:
            signal.signal(signal.SIGTERM, before)

    def test_let_a_failed_run_fail_also_when_it_is_terminated_meanwhile(self):
        before = signal.getsignal(signal.SIGTERM)
        terminate = lambda *_: os.kill(os.getpid(), signal.SIGTERM)  # noqa: E731
        try:
            self.assertEqual(self.finish(None, terminate, "failed"), ["Done.", "alerts", "checkpoint", 1])
        finally:
            signal.signal(signal.SIGTERM, before)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
