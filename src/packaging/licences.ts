import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { BundledPackage } from "./bundled-packages.ts";

/** Licences whose code may be passed on inside an Apache-2.0 package, given their texts. */
const free = new Set(["0BSD", "Apache-2.0", "BlueOak-1.0.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT"]);

/**
 * The licence texts of everything that is bundled, as one text.
 *
 * @param files - what holds it, as the beginning of a sentence
 * @throws Error when a licence is not a free one, or its text does not come with the package.
 */
export async function thirdPartyLicences(
  rootDir: string,
  files: string,
  packages: readonly BundledPackage[],
): Promise<string> {
  const chapters = await Promise.all(
    packages.map(async ({ folder, name, version, licence }) => {
      if (!isFree(licence)) throw new Error(`${name} ${version} may not be bundled: its licence is ${licence}`);
      const texts = await licenceTexts(join(rootDir, folder));
      if (texts.length === 0) throw new Error(`${name} ${version} may not be bundled: it comes without a licence text`);
      return [`${name} ${version} (${licence})`, ...texts].join("\n\n");
    }),
  );
  const rule = `\n\n${"-".repeat(80)}\n\n`;
  return `${files} hold code of these packages, each under its own licence.${rule}${chapters.join(rule)}\n`;
}

/** Whether an SPDX expression lets the code be passed on; of a choice (OR) one free licence is enough. */
export function isFree(expression: string): boolean {
  return expression
    .replace(/^\((.*)\)$/, "$1")
    .split(" OR ")
    .some((choice) => choice.split(" AND ").every((licence) => free.has(licence.trim())));
}

async function licenceTexts(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => /^(licen[cs]e|copying|notice)([.-].*)?$/i.test(name)).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  return texts.map((text) => text.replaceAll("\r\n", "\n").trim()).filter((text) => text !== "");
}
