import { dataAnswer, Refusal, textAnswer } from "../answer.ts";
import { DOCUMENT_KINDS } from "../dataset/catalogue.ts";
import type { Handler, Route } from "../exchange.ts";

/** Documents of a finding type. The BloodHound Enterprise dialect has the suffix .md, the standard one has none. */
const document: Handler = ({ parameters, data, settings }) => {
  const { finding_type: findingType = "", document: asked = "" } = parameters;
  const suffix = settings.dialect === "standard" ? "" : ".md";
  const kind = DOCUMENT_KINDS.find((candidate) => `${candidate}${suffix}` === asked);
  const text = kind === undefined ? undefined : data.documents.get(findingType)?.[kind];
  if (text === undefined) throw new Refusal(404, "resource not found");
  return settings.documentFormat === "json" ? dataAnswer(text) : textAnswer(text, "text/markdown; charset=utf-8");
};

export const documentRoutes: Route[] = [
  { method: "GET", path: "/api/v2/assets/findings/:finding_type/:document", handle: document },
];
