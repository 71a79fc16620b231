import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { HOUR_MS } from "../../src/clock.ts";
import { DAY_HOURS } from "../../src/ingestion/time.ts";
import type { StreamMemory } from "../../src/ingestion/state/state.ts";
import { DeadlineError, ServerError } from "../../src/service/errors/errors.ts";
import type { Finding } from "../../src/service/resources/findings.records.ts";
import { instant, NOW, timeAt } from "../support/streams.ts";
import { type ListedFindings, listedFindings } from "./support/listed-findings.ts";
import { collect, read, roomOf } from "./support/reading.ts";

/** Findings from one principal to others, which are numbered like their ids unless `target` says otherwise. */
const between = (first: number, count: number, hours: number, target = (id: number) => id): Finding[] =>
  Array.from({ length: count }, (_, i) => ({
    id: first + i,
    created_at: instant(hours),
    FromPrincipal: "S-1-5-21-1-513",
    ToPrincipal: `S-1-5-21-1-${target(first + i)}`,
  }));

/** Reads one list again and again, as a connector does: every hour its window, every day all of it. */
class Reader {
  readonly list: ListedFindings;
  readonly checkRoom: number;
  memory: StreamMemory = {};
  #hours = 0;

  /** @param checkRoom - as much as a small tenant has; 0 for a large one */
  constructor(findings: Finding[], checkRoom = 4_000) {
    this.checkRoom = checkRoom;
    this.list = listedFindings(findings, { pageSize: 100 });
  }

  async window(hoursLater = 1): Promise<Finding[]> {
    return this.#read(hoursLater, false);
  }

  async day(): Promise<Finding[]> {
    return this.#read(DAY_HOURS, true);
  }

  /** What distinguishes the alerts of the last read from earlier ones. */
  occurrences: string[] = [];
  idsReused = false;
  /** Of all findings that were delivered. */
  readonly targets: unknown[] = [];

  async #read(hoursLater: number, all: boolean): Promise<Finding[]> {
    const { findings, error } = await this.attempt(hoursLater, all);
    expect(error).toBeNull();
    return findings;
  }

  /** A read that may fail. */
  async attempt(hoursLater: number, all: boolean): Promise<{ findings: Finding[]; error: unknown }> {
    this.#hours += hoursLater;
    const time = timeAt(NOW + this.#hours * HOUR_MS);
    const options = { time, all, room: () => roomOf(Infinity, this.checkRoom) };
    const { batches, memory, error } = await collect(read(this.list, this.memory, options));
    this.memory = JSON.parse(JSON.stringify(memory)) as StreamMemory;
    this.idsReused = batches.some((batch) => batch.idsReused);
    const found = batches.flatMap(({ findings }) => findings);
    this.occurrences = found.map(({ occurrence }) => occurrence);
    this.targets.push(...found.map(({ finding }) => finding.ToPrincipal));
    return { findings: found.map(({ finding }) => finding), error };
  }
}

describe("a finding that an analysis changes", () => {
  it("is not repeated when it is dated anew, however long ago it was delivered", async () => {
    const reader = new Reader(between(1, 20, -1));
    expect(await reader.window()).toHaveLength(20);
    for (let day = 0; day < 5; day++) await reader.day();
    reader.list.findings = between(1, 20, 5 * DAY_HOURS);
    expect([await reader.window(), await reader.day()]).toEqual([[], []]);
  });

  it.each([1, 3, 12])(
    "is not repeated when only %d of the findings that share a check are dated anew",
    async (redated) => {
      const reader = new Reader([...between(1, 60, -400), ...between(61, 3, -1)], 0);
      expect(await reader.window()).toHaveLength(63);
      await reader.day();
      const later = 2 * DAY_HOURS - 1;
      reader.list.findings = [
        ...between(1, 60 - redated, -400),
        ...between(61, 3, -1),
        ...between(61 - redated, redated, later),
      ];
      expect([await reader.window(DAY_HOURS), reader.idsReused]).toEqual([[], false]);
      expect([await reader.window(), await reader.day(), await reader.window()]).toEqual([[], [], []]);
    },
  );

  it("is not repeated when two daily reads get an empty list, as long as a window between them lists it", async () => {
    const findings = between(1, 5, -1);
    const reader = new Reader(findings);
    const daily = async (listed: Finding[]): Promise<Finding[]> => {
      reader.list.findings = listed;
      return reader.day();
    };
    expect(await reader.window()).toHaveLength(5);
    await daily([]);
    reader.list.findings = findings;
    expect(await reader.window()).toEqual([]);
    expect([await daily([]), await daily(findings)]).toEqual([[], []]);
    // Two in a row show that they are gone.
    expect([await daily([]), await daily([]), await daily(findings)]).toEqual([[], [], findings]);
  });

  it("is not repeated when the service writes the ids of its principals in another case", async () => {
    const lower = (findings: Finding[]): Finding[] =>
      findings.map(({ FromPrincipal = "", ToPrincipal = "", ...finding }) => ({
        ...finding,
        FromPrincipal: FromPrincipal.toLowerCase(),
        ToPrincipal: ToPrincipal.toLowerCase(),
      }));
    const texts = between(100, 3, -1).map((finding) => ({ ...finding, id: `f-${finding.id}` }));
    const findings = [...between(1, 20, -1), ...texts];
    const reader = new Reader(findings);
    expect(await reader.window()).toHaveLength(23);
    reader.list.findings = lower(findings);
    expect([await reader.window(), await reader.day()]).toEqual([[], []]);
  });

  it("is new with a later date when its id was another finding's, among findings that share a check", async () => {
    const reader = new Reader([...between(1, 60, -400), ...between(61, 3, -1)], 0);
    await reader.window();
    await reader.day();
    const taken = between(60, 1, 2 * DAY_HOURS - 1, () => 900);
    reader.list.findings = [...between(1, 59, -400), ...between(61, 3, -1), ...taken];
    await reader.window(DAY_HOURS);
    expect([reader.targets.includes("S-1-5-21-1-900"), reader.idsReused]).toEqual([true, true]);
  });

  it("is new with a later date also where a finding that shares its check is gone, so that nothing can be compared", async () => {
    const reader = new Reader([...between(1, 60, -400), ...between(61, 3, -1)], 0);
    await reader.window();
    await reader.day();
    const taken = between(60, 1, 2 * DAY_HOURS - 1, () => 900);
    // The four checks of the older findings have fifteen each.
    const left = between(1, 59, -400).filter(({ id }) => Number(id) % 15 !== 1);
    reader.list.findings = [...left, ...between(61, 3, -1), ...taken];
    await reader.window(DAY_HOURS);
    expect([reader.targets.includes("S-1-5-21-1-900"), reader.idsReused]).toEqual([true, true]);
    expect(await reader.window()).toEqual([]);
  });

  it.each([
    ["is new", () => 900, true],
    ["does not keep its list from its end", (id: number) => id, false],
  ])("%s with a later date where the whole list takes several runs", async (_, target, isNew) => {
    const reader = new Reader([...between(1, 600, -400), ...between(601, 3, -1)], 0);
    await reader.window();
    await reader.day();
    const dated = between(600, 1, 2 * DAY_HOURS - 1, target);
    reader.list.findings = [...between(1, 599, -400), ...between(601, 3, -1), ...dated];
    let left = Infinity;
    reader.list.beforeAnswer = () => {
      if (left-- <= 0) throw new DeadlineError("The run is over.", { whoActs: "service" });
    };
    let completed = 0;
    for (let run = 0; run < 12; run++) {
      left = 3;
      const { error } = await reader.attempt(run === 0 ? DAY_HOURS : 1, false);
      completed += Number(error === null);
    }
    expect(completed).toBeGreaterThan(0);
    if (isNew) expect(reader.targets).toContain("S-1-5-21-1-900");
  });

  it("is new when its id was another finding's, and nothing else is repeated", async () => {
    const reader = new Reader(between(1, 8, -1));
    const [first = ""] = (await reader.window(), reader.occurrences);
    reader.list.findings = between(1, 8, -1, (id) => (id === 1 ? 900 : id));
    expect(await reader.day()).toMatchObject([{ id: 1, ToPrincipal: "S-1-5-21-1-900" }]);
    expect([reader.idsReused, reader.occurrences.includes(first)]).toEqual([true, false]);
    expect(await reader.day()).toEqual([]);
  });

  it("is found at once beyond the window, too, when one in the window shows that ids were given anew", async () => {
    const findings = (principal?: (id: number) => number): Finding[] => [
      ...between(1, 5, -300, principal),
      ...between(6, 5, -1, principal),
    ];
    const reader = new Reader(findings());
    await reader.window();
    reader.list.findings = findings((id) => id + 1_000);
    expect(await reader.window()).toHaveLength(10);
  });

  it("is found among many when all ids stand for other findings, also when there are fewer than before", async () => {
    for (const [left, checkRoom] of [
      [20, 4_000],
      [17, 4_000],
      [3, 4_000],
      [1, 4_000],
      [20, 0],
      [17, 0],
    ] as const) {
      const reader = new Reader(between(1, 20, -1), checkRoom);
      await reader.window();
      reader.list.findings = between(1, left, -1, (id) => id + 1_000);
      expect((await reader.day()).map(({ ToPrincipal }) => ToPrincipal)).toEqual(
        between(1, left, -1, (id) => id + 1_000).map(({ ToPrincipal }) => ToPrincipal),
      );
    }
  });

  it("is delivered although the service gives ids to other findings in every read", async () => {
    const reader = new Reader(between(1, 5, -1));
    await reader.window();
    for (let round = 1; round <= 3; round++) {
      reader.list.findings = between(1, 5, -1, (id) => id + round * 100);
      expect(await reader.day()).toHaveLength(5);
    }
  });

  it("is delivered although the service gives its id to it only while the others are read once more", async () => {
    const reader = new Reader(between(1, 5, -1));
    await reader.window();
    let changed = 0;
    reader.list.beforeAnswer = () => {
      changed = Math.min(changed + 1, 2);
      reader.list.findings = between(1, 5, -1, (id) => (id <= changed ? id + 100 : id));
    };
    const targets = (await reader.day()).map(({ ToPrincipal }) => ToPrincipal);
    expect(targets).toEqual(expect.arrayContaining(["S-1-5-21-1-101", "S-1-5-21-1-102"]));
  });

  it("is new although the read of everything that would show it takes several runs", async () => {
    const reader = new Reader(between(1, 250, -DAY_HOURS * 9));
    await reader.window();
    reader.list.findings = between(1, 250, -DAY_HOURS * 9, (id) => (id === 7 ? 900 : id));
    reader.list.beforeAnswer = (answered) => {
      if (answered === 2) throw new ServerError("The service could not answer.", { whoActs: "service" });
    };
    expect(await reader.attempt(DAY_HOURS, true)).toMatchObject({ findings: [], error: expect.any(ServerError) });
    reader.list.beforeAnswer = () => undefined;
    expect(await reader.window()).toMatchObject([{ id: 7, ToPrincipal: "S-1-5-21-1-900" }]);
  });

  it("is found although an id changes in the middle of a list that is then read from its start", async () => {
    const reader = new Reader(between(1, 9, -1));
    reader.list.pageSize = 3;
    reader.list.beforeAnswer = (answered) => {
      if (answered === 2) reader.list.findings = between(1, 8, -1, (id) => (id === 1 ? 900 : id)).toReversed();
    };
    await reader.window();
    reader.list.beforeAnswer = () => undefined;
    expect(await reader.window()).toEqual([]);
    expect(reader.targets).toContain("S-1-5-21-1-900");
  });

  it("does not make a list that no run can read to its end be read from its start all day", async () => {
    const reader = new Reader(between(1, 400, -DAY_HOURS * 9));
    await reader.window();
    reader.list.beforeAnswer = (answered) => {
      if (answered === 3) throw new ServerError("The service could not answer.", { whoActs: "service" });
    };
    await reader.attempt(DAY_HOURS, true);
    const asked = reader.list.queries.length;
    for (let run = 0; run < 5; run++) await reader.attempt(1, false);
    const whole = reader.list.queries.slice(asked).filter(({ createdFrom }) => createdFrom === undefined);
    expect(whole.map(({ resume }) => resume?.skip ?? 0)).toEqual([298, 0, 298]);
  });

  it("is left to the next run when the service gives another id to others whenever it is asked", async () => {
    const reader = new Reader(between(1, 9, -1));
    await reader.window();
    let changed = 0;
    reader.list.beforeAnswer = () => {
      changed += 1;
      reader.list.findings = between(1, 9, -1, (id) => (id <= changed ? id + 100 : id));
    };
    const { findings, error } = await reader.attempt(DAY_HOURS, true);
    expect(error).toMatchObject({
      message: expect.stringMatching(/^The service keeps giving known ids to other findings while the list is read/),
    });
    reader.list.beforeAnswer = () => undefined;
    const targets = [...findings, ...(await reader.day())].map(({ ToPrincipal }) => ToPrincipal);
    expect(new Set(targets)).toEqual(new Set(between(101, changed, -1).map(({ ToPrincipal }) => ToPrincipal)));
  });
});

describe("a finding that is gone", () => {
  it("is delivered again when it comes back with its old date, in an alert of its own", async () => {
    const reader = new Reader(between(1, 3, -200));
    await reader.window();
    const before = reader.occurrences;
    const [back, ...others] = reader.list.findings;
    reader.list.findings = others;
    await reader.day();
    reader.list.findings = [back ?? {}, ...others];
    expect(await reader.day()).toMatchObject([{ id: 1 }]);
    expect(before).not.toContain(reader.occurrences[0]);
    expect(await reader.day()).toEqual([]);
  });

  it("is delivered again in an alert of its own when it comes back with a new date", async () => {
    const reader = new Reader(between(1, 1, -200));
    await reader.window();
    const before = reader.occurrences;
    reader.list.findings = between(2, 1, -200);
    await reader.day();
    reader.list.findings = [...between(2, 1, -200), ...between(1, 1, 48)];
    expect(await reader.window(24)).toMatchObject([{ id: 1 }]);
    expect(before).not.toContain(reader.occurrences[0]);
  });

  it("is delivered again when its row stayed and was marked as deleted", async () => {
    const reader = new Reader(between(1, 3, -1));
    await reader.window();
    const [back = {}, ...others] = reader.list.findings;
    reader.list.findings = [{ ...back, deleted_at: instant(1) }, ...others];
    await reader.day();
    reader.list.findings = [back, ...others];
    expect(await reader.day()).toMatchObject([{ id: 1 }]);
  });

  it("is not repeated when a part of the service did not know it yet", async () => {
    const reader = new Reader(between(1, 3, -200));
    await reader.window();
    reader.list.findings = [...reader.list.findings, ...between(4, 2, 3)];
    await reader.window(4);
    const all = reader.list.findings;
    reader.list.findings = all.slice(0, 3);
    await reader.window();
    reader.list.findings = all;
    expect(await reader.window()).toEqual([]);
  });

  it("is not repeated after a list that was empty once, and is after one that was empty for two days", async () => {
    const reader = new Reader(between(1, 3, -200));
    await reader.window();
    const all = reader.list.findings;
    for (const [emptyDays, repeated] of [
      [1, 0],
      [2, 3],
      [1, 0],
    ] as const) {
      reader.list.findings = [];
      for (let day = 0; day < emptyDays; day++) await reader.day();
      reader.list.findings = all;
      expect(await reader.day()).toHaveLength(repeated);
    }
  });
});

describe("a read of the whole history", () => {
  it("finds what became visible more than a day late", async () => {
    const reader = new Reader(between(1, 3, -1));
    await reader.window();
    reader.list.findings = [...between(50, 2, -700), ...reader.list.findings];
    expect([await reader.window(), await reader.day()]).toMatchObject([[], [{ id: 50 }, { id: 51 }]]);
  });

  it("leaves the host with each finding that is listed, whatever analyses do to ids and dates between the reads", async () => {
    const change = fc.record({
      ids: fc.integer({ min: 0, max: 3 }),
      hours: fc.integer({ min: -300, max: 0 }),
      gone: fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 4 }),
      moved: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
        const reader = new Reader([]);
        const held = new Set<string>();
        for (const { ids, hours, gone, moved } of changes) {
          const all = between(1, 12, hours, (id) => ((id + ids * 5) % 12) + (moved ? 100 * ids : 0));
          reader.list.findings = all.filter(({ id }) => !gone.includes(Number(id)));
          for (const { ToPrincipal } of await reader.day()) held.add(ToPrincipal ?? "");
          expect([...held]).toEqual(expect.arrayContaining(reader.list.findings.map(({ ToPrincipal }) => ToPrincipal)));
        }
      }),
      { numRuns: 200 },
    );
  });
});
