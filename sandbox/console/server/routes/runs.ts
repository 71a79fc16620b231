import type { JsonObject } from "../../../../src/runtime/protocol.ts";
import { kebabCase } from "../../../../src/manifest/rules.ts";
import type { ActionInput, RunsQuery, WidgetView } from "../../contract/index.ts";
import { CURSOR, json, KEY, keyIn, LIMIT, list, object, oneOf, optional, text, whole } from "../input.ts";
import type { Parts } from "../parts.ts";
import { pathGraphs } from "../path-graphs.ts";
import type { Routes } from "../routing.ts";
import { widgetFrame } from "../widgets.ts";

type Endpoints =
  | "GET /runs"
  | "GET /runs/:id"
  | "GET /runs/:id/log"
  | "GET /runs/:id/requests/:position"
  | "POST /runs/:id/stop"
  | "POST /runs/:id/rerun"
  | "GET /runs/:id/widget"
  | "GET /runs/:id/graph"
  | "POST /actions";

const runs = object<RunsQuery>({
  kind: optional(oneOf("action", "connector", "job")),
  status: optional(text),
  owner: optional(text),
  text: optional(text),
  caseId: optional(KEY),
  cursor: CURSOR,
  limit: LIMIT,
});

export function runRoutes(parts: Parts): Routes<Endpoints> {
  const { host } = parts;
  return {
    "GET /runs": { query: runs, answer: ({ query }) => host.records.list(query) },
    "GET /runs/:id": { answer: ({ path }) => host.runView(path.id) },
    "GET /runs/:id/log": {
      query: object<{ level?: string; cursor?: string }>({
        level: optional(oneOf("debug", "info", "warn", "error")),
        cursor: CURSOR,
      }),
      answer: ({ path, query }) => host.records.log.lines(path.id, query),
    },
    "GET /runs/:id/requests/:position": {
      answer: ({ path }) => host.records.log.request(path.id, keyIn(path.position, "request")),
    },
    "POST /runs/:id/stop": {
      answer: ({ path }) => {
        host.stopRun(path.id);
        return null;
      },
    },
    "POST /runs/:id/rerun": { answer: ({ path }) => host.rerun(path.id) },
    "GET /runs/:id/widget": {
      query: object({ theme: oneOf("light", "dark") }),
      answer: ({ path, query }) => widgetOf(parts, path.id, query.theme),
    },
    "GET /runs/:id/graph": {
      answer: ({ path }) => {
        const { name, json: result } = host.runView(path.id);
        return name === "Does Path Exist" ? pathGraphs(result) : [];
      },
    },
    "POST /actions": {
      body: object<ActionInput>({
        instanceId: text,
        action: text,
        parameters: json,
        caseId: optional(KEY),
        alertKey: optional(KEY),
        findings: optional(list(whole(0, Number.MAX_SAFE_INTEGER))),
      }),
      answer: ({ body }) => host.startAction(body),
    },
  };
}

async function widgetOf(
  { host, frames, simulation }: Parts,
  runId: string,
  theme: "light" | "dark",
): Promise<WidgetView | null> {
  const { name, json: result } = host.runView(runId);
  const { packageId } = host.records.run(runId);
  const template = await host.integrations.file(packageId, `widgets/${kebabCase(name)}.html`);
  if (template === null || result === null) return null;
  // The simulated tenant has no pages that a link could open.
  const shown = simulation === null ? result : withoutLinksTo(simulation.tenant.url, result);
  const frame = widgetFrame(template, shown, theme);
  return frame && { url: frames.add(frame) };
}

/** A result without the addresses of pages of a service. */
function withoutLinksTo(server: string, result: JsonObject): JsonObject {
  const text = JSON.stringify(result, (key: string, value: unknown) =>
    key === "url" && typeof value === "string" && value.startsWith(server) ? undefined : value,
  );
  return JSON.parse(text) as JsonObject;
}
