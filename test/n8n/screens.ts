import assert from "node:assert/strict";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { manifest } from "../../src/generated/manifest.ts";
import { camelCase } from "../../src/packaging/n8n/node/properties.ts";
import { exampleParameters } from "../support/requests.ts";
import { N8nApi, type Workflow } from "./api.ts";
import { Editor } from "./editor.ts";
import { N8nInstance } from "./instance.ts";
import { credentialData, exampleWorkflow, type Trial, withTenant } from "./trial.ts";

const PACKAGE = "n8n-nodes-attack-path-analysis";
const [SOURCE, TARGET] = ["HELP DESK@CORP.HALDEN.TEST", "DOMAIN ADMINS@CORP.HALDEN.TEST"];

/** Where Chromium is, and where the pictures go. */
export interface ScreenOptions {
  chromium: string;
  pictures: string;
}

/** Does in Chromium what the guide says, and more: every action, every example, and the trigger. */
export async function tryScreens(
  { installed, tarball, say }: Trial,
  { chromium, pictures }: ScreenOptions,
): Promise<void> {
  await withTenant({}, async (tenant) => {
    const instance = await N8nInstance.start({ installed, tarball, args: ["start"] });
    try {
      await new N8nApi(instance.url).signUp();
      const editor = await Editor.open(chromium, instance.url, pictures);
      try {
        await editor.newCredential("Attack Path Analysis API");
        const fields = credentialData(tenant);
        assert.match(await editor.saveCredential({ ...fields, tokenKey: "wrong" }), /Check Token Key first/);
        assert.match(await editor.saveCredential(fields), /tested successfully/);
        say("In the browser, the test of a new credential fails with a wrong key, and passes with the right one.");
        await runExamples(editor, inputsFrom(tenant));
        say("Each example workflow runs.");
        await runNodes(editor);
        say("Each action and the trigger run alone.");
      } catch (error) {
        await editor.picture("failure");
        throw error;
      } finally {
        await editor.close();
      }
    } finally {
      await instance.stop();
    }
  });
}

/** What the examples that start with another workflow get from it. */
function inputsFrom({ data }: Tenant): Record<string, object> {
  const idOf = (name: string): string | undefined => [...data.graph.nodes].find((node) => node.name === name)?.objectId;
  const event = { source_object_id: idOf(SOURCE), target_object_id: idOf(TARGET), severity: "critical" };
  return {
    "triage-alert": { id: "alert-1", severity: "critical", events: [event] },
    "enrich-with-distance": { name: SOURCE },
  };
}

async function runExamples(editor: Editor, inputs: Record<string, object>): Promise<void> {
  await editor.run(await exampleWorkflow("poll-into-table"));
  await editor.table("attack_path_alerts", "CORP.HALDEN.TEST");
  await editor.run(await exampleWorkflow("follow-up-alerts"));
  assert.match(await editor.outputOf("Follow Up Findings"), /1 item/);
  for (const [name, json] of Object.entries(inputs)) {
    const workflow = await exampleWorkflow(name);
    const trigger = workflow.nodes.find(({ type }) => type.endsWith("executeWorkflowTrigger"));
    await editor.run({ ...workflow, pinData: { [trigger?.name ?? ""]: [{ json }] } });
    assert.match(await editor.outputOf(workflow.nodes.at(-1)?.name ?? ""), /1 item/);
  }
}

async function runNodes(editor: Editor): Promise<void> {
  for (const { name } of manifest.actions) {
    const parameters: Record<string, unknown> = { operation: camelCase(name) };
    for (const [label, value] of Object.entries(exampleParameters(name))) parameters[camelCase(label)] = value;
    await editor.run(alone(name, "attackPathAnalysis", parameters));
    await editor.outputOf(name);
  }
  const trigger = "Attack Path Analysis Trigger";
  await editor.run(alone(trigger, "attackPathAnalysisTrigger", {}));
  assert.match(await editor.outputOf(trigger), /3 items/);
}

/** A workflow of one node, with a name of its own, which somebody starts if the node starts nothing by itself. */
function alone(name: string, type: string, parameters: Record<string, unknown>): Workflow {
  const title = `${name} alone`;
  const node = { name, type: `${PACKAGE}.${type}`, typeVersion: 1, id: "2", position: [300, 0], parameters };
  if (type.endsWith("Trigger")) return { name: title, nodes: [node], connections: {}, settings: {} };
  const start = {
    ...node,
    name: "Start",
    type: "n8n-nodes-base.manualTrigger",
    id: "1",
    position: [0, 0],
    parameters: {},
  };
  const connections = { Start: { main: [[{ node: name, type: "main", index: 0 }]] } };
  return { name: title, nodes: [start, node], connections, settings: {} };
}
