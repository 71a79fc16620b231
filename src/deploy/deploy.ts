import { ConnectionPool } from "../service/http/connection-pool.ts";
import type { Secret } from "../service/credentials.ts";
import { ServerAddressError } from "../service/errors/errors.ts";
import { parseServerAddress, type ServerAddress } from "../service/http/server-address.ts";
import type { Artefacts } from "./artefacts.ts";
import { DeployError } from "./failures.ts";
import { plan } from "./plan.ts";
import { PlatformApi } from "./platform-api.ts";

export interface DeployOptions {
  address: ServerAddress;
  key: Secret;
  artefacts: Artefacts;
  /** Show what would change, and end. */
  dryRun: boolean;
  /** Import the package even when its version is installed. */
  reinstall: boolean;
  print: (line: string) => void;
  /** Whether to go on. */
  confirm: (question: string) => Promise<boolean>;
  /** Longest wait for an answer; a package with Node.js is large. Default 600. */
  timeoutSeconds?: number;
}

/** Reads the root URL of a platform, such as `https://example.siemplify-soar.com`. */
export function parseRoot(text: string): ServerAddress {
  try {
    return parseServerAddress(text);
  } catch (error) {
    if (!(error instanceof ServerAddressError)) throw error;
    throw new DeployError(error.message.replace(/^Server\b/, "The root URL"));
  }
}

/**
 * Brings the package, the alert grouping rule and the playbook to a platform: shows what will change, asks, changes it.
 * Done twice, the second time finds nothing to do.
 *
 * @throws DeployError
 */
export async function deploy(options: DeployOptions): Promise<void> {
  const { address, artefacts, print } = options;
  const api = new PlatformApi(address, new ConnectionPool(address, 1), options.key, options.timeoutSeconds ?? 600);
  try {
    print(`On ${address.origin}:`);
    const changes = await plan(api, artefacts, options.reinstall);
    for (const { subject, effect } of changes) print(`  ${subject}: ${effect}`);
    if (changes.every(({ apply }) => apply === null)) {
      print("Nothing to do.");
      return;
    }
    if (options.dryRun) {
      print("Nothing was changed (--dry-run).");
      return;
    }
    if (!(await options.confirm("Go on?"))) {
      print("Nothing was changed.");
      return;
    }
    for (const { subject, apply } of changes) {
      if (apply === null) continue;
      await apply();
      print(`  ${subject}: done.`);
    }
    print("Done. Instance, connector and visual family are set up on the platform: docs/google-secops.md.");
  } finally {
    api.close();
  }
}
