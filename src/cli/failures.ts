import { InputError } from "../investigation/input-error.ts";
import { isReadable, type ReadableError } from "../runtime/errors.ts";
import {
  AbortedError,
  ConfigurationError,
  NotFoundError,
  ServerAddressError,
  ServiceError,
  type ServiceErrorCode,
} from "../service/errors/errors.ts";
import { PromptClosedError } from "../terminal.ts";
import { ExitCode } from "./exit-codes.ts";

/** An argument or option that cannot be used. */
export class UsageError extends Error implements ReadableError {
  override readonly name = "UsageError";
  readonly readable = true;
}

/** What was asked about does not exist. */
export class NothingFoundError extends Error implements ReadableError {
  override readonly name = "NothingFoundError";
  readonly readable = true;
}

/** Credentials that are missing, or that are kept where others can read them. */
export class CredentialsError extends Error implements ReadableError {
  override readonly name = "CredentialsError";
  readonly readable = true;
}

/** Whoever read standard output has closed it, as `head` does. */
export class OutputClosedError extends Error {
  override readonly name = "OutputClosedError";
}

const REJECTED: ReadonlySet<ServiceErrorCode> = new Set(["unauthenticated", "forbidden", "clock_skew"]);

/** The exit code for an error that ended a command. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof OutputClosedError) return ExitCode.yes;
  if (error instanceof UsageError || error instanceof InputError) return ExitCode.usage;
  if (error instanceof NothingFoundError) return ExitCode.no;
  if (error instanceof PromptClosedError || error instanceof AbortedError) return ExitCode.interrupted;
  if (error instanceof ServiceError) return codeOfServiceError(error);
  return isReadable(error) ? ExitCode.credentials : ExitCode.bug;
}

function codeOfServiceError(error: ServiceError): ExitCode {
  if (error instanceof ServerAddressError) return ExitCode.usage;
  if (error instanceof ConfigurationError || REJECTED.has(error.code)) return ExitCode.credentials;
  // The service knows nothing of this name: an answer, unlike a 404 of something else at this address.
  if (error instanceof NotFoundError && error.wrapped) return ExitCode.no;
  return ExitCode.service;
}
