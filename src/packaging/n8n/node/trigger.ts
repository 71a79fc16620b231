import type { ManifestConnector } from "../../../manifest/manifest.ts";
import type { Json } from "../../../runtime/protocol.ts";
import { CREDENTIAL, TEST_NAME } from "./credential.ts";
import { FailedRun, nodeErrorOf } from "./failures.ts";
import { alertJson, connectorProperties, MOST_ALERTS, MOST_FINDINGS, runConnector } from "./get-new-findings.ts";
import type { Item, NodeDescription, NodeErrors, PollFunctions } from "./n8n.ts";
import { ICON, openHost, options } from "./node.ts";
import { TIMEOUT } from "./operations.ts";
import type { Plugin } from "./run-core.ts";

const LIMITS =
  "Starts the workflow when there are new attack path findings. n8n counts alerts as delivered when the workflow starts: if it is killed before the workflow ends, it does not deliver them again. Where no alert may be lost, and in queue mode, use a Schedule Trigger and Get New Findings instead.";

/** How many alerts somebody sees who tries the trigger in the editor. */
const SAMPLE = 3;

/** The trigger that polls, one for the connector. */
export function triggerClass(plugin: Plugin, connector: ManifestConnector, errors: NodeErrors) {
  const { manifest } = plugin;
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
      const more = this.getNodeParameter("options", {}) as Record<string, unknown>;
      const own = new Set(connectorProperties(manifest, connector).map(({ name }) => name));
      const test = this.getMode() === "manual";
      const memory = this.getWorkflowStaticData("node");
      const { host, instance } = await openHost(plugin, this, more["timeout"]);
      const parameter = (name: string): unknown => {
        if (name === "maxAlerts" && test) return SAMPLE;
        return own.has(name) ? this.getNodeParameter(name) : more[name];
      };
      const { checkpoint } = memory;
      const state = typeof checkpoint === "string" ? (JSON.parse(checkpoint) as Json) : null;
      try {
        const outcome = await runConnector({ host, instance, parameter }, manifest, connector, { state, test });
        if (!test) memory["checkpoint"] = JSON.stringify(outcome.state);
        if (outcome.alerts.length > 0) return [outcome.alerts.map((alert) => ({ json: alertJson(alert) }))];
        // The checkpoint is kept by now. A trigger without alerts has only an error to show that it failed.
        if (outcome.result.status === "failed") throw new FailedRun(outcome.result.message, host.transport);
        return null;
      } catch (error) {
        throw nodeErrorOf(errors, this.getNode(), error);
      }
    }
  };
}
