import type { Manifest } from "../../../manifest/manifest.ts";
import type { AuthenticatedRequest, CredentialData, CredentialTestFunctions, Property } from "./n8n.ts";
import { connectionOf, emptyIn, propertyOf } from "./properties.ts";
import { requestHelperTransport, throughLegacyHelper } from "./request-helper-transport.ts";
import { type Plugin, runCore } from "./run-core.ts";
import { signedRequest } from "./signed-request.ts";

/** The name of the credential, as workflows store it. */
export const CREDENTIAL = "attackPathAnalysisApi";
/** The function that the button Test runs. */
export const TEST_NAME = "attackPathAnalysisTest";
const TEST_ACTION = "Ping";
const TEST_TIMEOUT_MS = 60_000;

/** Server, Token ID and Token Key, for the nodes and for n8n's own HTTP Request node. */
export function credentialClass(manifest: Manifest, icon: string) {
  return class {
    readonly name = CREDENTIAL;
    readonly displayName = `${manifest.name} API`;
    readonly icon = icon;
    readonly documentationUrl = manifest.documentationUrl;
    readonly properties: Property[] = manifest.instance.parameters.map(propertyOf);

    /** Signs a request of n8n's HTTP Request node. */
    readonly authenticate = (
      credential: CredentialData,
      request: AuthenticatedRequest,
    ): Promise<AuthenticatedRequest> =>
      // A promise that rejects, where the request cannot be signed.
      new Promise((resolve) => {
        resolve(signedRequest(connectionOf(manifest, credential), request));
      });
  };
}

/** The button Test of the credential: Ping, whose message says what to do. */
export async function testConnection(
  plugin: Plugin,
  { helpers }: CredentialTestFunctions,
  credential: CredentialData,
): Promise<{ status: "OK" | "Error"; message: string }> {
  const instance = connectionOf(plugin.manifest, credential);
  const empty = emptyIn(plugin.manifest, instance);
  if (empty !== null) return { status: "Error", message: empty };
  const send = throughLegacyHelper((request) => helpers.request(request));
  const transport = requestHelperTransport(instance["Server"] ?? "", send);
  const host = { plugin, transport, timeoutMs: TEST_TIMEOUT_MS, log: () => undefined };
  const request = { kind: "action" as const, name: TEST_ACTION, instance, parameters: {}, state: null };
  const { result } = await runCore(host, request);
  return { status: result.value === true ? "OK" : "Error", message: result.message };
}
