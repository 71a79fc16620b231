import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { existsSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";

const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const RESTORE_KEY = "Restore the key file from a backup, or start with --fresh.";

/** Encrypts secrets at rest. What a secret belongs to is authenticated: moved to another owner, it cannot be read. */
export interface Vault {
  /** Base64 of nonce, tag and ciphertext. */
  seal(secret: string, owner: string): string;
  /** @throws Error when the text was changed, belongs to another owner, or was sealed with another key. */
  open(sealed: string, owner: string): string;
}

/**
 * Opens the vault whose key lies in a file that only its owner can read (mode 0600).
 * @param isNew whether nothing is sealed yet, so that a missing key may be made
 * @throws Error that says what to do when the file is missing, damaged or open to other users of the machine.
 */
export function openVault(keyFile: string, isNew: boolean): Vault {
  if (isNew) createOnce(keyFile);
  if (!existsSync(keyFile))
    throw new Error(
      `The key file ${keyFile} is missing, and the stored secrets cannot be read without it. ${RESTORE_KEY}`,
    );
  const key = readFileSync(keyFile);
  if (key.length !== KEY_BYTES)
    throw new Error(`The key file ${keyFile} is damaged: it must hold ${KEY_BYTES} bytes. ${RESTORE_KEY}`);
  if (process.platform !== "win32" && (statSync(keyFile).mode & 0o077) !== 0) {
    throw new Error(`The key file ${keyFile} can be read by other users. Run: chmod 600 '${keyFile}'`);
  }
  return {
    seal(secret, owner) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(owner));
      const body = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64");
    },
    open(sealed, owner) {
      const bytes = Buffer.from(sealed, "base64");
      try {
        const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
          .setAAD(Buffer.from(owner))
          .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
      } catch {
        throw new Error(
          `A stored secret cannot be read: it was changed, or ${keyFile} is not the key it was stored with. ${RESTORE_KEY}`,
        );
      }
    },
  };
}

/** A link is made whole or not at all, so that neither a crash nor a second process leaves half a key. */
function createOnce(keyFile: string): void {
  const draft = `${keyFile}.${randomBytes(6).toString("hex")}`;
  if (statSync(keyFile, { throwIfNoEntry: false }) !== undefined) return;
  writeFileSync(draft, randomBytes(KEY_BYTES), { mode: 0o600, flag: "wx" });
  try {
    linkSync(draft, keyFile);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
