export { AlertStore, type Filter, type StoredAlert } from "./alert-store.ts";
export { PackageRefused } from "./archive.ts";
export { entitiesOf, placeAlert, SEVERITIES, type Entity, type Placement } from "./cases.ts";
export { lockFolder } from "./folder-lock.ts";
export { forgetHost, Host, HOST_FILES, openHost, type HostOptions } from "./host.ts";
export { HostError } from "./host-error.ts";
export { unpackPackage, type UnpackedPackage } from "./install.ts";
export { applyMergePatch } from "./merge-patch.ts";
export { LiveEvents } from "./live.ts";
export {
  type ActionReport,
  type ActionRunOptions,
  type ConnectorReport,
  type ConnectorRunOptions,
  type RunOptions,
} from "./runner.ts";
export { runPlugin, type Crash, type PluginRunOptions } from "./run-plugin.ts";
export type { AlertRow, CaseRow, EventRow, RunRow, RunStatus } from "./rows.ts";
export { Store, type Configured, type Connector, type InstalledPackage, type Instance } from "./store.ts";
export { runMainJob, type MainJobOptions } from "./main-job.ts";
export { jsonReport, textReport, type Report, type Step } from "./report.ts";
