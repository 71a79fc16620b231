import { TRAITS } from "../misbehaviours.ts";
import type { Misbehaviour } from "../scenario.ts";
import { type Answer, refusal, text, webPage } from "./answers.ts";

/** Whether it happens to the connection or replaces the answer; the first that applies counts. */
export function isReplacing({ kind }: Misbehaviour): boolean {
  return TRAITS[kind].answer === "replaced";
}

/** The answer in place of the true one; null for what happens to the true one. */
export function replacement(what: Misbehaviour, now: number): Answer | null {
  switch (what.kind) {
    case "status":
      return failed(what.status, what.body, now);
    case "rate limit":
      return rateLimited(what, now);
    case "web page":
      return webPage();
    case "body":
      return { ...text(what.text), headers: { "content-type": "application/json" } };
    default:
      return null;
  }
}

/** By status; everything else is an internal error. */
const MESSAGES = new Map([
  [400, "there are errors in the query parameter filters specified"],
  [401, "not authenticated"],
  [403, "Forbidden"],
  [404, "resource not found"],
]);

function failed(status: number, body: (Misbehaviour & { kind: "status" })["body"], now: number): Answer {
  if (body === "html") return webPage(status);
  if (body === "text") return text("upstream connect error", status);
  if (body === "empty") return text("", status);
  return refusal(status, MESSAGES.get(status) ?? "an internal error has occurred", now);
}

/** The service's own limiter answers in plain text, its older one in the error wrapper (service facts, section 2). */
function rateLimited({ body, retryAfter }: Misbehaviour & { kind: "rate limit" }, now: number): Answer {
  const answer =
    body === "text"
      ? text("Limit exceeded", 429)
      : refusal(429, "Too many requests. Please try again later.", now, "middleware");
  if (body === "text") answer.headers["x-ratelimit-limit"] = "55";
  if (retryAfter !== null) answer.headers["retry-after"] = retryAfter;
  return answer;
}
