import { mkdirSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";

const LOCK_FILE = "host.lock";

/**
 * Keeps a data folder for one program. The operating system holds the lock, so it ends with the process, however that ends.
 * @returns what lets go of the folder
 * @throws Error that says what to do when another program has the folder, or when it cannot be written to.
 */
export function lockFolder(data: string): () => void {
  try {
    mkdirSync(data, { recursive: true, mode: 0o700 });
    const lock = new Libsql(join(data, LOCK_FILE), { timeout: 0 });
    try {
      lock.exec("BEGIN EXCLUSIVE");
    } catch (error) {
      lock.close();
      throw error;
    }
    return () => {
      lock.close();
    };
  } catch (error) {
    throw new Error(refusal(data, error));
  }
}

function refusal(data: string, error: unknown): string {
  const { code = String(error) } = error as { code?: string };
  return code.startsWith("SQLITE_BUSY")
    ? `The folder ${data} is in use by another npm start. Stop that one, or name another folder with --data.`
    : `The folder ${data} cannot be written to (${code}). Make it writable, or name another one with --data.`;
}
