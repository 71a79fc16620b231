import { credentialClass } from "./credential.ts";
import type { NodeErrors } from "./n8n.ts";
import { ICON, nodeClass } from "./node.ts";
import type { Plugin } from "./run-core.ts";
import { triggerClass } from "./trigger.ts";

/**
 * The classes that n8n loads, by the names that it expects.
 *
 * @param errors - of n8n-workflow, which n8n brings along
 */
export function n8nClasses(plugin: Plugin, errors: NodeErrors) {
  const [connector] = plugin.manifest.connectors;
  if (connector === undefined) throw new Error("The manifest declares no connector to poll with.");
  return {
    AttackPathAnalysis: nodeClass(plugin, errors),
    AttackPathAnalysisTrigger: triggerClass(plugin, connector, errors),
    AttackPathAnalysisApi: credentialClass(plugin.manifest, ICON),
  };
}
