import { ServerAddressError } from "../service/errors/errors.ts";
import { parseServerAddress, type ServerAddress } from "../service/http/server-address.ts";
import { DeployError } from "./failures.ts";

/** Where a platform is, and which of its two APIs it is asked by. */
export interface Target {
  /** `legacy`: the SOAR platform's own API, at its root URL. `chronicle`: the Chronicle API. */
  generation: "legacy" | "chronicle";
  address: ServerAddress;
  /** The resource name of the instance, `projects/…/locations/…/instances/…`; empty for the legacy API. */
  instance: string;
}

const RESOURCE = /(?:^|\/)(projects\/([^/\s?#]+)\/locations\/([a-z0-9-]+)\/instances\/([a-z0-9-]+))(?=[/?#:]|$)/i;

const EXPECTED =
  "Enter the resource name of the instance, such as projects/my-project/locations/eu/instances/01234567-89ab-cdef-0123-456789abcdef. The instance is your customer ID of Google Security Operations.";

/**
 * Reads the address of a platform. A resource name, or a URL under googleapis.com, means the Chronicle API; every other URL
 * is the root URL of the platform and means the legacy API. A path behind it, as the address bar of a browser shows it, is
 * dropped.
 *
 * @param endpoint - where the Chronicle API is instead of at Google, such as `http://127.0.0.1:8080`; the environment
 *   variable CHRONICLE_ENDPOINT
 * @throws DeployError
 */
export function parseTarget(text: string, endpoint = ""): Target {
  const given = text.trim();
  const host = /^https?:\/\/([^/?#]*)/i.exec(given)?.[1] ?? /^[^/?#]*/.exec(given)?.[0] ?? "";
  const isGoogle = /(^|\.)googleapis\.com$/i.test(host);
  if (!isGoogle && !/^\/?projects\//i.test(given)) return legacyTarget(given);
  const [, instance = "", , location = ""] = RESOURCE.exec(given) ?? [];
  if (instance === "") {
    throw new DeployError(`The address does not name an instance of Google Security Operations. ${EXPECTED}`);
  }
  // https://docs.cloud.google.com/chronicle/docs/reference/rest (service endpoints): one host for each location.
  const root = isGoogle ? `https://${host}` : `https://chronicle.${location.toLowerCase()}.rep.googleapis.com`;
  return { generation: "chronicle", address: rootAddress(endpoint === "" ? root : endpoint, CHRONICLE_HINT), instance };
}

/** How a person would name it. */
export function targetName({ generation, address, instance }: Target): string {
  return generation === "legacy" ? address.origin : instance;
}

const LEGACY_HINT =
  "The address is neither an https:// URL nor the resource name of an instance. Enter the root URL of the SOAR platform without a user name, such as https://example.siemplify-soar.com, or projects/…/locations/…/instances/… for the Chronicle API. (http:// is allowed only for this machine itself.)";
const CHRONICLE_HINT =
  "The host of the Chronicle API is not an https:// address. Correct CHRONICLE_ENDPOINT, or remove it. (http:// is allowed only for this machine itself.)";

function legacyTarget(text: string): Target {
  return { generation: "legacy", address: rootAddress(text, LEGACY_HINT), instance: "" };
}

function rootAddress(text: string, hint: string): ServerAddress {
  try {
    const address = parseServerAddress(text);
    return { ...address, origin: new URL(address.origin).origin, pathPrefix: "" };
  } catch (error) {
    if (!(error instanceof ServerAddressError)) throw error;
    throw new DeployError(hint);
  }
}
