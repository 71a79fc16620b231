import { Secret } from "../service/credentials.ts";
import { readSecret, type Terminal } from "../terminal.ts";
import { DeployError } from "./failures.ts";

/** Reads the platform's API key from the terminal. @throws DeployError when it cannot be one */
export async function readKey(terminal: Terminal): Promise<Secret> {
  const key = await readSecret(terminal, "API key (not shown): ");
  if (key === "") throw new DeployError("No API key was given. Create one in SOAR Settings > Advanced > API Keys.");
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new DeployError("The API key contains spaces, line breaks or characters that no key has. Copy it again.");
  }
  return new Secret(key);
}
