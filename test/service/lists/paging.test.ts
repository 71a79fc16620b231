import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { type ListAnswer, type ListPage, readList } from "../../../src/service/lists/paging.ts";
import { answer, collect, ids, type Item, options, serviceWith } from "../support/listed.ts";

describe("reading a list", () => {
  it("gives every record exactly once and in order, whatever the size of the pages, with and without a total", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(60), fc.integer({ min: 1, max: 70 }), fc.boolean(), async (length, cap, counts) => {
        const service = serviceWith(length, { cap, counts });
        const pages = await collect(readList(options((skip) => answer(service, skip))));
        expect(ids(pages)).toEqual(service.items.map(({ id }) => id));
        expect(pages.map(({ skip }) => skip)).toEqual(
          pages.map((_, index) => pages.slice(0, index).reduce((sum, { records }) => sum + records.length, 0)),
        );
      }),
    );
  });

  it("asks once for a list that fits one page and is counted", async () => {
    const service = serviceWith(10);
    await collect(readList(options((skip) => answer(service, skip))));
    expect(service.requests).toEqual([0]);
  });

  it("overlaps each page by one record", async () => {
    const service = serviceWith(25);
    await collect(readList(options((skip) => answer(service, skip))));
    expect(service.requests).toEqual([0, 9, 18]);
  });

  it.each([
    ["", { longest: 60, pages: { min: 2, max: 20 }, requests: 12 }],
    [" of one record", { longest: 9, pages: { min: 1, max: 1 }, requests: 30 }],
  ])("misses nothing when records are removed between any two pages%s", async (_, { longest, pages, requests }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 4, max: longest }),
        fc.integer(pages),
        fc.boolean(),
        fc.array(fc.record({ before: fc.integer({ min: 1, max: requests }), index: fc.nat(longest - 1) }), {
          maxLength: 3,
        }),
        async (length, cap, counts, removals) => {
          const service = serviceWith(length, { cap, counts });
          let request = 0;
          const fetch = (skip: number) => {
            for (const { index } of removals.filter(({ before }) => before === request)) service.items.splice(index, 1);
            request++;
            return answer(service, skip);
          };
          const read = new Set(ids(await collect(readList(options(fetch)))));
          for (const { id } of service.items) expect(read).toContain(id);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("gives each record once when that is wanted, also when it starts over", async () => {
    const starts: number[] = [];
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 2, max: 20 }),
        fc.array(fc.record({ before: fc.integer({ min: 1, max: 12 }), index: fc.nat(59) }), { maxLength: 3 }),
        async (length, cap, removals) => {
          const service = serviceWith(length, { cap });
          const fetch = (skip: number) => {
            const request = service.requests.length;
            for (const { index } of removals.filter(({ before }) => before === request)) service.items.splice(index, 1);
            return answer(service, skip);
          };
          const read = ids(await collect(readList({ ...options(fetch), once: true })));
          expect(new Set(read).size).toBe(read.length);
          expect(read).toEqual(expect.arrayContaining(service.items.map(({ id }) => id)));
          starts.push(service.requests.filter((skip) => skip === 0).length);
        },
      ),
      { numRuns: 300 },
    );
    expect(Math.max(...starts)).toBeGreaterThan(1);
  });

  it("gives the rest of a list that moves with each answer, and then says that it keeps changing", async () => {
    // Two replicas take turns, and each lacks another record.
    const all = Array.from({ length: 40 }, (_, id) => ({ id }));
    let turn = 0;
    const given: number[] = [];
    const replicas = options((skip) => {
      const lacking = turn++ % 2 === 0 ? 3 : 25;
      const records = all.filter(({ id }) => id !== lacking);
      return { records: records.slice(skip, skip + 10), invalidValues: [], total: records.length };
    });
    const reading = async (): Promise<void> => {
      for await (const { records } of readList(replicas)) given.push(...records.map(({ id }) => id));
    };
    await expect(reading()).rejects.toThrow("keeps changing while it is read");
    expect(given).toEqual(expect.arrayContaining(all.map(({ id }) => id).filter((id) => id !== 3 && id !== 25)));
  });

  it("gives up early on a short list whose end the service does not show", async () => {
    let requests = 0;
    const fetch = (skip: number): ListAnswer<Item> => {
      requests += 1;
      return { records: skip === 0 ? [{ id: 1 }, { id: 2 }] : [], invalidValues: [], total: null };
    };
    await expect(collect(readList(options(fetch)))).rejects.toThrow("keeps changing");
    expect(requests).toBeLessThan(60);
  });

  it("starts over when a record was removed between two pages of one record each", async () => {
    const service = serviceWith(4, { cap: 1 });
    const fetch = (skip: number) => {
      if (service.requests.length === 4) service.items.shift();
      return answer(service, skip);
    };
    const read = new Set(ids(await collect(readList(options(fetch)))));
    for (const { id } of service.items) expect(read).toContain(id);
  });

  it("reads a list of two records without a total again when the first is removed before the second is read", async () => {
    const service = serviceWith(2, { cap: 1, counts: false });
    const fetch = (skip: number) => {
      if (service.requests.length === 1) service.items.shift();
      return answer(service, skip);
    };
    expect(ids(await collect(readList(options(fetch))))).toEqual([0, 1]);
  });

  it("requests the record before again after each record, where pages of one record have no total", async () => {
    const service = serviceWith(3, { cap: 1, counts: false });
    await collect(readList(options((skip) => answer(service, skip))));
    expect(service.requests).toEqual([0, 1, 0, 2, 1, 3, 2]);
  });

  it("does not end with the count of a record that is requested again where the next record has another count", async () => {
    const service = serviceWith(3, { cap: 1, counts: false });
    const fetch = (skip: number) => {
      service.counts = service.requests.length > 0;
      if (service.requests.length === 2) service.items.splice(1, 1);
      return answer(service, skip);
    };
    expect(ids(await collect(readList(options(fetch))))).toEqual(expect.arrayContaining([0, 2]));
  });

  it("requests single pages again once the service grants more than one record", async () => {
    const service = serviceWith(12, { cap: 1 });
    const fetch = (skip: number) => {
      service.cap = service.requests.length < 3 ? 1 : 5;
      return answer(service, skip);
    };
    expect(ids(await collect(readList(options(fetch))))).toEqual(service.items.map(({ id }) => id));
    expect(service.requests).toEqual([0, 1, 0, 2, 1, 5, 9]);
  });

  it("gives up on a list that changes again and again", async () => {
    let turn = 0;
    const fetch = (skip: number): ListAnswer<Item> => {
      turn += 1000;
      return { records: [{ id: turn + skip }, { id: turn + skip + 1 }], invalidValues: [], total: 10 };
    };
    await expect(collect(readList(options(fetch)))).rejects.toThrow("keeps changing");
  });

  it.each([1, 3])("gives up on a service that ignores the position (pages of %i)", async (size) => {
    for (const total of [10, null]) {
      const records = Array.from({ length: size }, (_, id) => ({ id }));
      const fetch = () => ({ records, invalidValues: [], total });
      await expect(collect(readList(options(fetch)))).rejects.toThrow(/repeats a page|keeps changing|reports/);
    }
  });

  it("reads on behind a record that is listed twice, and says that the count does not match", async () => {
    const items = [1, 2, 3, 3, 4, 5].map((id) => ({ id }));
    const given: number[] = [];
    const fetch = (skip: number) => ({ records: items.slice(skip, skip + 2), invalidValues: [], total: items.length });
    const read = async () => {
      for await (const { records } of readList(options(fetch))) given.push(...records.map(({ id }) => id));
    };
    await expect(read()).rejects.toThrow("reports 6 records and holds 5 distinct ones");
    expect(new Set(given)).toEqual(new Set([1, 2, 3, 4, 5]));
  });

  it("soon gives up on a service that gives one record again and again", async () => {
    let requests = 0;
    const fetch = () => {
      requests++;
      return { records: [{ id: 1 }, { id: 1 }], invalidValues: [], total: 1_000_000 };
    };
    await expect(collect(readList(options(fetch)))).rejects.toThrow("repeats a page");
    expect(requests).toBeLessThan(100);
  });

  it("comes to an end when a service shuffles its list", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 8 }),
        fc.infiniteStream(fc.nat()),
        async (length, cap, order) => {
          let requests = 0;
          const fetch = (skip: number): ListAnswer<Item> => {
            requests++;
            const items = Array.from({ length }, (_, id) => ({ id, key: Number(order.next().value) }));
            items.sort((a, b) => a.key - b.key);
            return { records: items.slice(skip, skip + cap), invalidValues: [], total: length };
          };
          await collect(readList(options(fetch))).catch((error: unknown) => {
            expect(String(error)).toMatch(/repeats a page|keeps changing|reports/);
          });
          expect(requests).toBeLessThan(200);
        },
      ),
    );
  });

  it("takes an empty page for a fault when the total promises more", async () => {
    const empty = () => ({ records: [], invalidValues: [], total: 5 });
    await expect(collect(readList(options(empty)))).rejects.toThrow("is empty at position 0 although it reports 5");
    const service = serviceWith(25);
    const late = (skip: number) => (skip > 10 ? { records: [], invalidValues: [], total: 25 } : answer(service, skip));
    await expect(collect(readList(options(late)))).rejects.toThrow("although it reports 25");
  });

  it("gives one page without records for an empty list, so that its reader knows that the list began", async () => {
    for (const total of [0, null]) {
      const fetch = () => ({ records: [], invalidValues: [], total });
      const [page, ...more] = await collect(readList(options(fetch)));
      expect([page?.skip, page?.records, more]).toEqual([0, [], []]);
    }
  });

  it("takes records that were added at the end while it reads", async () => {
    const service = serviceWith(15);
    const fetch = (skip: number) => {
      if (service.requests.length === 1) service.items.push({ id: 15 }, { id: 16 });
      return answer(service, skip);
    };
    expect(ids(await collect(readList(options(fetch))))).toEqual(Array.from({ length: 17 }, (_, id) => id));
  });

  it("does not report the odd values of the overlapping record again", async () => {
    const service = serviceWith(15);
    const fetch = (skip: number) => {
      const page = answer(service, skip);
      const invalidValues = page.records.map((_, index) => ({ position: skip + index, path: "/x", problem: "odd" }));
      return { ...page, invalidValues };
    };
    const pages = await collect(readList(options(fetch)));
    expect(pages.flatMap(({ invalidValues }) => invalidValues.map(({ position }) => position))).toEqual(
      Array.from({ length: 15 }, (_, position) => position),
    );
  });
});

describe("the count of a list", () => {
  /** A list of these ids whose service counts so many. */
  const counting = (ids_: readonly number[], total: (request: number) => number | null, cap = 10) => {
    let request = 0;
    return (skip: number): ListAnswer<Item> => ({
      records: ids_.slice(skip, skip + cap).map((id) => ({ id })),
      invalidValues: [],
      total: total(request++),
    });
  };

  it("that promises more than the distinct records makes the read start over once, and then fail", async () => {
    const twice = [0, 1, 2, 3, 3];
    const pages: ListPage<Item>[] = [];
    const reading = (async () => {
      for await (const page of readList(options(counting(twice, () => 5)))) pages.push(page);
    })();
    await expect(reading).rejects.toThrow("reports 5 records and holds 4 distinct ones");
    expect(pages.map(({ skip }) => skip)).toEqual([0, 0]);
    expect(new Set(ids(pages))).toEqual(new Set([0, 1, 2, 3]));
  });

  it("may be right the second time", async () => {
    let request = 0;
    const fetch = (): ListAnswer<Item> => {
      const records = request++ === 0 ? [{ id: 1 }, { id: 1 }] : [{ id: 1 }, { id: 2 }];
      return { records, invalidValues: [], total: 2 };
    };
    expect(new Set(ids(await collect(readList(options(fetch)))))).toEqual(new Set([1, 2]));
  });

  it.each([0, 1, 2, 4])("of %i is passed over when more records than that have arrived", async (total) => {
    const all = [0, 1, 2, 3, 4];
    expect(ids(await collect(readList(options(counting(all, () => total)))))).toEqual(all);
  });

  it("that is larger than the list is a fault: what is missing may still come", async () => {
    await expect(collect(readList(options(counting([0, 1, 2], () => 4))))).rejects.toThrow();
  });

  it.each([2, 3, 7])("that is of what is left ends no list in pages of %i", async (cap) => {
    const service = serviceWith(15, { cap });
    const left = (skip: number): ListAnswer<Item> => ({ ...answer(service, skip), total: service.items.length - skip });
    expect(ids(await collect(readList(options(left))))).toEqual(service.items.map(({ id }) => id));
  });

  it("that falls because records were removed behind the place is right in the end", async () => {
    const service = serviceWith(25);
    const pages = readList(
      options((skip) => {
        if (service.requests.length === 1) service.items.splice(20, 3);
        return answer(service, skip);
      }),
    );
    expect(ids(await collect(pages))).toEqual(service.items.map(({ id }) => id));
  });

  it("that is not there does not keep a list from being read to its end", async () => {
    for (const cap of [1, 2, 3, 10]) {
      const all = [0, 1, 2, 3, 4, 5];
      expect(ids(await collect(readList(options(counting(all, () => null, cap)))))).toEqual(all);
    }
  });

  it("ends a read in all the records or in an error, whatever it says and whatever is listed twice", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(12), { maxLength: 20 }),
        fc.integer({ min: 2, max: 8 }),
        fc.array(fc.option(fc.nat(25)), { minLength: 1, maxLength: 6 }),
        async (listed, cap, counts) => {
          // A service that counts too few at the end of a page looks the same as one that is right.
          const totals = counts.map((count) => (count === null ? null : listed.length + Math.max(0, count - 5)));
          let error: unknown = null;
          const read: number[] = [];
          try {
            const fetch = counting(listed, (request) => totals[request % totals.length] ?? null, cap);
            for await (const page of readList(options(fetch))) read.push(...ids([page]));
          } catch (thrown) {
            error = thrown;
          }
          if (error === null) expect(new Set(read)).toEqual(new Set(listed));
        },
      ),
      { numRuns: 500 },
    );
  });

  it("tells that records are missing where pages grow, shrink and repeat their records", async () => {
    const answers = fc.array(fc.record({ cap: fc.integer({ min: 1, max: 6 }), isDoubled: fc.boolean() }), {
      minLength: 1,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(fc.nat(15), answers, fc.boolean(), async (length, caps, counts) => {
        const service = serviceWith(length, { counts });
        const fetch = (skip: number): ListAnswer<Item> => {
          const { cap, isDoubled } = caps[service.requests.length % caps.length]!;
          const { records, ...rest } = answer({ ...service, cap }, skip);
          return {
            ...rest,
            records: isDoubled ? records.flatMap((record) => [record, record]).slice(0, cap) : records,
          };
        };
        const read = await collect(readList(options(fetch))).catch(() => null);
        if (read !== null) expect(new Set(ids(read))).toEqual(new Set(service.items.map(({ id }) => id)));
      }),
      {
        numRuns: 1_000,
        examples: [
          [
            6,
            [
              ...Array<unknown>(5).fill({ cap: 1, isDoubled: true }),
              ...Array<unknown>(7).fill({ cap: 8, isDoubled: true }),
            ] as { cap: number; isDoubled: boolean }[],
            true,
          ],
        ],
      },
    );
  });
});

describe("a list that cannot be true", () => {
  const page = (records: Item[], total: number | null): ListAnswer<Item> => ({ records, invalidValues: [], total });

  it.each([
    ["that was counted", page([{ id: 1 }, { id: 2 }], 4), undefined],
    ["that held records", page([{ id: 1 }, { id: 2 }], null), undefined],
    ["that was counted where the read was resumed", page([], 3), { skip: 8, after: "7" }],
  ])("is empty after a pass over it %s", async (_, first, resume) => {
    for (const total of [0, null]) {
      const answers = [first];
      const fetch = () => answers.shift() ?? page([], total);
      await expect(collect(readList(options(fetch, resume)))).rejects.toThrow(/is empty although it held \d records/);
    }
  });

  it("is empty in truth when it has become so since an earlier run", async () => {
    const fetch = () => page([], 0);
    await expect(collect(readList(options(fetch, { skip: 8, after: "7" })))).resolves.toHaveLength(1);
  });

  it.each([
    ["does not count", () => null],
    ["always counts one more", (skip: number) => skip + 4],
  ])("has no end because the service %s", async (_, total) => {
    let requests = 0;
    const fetch = (skip: number): ListAnswer<Item> => {
      requests += 1;
      return page([{ id: skip }, { id: skip + 1 }, { id: skip + 2 }], total(skip));
    };
    await expect(collect(readList(options(fetch)))).rejects.toThrow("has no end");
    expect(requests).toBeLessThan(10_010);
  });
});

describe("resuming a list", () => {
  it("continues behind the record that was read last", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 15 }),
        fc.boolean(),
        fc.nat(),
        async (length, cap, counts, seed) => {
          const skip = 1 + (seed % length);
          const service = serviceWith(length, { cap, counts });
          const pages = await collect(
            readList(options((at) => answer(service, at), { skip, after: String(skip - 1) })),
          );
          expect(ids(pages)).toEqual(service.items.slice(skip).map(({ id }) => id));
          expect(service.requests[0]).toBe(skip - 1);
        },
      ),
    );
  });

  it.each([1, 2, 3])(
    "goes on where the last record stands now, when %i records before it were added or removed",
    async (changed) => {
      for (const counts of [true, false]) {
        const removed = serviceWith(30, { cap: 5, counts });
        removed.items.splice(2, changed);
        const pages = await collect(readList(options((at) => answer(removed, at), { skip: 20, after: "19" })));
        expect([ids(pages), pages.every(({ isMoved }) => isMoved)]).toEqual([
          [20, 21, 22, 23, 24, 25, 26, 27, 28, 29],
          true,
        ]);
        const added = serviceWith(30, { cap: 5, counts });
        added.items.unshift(...Array.from({ length: changed }, (_, index) => ({ id: 100 + index })));
        expect(ids(await collect(readList(options((at) => answer(added, at), { skip: 20, after: "19" }))))).toEqual([
          20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
        ]);
      }
    },
  );

  it.each([
    ["another record stands there", { skip: 5, after: "77" }],
    ["the list has become shorter than that", { skip: 40, after: "39" }],
  ])("starts at the beginning when %s", async (_, resume) => {
    const service = serviceWith(12, { cap: 5 });
    expect(ids(await collect(readList(options((at) => answer(service, at), resume))))).toEqual(
      service.items.map(({ id }) => id),
    );
  });
});
