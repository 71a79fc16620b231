import type { Manifest, ManifestAction, ManifestConnector, ManifestJob } from "../../manifest/manifest.ts";
import { aiDefinition, type AiDescription } from "./ai-descriptions.ts";
import { productCategories } from "./product-categories.ts";
import { actionType, connectorField, scriptType } from "./platform.ts";

export interface Logo {
  svg: string;
  /** PNG, base64. */
  png: string;
}

/** Connector parameter modes: read by the platform, or by the script. */
const PLATFORM = 0;
const SCRIPT = 2;

/** Seconds after which the platform ends a connector's script; the next run continues one that was cut short. */
const CONNECTOR_TIMEOUT = 300;

/** Seconds between two runs of a job: a run that finds no new analysis sends a handful of requests. */
const JOB_INTERVAL = 3600;

const text = { type: "string", secret: false } as const;

/** The platform's own parameter of every connector. */
const processTimeout = {
  Name: "PythonProcessTimeout",
  Description: "Seconds after which the platform stops a run. The next run continues where it stopped.",
  IsMandatory: true,
  IsAdvanced: false,
  Type: scriptType({ type: "integer", secret: false }),
  Mode: PLATFORM,
  DefaultValue: String(CONNECTOR_TIMEOUT),
};

/** What the launcher or the SDK reads, and the plugin does not: it knows neither a platform's environments nor where its state is kept. */
const launcherParameters = [
  // As many integrations of the platform call them.
  {
    name: "Environment Field Name",
    description:
      "Name of the event field that holds the platform's environment for an alert, such as environment_name. Empty, or when an alert does not have the field: the environment of the connector.",
  },
  {
    name: "Environment Regex Pattern",
    description:
      "Regular expression that finds the platform's environment in the text of Environment Field Name. Empty: the whole text. When nothing matches: the environment of the connector.",
  },
  {
    name: "State Name",
    description:
      "Only to read everything from the beginning: enter a new name, such as a date. The connector keeps one state for each name, and one for an empty name.",
  },
  // The platform's proxy is for actions only. For a connector, the SDK takes it from parameters of these names.
  {
    name: "Proxy Server Address",
    description: "URL of a proxy, such as http://proxy.example.com:3128.",
  },
  { name: "Proxy Username", description: "Only for a proxy that requires a user name and password." },
  { name: "Proxy Password", description: "Only for a proxy that requires a user name and password.", secret: true },
].map(({ name, description, secret = false }) => ({
  Name: name,
  Description: description,
  IsMandatory: false,
  IsAdvanced: true,
  Type: scriptType({ type: "string", secret }),
  Mode: SCRIPT,
  DefaultValue: null,
}));

/** As integrations of the platform call it. The launcher reads it, and the plugin does not. */
const caCertificate = {
  Name: "CA Certificate File - parsed into Base64 String",
  Description:
    "Only for a certificate from a private certificate authority (CA): the file with the CA's certificate, encoded in Base64.",
  IsMandatory: false,
};

/**
 * `Integration-<identifier>.def`. Every key is written, null included: the platform's own reader refuses a definition
 * without DocumentationLink or ImageBase64.
 *
 * @param version - the platform counts releases: 1, 2, 3, …
 */
export function integrationDefinition(manifest: Manifest, version: number, logo: Logo): object {
  return {
    Identifier: manifest.identifier,
    DisplayName: manifest.name,
    MarketingDisplayName: manifest.name,
    Description: manifest.description,
    Categories: manifest.categories,
    ProductCategories: productCategories,
    PythonVersion: 3,
    DocumentationLink: manifest.documentationUrl,
    ImageBase64: logo.png,
    SVGImage: logo.svg,
    Version: version,
    MinimumSystemVersion: 5.3,
    ShouldInstalledInSystem: false,
    IsAvailableForCommunity: true,
    IsCustom: true,
    IsPowerUp: false,
    IsCertified: false,
    GoogleSecOpsProduct: false,
    IntegrationProperties: manifest.instance.parameters.map((parameter) => ({
      PropertyName: parameter.name,
      PropertyDisplayName: parameter.name,
      PropertyDescription: parameter.description,
      PropertyType: scriptType(parameter),
      Value: parameter.default,
      IsMandatory: parameter.mandatory,
      IntegrationIdentifier: manifest.identifier,
    })),
  };
}

/** `<stem>.actiondef`; `example` is the JSON result of a real run. */
export function actionDefinition(
  manifest: Manifest,
  action: ManifestAction,
  version: number,
  { example, described }: { example: unknown; described: AiDescription },
): object {
  return {
    ...aiDefinition(described),
    Name: action.name,
    Description: action.description,
    DocumentationLink: manifest.documentationUrl,
    IntegrationIdentifier: manifest.identifier,
    Creator: manifest.vendor,
    IsAsync: action.resumable ?? false,
    IsCustom: true,
    IsEnabled: true,
    ScriptResultName: "is_success",
    // Empty for an unknown value: "false" would be an answer, such as "no path".
    DefaultResultValue: String(action.result.valueWhenFailed ?? ""),
    SimulationDataJson: '{"Entities": []}',
    Version: version,
    DynamicResultsMetadata: [
      { ResultName: "JsonResult", ResultExample: JSON.stringify(example, null, 2), ShowResult: true },
    ],
    Parameters: [
      ...action.parameters.map((parameter) => {
        const preset = String(parameter.default ?? "");
        return {
          Name: parameter.name,
          Description: parameter.description,
          IsMandatory: parameter.mandatory,
          Type: actionType(parameter),
          Value: preset,
          DefaultValue: preset,
          OptionalValues: null,
        };
      }),
      { ...caCertificate, Type: actionType(text), Value: "", DefaultValue: "", OptionalValues: null },
    ],
  };
}

/** `<stem>.connectordef`. Fields that the host's scheduler reads are the platform's own and not declared again. */
export function connectorDefinition(manifest: Manifest, connector: ManifestConnector, version: number): object {
  const fields = connector.fields.filter(({ readBy }) => readBy !== "host");
  return {
    Name: connector.name,
    Description: connector.description,
    DocumentationLink: manifest.documentationUrl,
    Integration: manifest.identifier,
    Creator: manifest.vendor,
    IsConnectorRulesSupported: false,
    IsCustom: true,
    IsEnabled: true,
    Version: version,
    Rules: [],
    Parameters: [
      ...fields.map((field) => {
        const { name, own } = connectorField(field.name);
        return {
          Name: name,
          Description: field.description,
          IsMandatory: field.mandatory,
          IsAdvanced: false,
          Type: scriptType(field),
          Mode: own ? PLATFORM : SCRIPT,
          DefaultValue: field.default === null ? null : String(field.default),
        };
      }),
      ...launcherParameters,
      { ...caCertificate, IsAdvanced: true, Type: scriptType(text), Mode: SCRIPT, DefaultValue: null },
      processTimeout,
    ],
  };
}

/** What the script of a job reads beside the parameters of the plugin: the platform's words for a closed alert. */
const closingParameters = [
  {
    Name: "Close Reason",
    Description: "Reason with which alerts are closed: one that the platform offers. Empty: Maintenance.",
    DefaultValue: "Maintenance",
  },
  {
    Name: "Close Root Cause",
    Description: "Root cause with which alerts are closed: one that the platform offers for the reason. Empty: Other.",
    DefaultValue: "Other",
  },
].map((parameter) => ({ ...parameter, IsMandatory: false, Type: scriptType(text) }));

/** `<stem>.jobdef`. */
export function jobDefinition(manifest: Manifest, job: ManifestJob, version: number): object {
  return {
    Name: job.name,
    Description: job.description,
    DocumentationLink: manifest.documentationUrl,
    Integration: manifest.identifier,
    Creator: manifest.vendor,
    IsCustom: true,
    IsEnabled: true,
    Version: version,
    RunIntervalInSeconds: JOB_INTERVAL,
    Parameters: [
      ...job.parameters.map((parameter) => ({
        Name: parameter.name,
        Description: parameter.description,
        IsMandatory: parameter.mandatory,
        Type: scriptType(parameter),
        DefaultValue: parameter.default === null ? null : String(parameter.default),
      })),
      ...closingParameters,
      { ...caCertificate, Type: scriptType(text), DefaultValue: null },
    ],
  };
}
