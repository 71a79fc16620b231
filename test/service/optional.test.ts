import { afterEach, describe, expect, it } from "@jest/globals";
import { Deadline } from "../../src/deadline.ts";
import type { AttackPathService, OptionalRequest } from "../../src/service/attack-path-service.ts";
import { endsTheRun } from "../../src/service/errors/errors.ts";
import { clientOf, closeClients, errorOf } from "./support/clients.ts";
import { FakeClock, settle, skippingClock } from "../support/fake-clock.ts";
import { sendJson, startServer, wrapper, type Handler, type TestServer } from "../support/raw-server.ts";

afterEach(closeClients);

const stream = { environmentId: "S-1", findingType: "T0Owns" };

const optional: [string, RegExp, (service: AttackPathService, options?: OptionalRequest) => Promise<unknown>][] = [
  ["the analysis time", /datapipe/, (service, options) => service.analysis.status(options)],
  ["a sparkline", /sparkline/, (service, options) => service.findings.sparkline(stream, options)],
  ["a probe", /limit=1$/, (service, options) => service.findings.newest(stream, options)],
  ["a document", /assets/, (service, options) => service.documents.read("T0Owns", "title", options)],
];

/** Answers requests for these targets with the handler, and every other one with an empty list. */
function serveOthers(target: RegExp, answer: Handler): Promise<TestServer> {
  return startServer((request, response, index) => {
    if (target.test(request.url ?? "")) answer(request, response, index);
    else sendJson(response, { data: [] });
  });
}

describe.each(optional)("a request that only saves work: %s", (_, target, ask) => {
  it.each([429, 401])("that is refused with %i ends nothing: findings are read", async (status) => {
    const server = await serveOthers(target, (_request, response) => {
      sendJson(response, wrapper(status, "not for you"), status, { "retry-after": "5" });
    });
    const service = clientOf(server.url, { clock: skippingClock() });
    const error = await errorOf(ask(service));
    expect([error.status, endsTheRun(error)]).toEqual([status, false]);
    await expect(service.findings.types("S-1")).resolves.toEqual({ types: [], unreadable: 0 });
  });

  it("that was refused is followed by no further one of its kind", async () => {
    const server = await startServer((_request, response) => {
      sendJson(response, wrapper(429, "Too many requests"), 429);
    });
    const service = clientOf(server.url, { concurrentRequests: 1 });
    const errors = await Promise.all(Array.from({ length: 5 }, () => errorOf(ask(service))));
    for (const [, , other] of optional) errors.push(await errorOf(other(service)));
    expect(errors.map(({ code }) => code)).toEqual(Array(9).fill("rate_limited"));
    expect(errors.filter(endsTheRun)).toEqual([]);
    expect(server.requests).toHaveLength(1);
    // What the findings need is asked for all the same, once.
    const error = await errorOf(service.findings.types("S-1"));
    expect([error.code, endsTheRun(error)]).toEqual(["rate_limited", true]);
    await errorOf(service.environments.list());
    expect(server.requests).toHaveLength(2);
  });

  it("is not retried, unless it is required", async () => {
    const server = await serveOthers(target, (_request, response) => {
      response.destroy();
    });
    const service = clientOf(server.url, { clock: skippingClock() });
    await expect(errorOf(ask(service))).resolves.toMatchObject({ code: "network", optional: true });
    expect(server.requests).toHaveLength(1);
    await expect(errorOf(ask(service, { required: true }))).resolves.toMatchObject({
      code: "network",
      optional: false,
    });
    expect(server.requests).toHaveLength(4);
  });

  it("leaves the queue when its signal aborts", async () => {
    const held: (() => void)[] = [];
    const server = await startServer((_request, response) => {
      held.push(() => {
        sendJson(response, { data: [] });
      });
    });
    const service = clientOf(server.url, { concurrentRequests: 1 });
    const late = new AbortController();
    const first = service.findings.types("S-1");
    const waiting = errorOf(ask(service, { signal: late.signal }));
    const last = service.findings.types("S-2");
    while (held.length === 0) await settle();
    late.abort();
    const error = await waiting;
    expect([error.code, endsTheRun(error)]).toEqual(["aborted", false]);
    held[0]!();
    await first;
    while (held.length < 2) await settle();
    held[1]!();
    await last;
    expect(server.requests.map(({ target: sent }) => target.test(sent))).toEqual([false, false]);
  });

  it("is cancelled on its way when its signal aborts, and frees its place", async () => {
    const clock = new FakeClock();
    const closed: Promise<void>[] = [];
    const server = await serveOthers(target, (request) => {
      closed.push(new Promise((resolve) => request.socket.once("close", resolve)));
    });
    const service = clientOf(server.url, { clock, concurrentRequests: 1 });
    const late = new AbortController();
    const hung = errorOf(ask(service, { signal: late.signal }));
    while (closed.length === 0) await settle();
    late.abort();
    await expect(hung).resolves.toMatchObject({ code: "aborted", optional: true });
    await closed[0];
    await service.findings.types("S-1");
  });

  it("does not wait for its retry when its signal aborts", async () => {
    const clock = new FakeClock();
    const server = await startServer((_, response) => {
      response.writeHead(503, { "Retry-After": "30" }).end();
    });
    const late = new AbortController();
    const paused = errorOf(ask(clientOf(server.url, { clock }), { required: true, signal: late.signal }));
    while (server.requests.length === 0) await settle();
    late.abort();
    await expect(paused).resolves.toMatchObject({ code: "aborted" });
    expect(server.requests).toHaveLength(1);
  });

  it("is not sent when its signal has aborted before", async () => {
    const server = await startServer(() => undefined);
    const error = await errorOf(ask(clientOf(server.url), { signal: AbortSignal.abort() }));
    expect([error.code, endsTheRun(error)]).toEqual(["aborted", false]);
    expect(server.requests).toHaveLength(0);
  });

  it("ends with the run, like any other", async () => {
    const clock = new FakeClock();
    const deadline = new Deadline({ clock, at: clock.now() + 100 });
    const server = await startServer(() => {
      clock.advance(100);
    });
    const error = await errorOf(
      ask(clientOf(server.url, { clock, deadline }), { signal: new AbortController().signal }),
    );
    expect([error.code, endsTheRun(error)]).toEqual(["deadline", true]);
  });
});
