import { relative } from "node:path";
import { buffer } from "node:stream/consumers";
import yauzl from "yauzl";
import { parseJson } from "../json.ts";
import { DeployError } from "./failures.ts";
import { messageOf } from "../text.ts";

/** Files of a zip by path. */
export type Archive = ReadonlyMap<string, Buffer>;

/**
 * Unpacks a zip. Wheels are listed and not unpacked: nothing looks into them, and one with Node.js is large.
 *
 * @param name - a file, or what the zip is, for the message
 * @throws DeployError when it cannot be read
 */
export async function unzip(zip: Buffer, name: string): Promise<Archive> {
  const files = new Map<string, Buffer>();
  try {
    const archive = await yauzl.fromBufferPromise(zip, { lazyEntries: true });
    for await (const entry of archive.eachEntry()) {
      if (entry.fileName.endsWith("/")) continue;
      const unpacked = entry.fileName.endsWith(".whl")
        ? Buffer.alloc(0)
        : await buffer(await archive.openReadStreamPromise(entry));
      files.set(entry.fileName, unpacked);
    }
  } catch (error) {
    const reason = messageOf(error);
    throw new DeployError(`${name} cannot be read as a zip (${reason}).`);
  }
  return files;
}

/** @throws DeployError when it is not JSON */
export function readJson(content: Buffer, place: string): unknown {
  // A byte order mark is no part of the JSON, and a platform may write one.
  const value = parseJson(content.toString("utf8").replace(/^\uFEFF/, ""));
  if (value === undefined) throw new DeployError(`${place} is not valid JSON.`);
  return value;
}

/** A file as a person would name it. */
export function fileTitle(file: string): string {
  return relative(process.cwd(), file);
}
