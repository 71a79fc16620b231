import type { FindingRecord } from "../../records/finding-record.ts";
import { SEVERITIES } from "../../runtime/protocol.ts";
import { inputSchema } from "./arguments.ts";
import { PARAMETERS } from "./findings-parameters.ts";
import type { ListTerms } from "./list-findings.ts";
import type { Tool } from "./tool.ts";

const text = { type: "string" } as const;
const textOrNull = { type: ["string", "null"] } as const;
/** Usually from 0 to 100. A client refuses the whole answer when one value is not what the schema says, so it names no limits. */
const percentOrNull = { type: ["number", "null"] } as const;

/** The fields of a finding, as JSON Schema. */
const FIELDS: Readonly<Record<keyof FindingRecord, object>> = {
  finding_id: text,
  environment_id: text,
  environment_name: text,
  finding_type: text,
  severity: { enum: SEVERITIES },
  source_principal_name: textOrNull,
  source_principal_kind: textOrNull,
  source_object_id: textOrNull,
  target_principal_name: textOrNull,
  target_principal_kind: textOrNull,
  target_object_id: textOrNull,
  impact_percentage: percentOrNull,
  exposure_percentage: percentOrNull,
  created_at: textOrNull,
  updated_at: textOrNull,
  accepted: { type: "boolean", description: "Whether somebody accepted the risk." },
  accepted_until: textOrNull,
  finding_url: textOrNull,
};

/** The list of findings of the command line, as a tool. */
export function findingsTool(terms: ListTerms): Tool {
  return {
    name: "findings",
    title: "Findings",
    description:
      "Lists attack path findings: which principal can attack which, how severe that is, and how much of the environment is affected.",
    input: inputSchema(PARAMETERS),
    output: {
      type: "object",
      additionalProperties: false,
      required: ["findings", "more", "incomplete"],
      properties: {
        findings: {
          type: "array",
          items: { type: "object", additionalProperties: false, required: Object.keys(FIELDS), properties: FIELDS },
        },
        more: { type: "boolean", description: "Whether there are more findings than `limit`." },
        incomplete: {
          type: "array",
          items: text,
          description: "What could not be read, with the reason. Findings may be missing unless this is empty.",
        },
      },
    },
    async call(call) {
      const { listFindings } = await import("./list-findings.ts");
      return { isError: false, data: await listFindings(call, terms) };
    },
  };
}
