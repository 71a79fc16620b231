import { afterEach, describe, expect, it } from "@jest/globals";
import { Deadline } from "../../../src/deadline.ts";
import type { AttackPathService } from "../../../src/service/attack-path-service.ts";
import { endsTheRun, type ServiceError } from "../../../src/service/errors/errors.ts";
import { clientOf, closeClients, errorOf } from "../support/clients.ts";
import { SlowLine, type SlowLineOptions } from "../support/slow-line.ts";
import { FakeClock, settle } from "../../support/fake-clock.ts";
import { sendJson, startServer, type Handler } from "../../support/raw-server.ts";

afterEach(closeClients);

const MINUTE_MS = 60_000;
const STREAMS = 8;

/** How far a read of one list came: the ids in their order, and the error that ended it. */
interface Read {
  readonly ids: number[];
  error: ServiceError | null;
}

async function read(service: AttackPathService, findingType: string, before: Read | undefined): Promise<Read> {
  const { ids } = before ?? { ids: [] };
  const resume = ids.length === 0 ? {} : { resume: { skip: ids.length, after: String(ids.at(-1)) } };
  const result: Read = { ids: [...ids], error: null };
  try {
    for await (const { findings, skip } of service.findings.pages({ environmentId: "S-1", findingType, ...resume })) {
      result.ids.length = skip;
      result.ids.push(...findings.map(({ id }) => Number(id)));
    }
  } catch (error) {
    result.error = error as ServiceError;
  }
  return result;
}

/** One run of the connector over eight lists; each goes on where the run before left it. */
async function run(line: SlowLine, url: string, clock: FakeClock, before: readonly Read[] = []): Promise<Read[]> {
  const deadline = new Deadline({ clock, at: clock.now() + 5 * MINUTE_MS });
  const service = clientOf(url, { clock, deadline, transport: line.transport() });
  const reads = Array.from({ length: STREAMS }, (_, index) => read(service, `T${index}`, before[index]));
  const result = await line.carry(Promise.all(reads));
  deadline.release();
  return result;
}

async function lineOf(
  options: Omit<SlowLineOptions, "clock">,
): Promise<{ line: SlowLine; url: string; clock: FakeClock }> {
  const clock = new FakeClock();
  const line = new SlowLine({ clock, ...options });
  return { line, url: await line.start(), clock };
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const delivered = (reads: readonly Read[]): number => reads.reduce((sum, { ids }) => sum + ids.length, 0);

describe("a slow line", () => {
  it("of 100 kB/s carries eight pages of a megabyte at a time, each as long as it takes", async () => {
    const { line, url, clock } = await lineOf({ bytesPerSecond: 100_000, findings: 1_000, characters: 950 });
    const reads = await run(line, url, clock);
    expect(reads).toEqual(Array(STREAMS).fill({ ids: upTo(1_000), error: null }));
    // Nothing was asked for twice; whether a list ends with its full page costs a small request.
    expect(line.limits.sort((a, b) => b - a)).toEqual(
      [1_000, 2].flatMap((limit) => Array<number>(STREAMS).fill(limit)),
    );
  });

  it("of 10 kB/s gets on in each run: with smaller pages, and fewer at a time", async () => {
    const { line, url, clock } = await lineOf({ bytesPerSecond: 10_000, findings: 1_000, characters: 950 });
    const first = await run(line, url, clock);
    const second = await run(line, url, clock, first);
    expect(delivered(first)).toBeGreaterThan(500);
    expect(delivered(second) - delivered(first)).toBeGreaterThan(500);
    for (const { ids } of second) expect(ids).toEqual(upTo(ids.length));
  });

  it("is shared by half as many pages once they took too long", async () => {
    const { line, url, clock } = await lineOf({ bytesPerSecond: 10_000, findings: 1_000, characters: 950 });
    const deadline = new Deadline({ clock, at: clock.now() + 5 * MINUTE_MS });
    const service = clientOf(url, { clock, deadline, transport: line.transport() });
    const reads = Promise.all(Array.from({ length: STREAMS }, (_, index) => read(service, `T${index}`, undefined)));
    const early = clock.sleep(110_000).then(() => {
      line.mostAtOnce = 0;
    });
    await line.carry(early);
    await line.carry(reads);
    expect(line.mostAtOnce).toBeLessThanOrEqual(STREAMS / 2);
  });
});

describe("findings of a megabyte each", () => {
  it("are read in smaller pages, and each further list begins with those", async () => {
    const { line, url } = await lineOf({ bytesPerSecond: 1e9, findings: 25, characters: 1_000_000 });
    const service = clientOf(url, { transport: line.transport() });
    const first = await line.carry(read(service, "T1", undefined));
    expect([first.ids, first.error]).toEqual([upTo(25), null]);
    // One more request shows that the count is that of the list.
    const sizes = () => line.limits.filter((limit) => limit > 2);
    const asked = sizes().length;
    await line.carry(read(service, "T2", undefined));
    expect([sizes().slice(0, 3), sizes().slice(asked)]).toEqual([
      [1_000, 100, 10],
      [10, 10, 10],
    ]);
  });
});

describe("small pages", () => {
  it("are asked for where a run goes on with a list that the service gives only without a limit", async () => {
    const server = await startServer((request, response) => {
      const query = new URL(request.url ?? "", "http://tenant.test").searchParams;
      const [skip, limit] = [Number(query.get("skip")), Number(query.get("limit") ?? 10)];
      const data = upTo(9).slice(skip, skip + limit);
      if (limit > 10) sendJson(response, { errors: [{ message: "limit is too large" }] }, 400);
      else if (data.length > 4) sendJson(response, { errors: [{ message: "request timed out" }] }, 500);
      else sendJson(response, { count: 9, data: data.map((id) => ({ id })) });
    });
    const service = clientOf(server.url, { requestsPerSecond: 10_000 });
    await expect(read(service, "T1", { ids: upTo(3), error: null })).resolves.toEqual({ ids: upTo(9), error: null });
  });

  it("grow again where findings are small", async () => {
    let largest = Infinity;
    const limits: number[] = [];
    const server = await startServer((request, response) => {
      const query = new URL(request.url ?? "", "http://tenant.test").searchParams;
      const [skip, limit] = [Number(query.get("skip")), Number(query.get("limit"))];
      if (limit > 2) limits.push(limit);
      if (limit > largest) sendJson(response, { errors: [{ message: "request timed out" }] }, 500);
      else
        sendJson(response, {
          count: 5_000,
          data: upTo(Math.min(limit, 5_000 - skip)).map((id) => ({ id: skip + id })),
        });
    });
    const service = clientOf(server.url, { requestsPerSecond: 10_000 });
    largest = 10;
    const stuck = service.findings.pages({ environmentId: "S-1", findingType: "T1" });
    for (let page = 0; page < 3; page++) await stuck.next();
    largest = Infinity;
    const before = limits.length;
    const free = await read(service, "T2", undefined);
    expect(free.ids).toEqual(upTo(5_000));
    expect([limits.slice(0, before), limits.slice(before)]).toEqual([
      [1_000, 100, 10, 10, 10],
      [10, 100, 1_000, 1_000, 1_000, 1_000, 1_000],
    ]);
  });

  it.each([1_000, 100, 10, 2])("hold at most %i findings where the service cannot give more", async (largest) => {
    const server = await startServer((request, response) => {
      const query = new URL(request.url ?? "", "http://tenant.test").searchParams;
      const [skip, limit] = [Number(query.get("skip")), Number(query.get("limit"))];
      if (limit > largest) response.writeHead(504).end();
      else sendJson(response, { data: upTo(Math.max(0, Math.min(limit, 23 - skip))).map((id) => ({ id: skip + id })) });
    });
    const { ids, error } = await read(clientOf(server.url, { requestsPerSecond: 10_000 }), "T1", undefined);
    expect([ids, error]).toEqual([upTo(23), null]);
  });
});

describe("silence", () => {
  /** Begins a body and then sends a piece of it each second of the clock. */
  const drip =
    (clock: FakeClock, bytes: number): Handler =>
    (_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.flushHeaders();
      const tick = async (): Promise<void> => {
        while (!response.destroyed) {
          response.write(" ".repeat(bytes));
          for (let turn = 0; turn < 3; turn++) await settle();
          clock.advance(1_000);
        }
      };
      void tick();
    };

  it("ends a body that comes in drips, 35 s after its head", async () => {
    const clock = new FakeClock();
    const server = await startServer(drip(clock, 1));
    const started = clock.now();
    const error = await errorOf(clientOf(server.url, { clock }).environments.list());
    expect([error.code, endsTheRun(error)]).toEqual(["timeout", false]);
    expect(error.message).toContain("35 s");
    expect(clock.now() - started).toBeLessThan(40_000);
  });

  it("is not what a body is that keeps arriving, however long it takes: only its size ends it", async () => {
    const clock = new FakeClock();
    const server = await startServer(drip(clock, 250_000));
    const started = clock.now();
    const error = await errorOf(clientOf(server.url, { clock }).graph.metaTree("S-1-1"));
    expect([error.code, error.message]).toEqual(["protocol", expect.stringContaining("larger")]);
    expect(clock.now() - started).toBeGreaterThan(4 * MINUTE_MS);
  });

  it.each([
    ["the list of environments", (service: AttackPathService) => service.environments.list()],
    ["the list of finding types", (service: AttackPathService) => service.findings.types("S-1")],
    ["a description", (service: AttackPathService) => service.documents.read("T1", "title", { required: true })],
  ])("is not what a small body is that keeps arriving, which ends after two minutes: %s", async (_, ask) => {
    const clock = new FakeClock();
    const server = await startServer(drip(clock, 1_000));
    const started = clock.now();
    const error = await errorOf(ask(clientOf(server.url, { clock })));
    expect([error.code, error.message]).toEqual(["timeout", expect.stringContaining("2 min")]);
    expect(clock.now() - started).toBeLessThan(2.1 * MINUTE_MS);
  });
});
