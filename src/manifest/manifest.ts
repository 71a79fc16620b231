/** A parameter of the instance, of an action or a job, or a field of a connector. */
export interface Parameter {
  /** The label on the screen; it is also the key in a request. */
  readonly name: string;
  readonly type: "string" | "list" | "integer" | "boolean";
  readonly description: string;
  readonly mandatory: boolean;
  readonly secret: boolean;
  /** A list's default is written as its text: comma-separated or a JSON array. */
  readonly default: string | number | boolean | null;
  /** What somebody may enter, taken from the demo data of the simulated tenant: tests run each action with it. */
  readonly example?: string;
  readonly unit?: string;
  readonly minimum?: number;
  /** Of a text: what can be entered, in any letter case. */
  readonly choices?: readonly string[];
  /** Of a list: its entries belong to those of another list, so that repetitions count and none may be empty. */
  readonly paired?: true;
  /** Of a connector's field: it narrows what is read, so nothing is skipped once its value changes. */
  readonly selects?: true;
  /** `host`: the host's scheduler reads it, it is not part of a request. Absent means `plugin`. */
  readonly readBy?: "plugin" | "host";
}

export interface ManifestAction {
  readonly name: string;
  /** The entry module in the source tree. */
  readonly entry: string;
  readonly description: string;
  /** Whether a run may end in progress, to go on with its state in the next one. */
  readonly resumable?: boolean;
  /** What of the case stands in for empty parameters: the selected entities, the findings of the alert. */
  readonly reads?: readonly ("entities" | "findings")[];
  /** What its result may add to the case, beside the JSON result: members of the result message. */
  readonly shows?: readonly ("tables" | "insight" | "entities")[];
  readonly parameters: readonly Parameter[];
  readonly result: ManifestResult;
}

export interface ManifestResult {
  /** When the value for playbook conditions is what. */
  readonly value: string;
  /** The value of every failed run. Absent means null: a run that failed has found out nothing. */
  readonly valueWhenFailed?: false;
  /** JSON Schema, draft 2020-12, of the JSON result. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** A job judges alerts that the host already has. Like a connector, it does not see the instance. */
export interface ManifestJob {
  readonly name: string;
  readonly entry: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly result: ManifestResult;
}

export interface ManifestConnector {
  readonly name: string;
  readonly entry: string;
  readonly description: string;
  readonly mappings: readonly string[];
  readonly groupingRule: string;
  readonly fields: readonly Parameter[];
}

/** integration.json, as `integration.schema.json` describes it. */
export interface Manifest {
  readonly $schema?: string;
  readonly manifestVersion: 1;
  readonly identifier: string;
  readonly name: string;
  readonly version: string;
  readonly vendor: string;
  readonly product: string;
  readonly description: string;
  readonly categories: readonly string[];
  readonly documentationUrl: string;
  readonly service: {
    readonly requestsPerSecond: number;
    readonly concurrentRequests: number;
  };
  readonly instance: { readonly parameters: readonly Parameter[] };
  readonly connectors: readonly ManifestConnector[];
  readonly actions: readonly ManifestAction[];
  readonly jobs: readonly ManifestJob[];
  readonly mappings: readonly string[];
  readonly groupingRules: readonly string[];
  readonly playbooks: readonly string[];
}

export interface MappingRule {
  /** Field of the platform's ontology, such as SourceUserName. */
  readonly target: string;
  /** Event field that is read. */
  readonly field: string;
  /** Event fields that are read, in this order, when the first is absent; at most two. */
  readonly fallbackFields?: readonly string[];
  /** Absent means `text`; `epoch-ms` reads milliseconds as an instant. */
  readonly transform?: "text" | "epoch-ms";
  /** An asset, an artifact, or not an entity. */
  readonly kind: "entity" | "indicator" | "metadata";
}

export interface MappingRelation {
  readonly source: string;
  readonly fallbackSources?: readonly string[];
  readonly relation: "Type" | "Linked";
  readonly destination: string;
  readonly fallbackDestinations?: readonly string[];
}

/** A file of `mappings/`, as `mapping.schema.json` describes it. */
export interface Mapping {
  readonly $schema?: string;
  readonly source: string;
  readonly product: string;
  readonly rules: readonly MappingRule[];
  readonly family?: {
    readonly name: string;
    readonly description: string;
    readonly relations: readonly MappingRelation[];
  };
}

/** A file of `grouping-rules/`, as `grouping-rule.schema.json` describes it. */
export interface GroupingRule {
  readonly $schema?: string;
  readonly name: string;
  readonly category: "all" | "data-source" | "product-name" | "alert-type";
  readonly categoryDetails?: readonly string[];
  readonly groupBy: "entities" | "source-grouping-identifier" | "none";
  readonly groupingEntities?: readonly string[];
}
