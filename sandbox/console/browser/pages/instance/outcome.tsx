import type { ComponentChildren, JSX } from "preact";
import { visible } from "../../../../../widgets/shared/text.ts";
import type { TestOutcome } from "../../../contract/index.ts";
import { Badge } from "../../parts/badge.tsx";
import type { IconName } from "../../parts/icon.tsx";
import { Notice } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { runUrl } from "../../urls.ts";
import { durationText } from "../../../../../src/text.ts";

interface Problem {
  icon: IconName;
  title: string;
  /** What to check on this machine, beyond what the plugin's sentence says. */
  hint: ComponentChildren | null;
}

const unreachable: Problem = {
  icon: "unplugged",
  title: "Server not reached",
  hint: "The credentials were not checked. Compare host and port of Server with the address bar of a browser on this machine.",
};
const notTheService: Problem = {
  icon: "search",
  title: "Not the service",
  hint: "Something else answers at this address, such as a sign-in page or a gateway. Open Server in a browser.",
};

/** By the plugin's error code. */
const problems: Readonly<Record<string, Problem>> = {
  unauthenticated: {
    icon: "key",
    title: "Key rejected",
    hint: "The server was reached. Edit the instance and enter Token ID and Token Key again; a key belongs to one ID.",
  },
  forbidden: {
    icon: "lock",
    title: "Access denied",
    hint: null,
  },
  clock_skew: {
    icon: "clock",
    title: "Clocks differ",
    hint: "The key is not the problem. Set the clock of this machine, and of the service, by a time server.",
  },
  tls: {
    icon: "lock",
    title: "Certificate not trusted",
    hint: (
      <>
        The key was not sent. For a private CA, stop the console and start it with{" "}
        <code>NODE_EXTRA_CA_CERTS=/path/to/ca.pem npm start</code>.
      </>
    ),
  },
  network: unreachable,
  timeout: { ...unreachable, title: "No answer in time" },
  deadline: { ...unreachable, title: "No answer in time" },
  redirect: notTheService,
  not_found: notTheService,
  protocol: notTheService,
  rate_limited: {
    icon: "repeat",
    title: "Rate limit reached",
    hint: "The address is right. Wait a minute, then test again.",
  },
  server: {
    icon: "info",
    title: "Service failed",
    hint: "The address is right. Test again later; the run below has the response.",
  },
};

/** Without a code, the plugin's sentence says it all: a parameter cannot be used, or the run did not get so far. */
const unnamed: Problem = { icon: "warning", title: "Test failed", hint: null };

function problemOf({ error }: TestOutcome): Problem {
  return problems[error ?? ""] ?? unnamed;
}

export function TestBadge({ outcome }: { outcome: TestOutcome | null }): JSX.Element {
  if (outcome === null) return <Badge>Never tested</Badge>;
  if (outcome.ok) return <Badge look="good">Connected</Badge>;
  return <Badge look="danger">{problemOf(outcome).title}</Badge>;
}

/** The plugin's own sentence: what it found, and what to do. */
export function Outcome({ outcome }: { outcome: TestOutcome }): JSX.Element {
  const { ok, message, at, ms, runId } = outcome;
  const problem = ok ? null : problemOf(outcome);
  return (
    <Notice look={ok ? "good" : "danger"} icon={problem?.icon ?? "check"}>
      <div role="status">
        {problem !== null && <p class="notice-title">{problem.title}</p>}
        <p>{visible(message)}</p>
      </div>
      {problem?.hint != null && <p class="notice-hint">{problem.hint}</p>}
      <p class="small">
        Ping took {durationText(ms)}, <Time at={at} />. <a href={runUrl(runId)}>See the run</a>
      </p>
    </Notice>
  );
}
