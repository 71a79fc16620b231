import { parseJson } from "../../json.ts";
import type { AttackPathService } from "../attack-path-service.ts";
import { type Endpoint, NotFoundError } from "../errors/errors.ts";
import type { Operation } from "../http/requester.ts";
import { path } from "../http/target.ts";
import type { Answer } from "../transport.ts";
import { type Api, savingWork } from "../api.ts";
import { bodyText, malformed } from "../responses/response-body.ts";

/** Most bytes of a document. The service's longest ones have a few thousand characters. */
const LARGEST_DOCUMENT_BYTES = 2 ** 20;

export function documentsOf(api: Api): AttackPathService["documents"] {
  return {
    async read(findingType, kind, options) {
      const address = path`/api/v2/assets/findings/${findingType}/${kind}`;
      const kindOfRequest = savingWork(options, LARGEST_DOCUMENT_BYTES);
      const operation: Operation = { method: "GET", path: address, isDocument: true, ...kindOfRequest };
      try {
        return documentText(api, await api.raw(operation), operation);
      } catch (error) {
        // A gateway has web pages, or JSON of its own, for what it does not know.
        if (error instanceof NotFoundError && (error.wrapped || error.isPlainText)) return "";
        throw error;
      }
    },
  };
}

/** The service sends the text itself, or an object with the text as `data`. */
function documentText(api: Api, answer: Answer, endpoint: Endpoint): string {
  const text = bodyText(answer, endpoint);
  const declaredJson = /\bjson\b/i.test(answer.headers["content-type"] ?? "");
  if (!declaredJson && !text.trimStart().startsWith("{")) return text;
  const json = parseJson(text);
  api.refuseErrors(json, answer, endpoint);
  const data = typeof json === "string" ? json : dataIn(json);
  if (typeof data === "string") return data;
  if (data === null) return "";
  if (declaredJson) throw malformed("has no text", endpoint);
  return text;
}

function dataIn(json: unknown): unknown {
  return typeof json === "object" && json !== null && "data" in json ? json.data : undefined;
}
