/** Record types and the files of src/service that declare them. */
export type RecordTypes = Readonly<Record<string, string>>;

/** The records that are checked as they arrive, by the module that their validators are written to. */
export const validatorModules: Readonly<Record<string, RecordTypes>> = {
  validators: {
    WireAnalysisStatus: "resources/analysis.records.ts",
    WireEnvironment: "resources/environments.records.ts",
    WireFinding: "resources/findings.records.ts",
    WireSparklinePoint: "resources/findings.records.ts",
    WireSearchResult: "resources/objects.records.ts",
    WirePathGraph: "resources/paths.records.ts",
    WireEntity: "resources/entities.records.ts",
    WireRelated: "resources/entities.records.ts",
    ErrorWrapper: "errors/error-wrapper.records.ts",
  },
  // Operations that neither the connector nor an action uses: a run does not load their validators.
  "validators-on-demand": {
    MetaTreeNode: "resources/graph.records.ts",
    WireMetaTreeEdge: "resources/graph.records.ts",
    WireSamlProvider: "resources/sso.records.ts",
    WireUser: "resources/sso.records.ts",
    WireClientTask: "resources/client-tasks.records.ts",
  },
};

/** What the plugin itself writes and somebody reads back. */
export interface OwnValidator {
  module: string;
  type: string;
  /** Relative to the project. */
  source: string;
}

export const ownValidators: readonly OwnValidator[] = [
  { module: "state-validator", type: "ConnectorState", source: "src/ingestion/state/state.ts" },
  { module: "look-up-validator", type: "LookedUp", source: "src/investigation/objects/found-object.ts" },
  { module: "follow-up-validator", type: "FollowUpState", source: "src/follow-up/state/state.ts" },
];

/** The answers that a run of an action passes on to the next one, by the name of their validator: lists of its result. */
export const answerValidators = {
  validatePathEntry: { action: "Does Path Exist", list: "paths" },
  validateAsset: { action: "Fetch Assets", list: "assets" },
} as const;

/** Their module. */
export const ANSWERS_MODULE = "answer-validators";

/** The types of the host contract, and the schema that is published of them; relative to the project. */
export const HOST_CONTRACT_SOURCE = "src/runtime/protocol.ts";
export const HOST_CONTRACT_PATH = "docs/host-contract.schema.json";

/** Types of the host contract that are checked, by the module that does it, with errors for people. */
export const contractValidators: Readonly<Record<string, string>> = {
  "message-validator": "Message",
  "job-alert-validator": "JobAlert",
};

/** The files of these modules. */
export const validatorFiles: readonly string[] = [
  ...Object.keys(validatorModules),
  ...ownValidators.map(({ module }) => module),
  ANSWERS_MODULE,
  ...Object.keys(contractValidators),
].flatMap((name) => [`${name}.js`, `${name}.d.ts`]);
