import { type DeployOptions, deploy, parseRoot } from "../../src/deploy/deploy.ts";
import { Secret } from "../../src/service/credentials.ts";
import { KEY, type StandIn } from "./platform.ts";
import { artefacts, type Files } from "./project.ts";

/** Deploys to a platform. `lines`, `writes` and `said` tell about the last run. */
export class Deployment {
  /** The lines that were printed. */
  readonly lines: string[] = [];
  readonly #platform: StandIn;

  constructor(platform: StandIn) {
    this.#platform = platform;
  }

  async run(changes: Partial<DeployOptions> = {}): Promise<void> {
    this.lines.length = 0;
    this.#platform.requests.length = 0;
    await deploy({
      address: parseRoot(this.#platform.root),
      key: new Secret(KEY),
      artefacts: await artefacts(),
      dryRun: false,
      reinstall: false,
      grouping: null,
      print: (line) => this.lines.push(line),
      confirm: () => Promise.resolve(true),
      ...changes,
    });
  }

  /** Runs with a package: its files, or its zip. */
  async runWith(files: Files | Buffer, changes: Partial<DeployOptions> = {}): Promise<void> {
    await this.run({ ...changes, artefacts: await artefacts(files) });
  }

  /** The requests that change something, as "METHOD path". */
  writes(): string[] {
    return this.#platform.requests.filter((name) =>
      /Import(Package|Definitions)|AddOrUpdate|^PATCH|^POST .*grouping-rules/.test(name),
    );
  }

  /** What is said about the subject, with the details. */
  said(subject: string): string[] {
    const first = this.lines.findIndex((line) => line.startsWith(`  ${subject}`));
    const after = this.lines.findIndex((line, index) => index > first && !line.startsWith("    "));
    return this.lines.slice(first, after).map((line) => line.trim());
  }
}
