import type { Json, JsonObject } from "../../runtime/protocol.ts";
import type { LineOutput } from "./line-output.ts";
import { Lock } from "./lock.ts";
import type { PollState } from "./run-poll.ts";
import { StateFile, type StatefulCommand } from "./state-file.ts";

/**
 * Lends the state in a file that no other run uses. Killed at any moment, the next run goes on where this one was: lines that may not have
 * been written are looked for in the output, or written again as they were.
 *
 * @param tenant - origin of the tenant that is asked
 * @param command - whose state it is; default: poll
 * @throws LockedError when another run uses the state file
 * @throws StateFileError when the state file is something else
 * @throws OutputError when the lines of a killed run cannot be written
 */
export async function withFileState<T>(
  path: string,
  { tenant, output, command }: { tenant: string; output: LineOutput; command?: StatefulCommand },
  use: (state: PollState) => Promise<T>,
): Promise<T> {
  const place = await StateFile.locate(path);
  const lock = await Lock.acquire(`${place}.lock`);
  try {
    const file = await StateFile.open(place, tenant, command);
    await finishPending(file, output);
    return await use(new FileState(file, output));
  } finally {
    await lock.release();
  }
}

class FileState implements PollState {
  readonly #file: StateFile;
  readonly #output: LineOutput;

  constructor(file: StateFile, output: LineOutput) {
    this.#file = file;
    this.#output = output;
  }

  get state(): Json {
    return this.#file.state;
  }

  async deliver(lines: string, patch: JsonObject): Promise<void> {
    await this.#file.announce({ line: lines, patch, position: await this.#output.position() });
    await this.#output.write(Buffer.from(lines));
    this.#file.confirm();
  }

  async finish(checkpoint: JsonObject | undefined): Promise<void> {
    if (checkpoint !== undefined) await this.#file.finish(checkpoint);
  }
}

async function finishPending(file: StateFile, output: LineOutput): Promise<void> {
  const { pending } = file;
  if (pending === null) return;
  const missing = await output.missing(pending.line, pending.position);
  const isBegun = missing.length < Buffer.byteLength(pending.line);
  if (missing.length > 0) await (isBegun ? output.complete(missing) : output.write(missing));
  file.confirm();
  await file.finish();
}
