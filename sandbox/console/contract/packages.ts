import type { Manifest, Parameter } from "../../../src/manifest/manifest.ts";
import type { JsonObject } from "../../../src/runtime/protocol.ts";

/** What a package brings, by kind; each entry is a name that people know it by. */
export interface PackageContents {
  connectors: string[];
  jobs: string[];
  actions: string[];
  mappings: string[];
  groupingRules: string[];
  playbooks: string[];
  widgets: string[];
}

/** A zip that was looked into and not installed. Nothing of it has run. */
export interface PackageInspection {
  identifier: string;
  name: string;
  version: string;
  description: string;
  sha256: string;
  bytes: number;
  contents: PackageContents;
  /** Markdown of the newest release. */
  releaseNotes: string;
  /** Licence of the package, and of each thing that it bundles. */
  licences: { name: string; version: string; licence: string }[];
  /** What installing it does: the version in use is older or newer, another build of the same one, or this very package; or there is none. */
  change: "install" | "upgrade" | "downgrade" | "rebuild" | "same";
  /** Version that is in use now. */
  currentVersion: string | null;
}

/** A zip in the folder of builds. */
export interface BuiltPackage {
  file: string;
  version: string;
  sha256: string;
  bytes: number;
  builtAt: number;
}

export interface InstalledVersion {
  /** Id of the package. */
  id: string;
  version: string;
  sha256: string;
  installedAt: number;
  inUse: boolean;
}

/** An integration: all installed versions of one package, of which one is in use. */
export interface Integration {
  identifier: string;
  manifest: Manifest;
  contents: PackageContents;
  releaseNotes: string;
  licences: PackageInspection["licences"];
  /** The newest first. */
  versions: InstalledVersion[];
  instances: number;
  connectors: number;
}

/** What goes when an integration is uninstalled, and what stays. */
export interface Removal {
  instances: string[];
  connectors: string[];
  playbooks: string[];
  versions: string[];
  /** Cases and runs stay: they are a record. */
  keptCases: number;
  keptRuns: number;
}

/** A configured instance or connector as the browser sees it: a secret never leaves the server. */
export interface Settings {
  id: string;
  /** Identifier of the integration. */
  integration: string;
  name: string;
  /** By label. A secret is absent here and named in `secrets` when it is set. */
  parameters: JsonObject;
  /** Labels of the secrets that are set. */
  secrets: string[];
  createdAt: number;
  /** What its form is made of. */
  declared: readonly Parameter[];
}

export interface InstanceView extends Settings {
  /** Outcome of the last Ping, null when there was none. */
  lastTest: TestOutcome | null;
}

export interface TestOutcome {
  ok: boolean;
  /** The plugin's own sentence. */
  message: string;
  /** The plugin's code of what went wrong, such as unauthenticated or tls; null when it connected, or did not get so far. */
  error: string | null;
  at: number;
  ms: number;
  runId: string;
}

/** New settings. A secret that is absent or null stays as it is; an empty text is refused. */
export interface SettingsInput {
  /** Identifier of the integration. */
  integration: string;
  name: string;
  parameters: JsonObject;
  /** Of a new connector or job: its name in the manifest. Absent: the first one. */
  connector?: string;
  /** Of a new connector: id of the instance whose values stand in its fields of the same name, secrets included. */
  instance?: string;
}

/** A connector, or a job: both run on a schedule. */
export interface ConnectorView extends Settings {
  kind: "connector" | "job";
  /** Its name in the manifest. */
  connector: string;
  description: string;
  enabled: boolean;
  runEveryMs: number;
  /** Epoch milliseconds; null while it is disabled or runs. */
  nextRunAt: number | null;
  /** Id of the run that is under way. */
  runningId: string | null;
  lastRun: { id: string; status: string; message: string; at: number } | null;
  cases: number;
  events: number;
}

/** What a connector remembers of one stream: one finding type of one environment. */
export interface StreamView {
  environmentId: string;
  environment: string;
  findingType: string;
  /** Epoch milliseconds of the newest finding's hour. */
  cursor: number | null;
  rememberedIds: number;
  /** Epoch milliseconds at which its environment was last read to its end. */
  readAt: number | null;
  status: "read" | "unfinished" | "never_read" | "gone";
  /** What the last run did with it and why, in words; null when it did not come to it. */
  decision: string | null;
  /** Why it did not come to it; null when it did, or when nothing is known of a last run. */
  unreadBecause: string | null;
}

/** What a job found in its last complete read of a finding type: how many findings of open alerts have each verdict. */
export interface FollowedStream {
  environmentId: string;
  environment: string;
  findingType: string;
  /** Epoch milliseconds at which the analysis ended that it was about; null before the first. */
  analysedAt: number | null;
  active: number;
  accepted: number;
  missing: number;
  gone: number;
  withdrawn: number;
  /** Could not be judged. */
  unknown: number;
}

export interface ConnectorState {
  tenant: string | null;
  dialect: string | null;
  /** Characters of the state as the plugin gets it. */
  characters: number;
  /** Of a connector. */
  streams: StreamView[];
  /** Of a job. */
  followed: FollowedStream[];
}

/** Values that the tenant offers for a connector's field. */
export interface Choices {
  environments: { id: string; name: string; type: string }[];
  findingTypes: string[];
}
