import { unzip } from "../archive.ts";
import type { BuiltIntegration } from "../artefacts.ts";
import { DeployError } from "../failures.ts";
import { contentDifferences, type PackageContents, readContents } from "../package-contents.ts";
import { ifOffered, type PlatformApi } from "../platform-api.ts";
import { type Change, unchanged } from "./change.ts";

/**
 * Imports the package when its contents differ from the installed ones, whatever the versions are.
 *
 * @param reinstall - import it in any case
 */
export async function planIntegration(
  api: PlatformApi,
  { zip, file, contents }: BuiltIntegration,
  reinstall: boolean,
): Promise<Change> {
  const { identifier, version, isCustom } = contents;
  const read = await api.packageIdentifier(zip);
  if (read !== identifier) {
    throw new DeployError(
      `${file} is damaged: its definition says ${identifier}, and the platform reads ${read}. Build it again.`,
    );
  }
  const subject = `Integration ${identifier}`;
  const { exported, installed, problem } = await readInstalled(api, identifier, reinstall);
  const details = typeof installed === "object" ? contentDifferences(installed, contents) : problem;
  if (typeof installed === "object" && details.length === 0 && !reinstall) {
    return unchanged(subject, `version ${version} is installed with the same contents.`);
  }
  return {
    subject,
    effect: effectOf(installed, version, details.length === 0),
    details,
    save: exported === null ? null : (backup) => backup.savePackage(exported),
    apply: () => api.importPackage(zip, identifier, isCustom),
  };
}

type Installed = PackageContents | "not installed" | "unknown";

function effectOf(installed: Installed, version: number, isSame: boolean): string {
  if (installed === "not installed") return `version ${version} will be installed.`;
  if (installed === "unknown") {
    return `version ${version} will be imported. The platform does not tell what is installed, so nothing can be saved.`;
  }
  if (installed.version < version) return `version ${version} will replace version ${installed.version}.`;
  if (installed.version > version) return `version ${version} will replace the newer version ${installed.version}.`;
  return isSame
    ? `version ${version} will be imported again.`
    : `version ${version} is installed with other contents and will be replaced.`;
}

interface Found {
  /** Null: there is nothing to save. */
  exported: Buffer | null;
  installed: Installed;
  /** Why it is not known what is installed, where the platform or its export says so; one line at most. */
  problem: string[];
}

/** @param reinstall - an integration that cannot be read, for example after half an import, is replaced, too */
async function readInstalled(api: PlatformApi, identifier: string, reinstall: boolean): Promise<Found> {
  const nothing = { exported: null, problem: [] };
  if ((await ifOffered(api.isInstalled(identifier))) === false) return { ...nothing, installed: "not installed" };
  let exported: Buffer | null = null;
  try {
    exported = await ifOffered(api.exportPackage(identifier));
    if (exported === null) return { ...nothing, installed: "unknown" };
    const name = "The installed integration";
    return { exported, installed: readContents(await unzip(exported, name), name), problem: [] };
  } catch (error) {
    // Any other failure may be gone the next time, and then what is installed can be saved.
    if (!(error instanceof DeployError) || (exported === null && error.status !== 500)) throw error;
    if (reinstall) return { exported: null, installed: "unknown", problem: [error.message] };
    const advice = "If this stays so, --reinstall imports the package without reading and saving what is installed.";
    throw new DeployError(`${error.message} ${advice}`, error.status);
  }
}
