import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { JWTInput } from "google-auth-library";
import { parseJson } from "../json.ts";
import { Secret } from "../service/credentials.ts";
import { readSecret, type Terminal } from "../terminal.ts";
import { durationText, messageOf, oneLine } from "../text.ts";
import { DeployError } from "./failures.ts";
import type { Target } from "./target.ts";

/** What proves to a platform who is asking. */
export interface Access {
  /** The request header that carries it. */
  readonly header: "AppKey" | "Authorization";
  /** What stands before the secret in the header. */
  readonly scheme: "" | "Bearer ";
  /** @throws DeployError when it cannot be had */
  secret(): Promise<Secret>;
}

/** The scope that every method of the Chronicle API accepts. */
const SCOPE = "https://www.googleapis.com/auth/cloud-platform";

/** The API key of the legacy API. */
export function apiKeyAccess(key: string): Access {
  return { header: "AppKey", scheme: "", secret: () => Promise.resolve(new Secret(key)) };
}

/** An OAuth access token of the Chronicle API. */
export function accessTokenAccess(token: string): Access {
  return { header: "Authorization", scheme: "Bearer ", secret: () => Promise.resolve(new Secret(token)) };
}

/**
 * Credentials of the Chronicle API in a file: of a service account, of a user, or of workload identity federation. Google's
 * library exchanges them for access tokens, and renews these.
 *
 * @param file - its path, from the environment variable GOOGLE_APPLICATION_CREDENTIALS
 * @throws DeployError when the file cannot be read
 */
async function credentialFileAccess(file: string, timeoutMs: number): Promise<Access> {
  const credentials = await readCredentials(file);
  const { GoogleAuth } = await import("google-auth-library");
  // oxlint-disable-next-line typescript/no-deprecated -- unsafe only for a file that someone else has chosen
  const auth = new GoogleAuth({ credentials, scopes: [SCOPE] });
  return {
    header: "Authorization",
    scheme: "Bearer ",
    secret: async () => {
      try {
        const token = await inTime(auth.getAccessToken(), timeoutMs);
        if (typeof token !== "string") throw new Error("the answer has no access token");
        return new Secret(token);
      } catch (error) {
        throw new DeployError(
          `Google issued no access token for the credentials in GOOGLE_APPLICATION_CREDENTIALS (${file}). Check that they are still valid, and that this machine reaches Google. The reason: ${oneLine(messageOf(error), 300)}`,
        );
      }
    },
  };
}

/** Google's library has a time limit for some kinds of credentials only. */
async function inTime<T>(answer: Promise<T>, timeoutMs: number): Promise<T> {
  const over = new AbortController();
  const late = delay(timeoutMs, null, { signal: over.signal }).then(() => {
    throw new Error(`there was no answer within ${durationText(timeoutMs)}`);
  });
  return Promise.race([answer, late]).finally(() => {
    over.abort();
  });
}

/**
 * Asks for what the target wants, or takes it from the environment.
 *
 * @param tokenTimeoutMs - longest wait for a token of Google
 * @throws DeployError when it cannot be used
 */
export async function readAccess(
  target: Target,
  terminal: Terminal,
  env: NodeJS.ProcessEnv,
  tokenTimeoutMs = 30_000,
): Promise<Access> {
  if (target.generation === "legacy") return apiKeyAccess(await readApiKey(terminal));
  const file = env["GOOGLE_APPLICATION_CREDENTIALS"] ?? "";
  if (file !== "") return credentialFileAccess(file, tokenTimeoutMs);
  const token = await readHeaderText(terminal, "access token");
  if (token === "") {
    throw new DeployError(
      "No access token was given. Set GOOGLE_APPLICATION_CREDENTIALS to a file with credentials, or pass a token on standard input: gcloud auth print-access-token.",
    );
  }
  return accessTokenAccess(token);
}

async function readApiKey(terminal: Terminal): Promise<string> {
  const key = await readHeaderText(terminal, "API key");
  if (key === "") throw new DeployError("No API key was given. Create one in SOAR Settings > Advanced > API Keys.");
  return key;
}

async function readHeaderText(terminal: Terminal, what: "API key" | "access token"): Promise<string> {
  const text = await readSecret(terminal, `${what.replace(/^a/, "A")} (not shown): `);
  if (!/^[\x21-\x7e]*$/.test(text)) {
    throw new DeployError(`The ${what} contains spaces, line breaks or characters that none has. Copy it again.`);
  }
  return text;
}

/** Quotes nothing of the file, not even where it is broken: it holds a private key. */
async function readCredentials(file: string): Promise<JWTInput> {
  const text = await readFile(file, "utf8").catch(() => {
    throw new DeployError(`GOOGLE_APPLICATION_CREDENTIALS names ${file}, which cannot be read. Check the path.`);
  });
  const credentials = parseJson(text);
  if (typeof credentials === "object" && credentials !== null) return credentials;
  throw new DeployError(
    `GOOGLE_APPLICATION_CREDENTIALS names ${file}, which holds no credentials: it is not a JSON object. Download the key again.`,
  );
}
