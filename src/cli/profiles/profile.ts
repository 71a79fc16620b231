import type { Stats } from "node:fs";
import { isObject, parseJson } from "../../json.ts";
import { type Credentials, Secret } from "../../service/credentials.ts";
import { PromptClosedError } from "../../terminal.ts";
import { CredentialsError, systemCode } from "../failures.ts";
import { readTextFile } from "../output/files.ts";

/** Which tenant to ask, and as whom. */
export interface Access {
  server: string;
  credentials: Credentials;
}

/** Longer than any profile. */
const LONGEST_PROFILE_BYTES = 64 * 1024;

/** @throws CredentialsError when the file is no profile, or when others own it or can read it; its cause is the system's code */
export async function readProfile(path: string, stop: AbortSignal | undefined): Promise<Access> {
  try {
    const check = (stats: Stats): void => {
      refuseShared(path, stats);
    };
    return parseProfile(path, await readTextFile(path, { most: LONGEST_PROFILE_BYTES, stop, check }));
  } catch (error) {
    if (error instanceof CredentialsError || error instanceof PromptClosedError) throw error;
    const cause = systemCode(error);
    const problem = cause === "EISDIR" ? "is a directory" : `cannot be read (${cause})`;
    throw new CredentialsError(`The profile ${path} ${problem}. ${ADVICE.get(cause) ?? "Check the path."}`, { cause });
  }
}

/** What to do when a profile cannot be read, by the system's code. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  ["EACCES", "Check its owner and mode."],
  ["EISDIR", "Name the file in it."],
  ["ENOENT", 'Check the path, or list your profiles with "profile list".'],
]);

/** Windows has neither owners as numbers nor modes. */
function refuseShared(path: string, stats: Stats): void {
  const { mode, uid } = stats;
  // A directory or a device holds no secret, so its permissions do not matter; it is rejected as not being a file.
  if (process.platform === "win32" || !(stats.isFile() || stats.isFIFO())) return;
  if (uid !== process.getuid?.()) {
    throw new CredentialsError(
      `The profile ${path} belongs to another user (${uid}). It was not used. Make a profile of your own, or run this as its owner.`,
    );
  }
  if ((mode & 0o077) !== 0) {
    const shown = (mode & 0o777).toString(8).padStart(4, "0");
    throw new CredentialsError(
      `Others can read or change the profile ${path} (mode ${shown}). It was not used. Run "chmod 600 ${shellWord(path)}", and replace the token if others may have read it.`,
    );
  }
}

/** The text as one word of a shell. */
function shellWord(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

const FORMS = '{"server": "…", "tokenId": "…", "tokenKey": "…"} or {"server": "…", "bearerToken": "…"}';
const API_TOKEN = ["server", "tokenId", "tokenKey"] as const;
const BEARER = ["server", "bearerToken"] as const;

type Field = (typeof API_TOKEN)[number] | (typeof BEARER)[number];

/** What the file holds is never quoted: it may be the secret. */
function parseProfile(path: string, content: string): Access {
  const fields = fieldsOf(content);
  const problem = fields === null ? "It is not a JSON object." : problemIn(fields);
  if (fields === null || problem !== null)
    throw new CredentialsError(`${path} is not a profile. ${problem ?? ""} Write it as JSON: ${FORMS}.`);
  // As at a prompt, whitespace around a value does not belong to it: programs that write files end them with a line feed.
  const text = (name: Field): string => String(fields[name]).trim();
  return {
    server: text("server"),
    credentials:
      "bearerToken" in fields
        ? { kind: "jwt", token: new Secret(text("bearerToken")) }
        : { kind: "token", id: text("tokenId"), key: new Secret(text("tokenKey")) },
  };
}

function fieldsOf(content: string): Partial<Record<string, unknown>> | null {
  const value = parseJson(content);
  return isObject(value) ? value : null;
}

/** What is wrong with the fields of a profile, as a sentence; null when nothing is. */
function problemIn(fields: Partial<Record<string, unknown>>): string | null {
  const known: readonly string[] = [...API_TOKEN, ...BEARER];
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown !== undefined) return aboutUnknown(unknown, known);
  const isBearer = "bearerToken" in fields;
  if (isBearer && ("tokenId" in fields || "tokenKey" in fields))
    return "It holds an API token and a bearer token. Remove one of them.";
  const needed: readonly string[] = isBearer ? BEARER : API_TOKEN;
  const missing = needed.filter((name) => !(name in fields));
  if (missing.length > 0) return `It has no field ${missing.join(", ")}.`;
  const other = needed.find((name) => typeof fields[name] !== "string");
  return other === undefined ? null : `The value of ${other} is not a text.`;
}

/** A name that does not look like that of a field may be a secret. */
function aboutUnknown(name: string, known: readonly string[]): string {
  if (!/^[a-z][a-z_-]{0,23}$/i.test(name)) return "It has a field that no profile has.";
  const plain = (text: string): string => text.toLowerCase().replace(/[_-]/g, "");
  const meant = known.find((each) => plain(each) === plain(name));
  return `It has a field "${name}", which no profile has.${meant === undefined ? "" : ` The field is called ${meant}.`}`;
}
