import { isObject, parseJson } from "../../json.ts";
import { applyMergePatch } from "../../runtime/merge-patch.ts";
import type { Json, JsonObject } from "../../runtime/protocol.ts";
import { InputTooLongError, readStream, type Terminal } from "../../terminal.ts";
import { oneLine } from "../../text.ts";
import { UsageError } from "../failures.ts";
import type { LineOutput } from "./line-output.ts";
import type { PollState } from "./run-poll.ts";
import { tenantOf } from "./state-file.ts";

/** For a state of 2.5 million characters, and whatever a run has written around it. */
const LARGEST_BYTES = 256 * 1024 * 1024;

/**
 * State of `poll` kept by the calling program: it comes in on standard input, and goes out among the alerts as lines
 * `{"type":"state","state":{…}}`. Each is the whole state once the alerts before it are stored, so the last line that was read is all that the
 * next run needs.
 */
export class StateLines implements PollState {
  #state: Json;
  readonly #output: LineOutput;
  /** Bytes of alerts since the last state line, and of that line. */
  #uncovered = 0;
  #lastBytes = 0;

  private constructor(state: Json, output: LineOutput) {
    this.#state = state;
    this.#output = output;
  }

  /**
   * Reads standard input to its end.
   *
   * @param tenant - origin of the tenant that is polled
   * @throws UsageError when it holds something else than a state of this tenant, or nobody has written to it
   */
  static async read({ input, stop }: Terminal, tenant: string, output: LineOutput): Promise<StateLines> {
    if (input.isTTY === true) {
      throw new UsageError(
        "--state - reads the state from standard input, which is a terminal. Nothing was read from the service. For a first run, add < /dev/null.",
      );
    }
    const state = stateIn(await textOf(input, stop));
    const owner = tenantOf(state);
    if (owner !== null && owner !== tenant) {
      throw new UsageError(
        `The state on standard input belongs to ${oneLine(owner)}, not to ${tenant}. Nothing was read from the service. Pass the state of this tenant, or nothing to start over.`,
      );
    }
    return new StateLines(state, output);
  }

  get state(): Json {
    return this.#state;
  }

  /** A state can have megabytes. One that is longer than the alerts since the last one waits for more of them. */
  async deliver(lines: string, patch: JsonObject): Promise<void> {
    this.#state = applyMergePatch(this.#state, patch);
    const alerts = Buffer.from(lines);
    this.#uncovered += alerts.length;
    await this.#output.write(this.#uncovered < this.#lastBytes ? alerts : Buffer.concat([alerts, this.#stateLine()]));
  }

  async finish(checkpoint: JsonObject | undefined): Promise<void> {
    if (checkpoint !== undefined) this.#state = checkpoint;
    // A first run that found out nothing leaves nothing to remember.
    if (this.#state !== null) await this.#output.write(this.#stateLine());
  }

  #stateLine(): Buffer {
    const line = Buffer.from(`${JSON.stringify({ type: "state", state: this.#state })}\n`);
    this.#uncovered = 0;
    this.#lastBytes = line.length;
    return line;
  }
}

async function textOf(input: Terminal["input"], stop: AbortSignal | undefined): Promise<string> {
  try {
    return await readStream(input, { most: LARGEST_BYTES, stop });
  } catch (error) {
    if (!(error instanceof InputTooLongError)) throw error;
    throw new UsageError(
      `Standard input holds more than ${LARGEST_BYTES / 1024 / 1024} MiB. Nothing was read from the service. Pass the last state line of the run before.`,
    );
  }
}

/** The state of the last line that is one: a run that was killed may have written more behind it. Null when there is nothing at all. */
function stateIn(text: string): Json {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0) return null;
  const message = lines.findLast(isStateLine);
  if (message !== undefined) return (JSON.parse(message) as { state: Json }).state;
  throw new UsageError(
    'Standard input holds no state of poll. Nothing was read from the service. Pass the last line {"type":"state",…} of the run before as it is, or nothing to start over.',
  );
}

function isStateLine(line: string): boolean {
  if (!line.includes('"state"')) return false;
  const message = parseJson(line);
  return isObject(message) && message["type"] === "state" && isObject(message["state"]);
}
