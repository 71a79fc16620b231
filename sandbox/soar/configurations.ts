import type { InstanceView, Settings, SettingsInput, TestOutcome } from "../console/contract/index.ts";
import type { Clock } from "../../src/clock.ts";
import type { Parameter } from "../../src/manifest/manifest.ts";
import type { JsonObject } from "../../src/runtime/protocol.ts";
import type { ActiveRuns } from "./runs/active-runs.ts";
import { HostError } from "./host-error.ts";
import type { LiveEvents } from "./live.ts";
import { withDefaults } from "./settings.ts";
import type { Configured, Connector, Instance, Store } from "./store.ts";

/** A configuration as it may be shown: no secret leaves the host. */
export function settingsOf(
  { id, name, parameters, createdAt }: Configured,
  declared: readonly Parameter[],
  integration: string,
): Settings {
  const isSet = (label: string) => typeof parameters[label] === "string" && parameters[label] !== "";
  const shown = declared.filter(({ secret }) => !secret).map(({ name: label }) => [label, parameters[label] ?? null]);
  const secrets = declared.filter(({ secret, name: label }) => secret && isSet(label)).map(({ name: label }) => label);
  return { id, integration, name, parameters: Object.fromEntries(shown) as JsonObject, secrets, createdAt, declared };
}

/** What was entered, with the secrets that are set where none was entered. @throws HostError for an empty secret. */
export function withKeptSecrets(declared: readonly Parameter[], given: JsonObject, kept: JsonObject): JsonObject {
  const secrets = declared.filter(({ secret }) => secret).map(({ name }) => name);
  const empty = secrets.find((label) => typeof given[label] === "string" && given[label].trim() === "");
  if (empty !== undefined) {
    throw new HostError(
      400,
      `${empty} is empty. Enter it again, or leave the field alone to keep the one that is set.`,
    );
  }
  const known = secrets.filter((label) => (given[label] ?? null) === null && (kept[label] ?? null) !== null);
  return { ...given, ...Object.fromEntries(known.map((label) => [label, kept[label] ?? null])) };
}

/** @throws HostError when the name is empty, or another of the same integration has it. */
export function checkName(name: string, others: readonly Configured[], what: string): string {
  const trimmed = name.trim();
  if (trimmed === "") throw new HostError(400, `The ${what} needs a name. Enter one.`);
  if (others.some((other) => other.name.toLowerCase() === trimmed.toLowerCase())) {
    throw new HostError(409, `Another ${what} is named "${trimmed}". Choose a different name.`);
  }
  return trimmed;
}

/** The instance of an integration for the tenant of a connector: it shares most settings with it; null when none shares any. */
export function instanceFor(store: Store, connector: Connector | undefined, identifier: string): Instance | null {
  const shared = ({ parameters }: Instance): number =>
    Object.entries(parameters).filter(([label, value]) => connector?.parameters[label] === value).length;
  const instances = store.instances().filter(({ packageId }) => store.package(packageId).identifier === identifier);
  const [best] = instances.toSorted((a, b) => shared(b) - shared(a));
  return best === undefined || shared(best) === 0 ? null : best;
}

/** The instances of all integrations: what actions run on. */
export class Instances {
  private readonly store: Store;
  private readonly active: ActiveRuns;
  private readonly live: LiveEvents;
  private readonly clock: Clock;

  constructor({ store, active, live, clock }: { store: Store; active: ActiveRuns; live: LiveEvents; clock: Clock }) {
    this.store = store;
    this.active = active;
    this.live = live;
    this.clock = clock;
  }

  list(): InstanceView[] {
    return this.store.instances().map((instance) => this.viewOf(instance));
  }

  /** @throws HostError when there is no such instance. */
  view(id: string): InstanceView {
    return this.viewOf(this.store.instance(id));
  }

  /** @throws ParameterError that names the parameter which is missing or cannot be used. */
  add({ integration, name, parameters }: SettingsInput): InstanceView {
    const { id: packageId, manifest } = this.store.packageInUse(integration);
    const declared = manifest.instance.parameters;
    const checked = withDefaults(declared, withKeptSecrets(declared, parameters, {}), PLACE);
    const own = { packageId, name: this.freeName(name, packageId), parameters: checked, createdAt: this.clock.now() };
    return this.changed(this.store.addInstance(own, declared).id);
  }

  /** @throws ParameterError that names the parameter which is missing or cannot be used. */
  change(id: string, { name, parameters }: SettingsInput): InstanceView {
    const known = this.store.instance(id);
    const declared = this.store.package(known.packageId).manifest.instance.parameters;
    const checked = withDefaults(declared, withKeptSecrets(declared, parameters, known.parameters), PLACE);
    const changed = { ...known, name: this.freeName(name, known.packageId, id), parameters: checked };
    this.store.reconfigure("instances", changed, declared);
    return this.changed(id);
  }

  /** Keeps the outcome of a test, which the instance shows from then on. */
  keepTest(id: string, outcome: TestOutcome): void {
    this.store.keepTest(id, { ...outcome });
    this.live.emit({ type: "instances" });
  }

  /** @throws HostError when an action is running on it. */
  remove(id: string): void {
    this.store.instance(id);
    if (this.active.of(id) !== null) {
      throw new HostError(409, "An action is running on this instance. Wait until it has ended, or stop it.");
    }
    this.store.remove("instances", id);
    this.live.emit({ type: "instances" });
  }

  private changed(id: string): InstanceView {
    this.live.emit({ type: "instances" });
    return this.view(id);
  }

  private freeName(name: string, packageId: string, own?: string): string {
    const others = this.store.instances().filter((other) => other.packageId === packageId && other.id !== own);
    return checkName(name, others, "instance");
  }

  private viewOf(instance: Instance): InstanceView {
    const { identifier, manifest } = this.store.package(instance.packageId);
    const lastTest = this.store.lastTest(instance.id) as TestOutcome | null;
    return { ...settingsOf(instance, manifest.instance.parameters, identifier), lastTest };
  }
}

const PLACE = "in the settings of the instance";
