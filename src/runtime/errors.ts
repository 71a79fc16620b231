/** An error whose message was written for the person who started the run; it becomes the message of a failed result. */
export interface ReadableError extends Error {
  readonly readable: true;
}

export function isReadable(error: unknown): error is ReadableError {
  return error instanceof Error && (error as Partial<ReadableError>).readable === true;
}

/** The request does not follow the host contract. */
export class RequestError extends Error implements ReadableError {
  override readonly name = "RequestError";
  readonly readable = true;
}

/** A parameter is missing or cannot be used. The message names it by its label and says what to do. */
export class ParameterError extends Error implements ReadableError {
  override readonly name = "ParameterError";
  readonly readable = true;
  readonly label: string;

  /**
   * @param label the parameter as the screen shows it
   * @param advice what is wrong with it and what to do, as sentences that follow `Parameter "<label>" `
   */
  constructor(label: string, advice: string) {
    super(`Parameter "${label}" ${advice}`);
    this.label = label;
  }
}

/** The run was stopped before it finished: by its deadline, by a signal, or by the host. */
export class InterruptedError extends Error implements ReadableError {
  override readonly name = "InterruptedError";
  readonly readable = true;
}

/** What a person entered or selected, or what a host handed over, cannot be used. The message says what to do. */
export class InputError extends Error implements ReadableError {
  override readonly name = "InputError";
  readonly readable = true;
}
