import { mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { secretOf } from "../../service/credentials.ts";
import { CredentialsError, systemCode, UsageError } from "../failures.ts";
import { readTextFile, replaceDurably } from "../output/files.ts";
import type { Access } from "./profile.ts";

/** The name of the profile that applies as long as no other is in use. */
const DEFAULT = "default";

/** A name is part of a path, and must not be taken for an option. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/i;
const EXTENSION = ".json";

/**
 * The profiles of this user, each in a file of its own that only this user can read. The one called default is profile.json, the others are
 * in the folder profiles, and the file `current` names the one in use.
 */
export class ProfileStore {
  readonly #defaultProfile: string;
  readonly #folder: string;
  readonly #current: string;

  /** @param defaultProfile - path of profile.json */
  constructor(defaultProfile: string) {
    const home = dirname(defaultProfile);
    this.#defaultProfile = defaultProfile;
    this.#folder = join(home, "profiles");
    this.#current = join(home, "current");
  }

  /** Where a profile is, whether it exists or not. @throws UsageError when no profile can have this name */
  pathOf(name: string): string {
    if (!NAME.test(name)) {
      throw new UsageError(
        `${JSON.stringify(name)} cannot be the name of a profile. Use up to 64 letters, digits, hyphens and underscores, and begin with a letter or a digit.`,
      );
    }
    return name === DEFAULT ? this.#defaultProfile : join(this.#folder, `${name}${EXTENSION}`);
  }

  /**
   * The path for what --profile says: the profile with this name, else the file with this path.
   *
   * @throws UsageError when it says nothing, as a variable does that is not set
   */
  async locate(nameOrPath: string): Promise<string> {
    if (nameOrPath === "")
      throw new UsageError("--profile is empty. Enter the name of a profile, or the path of its file.");
    if (!NAME.test(nameOrPath)) return nameOrPath;
    return (await this.names()).includes(nameOrPath) ? this.pathOf(nameOrPath) : nameOrPath;
  }

  /** In the order of the alphabet, the default profile first. */
  async names(): Promise<string[]> {
    const files = await filesIn(this.#folder);
    const named = files.filter((file) => file.endsWith(EXTENSION)).map((file) => file.slice(0, -EXTENSION.length));
    const isThere = (await filesIn(dirname(this.#defaultProfile))).includes("profile.json");
    const others = named.filter((name) => NAME.test(name) && name !== DEFAULT).sort();
    return [...(isThere ? [DEFAULT] : []), ...others];
  }

  /** The profile in use; it need not exist. */
  async current(): Promise<string> {
    try {
      const name = (await readTextFile(this.#current, { most: 1_000 })).trim();
      return NAME.test(name) ? name : DEFAULT;
    } catch (error) {
      if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return DEFAULT;
      throw new CredentialsError(`${this.#current} cannot be read (${systemCode(error)}). Check its owner and mode.`);
    }
  }

  async add(name: string, { server, credentials }: Access): Promise<void> {
    const path = this.pathOf(name);
    const secret = secretOf(credentials).reveal();
    const fields = credentials.kind === "jwt" ? { bearerToken: secret } : { tokenId: credentials.id, tokenKey: secret };
    await this.#write(path, `${JSON.stringify({ server, ...fields }, null, 2)}\n`);
  }

  /** @throws UsageError when there is no such profile */
  async use(name: string): Promise<void> {
    await this.#require(name);
    await this.#write(this.#current, `${name}\n`);
  }

  /** When it was in use, the default profile is. @throws UsageError when there is no such profile */
  async remove(name: string): Promise<void> {
    await this.#require(name);
    if ((await this.current()) === name) await rm(this.#current, { force: true });
    await rm(this.pathOf(name));
  }

  async #require(name: string): Promise<void> {
    const path = this.pathOf(name);
    const names = await this.names();
    if (names.includes(name)) return;
    throw new UsageError(
      `No profile is named ${name} (${path}). There are: ${names.length === 0 ? "none" : names.join(", ")}.`,
    );
  }

  async #write(path: string, content: string): Promise<void> {
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await replaceDurably(path, content);
    } catch (error) {
      throw new UsageError(`${path} cannot be written (${systemCode(error)}). Check the folder and its owner.`);
    }
  }
}

async function filesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error))) return [];
    throw new CredentialsError(`The folder ${folder} cannot be read (${systemCode(error)}). Check its owner and mode.`);
  }
}
