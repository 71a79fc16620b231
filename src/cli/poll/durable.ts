import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Replaces a file that only its owner may read. It holds either the old content or the new, also after a crash of the
 * machine.
 */
export async function replaceDurably(path: string, content: string): Promise<void> {
  const aside = `${path}.new`;
  const file = await open(aside, "w", 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(aside, path);
  await syncFolder(dirname(path));
}

/** The new name of a file is safe once its folder is. Windows has no such call. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
