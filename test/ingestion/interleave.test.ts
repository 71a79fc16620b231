import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { interleave, type InterleaveOptions, type Source } from "../../src/ingestion/interleave.ts";
import { FakeClock, settle } from "../support/fake-clock.ts";

type Given = string | Source<string, string>[];
type Test = Source<string, string>;

interface Recorded {
  clock: FakeClock;
  failures: [string, string][];
  cutOff: [string, number][];
  options: InterleaveOptions<string, string>;
}

function options(changed: Partial<InterleaveOptions<string, string>> = {}): Recorded {
  const clock = new FakeClock();
  const failures: [string, string][] = [];
  const cutOff: [string, number][] = [];
  return {
    clock,
    failures,
    cutOff,
    options: {
      atOnce: 2,
      atOnceNow: () => Infinity,
      budget: Infinity,
      costs: () => true,
      clock,
      patienceMs: () => 1_000,
      lastItemsMs: 100,
      onFailure: (subject, error) => {
        failures.push([subject, String(error)]);
        return "continue";
      },
      onCutOff: (subject, waitedMs) => cutOff.push([subject, waitedMs]),
      ...changed,
    },
  };
}

/** A source of steps: items, further sources, an error, or a number of milliseconds to wait before the next. */
function source(
  subject: string,
  steps: readonly (Given | Error | number)[],
  clock?: FakeClock,
  ended?: string[],
): Test {
  return {
    subject,
    async *read() {
      try {
        for (const step of steps) {
          if (typeof step === "number") await clock?.sleep(step);
          else if (step instanceof Error) throw step;
          else yield step;
        }
      } finally {
        ended?.push(subject);
      }
    },
  };
}

/** A source of so many items: `a1`, `a2`, … */
const counting = (name: string, count: number): Test =>
  source(
    name,
    Array.from({ length: count }, (_, i) => `${name}${i + 1}`),
  );

/** A source that never answers. */
const silent = (subject: string): Test => source(subject, [1e9], new FakeClock());

async function collect(items: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe("merging sources", () => {
  it("asks as many sources at once as allowed, and goes on with one until it has given its share", async () => {
    const { options: two } = options();
    expect(await collect(interleave([counting("a", 3), counting("b", 3)], two))).toEqual([
      "a1",
      "b1",
      "a2",
      "b2",
      "a3",
      "b3",
    ]);
    const { options: one } = options({ atOnce: 1 });
    expect(await collect(interleave([counting("a", 2), counting("b", 2)], one))).toEqual(["a1", "a2", "b1", "b2"]);
  });

  it("takes as many further sources as a service likes", async () => {
    const many = Array.from({ length: 200_000 }, (_, at) => source(`s${at}`, ["item"]));
    const { options: first } = options({ budget: 1 });
    expect(await collect(interleave([source("parent", [many])], first))).toEqual(["item"]);
  });

  // Where each of them moved all others, this would take half a minute of the processor.
  it("reads 100,000 further sources in a few seconds of the processor", async () => {
    const many = Array.from({ length: 100_000 }, (_, at) => source(`s${at}`, ["item"]));
    const { options: all } = options();
    const before = process.cpuUsage();
    expect(await collect(interleave([source("parent", [many])], all))).toHaveLength(100_000);
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(15);
  }, 60_000);

  it("asks no more sources at the same time than allowed", async () => {
    let asked = 0;
    let most = 0;
    const watched = (subject: string): Test => ({
      subject,
      async *read() {
        for (let i = 0; i < 4; i++) {
          most = Math.max(most, ++asked);
          await settle();
          asked--;
          yield subject;
        }
      },
    });
    const { options: three } = options({ atOnce: 3 });
    expect(await collect(interleave(["a", "b", "c", "d", "e", "f", "g"].map(watched), three))).toHaveLength(28);
    expect(most).toBe(3);
  });

  it("reads what a source adds in that source's place, whichever source adds last", async () => {
    const names = (letter: string) => [2, 3, 4].map((n) => counting(`${letter}${n}.`, 1));
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const first: Source<string, string> = {
      subject: "x1",
      async *read() {
        begin();
        yield await Promise.resolve("x1.1");
      },
    };
    const late: Source<string, string> = {
      subject: "q",
      async *read() {
        await begun;
        yield names("y");
      },
    };
    const { options: two } = options({ atOnce: 2 });
    const read = await collect(interleave([source("p", [[first, ...names("x")]]), late, ...names("z")], two));
    expect(read).toEqual(["x1.1", "x2.1", "x3.1", "x4.1", "y2.1", "y3.1", "y4.1", "z2.1", "z3.1", "z4.1"]);
  });

  it("goes on with a source that has added others, so that it may add more before those are read", async () => {
    const parent = source("p", [[counting("x", 1), counting("y", 1)], "p1", [counting("z", 1)]]);
    const { options: one } = options({ atOnce: 1, costs: (item) => item !== "p1" });
    const read = await collect(interleave([parent, counting("b", 1), counting("c", 1)], one));
    // The next in line may be asked before it is seen what the first one added.
    expect(read.filter((item) => item !== "b1")).toEqual(["p1", "x1", "y1", "z1", "c1"]);
  });

  it("ends at once without sources", async () => {
    expect(await collect(interleave([], options().options))).toEqual([]);
    expect(await collect(interleave([source("a", [[]])], options().options))).toEqual([]);
  });

  const tree: fc.Arbitrary<Test> = fc.letrec<{ node: Test; steps: Given[] }>((tie) => ({
    node: fc.tuple(fc.uuid(), tie("steps")).map(([id, steps]) =>
      source(
        id,
        steps.map((step, i) => (typeof step === "string" ? `${id} ${i}` : step)),
      ),
    ),
    steps: fc.array(fc.oneof({ maxDepth: 2 }, fc.constant("item"), fc.array(tie("node"), { maxLength: 3 })), {
      maxLength: 4,
    }),
  })).node;

  /** Every item of a source and of those that it gives, each source's own in order. */
  async function itemsIn(of: Test): Promise<string[]> {
    const all: string[] = [];
    for await (const step of of.read()) {
      if (typeof step === "string") all.push(step);
      else for (const inner of step) all.push(...(await itemsIn(inner)));
    }
    return all;
  }

  it("gives every item of every source exactly once, each source's in its order, when nothing fails", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(tree, { maxLength: 5 }), fc.integer({ min: 1, max: 4 }), async (trees, atOnce) => {
        const expected = (await Promise.all(trees.map(itemsIn))).flat();
        const { options: merging, cutOff } = options({ atOnce });
        const given = await collect(interleave(trees, merging));
        expect([...given].sort()).toEqual([...expected].sort());
        for (const subject of new Set(given.map((item) => item.split(" ")[0] ?? ""))) {
          const own = given.filter((item) => item.startsWith(subject)).map((item) => Number(item.split(" ")[1]));
          expect(own).toEqual([...own].sort((a, b) => a - b));
        }
        expect(cutOff).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe("a limited budget", () => {
  it("is never exceeded, and items that cost nothing do not count", async () => {
    const { options: limited, cutOff } = options({ budget: 3, costs: (item) => !item.startsWith("free") });
    const free = source("f", ["free1", "free2", "free3"]);
    const given = await collect(interleave([free, counting("a", 5)], limited));
    expect(given.filter((item) => item.startsWith("a"))).toEqual(["a1", "a2", "a3"]);
    expect(cutOff).toContainEqual(["a", 0]);
  });

  it("gives nothing at all when it is zero, and says what was left", async () => {
    const { options: none, cutOff } = options({ budget: 0 });
    expect(await collect(interleave([counting("a", 1)], none))).toEqual([]);
    expect(cutOff).toEqual([["a", 0]]);
  });

  it("is not used up by one source while others are still to answer", async () => {
    const { options: limited, clock } = options({ atOnce: 4, budget: 8 });
    const slow = ["x", "y", "z"].map((name) => source(name, [500, `${name}1`, `${name}2`], clock));
    const items = collect(interleave([counting("a", 50), ...slow], limited));
    await clock.drain();
    const given = await items;
    expect(given).toHaveLength(8);
    expect(given).toEqual(expect.arrayContaining(["x1", "y1", "z1"]));
  });

  it("is kept for a source that is still to answer once another one has given its share", async () => {
    const { options: limited, clock } = options({ atOnce: 2, budget: 8 });
    const late = source("b", [500, "b1", "b2", "b3", "b4", "b5"], clock);
    const items = collect(interleave([counting("a", 50), late], limited));
    await clock.drain();
    expect((await items).slice(0, 5)).toEqual(["a1", "a2", "a3", "a4", "b1"]);
  });

  it("passes on when one source has given its share while another one is still to answer", async () => {
    const { options: limited, clock } = options({ budget: 4 });
    const items = collect(interleave([counting("a", 9), source("b", [500, "b1"], clock), counting("c", 9)], limited));
    await clock.drain();
    expect(await items).toEqual(["a1", "a2", "c1", "b1"]);
  });

  it("lets no more sources be asked at a time than it has items left", async () => {
    const begun: string[] = [];
    const sources = ["a", "b", "c"].map((subject): Test => ({
      subject,
      read: () => {
        begun.push(subject);
        return source(subject, [subject]).read();
      },
    }));
    expect(await collect(interleave(sources, options({ budget: 1 }).options))).toEqual(["a"]);
    expect(begun).toEqual(["a"]);
  });

  it("is not held back for sources that keep their caller waiting", async () => {
    const { options: limited, clock } = options({ atOnce: 2, budget: 6 });
    const items = collect(interleave([counting("a", 50), silent("s")], limited));
    await clock.drain();
    expect(await items).toEqual(["a1", "a2", "a3", "a4", "a5", "a6"]);
  });
});

describe("sources that are slow", () => {
  it("no longer keep others from being asked once the patience is over, and may still answer", async () => {
    const { options: two, clock } = options({ atOnce: 2 });
    const slow = ["x", "y"].map((name) => source(name, [5_000, `${name}1`], clock));
    const started = clock.now();
    const items = interleave([...slow, counting("a", 1)], two);
    const first = items.next();
    await clock.drain();
    expect((await first).value).toBe("a1");
    expect(clock.now() - started).toBeGreaterThanOrEqual(1_000);
    const rest = collect(items);
    await clock.drain();
    expect((await rest).sort()).toEqual(["x1", "y1"]);
  });
});

describe("a source that fails", () => {
  it("ends alone, after what it gave", async () => {
    const { options: two, failures, cutOff } = options();
    const given = await collect(interleave([source("bad", ["b1", new Error("broken")]), counting("a", 3)], two));
    expect(given.sort()).toEqual(["a1", "a2", "a3", "b1"]);
    expect([failures, cutOff]).toEqual([[["bad", "Error: broken"]], []]);
  });

  it("may end everything: what is being asked still gives its last item, and nothing more is asked", async () => {
    const { options: stopping, clock, cutOff } = options({ atOnce: 3, onFailure: () => "stop" });
    const late = source("late", [50, "late1", "late2"], clock);
    const tooLate = source("too late", [5_000, "never"], clock);
    const items = collect(
      interleave([late, tooLate, source("bad", [10, new Error("over")], clock), counting("a", 9)], stopping),
    );
    await clock.drain();
    // Whatever had its turn when the failure arrived may give one item more.
    expect((await items).filter((item) => item !== "a1")).toEqual(["late1"]);
    expect(cutOff.map(([subject]) => subject).sort()).toEqual(["a", "late", "too late"]);
    // The one that kept the others waiting is distinguished from those that had no turn.
    expect(cutOff.filter(([, waited]) => waited > 0)).toEqual([["too late", 110]]);
  });

  it("may end everything although others wait for their turn", async () => {
    const { options: stopping, cutOff } = options({ atOnce: 1, onFailure: () => "stop" });
    const others = ["a", "b", "c"].map((name) => counting(name, 2));
    const given = await collect(interleave([source("bad", [new Error("over")]), ...others], stopping));
    expect(given.length).toBeLessThanOrEqual(1);
    expect(cutOff).toEqual(
      expect.arrayContaining([
        ["b", 0],
        ["c", 0],
      ]),
    );
  });

  it("passes on an error that the failure handler throws", async () => {
    const { options: throwing, cutOff } = options({
      onFailure: (_, error) => {
        throw error;
      },
    });
    const sources = [counting("a", 3), source("bad", [new TypeError("fault")])];
    await expect(collect(interleave(sources, throwing))).rejects.toThrow("fault");
    expect(cutOff.map(([subject]) => subject)).toEqual(["a"]);
  });
});

describe("a consumer that stops early", () => {
  async function takeOne(sources: readonly Test[], changed: InterleaveOptions<string, string>): Promise<void> {
    for await (const item of interleave(sources, changed)) {
      await settle();
      expect(item).toBe("a1");
      break;
    }
  }

  it("names every source that had more to give", async () => {
    const { options: two, cutOff } = options();
    await takeOne([counting("a", 2), counting("b", 2), counting("c", 2)], two);
    expect(cutOff.map(([subject]) => subject).sort()).toEqual(["a", "b", "c"]);
  });

  it("closes the sources that wait for their next turn", async () => {
    const ended: string[] = [];
    const { options: two } = options();
    await takeOne([source("a", ["a1", "a2"], undefined, ended), counting("b", 2)], two);
    await settle();
    expect(ended).toEqual(["a"]);
  });

  it("closes a source that is being asked as soon as it answers", async () => {
    const ended: string[] = [];
    const { options: two, clock } = options();
    const slow = source("slow", [500, "slow1", "slow2"], clock, ended);
    await takeOne([source("a", ["a1", "a2"]), slow], two);
    await clock.drain();
    expect(ended).toEqual(["slow"]);
  });
});
