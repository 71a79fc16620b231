import type { Stats } from "node:fs";
import { type Credentials, Secret } from "../service/credentials.ts";
import { ask, InputTooLongError, PromptClosedError, readSecret, type Terminal } from "../terminal.ts";
import type { Cli, ConnectionOptions } from "./command.ts";
import { CredentialsError, systemCode, UsageError } from "./failures.ts";
import { readTextFile } from "./files.ts";

/** Which tenant to ask, and as whom. */
export interface Access {
  server: string;
  credentials: Credentials;
}

type Options = Pick<ConnectionOptions, "server" | "tokenId" | "bearer" | "profile">;

/**
 * Takes the credentials from the profile file when one is named, or when there is one and no option names a server or
 * credentials; otherwise from prompts or from standard input, which then holds the secret and nothing else. They never come
 * from an argument or the environment, which other users of the machine can read.
 *
 * @throws UsageError when nobody can be asked for the address or the Token ID
 * @throws CredentialsError when there is no secret, or a profile that others own or can read
 */
export async function readAccess(options: Options, cli: Pick<Cli, "terminal" | "defaultProfile">): Promise<Access> {
  const { stop } = cli.terminal;
  if (options.profile !== undefined) return readProfile(options.profile, stop);
  if (options.server === undefined && options.tokenId === undefined && options.bearer === undefined) {
    const profile = await readIfPresent(cli.defaultProfile, stop);
    if (profile !== null) return profile;
  }
  const server = options.server ?? (await askFor(cli.terminal, "Server", "--server or --profile"));
  if (options.bearer === true) {
    return { server, credentials: { kind: "jwt", token: await secretFor(cli.terminal, "Bearer token") } };
  }
  const id = options.tokenId ?? (await askFor(cli.terminal, "Token ID", "--token-id, --bearer or --profile"));
  return { server, credentials: { kind: "token", id, key: await secretFor(cli.terminal, "Token Key") } };
}

async function askFor(terminal: Terminal, label: string, option: string): Promise<string> {
  if (terminal.input.isTTY !== true) {
    throw new UsageError(`${label} is missing, and nobody can be asked for it. Add ${option}.`);
  }
  return ask(terminal, `${label}: `);
}

async function secretFor(terminal: Terminal, label: string): Promise<Secret> {
  const secret = await readSecret(terminal, `${label} (not shown): `).catch((error: unknown) => {
    if (error instanceof PromptClosedError) throw error;
    const reason = error instanceof InputTooLongError ? "too long" : systemCode(error);
    throw new CredentialsError(`The ${label} cannot be read from standard input (${reason}). Pass it there alone.`);
  });
  if (secret === "") {
    throw new CredentialsError(`No ${label} was given. Type it at the prompt, or pass it on standard input.`);
  }
  return new Secret(secret);
}

async function readIfPresent(path: string, stop: AbortSignal | undefined): Promise<Access | null> {
  try {
    return await readProfile(path, stop);
  } catch (error) {
    if (error instanceof CredentialsError && error.cause === "ENOENT") return null;
    throw error;
  }
}

/** Longer than any profile. */
const LONGEST_PROFILE_BYTES = 64 * 1024;

async function readProfile(path: string, stop: AbortSignal | undefined): Promise<Access> {
  try {
    const check = (stats: Stats): void => {
      refuseShared(path, stats);
    };
    return parseProfile(path, await readTextFile(path, { most: LONGEST_PROFILE_BYTES, stop, check }));
  } catch (error) {
    if (error instanceof CredentialsError || error instanceof PromptClosedError) throw error;
    const cause = systemCode(error);
    throw new CredentialsError(`The profile ${path} cannot be read (${cause}). Check the path.`, { cause });
  }
}

/** Windows has neither owners as numbers nor modes. */
function refuseShared(path: string, { mode, uid }: Stats): void {
  if (process.platform === "win32") return;
  if (uid !== process.getuid?.()) {
    throw new CredentialsError(
      `The profile ${path} belongs to another user (${uid}). It was not used. Make a profile of your own, or run this as its owner.`,
    );
  }
  if ((mode & 0o077) !== 0) {
    const shown = (mode & 0o777).toString(8).padStart(4, "0");
    throw new CredentialsError(
      `Others can read or change the profile ${path} (mode ${shown}). It was not used. Run "chmod 600 ${path}", and replace the token if others may have read it.`,
    );
  }
}

const FORMS = '{"server": "…", "tokenId": "…", "tokenKey": "…"} or {"server": "…", "bearerToken": "…"}';

/** What the file holds is never quoted: it may be the secret. */
function parseProfile(path: string, content: string): Access {
  const { server, tokenId, tokenKey, bearerToken, ...rest } = fieldsOf(content) ?? {};
  if (server !== undefined && Object.keys(rest).length === 0) {
    if (bearerToken !== undefined && tokenId === undefined && tokenKey === undefined) {
      return { server, credentials: { kind: "jwt", token: new Secret(bearerToken) } };
    }
    if (tokenId !== undefined && tokenKey !== undefined && bearerToken === undefined) {
      return { server, credentials: { kind: "token", id: tokenId, key: new Secret(tokenKey) } };
    }
  }
  throw new CredentialsError(`${path} is not a profile. Write it as JSON: ${FORMS}.`);
}

function fieldsOf(content: string): Partial<Record<string, string>> | null {
  try {
    const value: unknown = JSON.parse(content);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
    const fields: [string, unknown][] = Object.entries(value);
    // As at a prompt, whitespace around a value does not belong to it: programs that write files end them with a line feed.
    return fields.every((field): field is [string, string] => typeof field[1] === "string")
      ? Object.fromEntries(fields.map(([name, text]) => [name, text.trim()]))
      : null;
  } catch {
    return null;
  }
}
