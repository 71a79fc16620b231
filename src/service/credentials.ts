import { ConfigurationError } from "./errors.ts";

const REDACTED = "[redacted]";

/** A text that shows itself only to the code that asks for it by `reveal()`. */
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
 * What proves who asks: an API token, whose key signs each request, or a JWT bearer token
 * (Attack Path Analysis Service API, section Authentication).
 */
export type Credentials = { kind: "token"; id: string; key: Secret } | { kind: "jwt"; token: Secret };

/** The secret half of the credentials. */
export function secretOf(credentials: Credentials): Secret {
  return credentials.kind === "token" ? credentials.key : credentials.token;
}

/** @throws ConfigurationError when the credentials cannot stand in a request header. */
export function checkCredentials(credentials: Credentials): void {
  if (credentials.kind === "jwt") {
    requireHeaderText("Token", credentials.token.reveal());
    return;
  }
  requireHeaderText("Token ID", credentials.id);
  if (credentials.key.reveal() === "") {
    throw new ConfigurationError("Token Key is empty: enter the secret half of the API token.");
  }
}

function requireHeaderText(label: string, text: string): void {
  if (text === "") throw new ConfigurationError(`${label} is empty: enter it as the service showed it.`);
  if (!/^[\x21-\x7e]+$/.test(text)) {
    throw new ConfigurationError(
      `${label} holds blanks, line breaks or letters that no token has: copy it again from the service.`,
    );
  }
}
