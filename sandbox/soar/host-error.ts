/** What the host was asked for cannot be done; the message says why and what to do. */
export class HostError extends Error {
  override name = "HostError";
  /** As in HTTP: 400 the input is wrong, 404 there is no such thing, 409 not now, 507 there is no space left. */
  readonly status: 400 | 404 | 409 | 507;

  constructor(status: 400 | 404 | 409 | 507, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** @throws HostError when there is nothing of this kind under this id. */
export function required<T>(found: T | null | undefined, what: string, id: string | number): T {
  if (found === null || found === undefined) throw new HostError(404, `There is no ${what} "${id}".`);
  return found;
}

/** The error as it is, or what it means when there is no space left for the database or a file. */
export function explained(error: unknown): unknown {
  const { code } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  if (code !== "ENOSPC" && code !== "SQLITE_FULL") return error;
  return new HostError(507, "The disk is full, so nothing more is stored. Free some space and try again.", {
    cause: error,
  });
}
