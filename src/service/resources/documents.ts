import type { Api } from "../api.ts";
import type { AttackPathService } from "../attack-path-service.ts";
import type { Dialect } from "../dialects.ts";
import { bodyText, misshapen } from "../envelope.ts";
import { type Exchange, NotFoundError } from "../errors.ts";
import type { Operation } from "../requester.ts";
import { path } from "../target.ts";
import type { Answer } from "../transport.ts";

export function documentsOf(api: Api, dialect: Dialect): AttackPathService["documents"] {
  return {
    async read(findingType, kind) {
      const name = kind + dialect.documentSuffix;
      const operation: Operation = { method: "GET", path: path`/api/v2/assets/findings/${findingType}/${name}` };
      try {
        return documentText(await api.raw(operation), operation);
      } catch (error) {
        if (error instanceof NotFoundError) return "";
        throw error;
      }
    },
  };
}

/** The service sends the text itself or an object with the text as `data`. */
function documentText(answer: Answer, exchange: Exchange): string {
  const text = bodyText(answer, exchange);
  const declaredJson = /\bjson\b/i.test(answer.headers["content-type"] ?? "");
  if (!declaredJson && !text.trimStart().startsWith("{")) return text;
  const json = parse(text);
  const data = typeof json === "string" ? json : dataIn(json);
  if (typeof data === "string") return data;
  if (data === null) return "";
  if (declaredJson) throw misshapen("has no text where one belongs", exchange);
  return text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function dataIn(json: unknown): unknown {
  return typeof json === "object" && json !== null && "data" in json ? json.data : undefined;
}
