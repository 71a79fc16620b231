import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { format, type FormatConfig } from "oxfmt";

/**
 * A text as `npm run format` would leave it in the file at `path`, which names its language.
 *
 * @param path Relative to the project in `rootDir`, whose settings hold.
 * @throws {Error} if the text is not in that language.
 */
export async function formatted(rootDir: string, path: string, text: string): Promise<string> {
  const settings = JSON.parse(await readFile(join(rootDir, ".oxfmtrc.json"), "utf8")) as FormatConfig;
  const { code, errors } = await format(path, text, settings);
  if (errors[0] !== undefined) throw new Error(`${path} cannot be formatted: ${errors[0].message}`);
  return code;
}
