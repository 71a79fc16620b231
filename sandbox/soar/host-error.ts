/** What the host was asked for cannot be done; the message says why and what to do. */
export class HostError extends Error {
  override name = "HostError";
  /** As in HTTP: 400 the input is wrong, 404 there is no such thing, 409 not now. */
  readonly status: 400 | 404 | 409;

  constructor(status: 400 | 404 | 409, message: string) {
    super(message);
    this.status = status;
  }
}

/** @throws HostError when there is nothing of this kind under this id. */
export function required<T>(found: T | null | undefined, what: string, id: string | number): T {
  if (found === null || found === undefined) throw new HostError(404, `There is no ${what} "${id}".`);
  return found;
}
