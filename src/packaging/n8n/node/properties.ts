import type { Manifest, ManifestAction, Parameter } from "../../../manifest/manifest.ts";
import { FailedRun } from "./failures.ts";
import type { CredentialData, Property } from "./n8n.ts";

/** `Start Node` is `startNode` in n8n. */
export function camelCase(name: string): string {
  const words = name.toLowerCase().split(/[^a-z0-9]+/);
  return words.map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join("");
}

/** The property in which a person enters a parameter. A list may also be an array that an expression gives. */
export function propertyOf(parameter: Parameter): Property {
  const { name, type, description, mandatory, secret, default: value, choices } = parameter;
  const common = { displayName: name, name: camelCase(name), description: withoutCase(description) };
  const required = mandatory && value === null ? { required: true } : {};
  if (choices !== undefined) {
    // The descriptions say what an empty one does, which differs: for one of them, "Any" would say the opposite.
    const none = mandatory ? [] : [{ name: "Empty", value: "" }];
    const options = [...none, ...choices.map((choice) => ({ name: choice, value: choice }))];
    return { ...common, ...required, type: "options", options, default: value ?? "" };
  }
  if (type === "boolean") return { ...common, type: "boolean", default: value ?? false };
  // A number without a default cannot be left empty, but a text that holds one can.
  if (type === "integer" && value !== null) return { ...common, type: "number", default: value };
  return {
    ...common,
    ...required,
    type: "string",
    default: value ?? "",
    ...(secret && { typeOptions: { password: true } }),
  };
}

/** n8n has no case whose entities could stand in for an empty parameter. */
function withoutCase(description: string): string {
  return description.replace(/ Empty: .*/s, "");
}

/** Those of a connector or a job that are no part of the credential. */
export function ownParameters({ instance }: Manifest, parameters: readonly Parameter[]): Parameter[] {
  const shared = new Set(instance.parameters.map(({ name }) => name));
  return parameters.filter(({ name, readBy }) => !shared.has(name) && readBy !== "host");
}

/** Properties of the actions, each shown for its operation. */
export function actionProperties(action: ManifestAction): Property[] {
  const own = action.parameters.map((parameter) => {
    const property = propertyOf(parameter);
    // Without a case, nothing else can say what to look at.
    const required = action.reads !== undefined && !action.reads.includes("findings");
    return required ? { ...property, required } : property;
  });
  const alert = action.reads?.includes("findings") === true ? [ALERT] : [];
  const list = resultList(action);
  const output = list === null ? [] : [outputProperty(list)];
  return [...own, ...alert, ...output].map((property) => shownFor(property, camelCase(action.name)));
}

const ALERT: Property = {
  displayName: "Alert",
  name: "alert",
  type: "json",
  default: "",
  placeholder: "={{ $json }}",
  description:
    "An alert of Get New Findings. If all other parameters are empty, the action looks at the findings in it.",
};

function outputProperty(list: string): Property {
  return {
    displayName: "Output",
    name: "output",
    type: "options",
    default: "items",
    options: [
      { name: "One Item for Each", value: "items", description: `Each of the ${list} becomes an item` },
      {
        name: "Whole Result",
        value: "result",
        description: "One item with the message, the value and the whole result",
      },
    ],
    description: "What the node returns",
  };
}

/** The list in the JSON result of an action, such as `paths`: each of its entries is an item. Null when it has none. */
export function resultList({ result }: ManifestAction): string | null {
  const { required, properties } = result.schema as {
    required?: readonly string[];
    properties?: Record<string, { type?: unknown }>;
  };
  return required?.find((name) => properties?.[name]?.type === "array") ?? null;
}

/** Shows a property for these operations only. */
export function shownFor(property: Property, ...operations: string[]): Property {
  return { ...property, displayOptions: { show: { operation: operations } } };
}

/**
 * Values by the label of the parameter, as the plugin reads them.
 *
 * @throws FailedRun for what an expression without a result leaves: the default would ask another question, or select everything
 */
export function valuesOf(
  parameters: readonly Parameter[],
  read: (property: string) => unknown,
): Record<string, unknown> {
  const entries = parameters.map(({ name, type, default: everything }) => {
    const value = read(camelCase(name));
    if (type === "list" && everything !== null && isBlank(value)) {
      throw new FailedRun(
        `${name} is empty. Nothing was read. Enter ${everything}, which selects everything, or check the expression.`,
      );
    }
    if ((value ?? null) !== null) return [name, value] as const;
    throw new FailedRun(
      `The expression in ${name} gives no value. Nothing was read. Correct it, or let it give an empty text.`,
    );
  });
  return Object.fromEntries(entries);
}

/** Also what an expression makes of a list that is empty, such as `[]`, or the comma between two entries that are missing. */
function isBlank(value: unknown): boolean {
  const texts = [value].flat().map((each) => (typeof each === "string" ? each : JSON.stringify(each ?? "")));
  return texts.every((text) => /^[\s,"[\]]*$/.test(text));
}

/** The parameters of the credential by their labels. */
export function connectionOf({ instance }: Manifest, credential: CredentialData): Record<string, string> {
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  return Object.fromEntries(instance.parameters.map(({ name }) => [name, text(credential[camelCase(name)])]));
}

/** Which of them is empty, such as one whose expression finds no secret, and what to do; null when none is. */
export function emptyIn({ instance }: Manifest, connection: Readonly<Record<string, string>>): string | null {
  const empty = instance.parameters.find(({ name, mandatory }) => mandatory && connection[name]?.trim() === "");
  if (empty === undefined) return null;
  return `${empty.name} is empty in the credential. No request was sent. Enter it there, or check its expression.`;
}
