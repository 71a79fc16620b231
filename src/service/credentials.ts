import { ConfigurationError } from "./errors/errors.ts";

const REDACTED = "[redacted]";

/** A text that is printed as `[redacted]`. Only `reveal()` returns it. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return REDACTED;
  }
}

/**
 * How requests are authenticated: by an API token, whose key signs each request, or by a JWT bearer token
 * (Attack Path Analysis Service API, section Authentication).
 */
export type Credentials = { kind: "token"; id: string; key: Secret } | { kind: "jwt"; token: Secret };

/** The secret half of the credentials. */
export function secretOf(credentials: Credentials): Secret {
  return credentials.kind === "token" ? credentials.key : credentials.token;
}

/**
 * Programs in JavaScript may leave out what the types demand.
 *
 * @throws ConfigurationError when the credentials are missing, or cannot be sent in a request header
 */
export function checkCredentials(credentials: Credentials): void {
  if (credentials.kind === "jwt") {
    requireHeaderText("Token", credentials.token.reveal());
    return;
  }
  requireHeaderText("Token ID", credentials.id);
  if (!isText(credentials.key.reveal())) {
    throw new ConfigurationError("Token Key is empty. No request was sent. Enter the secret half of the API token.");
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function requireHeaderText(label: string, text: unknown): void {
  if (!isText(text))
    throw new ConfigurationError(`${label} is empty. No request was sent. Enter it as the service showed it.`);
  if (!/^[\x21-\x7e]+$/.test(text)) {
    throw new ConfigurationError(
      `${label} contains spaces, line breaks or characters that no token has. No request was sent. Copy it again from the service.`,
    );
  }
}
