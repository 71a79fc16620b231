import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../clock.ts";
import {
  ConfigurationError,
  ClockSkewError,
  ForbiddenError,
  SchemeRejectedError,
  type ServiceError,
  type ServiceErrorCode,
} from "../../service/errors/errors.ts";
import { checkCredentials } from "../../service/credentials.ts";
import { parseHttpDate } from "../../service/instants.ts";
import { counted, durationText, oneLine } from "../../text.ts";
import { ageOf } from "../instant-option.ts";
import { type Check, type CheckResult, failed, ok, skipped, warning } from "./check.ts";
import type { Examination } from "./examination.ts";
import { exhausted } from "./operation-result.ts";
import type { RecordedRequest } from "./recorder.ts";

/** The service rejects a signature beyond this (BloodHound, cmd/api/src/api/auth.go, maxClockSkew). */
const LARGEST_DIFFERENCE_MS = HOUR_MS;
const NOTABLE_DIFFERENCE_MS = 5 * MINUTE_MS;
/** Longer ago, the last analysis is a warning. */
const LONG_MS = 7 * DAY_MS;
const TRY_LATER = "Try again later. If it keeps happening, contact the support of the service.";
const SET_CLOCK = "Set the clock of this machine (NTP). The time zone does not matter.";
/** Statuses with which a gateway says that it has no answer of the service (RFC 9110, sections 15.6.3 to 15.6.5). */
const OF_GATEWAYS: ReadonlySet<number | null> = new Set([502, 503, 504]);
const CHECK_ADDRESS =
  "Check that Server is the tenant's own address, with its path if it has one, and that no sign-in page or proxy intercepts the requests.";

/** What the first answers of the service show, whether it accepts the credentials or not. */
export const serviceChecks: readonly Check[] = [
  { name: "credentials", title: "Form of the credentials", needs: [], required: true, run: checkForm },
  { name: "service", title: "Service", needs: ["credentials", "tls"], required: true, run: checkService },
  { name: "clock", title: "Clock", needs: ["service"], required: true, run: checkClock },
  { name: "rate-limit", title: "Rate limit", needs: ["service"], required: true, run: checkRateLimit },
  { name: "dialect", title: "Dialect", needs: ["rate-limit"], required: true, run: checkDialect },
  { name: "token", title: "Credentials", needs: ["clock", "dialect"], required: true, run: checkToken },
  { name: "environments", title: "Environments", needs: ["token"], required: true, run: checkEnvironments },
  { name: "analysis", title: "Analysis", needs: ["token"], required: false, run: checkAnalysis },
  { name: "token-age", title: "Token age", needs: ["token"], required: false, run: checkTokenAge },
];

/** Errors that only a response of the service itself causes, or that say nothing about who responded. */
const ANSWERS: ReadonlySet<ServiceErrorCode> = new Set([
  "bad_request",
  "clock_skew",
  "forbidden",
  "rate_limited",
  "unauthenticated",
]);

/** Credentials that no request can carry say nothing about the service, which is never asked. */
function checkForm({ options: { credentials } }: Examination): CheckResult {
  try {
    checkCredentials(credentials);
    return ok("They can be sent. Whether the service accepts them is checked below.");
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const again = credentials.kind === "jwt" ? "the bearer token" : "Token ID and Token Key";
    return failed(error.message, `Correct the profile, or enter ${again} again.`, { code: error.code });
  }
}

async function checkService(examination: Examination): Promise<CheckResult> {
  const { error } = await examination.first();
  const { status, ms, headers } = examination.exchanges.at(-1) ?? NO_EXCHANGE;
  const contentType = headers["content-type"] ?? null;
  const facts = { status, contentType, ms };
  const foreign = error?.wrapped === true ? null : foreignAnswer(headers, facts);
  if (foreign !== null) return foreign;
  if (error === null || isAnswer(error)) return ok(`The service answers (${ms} ms).`, facts);
  const ownFault = error.code === "server" || error.code === "timeout";
  const fix = ownFault ? TRY_LATER : CHECK_ADDRESS;
  return failed(error.message, fix, { ...facts, code: error.code });
}

/** Without its wrapper, a rejected request may come from a gateway, which has not looked at the credentials. */
function isAnswer({ code, wrapped }: ServiceError): boolean {
  return ANSWERS.has(code) && (code !== "bad_request" || wrapped);
}

const NO_EXCHANGE: Pick<RecordedRequest, "status" | "ms" | "headers"> = { status: null, ms: 0, headers: {} };

/** What it means that something else answers in place of the service; null when nothing shows that. */
function foreignAnswer(
  headers: RecordedRequest["headers"],
  facts: { status: number | null; contentType: string | null; ms: number },
): CheckResult | null {
  const status = facts.status ?? "unknown";
  if (!OF_GATEWAYS.has(facts.status)) {
    const isPage = /^text\/html\b/i.test(facts.contentType ?? "");
    return isPage
      ? failed(`A web page answers in place of the service (status ${status}).`, CHECK_ADDRESS, facts)
      : null;
  }
  const gateway = headers["via"] ?? headers["server"] ?? null;
  const name = gateway === null ? "" : ` (${oneLine(gateway, 100)})`;
  return failed(
    `A gateway in front of the service${name} answers with status ${status}: it has no response of the service.`,
    "Try again later. If it keeps happening, tell whoever runs this gateway, or the support of the service.",
    { ...facts, gateway },
  );
}

async function checkClock(examination: Examination): Promise<CheckResult> {
  const { error } = await examination.first();
  const skewMs = differenceOf(examination) ?? (error instanceof ClockSkewError ? error.skewMs : null);
  const signed = examination.options.credentials.kind === "token";
  const isTooLarge = signed && Math.abs(skewMs ?? 0) > LARGEST_DIFFERENCE_MS;
  if (isTooLarge && skewMs !== null && isAccepted(error)) {
    return warning(
      `${difference(skewMs)}, by the Date header of its responses. The service accepts the signatures nevertheless, so the header may be wrong.`,
      "Check the clock of this machine, and that of the gateway or proxy in front of the service.",
      { skewMs },
    );
  }
  if (error instanceof ClockSkewError || isTooLarge) {
    const cause = skewMs === null ? "The clocks differ too much." : `${difference(skewMs)}.`;
    return failed(`${cause} The service rejects signatures that are more than 1 h off.`, SET_CLOCK, { skewMs });
  }
  if (skewMs === null)
    return skipped("The responses have no readable Date header, so the clocks cannot be compared.", { skewMs });
  if (Math.abs(skewMs) > NOTABLE_DIFFERENCE_MS) return warning(`${difference(skewMs)}.`, SET_CLOCK, { skewMs });
  return ok("This machine and the service have the same time.", { skewMs });
}

/** Whether the service answered after it had checked the signature. */
function isAccepted(error: ServiceError | null): boolean {
  return error === null || (error instanceof ForbiddenError && error.authenticated);
}

/** How far this machine's clock is ahead, in milliseconds; the Date header counts seconds. */
function differenceOf({ exchanges }: Examination): number | null {
  for (const { headers, answeredAt } of exchanges) {
    const date = parseHttpDate(headers["date"]);
    if (date !== null && answeredAt !== null) return answeredAt - date;
  }
  return null;
}

function difference(skewMs: number): string {
  const direction = skewMs < 0 ? "behind" : "ahead of";
  // The Date header counts seconds, and the response took a while: more than minutes would only look exact.
  const minutesMs = Math.round(Math.abs(skewMs) / MINUTE_MS) * MINUTE_MS;
  return `The clock of this machine is ${durationText(minutesMs)} ${direction} the service's`;
}

async function checkRateLimit(examination: Examination): Promise<CheckResult> {
  const { error } = await examination.first();
  const headers: Record<string, string | undefined> = examination.exchanges.at(-1)?.headers ?? {};
  const number = (name: string): number | null => {
    const value = Number.parseFloat(headers[`x-ratelimit-${name}`] ?? headers[`x-rate-limit-${name}`] ?? "");
    return Number.isFinite(value) ? value : null;
  };
  const facts = { limit: number("limit"), remaining: number("remaining") };
  if (error?.code === "rate_limited") {
    const { code, retryAfterMs } = error;
    const { cause, fix } = exhausted(retryAfterMs);
    return failed(cause, fix, { ...facts, code, retryAfterMs });
  }
  if (examination.refusedSince(0) !== null) {
    return ok("The service refused requests for a moment (status 429), and then answered.", facts);
  }
  if (facts.remaining === null) {
    return ok("The service does not announce how many requests remain. It answered without refusing any.", facts);
  }
  const text = `${facts.remaining} of ${facts.limit ?? "an unknown number of"} requests remain.`;
  return facts.remaining > 0 ? ok(text, facts) : warning(text, "Run other integrations at other times.", facts);
}

async function checkDialect(examination: Examination): Promise<CheckResult> {
  const { error } = await examination.first();
  const scheme = examination.exchanges.at(-1)?.scheme ?? "";
  if (examination.options.credentials.kind === "jwt")
    return skipped("Not needed: a bearer token is not signed.", { scheme });
  if (error instanceof SchemeRejectedError) {
    return failed(
      `The service does not accept the signature scheme (${scheme}).`,
      "Check that Server is the tenant's own address. If it is, install the newest version of this package.",
      { scheme },
    );
  }
  return ok(`The service accepts the signature scheme ${scheme}.`, { dialect: examination.service.dialect, scheme });
}

async function checkToken(examination: Examination): Promise<CheckResult> {
  const { error } = await examination.first();
  if (error === null) return ok("The service accepts the credentials.");
  const facts = { code: error.code, status: error.status ?? null, requestId: error.requestId ?? null };
  if (error.code === "forbidden") {
    return failed(
      error.message,
      "Enable the user of the token, and give it the role Auditor or another that can read.",
      facts,
    );
  }
  // The service looked at something else than the credentials.
  if (error.code === "bad_request" && error.whoActs !== "administrator") return failed(error.message, TRY_LATER, facts);
  const fix =
    examination.options.credentials.kind === "jwt"
      ? "Get a new bearer token, or use an API token, which does not expire that soon."
      : "Copy Token ID and Token Key again, both from the same API token. If the key is lost, create a new token in the service.";
  return failed(error.message, fix, facts);
}

async function checkEnvironments(examination: Examination): Promise<CheckResult> {
  const { environments, unreadable, isWhole } = await examination.first();
  const collected = (await examination.collected()).length;
  const facts = { environments: environments.length, collected, unreadable };
  const withoutId = `The service lists ${counted(unreadable, "environment")} without a usable id.`;
  const missing = isWhole ? "" : ` Not all environments could be listed, so some are missing.`;
  if (collected > 0) {
    const seen = `The token sees ${counted(environments.length, "environment")}, ${collected} with collected data.`;
    const problems = `${unreadable > 0 ? ` ${withoutId}` : ""}${missing}`;
    return problems === "" ? ok(seen, facts) : warning(`${seen}${problems}`, TRY_LATER, facts);
  }
  if (!isWhole)
    return failed(
      `The service lists ${counted(environments.length, "environment")}, none of them with collected data.${missing}`,
      TRY_LATER,
      facts,
    );
  if (environments.length > 0)
    return failed(
      `None of the ${environments.length} environments that the token sees has collected data.`,
      "Collect data first: there are no findings without it.",
      facts,
    );
  if (unreadable > 0) return failed(withoutId, TRY_LATER, facts);
  return failed("The token sees no environments.", "Give the user of the token access to the environments.", facts);
}

async function checkTokenAge({ options: { credentials }, service, clock }: Examination): Promise<CheckResult> {
  if (credentials.kind === "jwt") return skipped("Not needed: a bearer token soon expires.");
  const createdAt = await service.tokens.createdAt(credentials.id);
  if (createdAt === null) return skipped("The service does not say how old the API token is.");
  return ok(`The API token was made ${durationText(ageOf(createdAt, clock.now()))} ago.`, { createdAt });
}

async function checkAnalysis(examination: Examination): Promise<CheckResult> {
  const status = await examination.service.analysis.status({ required: true });
  if (status === null) {
    return skipped(
      "The service does not say when its last analysis ended. The connector finds out what is new in other ways.",
      {
        offered: false,
      },
    );
  }
  const { completedAt, idle } = status;
  const facts = { offered: true, completedAt, idle };
  const running = idle ? "" : " Another one is running.";
  if (completedAt === null) {
    return warning(
      `No analysis is complete yet.${running}`,
      "Wait for the first analysis: it makes the findings.",
      facts,
    );
  }
  const age = ageOf(completedAt, examination.clock.now());
  const text = `The last analysis ended ${durationText(age)} ago.${running}`;
  return age > LONG_MS
    ? warning(text, "Check in the service that data is still collected: without it there are no new findings.", facts)
    : ok(text, facts);
}
