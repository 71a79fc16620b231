import type { Parameter } from "../../manifest/manifest.ts";
import { SEVERITIES } from "../../runtime/protocol.ts";
import { MOMENTS, type Sort, SORTS } from "../option-values.ts";

/** What an assistant gets unless it asks for more, and what it can get. */
const USUAL = 100;
export const MOST = 2_000;

const optional = { mandatory: false, secret: false, default: null } as const;

/** What the tool takes. */
export const PARAMETERS: readonly Parameter[] = [
  {
    ...optional,
    name: "environments",
    type: "list",
    description: "Only these, by name or id. Default: all that have data.",
  },
  {
    ...optional,
    name: "types",
    type: "list",
    description: "Only these finding types, such as Kerberoasting. Default: all.",
  },
  { ...optional, name: "severities", type: "list", description: `Only these: ${SEVERITIES.join(", ")}. Default: all.` },
  {
    ...optional,
    name: "since",
    type: "string",
    description: `Only findings that were created since then: ${MOMENTS}.`,
  },
  { ...optional, name: "accepted", type: "boolean", description: "Whether the risk was accepted. Default: both." },
  {
    ...optional,
    name: "sort",
    type: "string",
    choices: SORTS,
    default: "severity",
    description: "severity, impact or exposure: the worst first; created: the oldest first.",
  },
  {
    ...optional,
    name: "limit",
    type: "integer",
    minimum: 1,
    default: USUAL,
    description: `Return at most this many findings, up to ${MOST}.`,
  },
];

/** The values of the parameters. */
export type FindingsArguments = Readonly<{
  environments: string[] | null;
  types: string[] | null;
  severities: string[] | null;
  since: string | null;
  accepted: boolean | null;
  sort: Sort;
  limit: number;
}>;
