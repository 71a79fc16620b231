import { execFile } from "node:child_process";
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { readArchive } from "../sandbox/soar/packages/archive.ts";

/** The commit whose package the current one is compared with. */
export interface Baseline {
  commit: string;
  subject: string;
}

const rootDir = resolve(import.meta.dirname, "..");
const run = promisify(execFile);

/**
 * @param ref - names a commit; without one it is the last commit on the first-parent line whose plugin differs from the
 *   working tree's
 */
export async function findBaseline(ref: string | undefined): Promise<Baseline> {
  const commit = ref ?? (await previousCommit());
  const text = await git("show", "--no-patch", "--format=%h %s", `${commit}^{commit}`, "--");
  const [short = "", ...subject] = text.split(" ");
  return { commit: short, subject: subject.join(" ") };
}

async function previousCommit(): Promise<string> {
  const changed = (await git("status", "--porcelain", "--", "src")) !== "";
  const commits = (await git("rev-list", "--first-parent", "--max-count=2", "HEAD", "--", "src")).split("\n");
  const commit = commits[changed ? 0 : 1];
  if (commit === undefined || commit === "") {
    throw new Error("No earlier commit that changes src was found. Name one with --baseline, or use --no-baseline.");
  }
  return commit;
}

/**
 * Builds the portable package of a commit with that commit's own scripts, and unpacks it below `folder`. The installed
 * dependencies are those of the working tree.
 *
 * @returns where its `plugin.mjs` lies
 */
export async function installBaseline({ commit }: Baseline, folder: string): Promise<string> {
  const tree = join(folder, "baseline");
  const zips = join(folder, "baseline-dist");
  await git("worktree", "add", "--detach", tree, commit);
  try {
    await provideDependencies(tree);
    const tsx = join(rootDir, "node_modules", "tsx", "dist", "cli.mjs");
    const scripts = [["generate.ts"], ["package.ts", "--target", "portable", "--out", zips]];
    let printed = "";
    for (const [script = "", ...options] of scripts) {
      ({ stdout: printed } = await run(process.execPath, [tsx, join("scripts", script), ...options], { cwd: tree }));
    }
    const [, zip] = /(\S+\.zip)\s*$/.exec(printed) ?? [];
    if (zip === undefined) throw new Error(`The build of ${commit} made no package.`);
    return await unpack(resolve(tree, zip), join(folder, "earlier"));
  } finally {
    await git("worktree", "remove", "--force", tree);
  }
}

/**
 * Unlike an installation it does not check the manifest: an earlier one may follow another schema.
 *
 * @param folder - as long as that of the other package: the length of the path decides whether the heap of a short run grows by 4 MB more
 */
export async function unpack(zip: string, folder: string): Promise<string> {
  for (const [path, content] of await readArchive(await readFile(zip))) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

/**
 * Gives a worktree the installed dependencies. Those that end up in a package are copied, because the build looks up in
 * the lock file what it has bundled, by the path behind all links; the many others are linked.
 */
async function provideDependencies(tree: string): Promise<void> {
  const lock = JSON.parse(await readFile(join(tree, "package-lock.json"), "utf8")) as LockFile;
  for (const [folder, { dev = false }] of Object.entries(lock.packages)) {
    // A nested package comes with the one that holds it.
    if (!/^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(folder)) continue;
    const [installed, wanted] = [join(rootDir, folder), join(tree, folder)];
    await mkdir(dirname(wanted), { recursive: true });
    if (dev) await symlink(installed, wanted);
    else await cp(installed, wanted, { recursive: true });
  }
}

interface LockFile {
  packages: Record<string, { dev?: boolean }>;
}

async function git(...options: string[]): Promise<string> {
  return (await run("git", options, { cwd: rootDir })).stdout.trim();
}
