import { spawnSync } from "node:child_process";
import { createHook } from "node:async_hooks";
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { Writable } from "node:stream";
import { systemCode } from "../../../src/cli/failures.ts";
import { askHere, type CommandOutcome } from "../../support/command-line.ts";
import type { PollCall } from "./runs.ts";

/** What a run leaves behind when it is killed at some moment. */
export interface Moment {
  /** The files beside the state, and the state, by name. */
  readonly files: ReadonlyMap<string, string>;
  /** Bytes of this run that its output had by then. */
  readonly written: number;
}

export interface RecordedRun extends CommandOutcome {
  /** Every moment of the run that differs from the one before it in what a kill would leave behind. */
  readonly moments: readonly Moment[];
}

/**
 * Runs `poll` in this process and records what a kill would leave behind, at each moment of the run.
 *
 * A killed process leaves what its calls to the operating system have made of the files. async_hooks reports each such call
 * before it is made, and the output takes each line in pieces, so that all that can be left behind is seen.
 */
export async function recordPoll({ tenant, state, file, args = [] }: PollCall): Promise<RecordedRun> {
  const moments: Moment[] = [];
  const fd = file === undefined ? null : openSync(file, "a");
  const pieces: Buffer[] = [];
  let written = 0;
  const look = (): void => {
    const moment = { files: filesBeside(state, file), written };
    const last = moments.at(-1);
    if (last === undefined || !isSame(last, moment)) moments.push(moment);
  };
  const stdout = new Writable({
    write: (line: Buffer, _encoding, done) => {
      for (const piece of inPieces(line)) {
        if (fd !== null) writeSync(fd, piece);
        pieces.push(piece);
        written += piece.length;
        look();
      }
      done();
    },
  });
  const calls = createHook({
    init: (_id, type) => {
      if (type.startsWith("FS") || type.startsWith("FILEHANDLE")) look();
    },
  });
  calls.enable();
  try {
    const call = { stdout: fd === null ? stdout : Object.assign(stdout, { fd }) };
    const outcome = await askHere(tenant, ["poll", "--state", state, ...args], call);
    return { ...outcome, out: Buffer.concat(pieces).toString(), moments };
  } finally {
    calls.disable();
    if (fd !== null) closeSync(fd);
  }
}

/** Puts the files back to what they were at a moment of a run that has ended since. */
export function returnTo({ files, written }: Moment, { state, file }: PollCall, bytesBefore: number): void {
  const folder = dirname(state);
  for (const name of filesBeside(state, file).keys()) rmSync(join(folder, name));
  for (const [name, content] of files) writeFileSync(join(folder, name), ownedBy(endedProcess(), content));
  // Shortened and not written anew: the state knows the file by its inode.
  if (file !== undefined) truncateSync(file, bytesBefore + written);
}

/** A lock of this process, which still runs, as one of a process that does not. */
function ownedBy(pid: number, content: string): string {
  return content.replace(`"pid":${process.pid},`, `"pid":${pid},`);
}

let ended: number | undefined;
function endedProcess(): number {
  return (ended ??= spawnSync("true").pid);
}

function filesBeside(state: string, file?: string): Map<string, string> {
  const folder = dirname(state);
  for (;;) {
    const names = readdirSync(folder).filter((name) => file === undefined || name !== basename(file));
    try {
      return new Map(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
    } catch (error) {
      // A call that is under way has removed or renamed it.
      if (systemCode(error) !== "ENOENT") throw error;
    }
  }
}

function isSame(one: Moment, other: Moment): boolean {
  if (one.written !== other.written || one.files.size !== other.files.size) return false;
  return [...one.files].every(([name, content]) => other.files.get(name) === content);
}

/** The first byte, the rest up to the middle, the rest without the line feed, and the line feed. */
function inPieces(line: Buffer): Buffer[] {
  const ends = new Set([1, line.length >> 1, line.length - 1, line.length].filter((end) => end > 0));
  const sorted = [...ends].sort((one, other) => one - other);
  return sorted.map((end, index) => line.subarray(sorted[index - 1] ?? 0, end));
}
