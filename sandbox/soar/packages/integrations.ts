import { readdir, readFile, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Integration, PackageInspection, Removal } from "../../console/contract/index.ts";
import type { Clock } from "../../../src/clock.ts";
import type { Logger } from "../../../src/logger.ts";
import type { Manifest } from "../../../src/manifest/manifest.ts";
import type { ActiveRuns } from "../runs/active-runs.ts";
import type { Database } from "../database.ts";
import { HostError, required } from "../host-error.ts";
import { checkPackage, unpackPackage } from "./install.ts";
import type { LiveEvents } from "../live.ts";
import { packageFacts, type PackageFacts } from "./package-contents.ts";
import { declaredTasks } from "../runs/tasks.ts";
import type { Scheduler } from "../runs/scheduler.ts";
import type { InstalledPackage, Store } from "../store.ts";
import { messageOf } from "../../../src/text.ts";

export interface IntegrationsParts {
  db: Database;
  store: Store;
  active: ActiveRuns;
  scheduler: Scheduler;
  live: LiveEvents;
  log: Logger;
  clock: Clock;
  /** Folder of the unpacked packages. */
  packages: string;
}

/** The installed packages: of each any number of versions, of which one is in use. */
export class Integrations {
  private readonly parts: IntegrationsParts;
  private installing: Promise<unknown> = Promise.resolve();

  constructor(parts: IntegrationsParts) {
    this.parts = parts;
  }

  async list(): Promise<Integration[]> {
    const identifiers = new Set(this.parts.store.packages().map(({ identifier }) => identifier));
    return Promise.all([...identifiers].map((identifier) => this.view(identifier)));
  }

  /** @throws HostError when no package of this identifier is installed. */
  async view(identifier: string): Promise<Integration> {
    const { store } = this.parts;
    const inUse = store.packageInUse(identifier);
    const facts = await this.facts(inUse);
    return {
      identifier,
      manifest: inUse.manifest,
      ...facts,
      versions: this.versions(identifier)
        .map(({ id, version, sha256, installedAt, inUse: used }) => ({ id, version, sha256, installedAt, inUse: used }))
        .toReversed(),
      instances: store.instances().filter(({ packageId }) => packageId === inUse.id).length,
      connectors: store.connectors().filter(({ packageId }) => packageId === inUse.id).length,
    };
  }

  /** Looks into a package and installs nothing. @throws PackageRefused when it fails a check. */
  async inspect(archive: Buffer): Promise<PackageInspection> {
    const { sha256, manifest, files } = await checkPackage(archive);
    const { identifier, name, version, description } = manifest;
    const current = this.versions(identifier).find(({ inUse }) => inUse);
    const facts = await packageFacts(manifest, [...files.keys()], (path) =>
      Promise.resolve(files.get(path)?.toString("utf8") ?? null),
    );
    return {
      identifier,
      name,
      version,
      description,
      sha256,
      bytes: archive.length,
      ...facts,
      change: current === undefined ? "install" : changeTo(version, sha256, current),
      currentVersion: current?.version ?? null,
    };
  }

  /**
   * Checks, installs and uses a package.
   * @param archive its path, or its bytes
   * @throws PackageRefused when it fails a check.
   */
  install(archive: string | Buffer): Promise<InstalledPackage> {
    // One after the other: two of the same package would unpack into one folder.
    const installed = this.installing.then(() => this.installNow(archive));
    this.installing = installed.catch(() => undefined);
    return installed;
  }

  /** Upgrades or rolls back. Settings, states and cases stay. @throws HostError when this version is not installed. */
  use(identifier: string, packageId: string): Promise<Integration> {
    const found = this.versions(identifier).find(({ id }) => id === packageId);
    this.refuseWithoutTasks(required(found, "package", packageId).manifest);
    this.take(identifier, packageId);
    return this.view(identifier);
  }

  /** What would go and what would stay. */
  async removal(identifier: string): Promise<Removal> {
    const { db, store } = this.parts;
    const inUse = store.packageInUse(identifier);
    const own = <T extends { packageId: string }>(all: T[]): T[] =>
      all.filter(({ packageId }) => packageId === inUse.id);
    const connectors = own(store.connectors());
    const ids = JSON.stringify([...own(store.instances()), ...connectors].map(({ id }) => id));
    const kept = db.first(
      `SELECT (SELECT count(DISTINCT case_id) FROM alerts WHERE connector_id IN (SELECT value FROM json_each(?))) AS cases,
         (SELECT count(*) FROM runs WHERE owner_id IN (SELECT value FROM json_each(?))) AS runs`,
      ids,
      ids,
    ) as { cases: number; runs: number };
    return {
      instances: own(store.instances()).map(({ name }) => name),
      connectors: connectors.map(({ name }) => name),
      playbooks: (await this.facts(inUse)).contents.playbooks,
      versions: this.versions(identifier).map(({ version }) => version),
      keptCases: kept.cases,
      keptRuns: kept.runs,
    };
  }

  /** Uninstalls all versions, with their instances and connectors. @throws HostError while one of these runs. */
  async remove(identifier: string): Promise<Removal> {
    const { store, active, scheduler, live, log, packages } = this.parts;
    const removal = await this.removal(identifier);
    const versions = this.versions(identifier);
    const ids = new Set(versions.map(({ id }) => id));
    const connectors = store.connectors().filter(({ packageId }) => ids.has(packageId));
    const instances = store.instances().filter(({ packageId }) => ids.has(packageId));
    if ([...connectors, ...instances].some(({ id }) => active.of(id) !== null)) {
      throw new HostError(409, "Something of this integration is running. Wait until it has ended, or stop it.");
    }
    for (const { id } of connectors) scheduler.forget(id);
    store.removePackages(identifier);
    for (const id of ids) await rm(join(packages, id), { recursive: true, force: true });
    log.info(`Uninstalled ${[...ids].join(", ")}.`);
    live.emit({ type: "packages" });
    return removal;
  }

  /** A text file of an installed package; null when it is not there. */
  async file(packageId: string, path: string): Promise<string | null> {
    return readFile(join(this.parts.packages, packageId, path), "utf8").catch(() => null);
  }

  private async installNow(archive: string | Buffer): Promise<InstalledPackage> {
    const { store, clock, log, packages } = this.parts;
    try {
      const { id, sha256, manifest } = await unpackPackage(archive, packages);
      const { identifier, version } = manifest;
      this.refuseWithoutTasks(manifest);
      store.addPackage({ id, identifier, version, sha256, manifest, installedAt: clock.now() });
      log.info(`Installed ${id}.`, { sha256 });
      this.take(identifier, id);
      return store.package(id);
    } catch (error) {
      log.error(`Refused ${typeof archive === "string" ? archive : "an uploaded package"}: ${messageOf(error)}`);
      throw error;
    }
  }

  private take(identifier: string, packageId: string): void {
    this.parts.store.usePackage({ id: packageId, identifier });
    this.parts.live.emit({ type: "packages" });
  }

  /** The oldest first. */
  private versions(identifier: string): InstalledPackage[] {
    return this.parts.store.packages().filter((installed) => installed.identifier === identifier);
  }

  /** A connector or job that the version does not have could neither run nor be shown. */
  private refuseWithoutTasks(manifest: Manifest): void {
    const { identifier, version } = manifest;
    const { store } = this.parts;
    const own = new Set(this.versions(identifier).map(({ id }) => id));
    const names = new Set(declaredTasks(manifest).map(({ name }) => name));
    const lost = store.connectors().find(({ packageId, declared }) => own.has(packageId) && !names.has(declared));
    if (lost === undefined) return;
    throw new HostError(
      409,
      `Version ${version} has no connector or job "${lost.declared}", which ${lost.name} runs. Delete ${lost.name} first.`,
    );
  }

  private async facts({ id, manifest }: InstalledPackage): Promise<PackageFacts> {
    const folder = join(this.parts.packages, id);
    const items = await readdir(folder, { recursive: true, withFileTypes: true });
    const paths = items
      .filter((item) => item.isFile())
      .map((item) => relative(folder, join(item.parentPath, item.name)));
    return packageFacts(manifest, paths, (path) => readFile(join(folder, path), "utf8").catch(() => null));
  }
}

/** Compares versions number by number. Source: semver.org, without pre-releases. */
function changeTo(version: string, sha256: string, current: InstalledPackage): PackageInspection["change"] {
  if (sha256 === current.sha256) return "same";
  if (version === current.version) return "rebuild";
  const [wanted, used] = [version, current.version].map((text) => text.split(/[.+-]/).map(Number));
  const differing = wanted?.findIndex((number, index) => number !== used?.[index]) ?? -1;
  if (differing === -1) return "upgrade";
  return (wanted?.[differing] ?? 0) < (used?.[differing] ?? 0) ? "downgrade" : "upgrade";
}
