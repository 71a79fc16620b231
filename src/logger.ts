/** Writes log messages to the host. Fields may hold anything; they are made JSON, and secrets are taken out. */
export interface Logger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

const nothing = (): void => undefined;

/** Writes nothing. */
export const silent: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
