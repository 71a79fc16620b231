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
    MetaTreeEdge: "resources/graph.records.ts",
    WireSamlProvider: "resources/sso.records.ts",
    WireUser: "resources/sso.records.ts",
    WireClientTask: "resources/client-tasks.records.ts",
  },
};

/** The files of these modules. */
export const validatorFiles: readonly string[] = Object.keys(validatorModules).flatMap((name) => [
  `${name}.js`,
  `${name}.d.ts`,
]);
