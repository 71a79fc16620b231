import { ConfigurationError } from "../../../service/errors/errors.ts";
import { TenantDialect } from "../../../service/dialects.ts";
import { parseServerAddress } from "../../../service/http/server-address.ts";
import { sign } from "../../../service/http/signing.ts";
import type { AuthenticatedRequest } from "./n8n.ts";

/**
 * The request with the headers that authenticate it. Query and body are brought into the form in which they are sent, because the
 * signature covers their bytes.
 *
 * @throws ConfigurationError when the request goes to another server than that of the credential, or its body is a stream or a form
 * @throws ServerAddressError when Server is not the address of a tenant
 */
export function signedRequest(
  instance: Readonly<Record<string, string>>,
  request: AuthenticatedRequest,
): AuthenticatedRequest {
  const address = parseServerAddress(instance["Server"] ?? "");
  const { qs, url, uri, baseURL, ...rest } = request;
  const target = new URL(uri ?? url ?? "", baseURL ?? address.origin);
  if (target.origin !== new URL(address.origin).origin) {
    throw new ConfigurationError(
      `The request goes to ${target.origin}, but the credential is for ${new URL(address.origin).origin}. No request was sent. Correct URL, or choose the credential of that server.`,
    );
  }
  for (const [name, value] of Object.entries(qs ?? {}).flatMap(pairs)) target.searchParams.append(name, value);
  target.hash = "";
  const method = (request.method ?? "GET").toUpperCase();
  const { body, ...bodyHeaders } = sentBody(request);
  const requestDate = new Date().toISOString();
  const scheme = new TenantDialect(address.hostname).current.signatureScheme;
  return {
    ...rest,
    ...(body !== undefined && { body, json: false }),
    // The helpers of n8n read one or the other.
    ...(uri === undefined ? { url: target.href } : { uri: target.href }),
    headers: {
      ...bodyHeaders,
      ...request.headers,
      Authorization: `${scheme} ${instance["Token ID"] ?? ""}`,
      RequestDate: requestDate,
      Signature: sign(instance["Token Key"] ?? "", method, target.pathname + target.search, requestDate, body ?? ""),
    },
  };
}

function pairs([name, value]: [string, unknown]): [string, string][] {
  const values = Array.isArray(value) ? (value as unknown[]) : [value];
  return values
    .filter((each) => each !== undefined && each !== null)
    .map((each) => [name, typeof each === "string" ? each : JSON.stringify(each)]);
}

/** The body as it is sent, with the headers that it needs; without one when there is none. */
function sentBody({
  method = "GET",
  body,
  form,
  formData,
}: AuthenticatedRequest): { body?: string | Buffer } & Record<string, unknown> {
  if ((form ?? formData) !== undefined) throw unsigned("form");
  const isEmpty = typeof body === "object" && body !== null && Object.keys(body).length === 0;
  if (body === undefined || body === null || body === "" || (/^(GET|HEAD)$/i.test(method) && isEmpty)) return {};
  if (typeof body === "string" || Buffer.isBuffer(body)) return { body };
  if (typeof body === "object" && !("pipe" in body)) {
    return { body: JSON.stringify(body), "Content-Type": "application/json" };
  }
  throw unsigned("stream");
}

function unsigned(body: string): ConfigurationError {
  return new ConfigurationError(
    `The body of the request is a ${body}, which cannot be signed. No request was sent. Send JSON or text.`,
  );
}
