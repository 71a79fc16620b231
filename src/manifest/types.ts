import type { FromSchema, JSONSchema } from "json-schema-to-ts";
import type { manifest } from "../generated/manifest.ts";

/** integration.json as a literal type: what it does not declare, code cannot name. */
export type ManifestLiteral = typeof manifest;

/** What a declared parameter type becomes in code. */
interface ParameterTypes {
  string: string;
  list: string[];
  integer: number;
  boolean: boolean;
}
interface DeclaredParameter {
  readonly name: string;
  readonly type: keyof ParameterTypes;
  readonly mandatory: boolean;
  readonly default: unknown;
  readonly choices?: readonly string[];
}
/** A text with choices is one of them. */
type Given<P extends DeclaredParameter> = P extends { choices: readonly (infer C)[] } ? C : ParameterTypes[P["type"]];
/** Null only where nothing was given, nothing is mandatory, and there is no default. */
type Value<P extends DeclaredParameter> = P extends { mandatory: false; default: null } ? Given<P> | null : Given<P>;
type Parameters<P extends DeclaredParameter> = { readonly [D in P as D["name"]]: Value<D> };

type DeclaredAction = ManifestLiteral["actions"][number];
type DeclaredConnector = ManifestLiteral["connectors"][number];
type DeclaredJob = ManifestLiteral["jobs"][number];

/** Names of the declared actions, as people see them. */
export type ActionName = DeclaredAction["name"];
/** Names of the declared connectors, as people see them. */
export type ConnectorName = DeclaredConnector["name"];
/** Names of the declared jobs, as people see them. */
export type JobName = DeclaredJob["name"];

/** The instance's parameters by label. */
export type InstanceParameters = Parameters<ManifestLiteral["instance"]["parameters"][number]>;
/** The parameters of one action by label. */
export type ActionParameters<N extends ActionName> = Parameters<
  Extract<DeclaredAction, { name: N }>["parameters"][number]
>;
type DeclaredField<N extends ConnectorName> = Exclude<
  Extract<DeclaredConnector, { name: N }>["fields"][number],
  { readBy: "host" }
>;
/** The fields of one connector by label, without those that only the host reads. */
export type ConnectorParameters<N extends ConnectorName> = Parameters<DeclaredField<N>>;
/** Of these, the fields that narrow what the connector reads. */
export type ConnectorCriteria<N extends ConnectorName> = Parameters<Extract<DeclaredField<N>, { selects: true }>>;

/** The parameters of one job by label. */
export type JobParameters<N extends JobName> = Parameters<Extract<DeclaredJob, { name: N }>["parameters"][number]>;

/** What a job's JSON result looks like: the declared JSON Schema as a type. */
export type JobResult<N extends JobName> = ResultOf<Extract<DeclaredJob, { name: N }>>;

/** What an action's JSON result looks like: the declared JSON Schema as a type. */
export type ActionResult<N extends ActionName> = ResultOf<Extract<DeclaredAction, { name: N }>>;

type ResultOf<D extends { result: { schema: unknown } }> = D["result"]["schema"] extends infer S extends JSONSchema
  ? FromSchema<S>
  : never;
