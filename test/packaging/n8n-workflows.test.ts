import { beforeAll, describe, expect, it } from "@jest/globals";
import { runInNewContext } from "node:vm";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import type { Item } from "../../src/packaging/n8n/node/n8n.ts";
import { executeFunctions, loadN8nPackage, type N8nPackage } from "../support/n8n.ts";
import { startTenant } from "../support/tenant.ts";

let built: N8nPackage;
beforeAll(async () => {
  built = await loadN8nPackage();
});

/** What the node makes of these parameters for each input; an input that fails has an error. */
async function executeOn(
  { url: server, tokenId, tokenKey }: Tenant,
  parameters: (item: number) => Record<string, unknown>,
  input: Item[] = [{ json: {} }],
): Promise<Item[]> {
  const credential = { server, tokenId, tokenKey };
  const n8n = executeFunctions(built.node.description, { credential, input, parameters, continueOnFail: true });
  const [items = []] = await built.node.execute.call(n8n);
  return items;
}

interface Workflow {
  nodes: { name: string; type: string; onError?: string; parameters: Record<string, unknown> }[];
  connections: Record<string, { main: { node: string }[][] }>;
}

function workflow(file: string): Workflow {
  return JSON.parse(String(built.files.get(`workflows/${file}.json`))) as Workflow;
}

describe("an example workflow with a question", () => {
  /** @param given - the input of the workflow */
  function value(expression: unknown, json: unknown, given: unknown): unknown {
    const code = /^=\{\{(.*)\}\}$/s.exec(String(expression))?.[1];
    if (code === undefined) return expression;
    const $ = (name: string) => ({ item: { json: name.startsWith("With ") ? given : undefined } });
    return runInNewContext(code, { $json: json, $ }) as unknown;
  }

  /** What the last node makes of a result of the one before, by the names of its fields. */
  function answered(file: string, json: unknown, given: unknown): Record<string, unknown> {
    const { assignments } = workflow(file).nodes.at(-1)!.parameters["assignments"] as {
      assignments: { name: string; value: string }[];
    };
    return Object.fromEntries(assignments.map(({ name, value: text }) => [name, value(text, json, given)]));
  }

  /** The same for each input, with results of a tenant. */
  async function answers(file: string, inputs: readonly Item["json"][], tenant: Tenant) {
    const { nodes } = workflow(file);
    const asking = nodes.at(-2);
    expect(asking!.onError).toBe("continueRegularOutput");
    const parameters = (item: number) =>
      Object.fromEntries(
        Object.entries(asking!.parameters).map(([name, text]) => [name, value(text, inputs[item], inputs[item])]),
      );
    const items = await executeOn(
      tenant,
      parameters,
      inputs.map((json) => ({ json })),
    );
    return items.map(({ json, pairedItem }) => answered(file, json, inputs[(pairedItem as { item: number }).item]));
  }

  it("says what is not all, and keeps the severity of the alert then", () => {
    const summary = { verdict: "open", worst: "low", report: "Open: 1.", ends: "S-1" };
    const partial = { status: "in_progress", message: "Checked 1 of 2 pairs.", summary };
    const alert = { id: "a", severity: "critical", events: [] };
    expect(answered("triage-alert", partial, alert)).toMatchObject({
      severity: "critical",
      comment: "Checked 1 of 2 pairs.\nOpen: 1.",
    });
    expect(answered("triage-alert", { ...partial, status: "completed" }, alert)).toMatchObject({
      severity: "low",
      comment: "Open: 1.",
    });
  });

  it("gives a verdict on each alert of the demo data, also where findings have no source", async () => {
    const demo = await startTenant({ dataset: { kind: "demo" } });
    const alerts = await executeOn(demo, () => ({ operation: "getNewFindings" }));
    const hasSource = (json: Item["json"]) =>
      (json["events"] as { source_object_id?: string }[]).some((event) => event.source_object_id !== undefined);
    // Each of those without a source, and a few others.
    const given = alerts.map(({ json }) => json).filter((json, index) => index % 16 === 0 || !hasSource(json));
    const verdicts = await answers("triage-alert", given, demo);
    expect(verdicts.map(({ alertId }) => alertId)).toEqual(given.map(({ id }) => id));
    const isKnown = (verdict: unknown) => ["open", "closed", "unknown", "accepted"].includes(String(verdict));
    expect(verdicts.filter(({ verdict, comment }) => !isKnown(verdict) || comment === "")).toEqual([]);
    const kerberoasting = given.findIndex(({ findingType }) => findingType === "Kerberoasting");
    expect(verdicts[kerberoasting]).toMatchObject({
      verdict: "unknown",
      severity: given[kerberoasting]!["severity"],
      comment: expect.stringContaining("No finding of this alert has both a source and a target"),
    });
  });

  it("says of an input that is no alert what to pass", async () => {
    const tenant = await startTenant({ dataset: { environments: 1, findingTypes: 1, findingsPerPair: 1 } });
    const [answer] = await answers("triage-alert", [{ id: "a", alert: "{}" }], tenant);
    expect(answer).toMatchObject({
      alertId: "a",
      verdict: "unknown",
      comment: 'Parameter "Alert" is not an alert. Pass an alert of Get New Findings, for example {{ $json }}.',
    });
  });

  it("says of a name that nobody knows why there is no distance", async () => {
    const tenant = await startTenant({ dataset: { environments: 1, findingTypes: 1, findingsPerPair: 5 } });
    const [known, unknown] = await answers(
      "enrich-with-distance",
      [{ name: [...tenant.data.graph.nodes].find(({ kind }) => kind === "User")!.name }, { name: "nobody" }],
      tenant,
    );
    expect(known!["text"]).toEqual(expect.any(String));
    expect(unknown).toMatchObject({ name: "nobody", hops: null, priority: "unknown", path: [] });
    expect(unknown!["text"]).toContain("nobody");
  });
});

describe("the example workflow that follows up alerts", () => {
  /** Rows as n8n 2.41 selects them: no value differs from every text. */
  const conditions = {
    eq: (cell: string | null, value: string) => cell === value,
    neq: (cell: string | null, value: string) => cell !== value,
    gte: (cell: string | null, value: string) => cell !== null && cell >= value,
  };

  it.each<[string | null, string, boolean]>([
    [null, "2020-01-01", true],
    ["", "2020-01-01", true],
    ["open", "2020-01-01", true],
    ["Open", "2020-01-01", true],
    ["reopened", "2020-01-01", true],
    ["closed", "2020-01-01", false],
    ["closed", "2026-01-02", true],
  ])("takes an alert with the status %j that was last changed on %s: %j", (status, updatedAt, isTaken) => {
    const getAlerts = workflow("follow-up-alerts").nodes.find(({ name }) => name === "Get Alerts");
    const { matchType, filters } = getAlerts!.parameters as {
      matchType: string;
      filters: { conditions: { keyName: string; condition: keyof typeof conditions; keyValue: string }[] };
    };
    expect(matchType).toBe("anyCondition");
    const row: Record<string, string | null> = { status, updatedAt };
    const isMet = filters.conditions.map(({ keyName, condition, keyValue }) =>
      conditions[condition](row[keyName]!, keyName === "updatedAt" ? "2026-01-01" : keyValue),
    );
    expect(isMet.includes(true)).toBe(isTaken);
  });
});

describe("an example workflow with a checkpoint", () => {
  it.each([
    ["poll-into-table", "Get New Findings"],
    ["follow-up-alerts", "Follow Up Findings"],
  ])("%s stores the checkpoint of a failed run, and then fails with its message", (file, source) => {
    const { nodes, connections } = workflow(file);
    const after = (name: string, output: number) => connections[name]?.main[output]?.map(({ node }) => node);
    expect(after(source, 1)).toEqual(["Store Checkpoint"]);
    expect(after("Store Checkpoint", 0)).toEqual(["Run Failed?"]);
    expect(after("Run Failed?", 0)).toEqual(["Fail Execution"]);
    const named = (name: string) => nodes.find((node) => node.name === name);
    const ofCheckpoint = (field: string) => `={{ $('${source}').first(1).json.${field} }}`;
    expect(named("Run Failed?")).toMatchObject({
      type: "n8n-nodes-base.if",
      parameters: {
        conditions: {
          conditions: [
            {
              leftValue: ofCheckpoint("status"),
              rightValue: "failed",
              operator: { type: "string", operation: "equals" },
            },
          ],
        },
      },
    });
    expect(named("Fail Execution")).toMatchObject({
      type: "n8n-nodes-base.stopAndError",
      parameters: { errorMessage: ofCheckpoint("message") },
    });
  });
});
