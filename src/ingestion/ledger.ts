import type { Json, JsonObject } from "../runtime/protocol.ts";
import { checkpointJson, pairJson, type Checkpoint, type PairKey, type StoredDocument } from "./checkpoint.ts";
import { patchBetween } from "./merge-patch.ts";
import type { PairState } from "./pair-progress.ts";

/**
 * Characters that the whole state may take. Google SecOps SOAR keeps at most 3,000,000 of a context property (soar-sdk).
 */
const MOST_CHARACTERS = 2_500_000;

/** The run's checkpoint, and what each alert must tell the host so that its copy becomes true with that alert. */
export class Ledger {
  readonly checkpoint: Checkpoint;
  /** What the host holds, until the first patch has put it right. */
  #unpatched: { host: Json } | null;

  /** @param host - the state as the host handed it over, damaged or of another tenant as it may be */
  constructor(host: Json, checkpoint: Checkpoint) {
    this.checkpoint = checkpoint;
    this.#unpatched = { host };
  }

  pair({ environmentId, findingType }: PairKey): PairState | null {
    return this.checkpoint.pairs.get(environmentId)?.get(findingType) ?? null;
  }

  /** Takes a pair's new state in, without telling the host: the result's whole checkpoint does. */
  keep({ environmentId, findingType }: PairKey, state: PairState): void {
    const pairs = this.checkpoint.pairs.get(environmentId) ?? new Map<string, PairState>();
    this.checkpoint.pairs.set(environmentId, pairs);
    pairs.set(findingType, state);
  }

  /** Takes a pair's new state in; returns the merge patch that makes the host's copy true. */
  commit(key: PairKey, state: PairState, document: StoredDocument | undefined): JsonObject {
    const { environmentId, findingType } = key;
    const before = this.pair(key);
    this.keep(key, state);
    if (document !== undefined) this.checkpoint.documents.set(findingType, document);
    if (this.#unpatched !== null) {
      const { host } = this.#unpatched;
      this.#unpatched = null;
      return patchBetween(host, checkpointJson(this.checkpoint));
    }
    const { cursor, value } = pairJson(state);
    const old = before === null ? cursor : pairJson(before).cursor;
    const cursors = {
      ...(old === cursor ? {} : { [old]: { [findingType]: null } }),
      [cursor]: { [findingType]: value },
    };
    return {
      environments: { [environmentId]: { cursors } },
      ...(document === undefined ? {} : { documents: { [findingType]: document } }),
    };
  }

  /**
   * The whole state, within its bound: where it would be larger, the pairs with the most to remember forget what they
   * have seen, so that findings may repeat but none is lost.
   */
  finish(): { json: JsonObject; forgotten: number } {
    let forgotten = 0;
    let json = checkpointJson(this.checkpoint);
    let excess = JSON.stringify(json).length - MOST_CHARACTERS;
    const bySize = excess > 0 ? [...this.#pairs()].sort((a, b) => b.state.seen.length - a.state.seen.length) : [];
    for (const { key, state } of bySize) {
      if (excess <= 0) break;
      excess -= state.seen.length;
      this.keep(key, { ...state, seen: "", listed: null });
      forgotten += 1;
    }
    if (forgotten > 0) json = checkpointJson(this.checkpoint);
    return { json, forgotten };
  }

  *#pairs(): Generator<{ key: PairKey; state: PairState }> {
    for (const [environmentId, pairs] of this.checkpoint.pairs) {
      for (const [findingType, state] of pairs) yield { key: { environmentId, findingType }, state };
    }
  }
}
