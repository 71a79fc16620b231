import { SEVERITY_RANKS } from "../../../soar/index.ts";
import type { CaseChange, CasesQuery, EventsQuery } from "../../contract/index.ts";
import { CURSOR, KEY, keyIn, LIMIT, list, object, oneOf, optional, text, whole } from "../input.ts";
import type { Parts } from "../parts.ts";
import type { Routes } from "../routing.ts";

type Endpoints =
  | "GET /cases"
  | "GET /cases/facets"
  | "GET /cases/:id"
  | "PATCH /cases/:id"
  | "POST /cases/:id/comments"
  | "GET /cases/:id/events"
  | "GET /cases/:id/findings"
  | "GET /alerts/:key"
  | "PUT /alerts/:key/status"
  | "GET /alerts/:key/events/:position";

/** Who works with the console: it knows one person. */
const ANALYST = "Analyst";
const severity = optional(oneOf(...SEVERITY_RANKS));
const status = optional(oneOf("open", "closed"));

const cases = object<CasesQuery>({
  status,
  severity,
  environment: optional(text),
  tag: optional(text),
  connector: optional(text),
  text: optional(text),
  sort: optional(oneOf("severity", "updated", "events")),
  cursor: CURSOR,
  limit: LIMIT,
});
const events = object<EventsQuery>({
  alertKey: optional(KEY),
  severity,
  text: optional(text),
  cursor: CURSOR,
  limit: LIMIT,
});
const change = object<CaseChange>({
  status,
  priority: optional(whole(-1, 100)),
  addTags: optional(list(text)),
  removeTags: optional(list(text)),
});

export function caseRoutes({ host }: Parts): Routes<Endpoints> {
  const { cases: all, events: stored } = host;
  return {
    "GET /cases": { query: cases, answer: ({ query }) => all.list(query) },
    "GET /cases/facets": { answer: () => all.facets() },
    "GET /cases/:id": { answer: ({ path }) => all.view(keyIn(path.id, "case")) },
    "PATCH /cases/:id": {
      body: change,
      answer: ({ path, body }) => all.change(keyIn(path.id, "case"), body, ANALYST),
    },
    "POST /cases/:id/comments": {
      body: object({ text }),
      answer: ({ path, body }) => all.comment(keyIn(path.id, "case"), body.text, ANALYST),
    },
    "GET /cases/:id/events": {
      query: events,
      answer: ({ path, query }) => stored.list(keyIn(path.id, "case"), query),
    },
    "GET /cases/:id/findings": {
      query: object<{ alertKey?: number }>({ alertKey: optional(KEY) }),
      answer: ({ path, query }) => stored.findings(keyIn(path.id, "case"), query.alertKey),
    },
    "GET /alerts/:key": { answer: ({ path }) => stored.alert(keyIn(path.key, "alert")) },
    "PUT /alerts/:key/status": {
      body: object({ status: oneOf("open", "closed") }),
      answer: ({ path, body }) => all.changeAlertStatus(keyIn(path.key, "alert"), body.status, ANALYST),
    },
    "GET /alerts/:key/events/:position": {
      answer: ({ path }) => stored.view(keyIn(path.key, "alert"), keyIn(path.position, "event")),
    },
  };
}
