import { validateAsset } from "../../generated/answer-validators.js";
import type { Logger } from "../../logger.ts";
import type { Json } from "../../runtime/protocol.ts";
import type { AttackPathService } from "../../service/attack-path-service.ts";
import { exploreUrl } from "../../service/explore-page.ts";
import type { ServiceError } from "../../service/errors/errors.ts";
import { EntityFacts } from "./entity-facts.ts";
import { fitAssets } from "../result/fit-result.ts";
import type { Counts } from "./promised-counts.ts";
import { type Asset, AssetReader, type AssetReaderOptions, unreadAsset } from "./read-asset.ts";
import type { Refusal } from "../result/refusal.ts";
import { continueWork, resumeFrom, stateOf } from "../result/resume.ts";
import type { NamedBy } from "../result/sentences.ts";
import { inCapitals } from "../../text.ts";

/** What all runs so far have read of the assets that were asked for. */
export interface AssetsRead {
  /** In the order of the objects, each object once; without those that remain. */
  assets: Asset[];
  facts: EntityFacts;
  /** What was found by each text, of those that were read. */
  namedBy: NamedBy[];
  /** Objects that this run could not get to, while it got to others. */
  remaining: number;
  /** Why objects remain, when it is the rate limit. */
  refusal: Refusal | null;
  /** The fault that made every read of this run fail, if there was one. */
  cause: ServiceError | null;
  state: Json;
}

/**
 * Reads the assets that earlier runs have not read yet, several at a time. A failed asset does not affect the others.
 *
 * @throws InputError when the state was not made for these objects
 */
export async function readAssets(
  service: AttackPathService,
  texts: readonly string[],
  { state, log, ...options }: AssetReaderOptions & { state: Json; log: Logger },
): Promise<AssetsRead> {
  const items = new Map(texts.map((text) => [text, text]));
  const saved = resumeFrom(state, { action: "Fetch Assets", tenant: service.origin, items }, validateAsset);
  const reader = new AssetReader(service, options);
  const progress = await continueWork(
    {
      ...{ service, items, saved },
      answer: (text) => reader.read(text),
      failed: (text, error) => reader.unfinished(text) ?? failedAsset(text, error),
    },
    log,
  );
  const { answers, remaining, refusal, cause } = progress;
  const assets = texts.flatMap((text) => answers.get(text) ?? []);
  return {
    assets: fitAssets(distinct(assets).map((asset) => withUrl(service.origin, asset))),
    facts: factsOf(answers),
    namedBy: [...answers].flatMap(([text, { status, objectId, name }]) =>
      status === "found" ? [{ text, objectId, name }] : [],
    ),
    remaining,
    refusal,
    cause,
    // The next run gets the assets as they were shortened, so that its result leaves out the same.
    state: remaining === 0 ? null : stateOf(service.origin, { ...progress, answers: fitAnswers(answers) }),
  };
}

/** Each object once. A text that was not read is left out if it is the id of one that was, in any letter case. */
function distinct(assets: readonly Asset[]): Asset[] {
  const isRead = new Set(assets.flatMap(({ status, objectId }) => (status === "found" ? [inCapitals(objectId)] : [])));
  const byId = new Map<string, Asset>();
  for (const asset of assets) {
    const isFound = asset.status === "found";
    const id = isFound ? asset.objectId : inCapitals(asset.objectId);
    if (byId.has(id) || (!isFound && isRead.has(id))) continue;
    byId.set(id, asset);
  }
  return [...byId.values()];
}

function fitAnswers(answers: ReadonlyMap<string, Asset>): Map<string, Asset> {
  const fitted = fitAssets([...answers.values()]);
  return new Map([...answers].map(([text, asset], index) => [text, fitted[index] ?? asset]));
}

function withUrl(origin: string, asset: Asset): Asset {
  return asset.status === "found" ? { ...asset, url: exploreUrl(origin, asset.objectId) } : asset;
}

function factsOf(answers: ReadonlyMap<string, Asset>): EntityFacts {
  const facts = new EntityFacts();
  for (const [text, asset] of answers) {
    const { status, objectId, kind, name, tierZero = null, counts } = asset;
    if (status === "found") facts.add([text, objectId, name], { objectId, kind, tierZero, counts: counts as Counts });
    else facts.addUnclear(text);
  }
  return facts;
}

function failedAsset(text: string, { message }: ServiceError): Asset {
  return { ...unreadAsset(text, "failed"), error: message };
}
