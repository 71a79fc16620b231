import { DateTime } from "luxon";

/*
 * Definitions in the source form of chronicle/content-hub, from those of the built form. Its tool `mp build` turns them back
 * (packages/mp, core/data_models): keys in snake_case, names instead of codes, and nothing that other files say.
 */

/** A definition, as JSON. */
export type Fields = Readonly<Record<string, unknown>>;

type Convert = (value: unknown) => unknown;
/** Keys of the source form in their order, each with the key of the built form and how its value is converted. */
type Shape = Readonly<Record<string, string | readonly [builtKey: string, convert: Convert]>>;

const scriptType = named({ 0: "boolean", 1: "integer", 2: "string", 3: "password" });
const actionType = named({ 0: "string", 1: "boolean", 12: "password" });
const comparison = named({ 0: "equal" });

const INTEGRATION: Shape = {
  identifier: "Identifier",
  name: "DisplayName",
  parameters: [
    "IntegrationProperties",
    each({
      name: "PropertyName",
      default_value: "Value",
      type: ["PropertyType", scriptType],
      description: "PropertyDescription",
      is_mandatory: "IsMandatory",
      integration_identifier: "IntegrationIdentifier",
    }),
  ],
  categories: "Categories",
  documentation_link: "DocumentationLink",
};

const ACTION: Shape = {
  name: "Name",
  description: "Description",
  documentation_link: "DocumentationLink",
  integration_identifier: "IntegrationIdentifier",
  is_async: "IsAsync",
  parameters: [
    "Parameters",
    each({
      name: "Name",
      default_value: "DefaultValue",
      type: ["Type", actionType],
      description: "Description",
      is_mandatory: "IsMandatory",
    }),
  ],
  default_result_value: "DefaultResultValue",
  creator: "Creator",
  script_result_name: "ScriptResultName",
  simulation_data_json: "SimulationDataJson",
  version: "Version",
};

const SCRIPT_PARAMETER = {
  name: "Name",
  default_value: "DefaultValue",
  type: ["Type", scriptType],
  description: "Description",
  is_mandatory: "IsMandatory",
} satisfies Shape;

const CONNECTOR: Shape = {
  name: "Name",
  description: "Description",
  documentation_link: "DocumentationLink",
  integration: "Integration",
  parameters: [
    "Parameters",
    each({
      ...SCRIPT_PARAMETER,
      is_advanced: "IsAdvanced",
      mode: ["Mode", named({ 0: "regular", 2: "script" })],
    }),
  ],
  rules: "Rules",
  is_connector_rules_supported: "IsConnectorRulesSupported",
  creator: "Creator",
  version: "Version",
};

const JOB: Shape = {
  name: "Name",
  description: "Description",
  documentation_link: "DocumentationLink",
  integration: "Integration",
  parameters: ["Parameters", each(SCRIPT_PARAMETER)],
  run_interval_in_seconds: "RunIntervalInSeconds",
  creator: "Creator",
  version: "Version",
};

const WIDGET: Shape = {
  title: "Title",
  type: ["Type", named({ 3: "html" })],
  scope: ["Scope", named({ 0: "alert" })],
  action_identifier: "ActionIdentifier",
  description: "Description",
  data_definition: [
    "DataDefinition",
    shaped({
      html_height: "htmlHeight",
      safe_rendering: "safeRendering",
      type: ["type", named({ 3: "html" })],
      widget_definition_scope: ["widgetDefinitionScope", named({ 2: "both" })],
    }),
  ],
  condition_group: [
    "ConditionsGroup",
    shaped({
      conditions: [
        "Conditions",
        each({
          field_name: "FieldName",
          value: "Value",
          match_type: ["MatchType", named({ 1: "contains", 8: "is_not_empty" })],
          custom_operator_name: "CustomOperatorName",
        }),
      ],
      logical_operator: ["LogicalOperator", named({ 0: "and" })],
    }),
  ],
  default_size: ["DefaultSize", named({ 1: "half_width" })],
};

const MAPPING_RULE: Shape = {
  source: "Source",
  product: "Product",
  event_name: "EventName",
  security_event_file_name: "SecurityEventFieldName",
  transformation_function: ["TransformationFunction", named({ 0: "to_string", 3: "from_unix_time_string_or_long" })],
  transformation_function_param: "TransformationFunctionParam",
  raw_data_primary_field_match_term: "RawDataPrimaryFieldMatchTerm",
  raw_data_primary_field_comparison_type: ["RawDataPrimaryFieldComparisonType", comparison],
  raw_data_secondary_field_match_term: "RawDataSecondaryFieldMatchTerm",
  raw_data_secondary_field_comparison_type: ["RawDataSecondaryFieldComparisonType", comparison],
  raw_data_third_field_match_term: "RawDataThirdFieldMatchTerm",
  raw_data_third_field_comparison_type: ["RawDataThirdFieldComparisonType", comparison],
  is_artifact: "IsArtifact",
  extract_function: ["ExtractionFunction", named({ 0: "none" })],
  extract_function_param: "ExtractionFunctionParam",
};

const FAMILY: Shape = {
  family: "Family",
  description: "Description",
  image_base64: "ImageBase64",
  is_custom: "IsCustom",
  rules: [
    "Rules",
    each({
      primary_source: "PrimarySource",
      secondary_source: "SecondarySource",
      third_source: "ThirdSource",
      fourth_source: "FourthSource",
      relation_type: "RelationType",
      primary_destination: "PrimaryDestination",
      secondary_destination: "SecondaryDestination",
      third_destination: "ThirdDestination",
      fourth_destination: "FourthDestination",
      visual_family: "VisualFamily",
    }),
  ],
};

const RELEASE_NOTE: Shape = {
  description: "ChangeDescription",
  version: "IntroducedInIntegrationVersion",
  item_name: "ItemName",
  item_type: "ItemType",
  publish_time: ["PublishTime", day],
  ticket_number: "TicketNumber",
  new: "New",
  regressive: "Regressive",
  deprecated: "Deprecated",
  removed: "Removed",
};

/** `definition.yaml`. Description, version and Python's version are in `pyproject.toml`. */
export function sourceIntegration(built: Fields): Fields {
  const images = { svg_logo_path: "resources/logo.svg", image_path: "resources/image.png" };
  return { ...converted(built, INTEGRATION), ...images };
}

/** `actions/<stem>.yaml`; `example` is the path of the result in `resources`. */
export function sourceAction(built: Fields, example: string): Fields {
  const [results] = built["DynamicResultsMetadata"] as Fields[];
  const dynamicResult = {
    result_example_path: example,
    result_name: results?.["ResultName"],
    show_result: results?.["ShowResult"],
  };
  return { ...converted(built, ACTION), dynamic_results_metadata: [dynamicResult] };
}

/** `connectors/<stem>.yaml`. */
export const sourceConnector = shaped(CONNECTOR);
/** `jobs/<stem>.yaml`. */
export const sourceJob = shaped(JOB);
/** `widgets/<stem>.yaml`. */
export const sourceWidget = shaped(WIDGET);
/** `ontology_mapping.yaml`. */
export const sourceMappingRules = each(MAPPING_RULE);
/** `integration_families.yaml`. */
export const sourceFamilies = each(FAMILY);
/** `release_notes.yaml`. */
export const sourceReleaseNotes = each(RELEASE_NOTE);

function converted(built: Fields, shape: Shape): Fields {
  return Object.fromEntries(
    Object.entries(shape).map(([key, rule]) => {
      const [builtKey, convert] = typeof rule === "string" ? [rule, (value: unknown) => value] : rule;
      if (!(builtKey in built)) throw new Error(`A definition has no ${builtKey}.`);
      return [key, convert(built[builtKey])];
    }),
  );
}

function shaped(shape: Shape): Convert {
  return (value) => converted(value as Fields, shape);
}

function each(shape: Shape): Convert {
  return (values) => (values as readonly Fields[]).map((value) => converted(value, shape));
}

/** The tool's names for the codes that this package uses. */
function named(names: Readonly<Record<number, string>>): Convert {
  return (code) => {
    const name = names[code as number];
    if (name === undefined) throw new Error(`No name is known for the code ${String(code)}.`);
    return name;
  };
}

/** `2026-11-20`, in UTC; null when no date is known. */
function day(seconds: unknown): string | null {
  return typeof seconds === "number" ? DateTime.fromSeconds(seconds, { zone: "utc" }).toISODate() : null;
}
