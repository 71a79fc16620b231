import { isObject, parseJson } from "../../json.ts";
import { applyMergePatch } from "../../runtime/merge-patch.ts";
import type { Json, JsonObject } from "../../runtime/protocol.ts";
import { oneLine } from "../../text.ts";
import { systemCode, UsageError } from "../failures.ts";
import { behindLinks, readTextFile, replaceDurably } from "../output/files.ts";
import type { Position } from "./line-output.ts";

/** A line that was about to be written when the file was saved. Nobody knows whether it was. */
export interface PendingLine {
  readonly line: string;
  /** JSON merge patch that updates the state once the line is written. */
  readonly patch: JsonObject;
  /** Where the line begins when the output is a file; null when it is anything else. */
  readonly position: Position | null;
}

/** Commands that keep a state. What one of them remembers, the other cannot use. */
export type StatefulCommand = "poll" | "follow-up";

interface Content {
  readonly version: 1;
  /** Whose state it is. Default: poll. */
  readonly command?: StatefulCommand;
  /** The connector's state without the pending line; null before the first run. */
  readonly state: Json;
  readonly pending: PendingLine | null;
}

/** The file given as state cannot be used, or no longer be written. It was not changed. */
export class StateFileError extends UsageError {
  override readonly name = "StateFileError";
}

/**
 * The memory of a command between its runs. It never claims more than what was written: a line is announced before it is
 * written, and counts as delivered with the next save after that.
 */
export class StateFile {
  readonly #path: string;
  #content: Content;

  private constructor(path: string, content: Content) {
    this.#path = path;
    this.#content = content;
  }

  /**
   * The file that a path names, also through symbolic links: it is the target that is locked and replaced, and never the link.
   *
   * @throws StateFileError when the links lead nowhere
   */
  static async locate(path: string): Promise<string> {
    try {
      return await behindLinks(path);
    } catch (error) {
      throw new StateFileError(
        `The state file ${path} cannot be found (${systemCode(error)}). Nothing was read from the service. Check the path and its links.`,
      );
    }
  }

  /**
   * @param tenant - origin of the tenant that is polled
   * @throws StateFileError when the file holds something else, or the state of another tenant
   */
  static async open(path: string, tenant: string, command: StatefulCommand = "poll"): Promise<StateFile> {
    const content = contentOf(path, await readText(path, command), command);
    const owner = ownerOf(content);
    if (owner !== null && owner !== tenant) {
      throw new StateFileError(
        `The state file ${path} belongs to ${oneLine(owner)}, not to ${tenant}. It was not changed, and nothing was read. Choose another file for this tenant.`,
      );
    }
    return new StateFile(path, content);
  }

  get state(): Json {
    return this.#content.state;
  }

  get pending(): PendingLine | null {
    return this.#content.pending;
  }

  /** Saves that this line is about to be written. */
  async announce(pending: PendingLine): Promise<void> {
    this.#content = { ...this.#content, pending };
    await this.#save();
  }

  /** The announced line is written. The next save says so. */
  confirm(): void {
    const { state, pending } = this.#content;
    if (pending === null) return;
    this.#content = { ...this.#content, state: applyMergePatch(state, pending.patch), pending: null };
  }

  /** Saves the state once all lines are written. Without one, saves what is confirmed. */
  async finish(state: Json = this.#content.state): Promise<void> {
    this.#content = { ...this.#content, state, pending: null };
    await this.#save();
  }

  async #save(): Promise<void> {
    try {
      await replaceDurably(this.#path, JSON.stringify(this.#content));
    } catch (error) {
      throw new StateFileError(
        `The state file ${this.#path} cannot be written (${systemCode(error)}). The next run continues from what it holds. Check its folder and the space on the disk.`,
      );
    }
  }
}

/** A text may not be much longer in JavaScript. */
const LARGEST_BYTES = 500_000_000;

async function readText(path: string, command: StatefulCommand): Promise<string | null> {
  try {
    return await readTextFile(path, { most: LARGEST_BYTES });
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT") return null;
    throw new StateFileError(
      `The state file ${path} cannot be read (${code}). Nothing was read from the service. Check the path, and that the file belongs to the user who runs ${command}.`,
    );
  }
}

function contentOf(path: string, text: string | null, command: StatefulCommand): Content {
  if (text === null) return { version: 1, ...(command !== "poll" && { command }), state: null, pending: null };
  const content = parseJson(text);
  if (isObject(content) && "state" in content && isPending(content["pending"])) {
    const { command: owner = "poll" } = content;
    if (owner !== command) {
      throw new StateFileError(
        `${path} is the state file of ${oneLine(JSON.stringify(owner))}, not of ${command}. It was not changed. Choose another file.`,
      );
    }
    if (content["version"] === 1) return content as unknown as Content;
    if (typeof content["version"] === "number") {
      throw new StateFileError(
        `The state file ${path} was written by a newer version. It was not changed. Install that version again, or choose another file.`,
      );
    }
  }
  throw new StateFileError(
    `${path} is not a state file of ${command}. It was not changed. Choose another file, or delete this one to start over.`,
  );
}

function ownerOf({ state, pending }: Content): string | null {
  return tenantOf(state) ?? tenantOf(pending?.patch ?? null);
}

/** Origin of the tenant that a state is about; null when it does not say. */
export function tenantOf(state: Json): string | null {
  const tenant = isObject(state) ? state["tenant"] : null;
  return typeof tenant === "string" ? tenant : null;
}

function isPending(value: unknown): boolean {
  return value === null || (isObject(value) && typeof value["line"] === "string" && isObject(value["patch"]));
}
