import type { ManifestConnector } from "../../../manifest/manifest.ts";
import type { Json } from "../../../runtime/protocol.ts";
import { CREDENTIAL, TEST_NAME } from "./credential.ts";
import { FailedRun, nodeErrorOf } from "./failures.ts";
import { alertJson, connectorProperties, MOST_ALERTS, MOST_FINDINGS, runConnector } from "./get-new-findings.ts";
import type { Item, NodeDescription, NodeErrors, PollFunctions } from "./n8n.ts";
import { ICON, openHost, options } from "./node.ts";
import { TIMEOUT, timeoutMs } from "./operations.ts";
import { warnOnceADay } from "./poll-warning.ts";
import type { CoreOutcome, Plugin } from "./run-core.ts";

/** n8n has to take over what the poll returns. */
const POLL_SHARE = 0.9;

const LIMITS =
  "Starts the workflow when there are new attack path findings. n8n counts alerts as delivered when the workflow starts: if it is killed before the workflow ends, it does not deliver them again. n8n keeps the place under the name of this node: if you rename it, everything is delivered again. Where no alert may be lost, and in queue mode, use a Schedule Trigger and Get New Findings instead.";

/** How many alerts somebody sees who tries the trigger in the editor. */
const SAMPLE = 3;

/** The trigger that polls, one for the connector. */
export function triggerClass(plugin: Plugin, connector: ManifestConnector, errors: NodeErrors) {
  const { manifest } = plugin;
  /** Nodes whose poll is still running, by the ids of workflow and node: their static data may be another copy in each poll. */
  const underWay = new Set<string>();
  return class {
    readonly description: NodeDescription = {
      displayName: `${manifest.name} Trigger`,
      name: "attackPathAnalysisTrigger",
      icon: ICON,
      group: ["trigger"],
      version: 1,
      subtitle: "New findings",
      description: LIMITS,
      defaults: { name: `${manifest.name} Trigger` },
      polling: true,
      inputs: [],
      outputs: ["main"],
      credentials: [{ name: CREDENTIAL, required: true, testedBy: TEST_NAME }],
      properties: [...connectorProperties(manifest, connector), options([MOST_ALERTS, MOST_FINDINGS, TIMEOUT])],
    };

    async poll(this: PollFunctions): Promise<Item[][] | null> {
      const memory = this.getWorkflowStaticData("node");
      if (this.getMode() === "manual") return pollOnce(this, memory, true);
      // n8n starts a poll at each of its times, even if the one before has not ended: both would go on from the same checkpoint.
      const node = JSON.stringify([this.getWorkflow().id, this.getNode().id]);
      if (underWay.has(node)) return null;
      underWay.add(node);
      try {
        return await pollOnce(this, memory, false);
      } finally {
        underWay.delete(node);
      }
    }
  };

  async function pollOnce(n8n: PollFunctions, memory: Record<string, Json>, test: boolean): Promise<Item[][] | null> {
    const more = n8n.getNodeParameter("options", {}) as Record<string, unknown>;
    const own = new Set(connectorProperties(manifest, connector).map(({ name }) => name));
    const parameter = (name: string): unknown => {
      if (name === "maxAlerts" && test) return SAMPLE;
      return own.has(name) ? n8n.getNodeParameter(name) : more[name];
    };
    const { checkpoint } = memory;
    const state = typeof checkpoint === "string" ? (JSON.parse(checkpoint) as Json) : null;
    try {
      const { host, instance } = await openHost(plugin, n8n, secondsOf(n8n, more["timeout"]));
      const outcome = await runConnector({ host, instance, parameter }, manifest, connector, { state, test });
      if (!test) {
        // Before the checkpoint, which counts the alerts as delivered.
        if (!failedWithoutAlert(outcome)) warnOnceADay(n8n, outcome.result);
        memory["checkpoint"] = JSON.stringify(outcome.state);
      }
      if (failedWithoutAlert(outcome)) throw new FailedRun(outcome.result.message, host.transport);
      if (outcome.alerts.length > 0) return [itemsOf(outcome)];
      // Somebody waits to see something. An error is all that a trigger without alerts can show.
      if (test) throw new FailedRun(`The test found no finding to show. ${outcome.result.message}`);
      return null;
    } catch (error) {
      throw nodeErrorOf(errors, n8n.getNode(), error);
    }
  }
}

/** Seconds that a poll may take. One that n8n gives up would count its alerts as delivered. */
function secondsOf(n8n: PollFunctions, given: unknown): number {
  const budgetMs = n8n.getPollBudgetMs?.() ?? Infinity;
  return Math.min(timeoutMs(given), budgetMs > 0 ? budgetMs * POLL_SHARE : Infinity) / 1_000;
}

/** Whether the poll is to fail in n8n, too, which shows its message. */
function failedWithoutAlert({ alerts, result }: CoreOutcome): boolean {
  return alerts.length === 0 && result.status === "failed";
}

/** The alerts, each with how the run went: a trigger has no second output for that. It comes first, so that a table shows it first. */
function itemsOf({ alerts, result: { status, message } }: CoreOutcome): Item[] {
  return alerts.map((alert) => ({ json: { run: { status, message }, ...alertJson(alert) } }));
}
