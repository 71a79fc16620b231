import type {
  NodeDescription,
  CredentialTestFunctions,
  ExecuteFunctions,
  Item,
  NodeErrors,
  NodeFunctions,
  Property,
} from "./n8n.ts";
import { actionOperation } from "./action-operation.ts";
import { CREDENTIAL, testConnection, TEST_NAME } from "./credential.ts";
import { errorItem, FailedRun, nodeErrorOf } from "./failures.ts";
import { followUpFindings } from "./follow-up-findings.ts";
import { getNewFindings } from "./get-new-findings.ts";
import { type Operation, TIMEOUT, timeoutMs } from "./operations.ts";
import { connectionOf, emptyIn, shownFor } from "./properties.ts";
import { requestHelperTransport, throughHelper } from "./request-helper-transport.ts";
import type { CoreHost, Plugin } from "./run-core.ts";

/** The icon stands beside each file that names it. */
export const ICON = "file:attack-path-analysis.svg";

/** The node with the operations: the actions that the manifest declares, what its connectors find, and what its jobs follow up. */
export function nodeClass(plugin: Plugin, errors: NodeErrors) {
  const { manifest } = plugin;
  const operations = [
    ...manifest.actions.map(actionOperation),
    ...manifest.connectors.map((connector) => getNewFindings(manifest, connector)),
    ...manifest.jobs.map((job) => followUpFindings(manifest, job)),
  ];
  return class {
    readonly description: NodeDescription = {
      displayName: manifest.name,
      name: "attackPathAnalysis",
      icon: ICON,
      group: ["input"],
      version: 1,
      subtitle: `={{ ${JSON.stringify(namesOf(operations))}[$parameter["operation"]] }}`,
      description: "Reads attack path findings, follows them up, and looks up objects, paths and assets",
      defaults: { name: manifest.name },
      usableAsTool: true,
      inputs: ["main"],
      outputs: outputsOf(operations),
      credentials: [{ name: CREDENTIAL, required: true, testedBy: TEST_NAME }],
      properties: [
        operationProperty(operations),
        ...operations.flatMap(({ properties }) => properties),
        ...operations.map(({ value, options: more = [] }) => shownFor(options([...more, TIMEOUT]), value)),
      ],
    };

    readonly methods = {
      credentialTest: {
        [TEST_NAME](this: CredentialTestFunctions, credential: { data?: Record<string, unknown> }) {
          return testConnection(plugin, this, credential.data ?? {});
        },
      },
    };

    async execute(this: ExecuteFunctions): Promise<Item[][]> {
      const outputs: Item[][] = [];
      const items = [...this.getInputData().keys()];
      // It cannot be an expression, so it is the same for all items.
      const chosen = this.getNodeParameter("operation", 0);
      const operation = operations.find(({ value }) => value === chosen);
      for (const item of operation?.takesAll === true ? items.slice(0, 1) : items) {
        const made = await executeItem(plugin, errors, operation, this, item);
        made.forEach((items, index) => (outputs[index] ??= []).push(...items));
      }
      return outputs;
    }
  };
}

async function executeItem(
  plugin: Plugin,
  errors: NodeErrors,
  operation: Operation | undefined,
  n8n: ExecuteFunctions,
  item: number,
): Promise<Item[][]> {
  const own = new Set(operation?.properties.map(({ name }) => name));
  const cancelled = n8n.getExecutionCancelSignal?.();
  try {
    const more = n8n.getNodeParameter("options", item, {}) as Record<string, unknown>;
    if (operation === undefined)
      throw new FailedRun("The operation does not exist. Choose one from the list Operation.");
    const { host, instance } = await openHost(plugin, n8n, more["timeout"], cancelled);
    const parameter = (name: string, of = item) => (own.has(name) ? n8n.getNodeParameter(name, of) : more[name]);
    return await operation.run({ host, instance, parameter, item, items: n8n.getInputData().length });
  } catch (error) {
    // Also for an expression that n8n cannot evaluate: if a node throws, n8n passes on its whole input as if it were the results.
    if (n8n.continueOnFail()) {
      return [[errorItem(error, item)], ...(operation?.outputs?.slice(1) ?? []).map(() => [])];
    }
    throw nodeErrorOf(errors, n8n.getNode(), error, item);
  }
}

/**
 * What a run of the plugin needs, from what n8n gives a node.
 *
 * @throws FailedRun when the credential or the timeout cannot be used
 */
export async function openHost(plugin: Plugin, n8n: NodeFunctions, timeout: unknown, cancelled?: AbortSignal) {
  const instance = connectionOf(plugin.manifest, await n8n.getCredentials(CREDENTIAL));
  const empty = emptyIn(plugin.manifest, instance);
  if (empty !== null) throw new FailedRun(empty);
  const send = throughHelper((request) => n8n.helpers.httpRequest(request));
  const transport = requestHelperTransport(instance["Server"] ?? "", send);
  const log: CoreHost["log"] = ({ level, message, fields }) => {
    n8n.logger[level === "error" ? "error" : "warn"](message, fields);
  };
  return { host: { plugin, transport, timeoutMs: timeoutMs(timeout), cancelled, log }, instance };
}

/** A collection whose properties a person adds. */
export function options(properties: readonly Property[]): Property {
  return {
    displayName: "Options",
    name: "options",
    type: "collection",
    default: {},
    placeholder: "Add option",
    options: properties,
  };
}

function operationProperty(operations: readonly Operation[]): Property {
  return {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    options: operations.map(({ value, name, description }) => ({ name, value, description, action: name })),
    default: operations.find(({ outputs }) => outputs !== undefined)?.value ?? operations[0]?.value ?? "",
  };
}

/** n8n evaluates the expression each time that somebody chooses an operation. */
function outputsOf(operations: readonly Operation[]): string {
  const named = operations.flatMap(({ value, outputs }) =>
    outputs === undefined ? [] : [[value, outputs.map((displayName) => ({ type: "main", displayName }))] as const],
  );
  return `={{ ((several, operation) => several[operation] ?? [{ type: "main" }])(${JSON.stringify(Object.fromEntries(named))}, $parameter["operation"]) }}`;
}

function namesOf(operations: readonly Operation[]): Record<string, string> {
  return Object.fromEntries(operations.map(({ value, name }) => [value, name]));
}
