import { ConnectionPool } from "../service/http/connection-pool.ts";
import type { Secret } from "../service/credentials.ts";
import { ServerAddressError } from "../service/errors/errors.ts";
import { parseServerAddress, type ServerAddress } from "../service/http/server-address.ts";
import type { Artefacts } from "./artefacts.ts";
import { DeployError } from "./failures.ts";
import { plan, type Wishes } from "./plan.ts";
import { PlatformApi } from "./platform-api.ts";
import { PlatformClient } from "./platform-client.ts";

export interface DeployOptions extends Wishes {
  address: ServerAddress;
  key: Secret;
  artefacts: Artefacts;
  /** Show what would change, and end. */
  dryRun: boolean;
  print: (line: string) => void;
  /** Whether to go on. */
  confirm: (question: string) => Promise<boolean>;
  /** Longest wait for an answer; a package with Node.js is large. Default 600. */
  timeoutSeconds?: number;
}

/**
 * Reads the root URL of a platform, such as `https://example.siemplify-soar.com`. A path, as the address bar of a browser
 * shows it, is dropped: the API is at the root.
 *
 * @throws DeployError
 */
export function parseRoot(text: string): ServerAddress {
  try {
    const address = parseServerAddress(text);
    return { ...address, origin: new URL(address.origin).origin, pathPrefix: "" };
  } catch (error) {
    if (!(error instanceof ServerAddressError)) throw error;
    throw new DeployError(
      "The root URL is not an https:// address. Enter the address of the SOAR platform without a user name, such as https://example.siemplify-soar.com. (http:// is allowed only for this machine itself.)",
    );
  }
}

/**
 * Brings the package, its visual family, the alert grouping rule and the playbook to a platform: shows what will change,
 * asks, changes it. Run twice, the second time finds nothing to do.
 *
 * @throws DeployError
 */
export async function deploy(options: DeployOptions): Promise<void> {
  const { address, artefacts, print } = options;
  const connections = new ConnectionPool(address, 1);
  const api = new PlatformApi(new PlatformClient(address, connections, options.key, options.timeoutSeconds ?? 600));
  try {
    print(`On ${address.origin}:`);
    const changes = await plan(api, artefacts, options);
    for (const { subject, effect, details } of changes) {
      print(`  ${subject}: ${effect}`);
      for (const detail of details) print(`    ${detail}`);
    }
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
    print("Done. Add the instance and the connector on the platform: docs/google-secops.md.");
  } finally {
    api.close();
  }
}
