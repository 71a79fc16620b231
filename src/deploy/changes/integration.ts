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
  const exported = await installedPackage(api, identifier);
  const installed = typeof exported === "string" ? exported : await contentsOf(exported);
  const details = typeof installed === "object" ? contentDifferences(installed, contents) : [];
  if (typeof installed === "object" && details.length === 0 && !reinstall) {
    return unchanged(subject, `version ${version} is installed with the same contents.`);
  }
  return {
    subject,
    effect: effectOf(installed, version, details.length === 0),
    details,
    save: typeof exported === "string" ? null : (backup) => backup.savePackage(exported),
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

async function installedPackage(api: PlatformApi, identifier: string): Promise<Buffer | "not installed" | "unknown"> {
  if ((await ifOffered(api.isInstalled(identifier))) === false) return "not installed";
  return (await ifOffered(api.exportPackage(identifier))) ?? "unknown";
}

async function contentsOf(zip: Buffer): Promise<PackageContents> {
  const name = "The installed integration";
  return readContents(await unzip(zip, name), name);
}
