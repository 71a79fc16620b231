import { deploy, type DeployOptions } from "../../src/deploy/deploy.ts";
import { deploySteps, type Wishes } from "../../src/deploy/plan.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { artefacts, type Files } from "./project.ts";
import type { StandIn } from "./stand-in.ts";

/** The day of every run. */
export const TODAY = "2026-11-23";

type Changes = Partial<DeployOptions & Wishes & { artefacts: Awaited<ReturnType<typeof artefacts>> }>;

/** Deploys to a platform. `lines`, `errors`, `writes` and `said` tell about the last run. */
export class Deployment {
  /** The lines that were printed. */
  readonly lines: string[] = [];
  readonly errors: string[] = [];
  /** Where backups go. */
  readonly backups = temporaryFolder();
  readonly #platform: StandIn;

  constructor(platform: StandIn) {
    this.#platform = platform;
  }

  /** @returns whether every step succeeded */
  async run({ reinstall = false, grouping = null, artefacts: built, ...changes }: Changes = {}): Promise<boolean> {
    this.lines.length = 0;
    this.errors.length = 0;
    this.#platform.requests.length = 0;
    const deployed = built ?? (await artefacts());
    return deploy({
      target: this.#platform.target,
      access: this.#platform.access,
      steps: (api) => deploySteps(api, deployed, { reinstall, grouping }),
      dryRun: false,
      closing: "Done.",
      backups: this.backups,
      clock: new FakeClock(Date.parse(`${TODAY}T12:00:00Z`)),
      print: (line) => this.lines.push(line),
      printError: (line) => this.errors.push(line),
      confirm: () => Promise.resolve(true),
      ...changes,
    });
  }

  /** Runs with a package: its files, or its zip. */
  async runWith(files: Files | Buffer, changes: Changes = {}): Promise<boolean> {
    return this.run({ ...changes, artefacts: await artefacts(files) });
  }

  /** The requests that change something, as "METHOD path". */
  writes(): string[] {
    return this.#platform.requests.filter((name) =>
      /Import(Package|Definitions)|AddOrUpdate|^PATCH|^POST .*grouping-?rules|:import/i.test(name),
    );
  }

  /** What is said about the subject, with the details. */
  said(subject: string): string[] {
    const first = this.lines.findIndex((line) => line.startsWith(`  ${subject}`));
    const after = this.lines.findIndex((line, index) => index > first && !line.startsWith("    "));
    return this.lines.slice(first, after).map((line) => line.trim());
  }
}
