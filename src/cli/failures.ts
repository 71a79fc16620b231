import { fstatSync } from "node:fs";
import { InputError, type ReadableError } from "../runtime/errors.ts";
import {
  AbortedError,
  BadRequestError,
  ConfigurationError,
  ProxySettingError,
  SchemeRejectedError,
  ServerAddressError,
  ServiceError,
  type ServiceErrorCode,
} from "../service/errors/errors.ts";
import { PromptClosedError } from "../terminal.ts";
import { ExitCode } from "./exit-codes.ts";

/** What ends a command and is no fault of the service. Its message is for people and says what to do. */
export abstract class CommandError extends Error implements ReadableError {
  readonly readable = true;
  abstract readonly exitCode: ExitCode;
}

/** An argument, an option, or a file that one of them names, cannot be used. */
export class UsageError extends CommandError {
  override readonly name: string = "UsageError";
  readonly exitCode = ExitCode.usage;
}

/** What was asked about does not exist. */
export class NothingFoundError extends CommandError {
  override readonly name = "NothingFoundError";
  readonly exitCode = ExitCode.no;
}

/** Credentials that are missing, or that are kept where others can read them. */
export class CredentialsError extends CommandError {
  override readonly name = "CredentialsError";
  readonly exitCode = ExitCode.credentials;
}

/** Standard input, or a pipe that was named as a file, has not ended when the time for the command was over. */
export class StalledInputError extends CommandError {
  override readonly name = "StalledInputError";
  readonly exitCode = ExitCode.service;

  constructor(what: string) {
    super(
      `${what} did not end within --time-limit. Nothing was read from the service. Check the program that writes it, or raise --time-limit.`,
    );
  }
}

/**
 * Reads standard input.
 *
 * @param input - standard input; null for a file, of which `read` says itself why it cannot be read
 * @param stop - aborts when a person ends the command, and not when its time is over
 * @throws StalledInputError when the time is over, UsageError when it cannot be read, and whatever else `read` throws
 */
export async function readInput<T>(input: Input | null, read: () => Promise<T>, stop: AbortSignal): Promise<T> {
  if (isFolder(input)) throw unreadableInput("EISDIR");
  try {
    return await read();
  } catch (error) {
    if (error instanceof PromptClosedError && !stop.aborted)
      throw new StalledInputError(input === null ? "The file" : "Standard input");
    if (input !== null && isSystemError(error)) throw unreadableInput(systemCode(error));
    throw error;
  }
}

/** Standard input, or what a program gives in its place. */
type Input = object & { readonly fd?: number };

/** Node reads a folder as if it were empty. */
function isFolder(input: Input | null): boolean {
  try {
    return input?.fd !== undefined && fstatSync(input.fd).isDirectory();
  } catch {
    return false;
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

function unreadableInput(code: string): UsageError {
  return new UsageError(
    `Standard input cannot be read (${code}). Nothing was read from the service. Check what follows < in the command.`,
  );
}

/** The reader of standard output has closed it, as `head` does. */
export class ReaderGoneError extends Error {
  override readonly name = "ReaderGoneError";
}

/** Writes for a reader who may have seen enough, as `head` and `grep -q` have: the exit code answers, too. */
export async function unlessReaderIsGone(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof ReaderGoneError)) throw error;
  }
}

/** The reader of standard output does not read, and the command cannot wait for it any longer. */
export class StalledReaderError extends Error {
  override readonly name = "StalledReaderError";
  /** Whether Ctrl-C or SIGTERM ended the wait, and not a time limit. */
  readonly interrupted: boolean;

  constructor(interrupted: boolean) {
    super("The reader of standard output does not read.");
    this.interrupted = interrupted;
  }
}

/** Standard output was closed before the command began, so its result would be lost. */
export class NoOutputError extends CommandError {
  override readonly name = "NoOutputError";
  readonly exitCode = ExitCode.partial;

  constructor() {
    super(
      "Standard output is closed, or the program that started this command discards it. Nothing was done, because the result would be lost. Redirect standard output to a file or a pipe, or with > /dev/null to discard the result.",
    );
  }
}

/** Standard output takes no more, and what was not written is missed. */
export class StandardOutputError extends CommandError {
  override readonly name = "OutputError";
  readonly exitCode: ExitCode;

  /** @param consequence - a sentence */
  constructor(cause: unknown, consequence: string) {
    super(outputMessage(cause, consequence), { cause });
    const interrupted = cause instanceof StalledReaderError && cause.interrupted;
    this.exitCode = interrupted ? ExitCode.interrupted : ExitCode.partial;
  }
}

function outputMessage(cause: unknown, consequence: string): string {
  if (isReaderGone(cause)) return `Standard output was closed. ${consequence}`;
  if (cause instanceof StalledReaderError) return `${cause.message} ${consequence} Check the program that reads it.`;
  return `Standard output cannot be written (${systemCode(cause)}). ${consequence} Check the disk and its free space.`;
}

/** Whether a write to standard output failed only because nobody reads it any more. */
export function isReaderGone(error: unknown): boolean {
  return ["EPIPE", "ERR_STREAM_DESTROYED"].includes(systemCode(error));
}

/** What Node calls the failure of a file or a connection, such as ENOENT. */
export function systemCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "unknown";
}

const REJECTED: ReadonlySet<ServiceErrorCode> = new Set(["unauthenticated", "forbidden", "clock_skew"]);

/** The exit code for an error that ended a command. An error that nobody expected is a bug. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommandError) return error.exitCode;
  if (error instanceof ReaderGoneError) return ExitCode.yes;
  if (error instanceof InputError) return ExitCode.usage;
  if (error instanceof PromptClosedError || error instanceof AbortedError) return ExitCode.interrupted;
  return error instanceof ServiceError ? codeOfServiceError(error) : ExitCode.bug;
}

function codeOfServiceError(error: ServiceError): ExitCode {
  if (error instanceof ServerAddressError || error instanceof ProxySettingError) return ExitCode.usage;
  if (error instanceof ConfigurationError || REJECTED.has(error.code)) return ExitCode.credentials;
  return error instanceof BadRequestError ? codeOfBadRequest(error) : ExitCode.service;
}

/** What was entered, the credentials, or a service that does not accept the requests of this program. */
function codeOfBadRequest(error: BadRequestError): ExitCode {
  if (error.whoActs === "analyst") return ExitCode.usage;
  const isOfService = error.whoActs === "service" || error instanceof SchemeRejectedError;
  return isOfService ? ExitCode.service : ExitCode.credentials;
}
