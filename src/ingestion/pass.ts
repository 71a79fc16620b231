import { findingIdentity, principalsOf } from "../service/resources/finding-identity.ts";
import type { FindingsPage } from "../service/attack-path-service.ts";
import { isEmpty } from "../service/resources/findings.ts";
import type { Finding } from "../service/resources/findings.records.ts";
import { NOT_REQUESTED } from "../service/resources/requested-findings.ts";
import { unreadable } from "../service/responses/response-body.ts";
import { type NewFinding, occurrenceOf } from "./new-finding.ts";
import type { CriterionName, LeftOut, Selection } from "./selection.ts";
import { DeliveredIds, Listing } from "./state/delivered-ids.ts";
import { checkOf, type Hour, type IdEntry, identityKeyOf } from "./state/id-text.ts";
import { cursorOf, forgottenBefore } from "./state/stream-memory.ts";
import type { EndedPass, ReadMemory, TakenBatch } from "./state/transitions.ts";
import { hourOf, timeOf } from "./time.ts";

export interface PassOptions {
  readonly selection: Pick<Selection, "criterionLeavingOut">;
  /** When the first run with this state began, in epoch milliseconds. */
  readonly firstRun: number;
  /** The latest time that counts, in epoch milliseconds: a finding may be dated in the future. */
  readonly trusted: number;
  /** Whether this run reads the window again because known ids stand for other findings. */
  readonly isRepeat: boolean;
}

/** Collects what a pass over a list shows, and tells new findings from delivered ones. */
export class Pass {
  readonly #options: PassOptions;
  readonly #memory: ReadMemory;
  readonly #delivered: DeliveredIds;
  readonly #forgotten: number;
  /** The stream was never read to its end: nothing that is remembered stands after the place where the read goes on. */
  readonly #isFirst: boolean;
  #place: Omit<TakenBatch["place"], "order">;
  /** In which positions count, see `FindingsPage`. */
  #order: number;
  /** Null when the pass did not begin at the start of the list. */
  #listing: Listing | null;
  /** Since the last batch. */
  #added: (IdEntry & { hour: Hour })[] = [];
  #isDoubted = false;
  #hasPassedOver = false;
  #isAscending = true;
  #previous = -Infinity;
  #unreadable = 0;
  #leftOut = new Map<CriterionName, number>();
  #present = 0;
  #lastTime: { text: string | undefined; time: number | null } = { text: undefined, time: null };

  constructor(memory: ReadMemory, options: PassOptions) {
    const { skip, after, order = 0 } = memory.unfinished;
    this.#options = options;
    this.#memory = memory;
    this.#delivered = new DeliveredIds(memory.ids);
    this.#forgotten = forgottenBefore(memory);
    this.#isFirst = cursorOf(memory) === null;
    this.#place = { skip, after };
    this.#order = order;
    this.#listing = skip === 0 ? new Listing() : null;
  }

  /** How many findings of the window are done. */
  get position(): number {
    return this.#place.skip;
  }

  /** Whether a finding was listed that is not deleted. */
  get hasFindings(): boolean {
    return this.#present > 0;
  }

  /** How many findings that are not known a criterion has left out, by its name. */
  get leftOut(): LeftOut {
    return this.#leftOut;
  }

  /** @throws ProtocolError when entries of the list were not findings, or cannot be distinguished: they may be next time */
  refuseUnreadable(): void {
    if (this.#unreadable > 0) throw unreadable(this.#unreadable, NOT_REQUESTED);
    const ambiguous = this.#listing?.ambiguous ?? 0;
    if (ambiguous > 0) throw unreadable(ambiguous, "that have the id of another entry");
  }

  /** The list begins, perhaps once more: what was listed before counts no longer. */
  begin(): void {
    this.#place = { skip: 0, after: "" };
    this.#previous = -Infinity;
    this.#unreadable = 0;
    this.#leftOut = new Map();
    if (this.#listing !== null) this.#delivered.beginAgain(this.#listing);
    this.#listing = new Listing();
    this.#isDoubted = false;
  }

  /** Some of the window could not be read, or not in its place. */
  doubt(): void {
    this.#isDoubted = true;
  }

  /** Nothing can be read after the place: the next run begins at the start of the window. */
  giveUpPlace(): void {
    this.#place = { skip: 0, after: "" };
  }

  /** Where the service did not accept an order, older findings may follow; where the list has moved, some may be passed over. */
  doubtPage({ inOrder, isMoved, order }: Pick<FindingsPage, "inOrder" | "isMoved" | "order">): void {
    this.#order = order;
    if (!inOrder) this.#isAscending = false;
    if (isMoved) this.doubt();
  }

  /** The finding when it is to be delivered, else null. */
  take(finding: Finding, position: number): NewFinding | null {
    const id = findingIdentity(finding);
    const createdAt = this.#timeOf(finding.created_at);
    this.#advance(id, createdAt, position);
    if (isEmpty(finding)) {
      this.#unreadable += 1;
      return null;
    }
    const principals = principalsOf(finding);
    const key = identityKeyOf(id, principals);
    const hour = createdAt === null ? null : hourOf(createdAt);
    const check = checkOf(principals);
    const isDeleted = finding.deleted_at != null;
    const isKnown = this.#delivered.has(key);
    this.#present += Number(!isDeleted);
    // The order may have changed, and another finding stands before the place instead.
    if (this.#isFirst && this.#listing === null && (isKnown || isDeleted)) this.doubt();
    this.#listing?.add(key, { hour, check, isDeleted });
    // Deleted findings are not remembered either: one that comes back is new.
    if (isDeleted || isKnown) return null;
    // A full state has dropped ids as old as this one, so it counts as delivered.
    if (hour !== null && hour < this.#forgotten) {
      this.#hasPassedOver = true;
      return null;
    }
    const criterion = this.#options.selection.criterionLeavingOut(finding, {
      createdAt,
      firstRun: this.#options.firstRun,
    });
    if (criterion !== null) {
      this.#leftOut.set(criterion, (this.#leftOut.get(criterion) ?? 0) + 1);
      return null;
    }
    this.#remember({ key, hour, check });
    const forgotAt = this.#forgottenSince(hour);
    const occurrence = occurrenceOf({ id, principals, created: finding.created_at, forgotAt });
    // Where ids were given anew, the result says that of the stream.
    return { finding, id, occurrence, mayBeBack: forgotAt !== undefined && !this.#options.isRepeat, createdAt };
  }

  /** What was taken since the last batch. */
  batch(): TakenBatch {
    const added = this.#added;
    this.#added = [];
    // What comes next in an ordered list is not older than the last finding taken, which may be dated in the future.
    const latest = Math.min(this.#previous, this.#options.trusted);
    return {
      added,
      place: { ...this.#place, ...(this.#order > 0 && { order: this.#order }) },
      current: this.#isAscending ? hourOf(latest) : -Infinity,
      isDoubted: this.#isDoubted || this.#unreadable > 0,
    };
  }

  /** What the pass has shown, at the end of the list. */
  end(): EndedPass {
    return {
      added: this.#added,
      delivered: this.#delivered,
      listing: this.#listing,
      isDoubted: this.#isDoubted,
      hasPassedOver: this.#hasPassedOver,
    };
  }

  #remember(entry: IdEntry & { readonly hour: Hour; readonly check: number }): void {
    this.#delivered.add(entry.key, entry.hour, this.#listing === null ? entry.check : null);
    this.#added.push(entry);
  }

  /** Which forgetting may have taken a finding of this hour; undefined: none. */
  #forgottenSince(hour: Hour): number | undefined {
    const { forgotAt } = this.#memory;
    return forgotAt !== undefined && (hour === null || hour <= forgotAt) ? forgotAt : undefined;
  }

  /** Findings of one analysis share their time. */
  #timeOf(text: string | undefined): number | null {
    if (text !== this.#lastTime.text) this.#lastTime = { text, time: timeOf(text) };
    return this.#lastTime.time;
  }

  #advance(id: string, createdAt: number | null, position: number): void {
    this.#place = { skip: position + 1, after: id };
    if (createdAt === null || createdAt < this.#previous) this.#isAscending = false;
    else this.#previous = createdAt;
  }
}
