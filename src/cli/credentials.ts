import { Secret } from "../service/credentials.ts";
import { ask, InputTooLongError, PromptClosedError, readSecret, type Terminal } from "../terminal.ts";
import type { Cli, ConnectionOptions } from "./command.ts";
import { CredentialsError, systemCode, UsageError } from "./failures.ts";
import { type Access, readProfile } from "./profiles/profile.ts";
import { ProfileStore } from "./profiles/store.ts";

type Options = Pick<ConnectionOptions, "server" | "tokenId" | "bearer" | "profile"> & {
  /** Standard input holds something else, so that only a profile can have the credentials. */
  readonly inputIsTaken?: boolean;
};

/**
 * Takes the credentials from the profile when one is named, or when one is in use and no option names a server or
 * credentials; otherwise from prompts or from standard input, which then holds the secret and nothing else. They never come
 * from an argument or the environment, which other users of the machine can read.
 *
 * @throws UsageError when the address or the Token ID is missing and standard input is not a terminal, or only a profile can have the credentials
 * @throws CredentialsError when there is no secret, or a profile that others own or can read
 */
export async function readAccess(options: Options, cli: Pick<Cli, "terminal" | "defaultProfile">): Promise<Access> {
  const isGiven = options.server !== undefined || options.tokenId !== undefined || options.bearer !== undefined;
  const stored = isGiven && options.profile === undefined ? null : await profileAccess(options, cli);
  if (stored !== null) return stored;
  if (options.inputIsTaken === true) {
    throw new UsageError(
      'Standard input is taken, so the credentials must come from a profile. Store them with "profile add", and name the profile with --profile.',
    );
  }
  return askForAccess(options, cli, { takesProfile: true });
}

/**
 * Takes the credentials from the profile that is named, else from the one in use; null when there is none.
 *
 * @throws CredentialsError when others own the profile or can read it, or when the one that is named is missing
 */
export async function profileAccess(
  { profile }: Pick<Options, "profile">,
  { terminal: { stop }, defaultProfile }: Pick<Cli, "terminal" | "defaultProfile">,
): Promise<Access | null> {
  const store = new ProfileStore(defaultProfile);
  if (profile !== undefined) return readProfile(await store.locate(profile), stop);
  return readIfPresent(store.pathOf(await store.current()), stop);
}

/**
 * Takes the credentials from prompts or from standard input, as `readAccess` does without a profile.
 *
 * @throws UsageError when the address or the Token ID is missing and standard input is not a terminal
 * @throws CredentialsError when there is no secret
 */
export async function askForAccess(
  options: Pick<Options, "server" | "tokenId" | "bearer">,
  cli: Pick<Cli, "terminal">,
  { takesProfile = false } = {},
): Promise<Access> {
  const or = takesProfile
    ? { server: " or --profile", id: ", --bearer or --profile" }
    : { server: "", id: " or --bearer" };
  const server = options.server ?? (await askFor(cli.terminal, "Server", `--server${or.server}`));
  if (options.bearer === true) {
    return { server, credentials: { kind: "jwt", token: await secretFor(cli.terminal, "Bearer token") } };
  }
  const id = options.tokenId ?? (await askFor(cli.terminal, "Token ID", `--token-id${or.id}`));
  return { server, credentials: { kind: "token", id, key: await secretFor(cli.terminal, "Token Key") } };
}

async function askFor(terminal: Terminal, label: string, option: string): Promise<string> {
  if (terminal.input.isTTY !== true) {
    throw new UsageError(`${label} is missing, and standard input is not a terminal. Add ${option}.`);
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
