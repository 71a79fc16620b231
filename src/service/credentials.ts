import { isFilledText } from "../json.ts";
import { REDACTED } from "../secrets.ts";
import { ConfigurationError } from "./errors/errors.ts";

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
  const key: unknown = credentials.key.reveal();
  if (!isFilledText(key)) {
    throw new ConfigurationError("Token Key is empty. No request was sent. Enter the secret half of the API token.");
  }
  // A Token ID is sent as it is. A key in its place would go over the wire.
  if (UUID.test(key)) {
    throw new ConfigurationError(
      "Token Key looks like a Token ID. No request was sent. Check that the two are not interchanged.",
    );
  }
  if (credentials.id === key || (key.length >= SHORTEST_KEY && credentials.id.includes(key))) {
    throw new ConfigurationError(
      "Token ID contains the Token Key. No request was sent. Enter the ID of the API token, a UUID, as Token ID.",
    );
  }
  if (/\p{Cc}/u.test(key)) {
    throw new ConfigurationError(
      "Token Key contains line breaks or other control characters. No request was sent. Copy it again from the service.",
    );
  }
}

/** A shorter one, as in a test, may be in an ID by chance. */
const SHORTEST_KEY = 8;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function requireHeaderText(label: string, text: unknown): void {
  if (!isFilledText(text))
    throw new ConfigurationError(`${label} is empty. No request was sent. Enter it as the service showed it.`);
  if (!/^[\x21-\x7e]+$/.test(text)) {
    throw new ConfigurationError(
      `${label} contains spaces, line breaks or characters that no token has. No request was sent. Copy it again from the service.`,
    );
  }
}
