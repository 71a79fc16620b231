import { afterEach, describe, expect, it } from "@jest/globals";
import { Deadline } from "../../src/deadline.ts";
import { sign } from "../../src/service/http/signing.ts";
import { clientOf, closeClients, errorOf, TOKEN_KEY } from "./support/clients.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { jsonAnswer, networkOf } from "./support/networks.ts";
import { sendJson, startServer, wrapper } from "../support/raw-server.ts";

afterEach(closeClients);

const dated = (date: string, status = 200) => jsonAnswer(status === 200 ? { data: [] } : {}, status, { date });

describe("a network that the caller brings along", () => {
  it("gets signed requests, and is closed with the client", async () => {
    const transport = networkOf(() => jsonAnswer({ data: ["T0Owns"] }));
    const service = clientOf("https://tenant.test/prefix", { transport });
    await expect(service.findings.types("S-1")).resolves.toEqual({ types: ["T0Owns"], unreadable: 0 });
    const [request] = transport.requests;
    expect(request?.target).toBe("/prefix/api/v2/domains/S-1/available-types");
    const { RequestDate = "", Signature } = request?.headers ?? {};
    expect(Signature).toBe(sign(TOKEN_KEY, "GET", request?.target ?? "", RequestDate));
    service.close();
    expect(transport.closed).toBe(true);
  });

  it("has errors with the codes that the real one has", async () => {
    const transport = networkOf(() => Promise.reject(Object.assign(new Error("gone"), { code: "ENOTFOUND" })));
    const error = await errorOf(clientOf("https://tenant.test", { transport }).environments.list());
    expect(error).toMatchObject({ code: "network", cause: { code: "ENOTFOUND" } });
  });

  it("is stopped by the signal of the request", async () => {
    const clock = new FakeClock();
    const deadline = new Deadline({ clock, at: clock.now() + 100 });
    const transport = networkOf(
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => {
            reject(signal.reason as Error);
          });
          clock.advance(100);
        }),
    );
    const error = await errorOf(clientOf("https://tenant.test", { clock, deadline, transport }).environments.list());
    expect(error.code).toBe("deadline");
  });

  it("was not slow when the deadline found requests waiting for a limit that the service had lowered", async () => {
    const clock = new FakeClock();
    const deadline = new Deadline({ clock, at: clock.now() + 100 });
    const transport = networkOf(() => jsonAnswer({ data: [] }));
    const service = clientOf("https://tenant.test", { clock, deadline, transport });
    service.requestsPerSecond = 1;
    await service.findings.types("S-1");
    const waiting = errorOf(service.findings.types("S-1"));
    clock.advance(100);
    await expect(waiting).resolves.toMatchObject({
      code: "deadline",
      message: expect.stringMatching(/^The run reached its deadline while .*: the service allows only 1 a second\./),
    });
  });

  it("was not slow when the deadline found requests waiting for the limit of every tenant", async () => {
    const clock = new FakeClock();
    const deadline = new Deadline({ clock, at: clock.now() + 100 });
    const service = clientOf("https://tenant.test", {
      clock,
      deadline,
      transport: networkOf(() => jsonAnswer({ data: [] })),
    });
    const requests = Promise.allSettled(Array.from({ length: 60 }, () => service.findings.types("S-1")));
    clock.advance(100);
    const failed = (await requests).flatMap((each) => (each.status === "rejected" ? [each.reason as Error] : []));
    expect(failed.length).toBeGreaterThan(0);
    for (const { message } of failed)
      expect(message).toMatch(/^The run reached its deadline while requests waited for their turn\. Allow/);
  });
});

describe("the service's time", () => {
  it("is not known before a response has said it", async () => {
    const answers = [jsonAnswer({ data: [] }), dated("yesterday"), dated("0"), dated("Thu, 20 Aug 2026 14:05:06 GMT")];
    const transport = networkOf((_, index) => answers[index]!);
    const service = clientOf("https://tenant.test", { transport, clock: new FakeClock() });
    expect([service.responded, service.time()]).toEqual([false, null]);
    for (const time of [null, null, null, Date.UTC(2026, 7, 20, 14, 5, 6)]) {
      await service.environments.list();
      expect([service.responded, service.time()]).toEqual([true, time]);
    }
  });

  it("goes on with this machine's clock, whatever that clock shows", async () => {
    const clock = new FakeClock(Date.UTC(2001, 0, 1));
    const transport = networkOf(() => dated("Thu, 20 Aug 2026 14:05:06 GMT"));
    const service = clientOf("https://tenant.test", { transport, clock });
    await service.environments.list();
    clock.advance(90_500);
    expect(service.time()).toBe(Date.UTC(2026, 7, 20, 14, 6, 36, 500));
    clock.set(-600_000);
    expect(service.time()).toBe(Date.UTC(2026, 7, 20, 14, 6, 36, 500));
  });

  it("is what the newest response says, also when the service's clock was set back, and stays when one says nothing", async () => {
    const answers = [
      dated("Thu, 20 Aug 2026 14:05:06 GMT"),
      dated("Wed, 19 Aug 2026 14:05:06 GMT", 404),
      jsonAnswer({ data: [] }),
    ];
    const transport = networkOf((_, index) => answers[index]!);
    const service = clientOf("https://tenant.test", { transport, clock: new FakeClock() });
    await service.environments.list();
    await errorOf(service.environments.list());
    expect(service.time()).toBe(Date.UTC(2026, 7, 19, 14, 5, 6));
    await service.environments.list();
    expect(service.time()).toBe(Date.UTC(2026, 7, 19, 14, 5, 6));
  });

  it("is known from any status and from a response whose body never ends", async () => {
    const clock = new FakeClock();
    const server = await startServer((_, response, index) => {
      if (index === 0) {
        sendJson(response, wrapper(500, "failed"), 500, { date: "Thu, 20 Aug 2026 14:05:06 GMT" });
        return;
      }
      response.writeHead(200, { "content-type": "application/json", date: "Fri, 21 Aug 2026 14:05:06 GMT" });
      response.write('{"data": [');
    });
    const service = clientOf(server.url, { clock });
    await errorOf(service.environments.list());
    expect([service.responded, service.time()]).toEqual([true, Date.UTC(2026, 7, 20, 14, 5, 6)]);
    const asked = errorOf(service.environments.list());
    while (service.time() !== Date.UTC(2026, 7, 21, 14, 5, 6)) await new Promise(setImmediate);
    clock.advance(60_000);
    await expect(asked).resolves.toMatchObject({ code: "timeout" });
    await server.close();
  });

  it("says nothing about a server that never responds", async () => {
    const server = await startServer((_, response) => {
      response.destroy();
    });
    const service = clientOf(server.url, { clock: new FakeClock(), deadline: stopped() });
    await errorOf(service.environments.list());
    const another = clientOf(server.url, { random: () => 0 });
    await errorOf(another.environments.list());
    expect([service.responded, another.responded, another.time()]).toEqual([false, false, null]);
    await server.close();
  });
});

function stopped(): Deadline {
  return new Deadline({ clock: new FakeClock(), at: null, stops: [AbortSignal.abort()] });
}
