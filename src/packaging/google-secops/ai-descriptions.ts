import type { Manifest, ManifestAction, Mapping, Parameter } from "../../manifest/manifest.ts";

/*
 * The description of an action for the platform's language models, in the form of its content packages (chronicle/content-hub,
 * packages/mp, data model "action/ai"). Published packages carry it twice: as a file, and in the definition of each action.
 */

/** The file, in the package. */
export const AI_DESCRIPTIONS_PATH = "resources/ai/actions_ai_description.yaml";

/** One action in the file. */
export interface AiDescription {
  ai_description: string;
  ai_short_description: string;
  parameters_description: string;
  entity_usage: { entity_types: Record<string, true> } & Record<string, unknown>;
  outcome_categories: Record<string, boolean>;
  capabilities: Record<string, boolean | string | null>;
}

/** Entity types by the field of the ontology that makes them: their name in the file and in a definition. */
const entityTypes: ReadonlyMap<string, readonly [inFile: string, inDefinition: string]> = new Map([
  ["SourceUserName", ["user", "USERUNIQNAME"]],
  ["DestinationUserName", ["user", "USERUNIQNAME"]],
  ["SourceHostName", ["host_name", "HOSTNAME"]],
  ["DestinationHostName", ["host_name", "HOSTNAME"]],
  ["SourceDomain", ["source_domain", "SOURCEDOMAIN"]],
  ["DestinationDomain", ["destination_domain", "DESTINATIONDOMAIN"]],
  ["GenericEntity", ["generic", "GENERICENTITY"]],
]);

const ENTITY_FILTERS = [
  "additional_properties",
  "alert_identifier",
  "case_identifier",
  "creation_time",
  "entity_type",
  "identifier",
  "is_artifact",
  "is_enriched",
  "is_internal",
  "is_pivot",
  "is_suspicious",
  "is_vulnerable",
  "modification_time",
];

const OUTCOMES = (
  "add_alert_comment add_ioc_to_allowlist add_ioc_to_blocklist contain_host create_ticket delete_email disable_identity " +
  "download_file enable_identity enrich_asset enrich_ioc execute_command_on_the_host get_alert_information " +
  "remove_ioc_from_allowlist remove_ioc_from_blocklist reset_identity_password search_asset search_email search_events " +
  "send_email send_message submit_file uncontain_host update_alert update_email update_identity update_ticket"
).split(" ");

/** The outcomes that actions of this kind can have, as definitions spell them; all of them are enrichments. */
const OUTCOMES_IN_DEFINITION: ReadonlyMap<string, string> = new Map([
  ["enrich_asset", "Enrich Asset"],
  ["get_alert_information", "Get Alert Information"],
]);

/** Says of an action what the manifest says; everything that it does not declare does not happen. */
export function aiDescription(manifest: Manifest, action: ManifestAction, mappings: Iterable<Mapping>): AiDescription {
  const { reads = [], shows = [] } = action;
  const types = reads.includes("entities") ? typesOf(mappings) : [];
  const outcomes = [
    ...(shows.includes("entities") ? ["enrich_asset"] : []),
    ...(reads.includes("findings") ? ["get_alert_information"] : []),
  ];
  const added = shows.map((what) => WORDS[what]).join(", ");
  return {
    ai_description: longDescription(manifest, action, added),
    ai_short_description: action.description,
    parameters_description: parametersDescription(action.parameters),
    entity_usage: {
      entity_types: Object.fromEntries(types.map((type) => [type, true])),
      ...Object.fromEntries(
        ENTITY_FILTERS.map((filter) => [`filters_by_${filter}`, filter === "entity_type" && types.length > 0]),
      ),
    },
    outcome_categories: Object.fromEntries(OUTCOMES.map((outcome) => [outcome, outcomes.includes(outcome)])),
    capabilities: {
      fetches_data: reads.length > 0,
      can_mutate_external_data: false,
      external_data_mutation_explanation: null,
      can_mutate_internal_data: shows.length > 0,
      internal_data_mutation_explanation: added === "" ? null : `Adds to the case: ${added}.`,
      can_update_entities: shows.includes("entities"),
      can_create_insight: shows.includes("insight"),
      can_modify_alert_data: false,
      can_create_case_comments: false,
    },
  };
}

/** The same in the definition of the action, as the platform's tools derive it from the file. */
export function aiDefinition(described: AiDescription): Record<string, unknown> {
  const { ai_description, ai_short_description, parameters_description, entity_usage, outcome_categories } = described;
  const codes = new Map(entityTypes.values());
  const types = Object.keys(entity_usage.entity_types).map((type) => codes.get(type));
  const outcomes = Object.keys(outcome_categories).filter((outcome) => outcome_categories[outcome]);
  return {
    AiDescription: `${ai_description}\n ${parameters_description}`,
    AiShortDescription: ai_short_description,
    ParametersDescription: parameters_description,
    ...(types.length > 0 && { EntityTypes: types }),
    ...(outcomes.length > 0 && {
      OutcomeCategories: outcomes.map((outcome) => OUTCOMES_IN_DEFINITION.get(outcome)),
      AiCategories: ["Enrichment"],
    }),
  };
}

const WORDS = {
  tables: "tables for people",
  insight: "an insight when something must not be missed",
  entities: "properties of its entities",
  findings: "the findings of the alert",
} as const;

function longDescription({ service, vendor }: Manifest, action: ManifestAction, added: string): string {
  const { description, reads = [], result, resumable = false } = action;
  const inPlace = reads.map((what) => (what === "entities" ? "the selected entities" : WORDS.findings)).join(" or ");
  const fields = Object.entries((result.schema["properties"] ?? {}) as Record<string, { description?: string }>);
  const flow = [
    action.parameters.length === 0
      ? "Needs no input."
      : `Reads the parameters${inPlace === "" ? "" : `; ${inPlace} may stand in for empty ones`}.`,
    `Sends signed GET requests to the HTTP API of the ${vendor}, at most ${service.requestsPerSecond} a second. It only reads and changes nothing there.`,
    `Returns a JSON result with ${fields.map(fieldInWords).join(", ")}.`,
    ...(added === "" ? [] : [`Adds to the case: ${added}.`]),
  ];
  const notes = [
    `The value \`is_success\` is ${result.value}.`,
    ...(resumable ? ["A run that reaches its deadline keeps what it has, and the next one continues."] : []),
  ];
  return [
    `### General Description\n\n${description}`,
    `### Flow Description\n\n${flow.map((step, index) => `${index + 1}. ${step}`).join("\n")}`,
    `### Additional Notes\n\n${notes.join("\n")}`,
  ].join("\n\n");
}

function fieldInWords([name, { description }]: [string, { description?: string }]): string {
  return description === undefined ? `\`${name}\`` : `\`${name}\` (${description.replace(/\.$/, "")})`;
}

const parameterTypes = { string: "String", list: "String", integer: "Integer", boolean: "Boolean" } as const;

function parametersDescription(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return "There are no parameters for this action";
  const rows = parameters.map(({ name, type, mandatory, description }) =>
    [name, parameterTypes[type], mandatory ? "Yes" : "No", description].map((cell) => cell.replaceAll("|", "\\|")),
  );
  const header = [
    ["Parameter", "Type", "Mandatory", "Description"],
    ["---", "---", "---", "---"],
  ];
  return [...header, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** The types of the entities that the alerts' events make, each once, as the file spells them. */
function typesOf(mappings: Iterable<Mapping>): string[] {
  const targets = [...mappings].flatMap(({ rules }) => rules.map(({ target }) => target));
  return [...new Set(targets.flatMap((target) => entityTypes.get(target)?.[0] ?? []))];
}
