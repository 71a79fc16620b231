import { messageOf } from "./text.ts";

/** A file of the plugin cannot be loaded. The message is for people. */
export class DamagedPluginError extends Error {
  override readonly name = "DamagedPluginError";
  readonly readable = true;
}

/**
 * Imports a part of the plugin that is a file of its own in a package.
 *
 * @throws DamagedPluginError
 */
export async function loadPart<Part extends () => Promise<unknown>>(part: Part): Promise<Awaited<ReturnType<Part>>> {
  try {
    return (await part()) as Awaited<ReturnType<Part>>;
  } catch (error) {
    throw new DamagedPluginError(
      `A file of the plugin is missing or damaged: ${messageOf(error)}. Install the package again, with all its files.`,
      { cause: error },
    );
  }
}
