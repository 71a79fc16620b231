import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { HOUR_MS } from "../../src/clock.ts";
import { DAY_HOURS } from "../../src/ingestion/time.ts";
import type { StreamMemory } from "../../src/ingestion/state/state.ts";
import { ServerError } from "../../src/service/errors/errors.ts";
import type { Finding } from "../../src/service/resources/findings.records.ts";
import { instant, NOW, timeAt } from "../support/streams.ts";
import { type ListedFindings, listedFindings } from "./support/listed-findings.ts";
import { collect, read, roomOf } from "./support/reading.ts";

/** What may happen to a list between two answers without any finding becoming another one. */
const HARMLESS = ["reversed", "fails", "added", "dated anew", "undated"] as const;
/** A new owner of an id shows only where the list is read again, so it happens more often than other changes. */
const ANY = [
  ...HARMLESS,
  "reversed",
  "gone",
  "deleted",
  "undeleted",
  ...Array<"id given anew">(4).fill("id given anew"),
] as const;

interface Change {
  /** Before which answer it happens. */
  answer: number;
  id: number;
  what: (typeof ANY)[number];
  hours: number;
}

const LAST_ANSWER = 12;
const changesOf = (kinds: readonly Change["what"][]) =>
  fc.array(
    fc.record({
      answer: fc.nat(LAST_ANSWER),
      id: fc.integer({ min: 1, max: 8 }),
      what: fc.constantFrom(...kinds),
      hours: fc.integer({ min: -60, max: 0 }),
    }),
    { maxLength: 8 },
  );
const tenant = fc.record({
  pageSize: fc.integer({ min: 1, max: 4 }),
  batchSize: fc.integer({ min: 1, max: 5 }),
  hasTextIds: fc.boolean(),
  isOld: fc.boolean(),
});
const runs = fc.array(
  fc.record({
    hours: fc.constantFrom(1, 3, 24, 30),
    all: fc.boolean(),
    /** How many batches reach the host; null: all. */
    storedBatches: fc.option(fc.nat(3), { nil: null, freq: 5 }),
  }),
  { minLength: 1, maxLength: 8 },
);

/** One stream that changes while it is read, and a host that stores what it is given. */
class ChangingStream {
  readonly list: ListedFindings;
  readonly delivered: unknown[] = [];
  readonly #idOf: (number: number) => string | number;
  readonly #batchSize: number;
  #memory: StreamMemory = {};
  #hour = 0;
  #answers = 0;
  #nextId = 20;
  #nextTarget = 900;

  constructor(
    {
      pageSize,
      batchSize,
      hasTextIds,
      isOld,
    }: { pageSize: number; batchSize: number; hasTextIds: boolean; isOld: boolean },
    changes: readonly Change[],
  ) {
    this.#idOf = (number) => (hasTextIds ? `id-${number}` : number);
    this.#batchSize = batchSize;
    const first = Array.from({ length: 8 }, (_, i) => this.#finding(i + 1, i + 1, isOld ? -100 : -2));
    this.list = listedFindings(first, { pageSize });
    this.list.beforeAnswer = () => {
      const now = changes.filter(({ answer }) => answer === this.#answers);
      this.#answers += 1;
      for (const change of now) this.#apply(change);
      if (now.some(({ what }) => what === "fails")) throw new ServerError("No answer.", { whoActs: "service" });
    };
  }

  get isDone(): boolean {
    return this.#answers > LAST_ANSWER;
  }

  get present(): unknown[] {
    return this.list.findings.flatMap((finding) => (finding.deleted_at == null ? [finding.ToPrincipal] : []));
  }

  async run(hours: number, all: boolean, storedBatches: number | null = null): Promise<void> {
    this.#hour += hours;
    const time = timeAt(NOW + this.#hour * HOUR_MS);
    const options = { time, all, batchSize: this.#batchSize, room: () => roomOf(Infinity, 4_000) };
    const { batches } = await collect(read(this.list, this.#memory, options));
    for (const { findings, memory } of batches.slice(0, storedBatches ?? batches.length)) {
      this.delivered.push(...findings.map(({ finding }) => finding.ToPrincipal));
      this.#memory = JSON.parse(JSON.stringify(memory)) as StreamMemory;
    }
  }

  #finding(id: number, target: number, hours: number): Finding {
    return {
      id: this.#idOf(id),
      created_at: instant(hours),
      FromPrincipal: "S-1-5-21-1-513",
      ToPrincipal: `S-1-5-21-1-${target}`,
    };
  }

  #apply({ id, what, hours }: Change): void {
    const { list } = this;
    const dated = this.#hour + hours;
    if (what === "reversed") list.findings.reverse();
    if (what === "added") list.findings.push(this.#finding(this.#nextId++, this.#nextTarget++, dated));
    const finding = list.findings.find((each) => each.id === this.#idOf(id));
    if (finding === undefined) return;
    if (what === "gone") list.findings = list.findings.filter((each) => each !== finding);
    if (what === "id given anew") finding.ToPrincipal = `S-1-5-21-1-${this.#nextTarget++}`;
    if (what === "dated anew") finding.created_at = instant(dated);
    if (what === "undated") delete finding.created_at;
    if (what === "deleted") finding.deleted_at = instant(dated);
    if (what === "undeleted") finding.deleted_at = null;
  }
}

async function readToTheEnd(
  stream: ChangingStream,
  planned: readonly { hours: number; all: boolean; storedBatches: number | null }[],
): Promise<void> {
  for (const { hours, all, storedBatches } of planned) await stream.run(hours, all, storedBatches);
  while (!stream.isDone) await stream.run(1, false);
  for (let day = 0; day < 3; day++) await stream.run(DAY_HOURS, true);
}

/** A read that goes on in a list that was reversed meets an id once more, with another owner. */
const MOVED_WITH_ANOTHER_OWNER: [
  { pageSize: number; batchSize: number; hasTextIds: boolean; isOld: boolean },
  Change[],
  { hours: 1; all: boolean; storedBatches: null }[],
] = [
  { pageSize: 2, batchSize: 1, hasTextIds: false, isOld: false },
  [
    { answer: 4, id: 1, what: "reversed", hours: 0 },
    { answer: 1, id: 1, what: "id given anew", hours: 0 },
  ],
  [{ hours: 1, all: false, storedBatches: null }],
];

describe("a list that changes between any two answers, while runs fail and are killed", () => {
  it("leaves the host with every finding that is listed in the end", async () => {
    await fc.assert(
      fc.asyncProperty(tenant, changesOf(ANY), runs, async (options, changes, planned) => {
        const stream = new ChangingStream(options, changes);
        await readToTheEnd(stream, planned);
        expect(stream.delivered).toEqual(expect.arrayContaining(stream.present));
      }),
      { numRuns: 200, examples: [MOVED_WITH_ANOTHER_OWNER] },
    );
  });

  it("repeats nothing as long as each finding keeps its id and is never absent", async () => {
    await fc.assert(
      fc.asyncProperty(tenant, changesOf(HARMLESS), runs, async (options, changes, planned) => {
        const stream = new ChangingStream(options, changes);
        await readToTheEnd(stream, planned);
        expect([...stream.delivered].sort()).toEqual([...stream.present].sort());
      }),
    );
  });
});
