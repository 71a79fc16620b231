import type { Parameter } from "../../manifest/manifest.ts";
import { InputError } from "../../runtime/errors.ts";
import { inputSchema, readArguments } from "./arguments.ts";
import type { Tool } from "./tool.ts";

const PARAMETERS: readonly Parameter[] = [
  {
    name: "kind",
    type: "string",
    description: "Kind of relationship, such as WriteDacl. Letter case is ignored.",
    mandatory: true,
    secret: false,
    default: null,
  },
];

const text = { type: "string" } as const;
const FIELDS = {
  kind: text,
  allows: text,
  abuse: text,
  detection: { ...text, description: "How its use is noticed." },
  removal: text,
  technique: { type: ["string", "null"], description: "MITRE ATT&CK technique." },
  source: { ...text, description: "Public page about it." },
} as const;

/** The explanations of relationships of the command line, as a tool. It asks no service. */
export const explainTool: Tool = {
  name: "explain",
  title: "Explain",
  description:
    "Explains a kind of relationship on an attack path: what it allows, and how it is abused, noticed and removed safely.",
  input: inputSchema(PARAMETERS),
  output: { type: "object", additionalProperties: false, required: Object.keys(FIELDS), properties: FIELDS },
  async call({ args }) {
    const { explainEdge, unknownKind } = await import("../../investigation/edges/edge-kinds.ts");
    const kind = String(readArguments("explain", PARAMETERS, args)["kind"]);
    const explained = explainEdge(kind);
    if (explained === null) throw new InputError(unknownKind(kind));
    // Every answer has a notice of its own.
    const { notice: detection, ...rest } = explained;
    return { isError: false, data: { ...rest, detection } };
  },
};
