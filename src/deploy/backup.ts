import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DateTime } from "luxon";
import { messageOf } from "../text.ts";
import { fileTitle, readJson } from "./archive.ts";
import type { FamilyAssignment } from "./artefacts.ts";
import { DeployError } from "./failures.ts";
import type { InstalledRule } from "./platform-api.ts";

/** The file that says what a backup is of. The zips lie beside it. */
const INDEX = "backup.json";
const PACKAGE = "package.zip";
const PLAYBOOK = /^playbook-\d+\.zip$/;

/** What a platform had before it was replaced. */
export interface SavedPlatform {
  /** Where it comes from, as `targetName` tells it. */
  platform: string;
  /** As the platform exported it. */
  package: Buffer | null;
  /** As the platform exported them, by file name. */
  playbooks: ReadonlyMap<string, Buffer>;
  /** In the spelling of the platform's API. */
  groupingRule: InstalledRule | null;
  families: readonly FamilyAssignment[];
}

type Index = Pick<SavedPlatform, "platform" | "groupingRule" | "families"> & { saved: string };

/** Saves what a run replaces. The folder comes into being with the first thing that is saved. */
export class Backup {
  readonly #parent: string;
  readonly #time: DateTime;
  readonly #index: Index;
  readonly #announce: (folder: string) => void;
  #folder: Promise<string> | null = null;
  #playbooks = 0;

  /**
   * @param parent - the folder that holds all backups
   * @param now - epoch milliseconds
   * @param announce - gets the folder before anything is replaced
   */
  constructor(parent: string, platform: string, now: number, announce: (folder: string) => void) {
    this.#announce = announce;
    this.#parent = parent;
    this.#time = DateTime.fromMillis(now, { zone: "utc" });
    this.#index = { platform, saved: this.#time.toISO() ?? "", groupingRule: null, families: [] };
  }

  async savePackage(zip: Buffer): Promise<void> {
    await this.#write(PACKAGE, zip);
  }

  async savePlaybook(zip: Buffer): Promise<void> {
    await this.#write(`playbook-${++this.#playbooks}.zip`, zip);
  }

  async saveGroupingRule(groupingRule: InstalledRule): Promise<void> {
    this.#index.groupingRule = groupingRule;
    await this.#writeIndex();
  }

  async saveFamily(family: FamilyAssignment): Promise<void> {
    this.#index.families = [...this.#index.families, family];
    await this.#writeIndex();
  }

  async #write(file: string, content: Buffer | string): Promise<void> {
    try {
      const folder = await (this.#folder ??= this.#create());
      await writeFile(join(folder, file), content);
    } catch (error) {
      throw new DeployError(
        `What is on the platform could not be saved to ${fileTitle(this.#parent)} (${messageOf(error)}). It was not replaced.`,
      );
    }
    if (file !== INDEX) await this.#writeIndex();
  }

  #writeIndex(): Promise<void> {
    return this.#write(INDEX, `${JSON.stringify(this.#index, null, 2)}\n`);
  }

  /** A folder of its own for each run: `<platform>-<date>`, the second one of a day with `-2` behind it. */
  async #create(): Promise<string> {
    await mkdir(this.#parent, { recursive: true });
    const platform = this.#index.platform
      .replace(/^https?:\/\/|\b(projects|locations|instances)\//g, "")
      .replace(/[^a-z0-9.-]+/gi, "-");
    const name = `${platform}-${this.#time.toISODate()}`;
    for (let run = 1; ; run++) {
      const folder = join(this.#parent, run === 1 ? name : `${name}-${run}`);
      try {
        await mkdir(folder);
        this.#announce(fileTitle(folder));
        return folder;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
    }
  }
}

/** @throws DeployError when the folder holds no backup */
export async function readBackup(folder: string): Promise<SavedPlatform> {
  const names = await readdir(folder).catch((): string[] => []);
  if (!names.includes(INDEX)) {
    throw new DeployError(
      `${fileTitle(folder)} holds no backup: it has no file ${INDEX}. Enter the folder that was printed.`,
    );
  }
  const read = (name: string): Promise<Buffer> => readFile(join(folder, name));
  const { platform, groupingRule, families } = readJson(
    await read(INDEX),
    join(fileTitle(folder), INDEX),
  ) as Partial<Index>;
  return {
    platform: String(platform),
    package: names.includes(PACKAGE) ? await read(PACKAGE) : null,
    playbooks: new Map(
      await Promise.all(
        names.filter((name) => PLAYBOOK.test(name)).map(async (name) => [name, await read(name)] as const),
      ),
    ),
    groupingRule: groupingRule ?? null,
    families: families ?? [],
  };
}
