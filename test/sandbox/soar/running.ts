import type { RunRow } from "../../../sandbox/console/contract/index.ts";
import type { Host } from "../../../sandbox/soar/index.ts";
import { fakePackage, plugin } from "./fake-package.ts";

/** Installs a package whose plugin does what `body` says, and gives its id. */
export async function installed(host: Host, folder: string, body: string): Promise<string> {
  return (await host.install(await fakePackage(folder, plugin(body)))).id;
}

export const IDENTIFIER = "attack_path_analysis";

/** Resolves with the next run that ends. */
export function runEnded(host: Host): Promise<RunRow> {
  return new Promise((resolve) => {
    const stop = host.live.on((event) => {
      if (event.type !== "run" || event.run.status === "running") return;
      stop();
      resolve(event.run);
    });
  });
}
