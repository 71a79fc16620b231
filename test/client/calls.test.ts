import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "@jest/globals";
import type { Tenant, TenantOptions } from "../../sandbox/tenant/index.ts";
import { Calls } from "../../src/client/calls.ts";
import {
  AbortedError,
  AttackPathClient,
  type CallOptions,
  type ClientOptions,
  RateLimitedError,
  UnauthenticatedError,
} from "../../src/client/index.ts";
import { movableClock } from "../support/fake-clock.ts";
import { sendJson, startServer } from "../support/raw-server.ts";
import { servedFindings } from "../support/served-findings.ts";
import { firstStream, startTenant } from "../support/tenant.ts";

const dataset = { environments: 1, findingTypes: 1, findingsPerPair: 35 };

const opened: { close(): void }[] = [];
afterEach(() => {
  for (const each of opened.splice(0)) each.close();
});

function optionsFor({ url, tokenId, tokenKey }: Tenant): ClientOptions {
  return { server: url, credentials: { tokenId, tokenKey } };
}

async function start(tenantOptions: TenantOptions = {}, options: Partial<ClientOptions> = {}) {
  const tenant = await startTenant({ dataset, maxPageSize: 10, ...tenantOptions });
  const client = new AttackPathClient({ ...optionsFor(tenant), ...options });
  opened.push(client);
  const stream = firstStream(tenant);
  const all = servedFindings(tenant, stream.environmentId, stream.findingType).length;
  const read = async (call?: CallOptions, each: (count: number) => void = () => undefined): Promise<number> => {
    let count = 0;
    for await (const finding of client.findings(stream, call)) each((count += finding.finding_id === "" ? 0 : 1));
    return count;
  };
  return { tenant, client, all, read };
}

/** What a call rejects with. */
async function errorOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => null,
    (error: unknown) => error,
  );
}

describe("an iteration that is cancelled", () => {
  const reason = new Error("The user closed the page");

  it("rejects at its next step, sends nothing more, and leaves the client usable", async () => {
    const { tenant, all, read } = await start();
    const stop = new AbortController();
    const counts: number[] = [];
    const error = await errorOf(
      read({ signal: stop.signal }, (count) => {
        counts.push(count);
        if (count === 12) stop.abort(reason);
      }),
    );
    expect(error).toBeInstanceOf(AbortedError);
    expect(error).toMatchObject({ code: "aborted", cause: reason });
    expect(counts).toHaveLength(12);
    expect(tenant.requests).toHaveLength(2);
    expect(await read()).toBe(all);
  });

  it("rejects while a page is on its way, and asks for no other", async () => {
    const { tenant, all, read } = await start();
    const stop = new AbortController();
    const effect = {
      kind: "run" as const,
      run: () => {
        stop.abort(reason);
      },
    };
    tenant.control.fault({ path: "/details$", from: 2, times: 1, effect });
    expect(await errorOf(read({ signal: stop.signal }))).toMatchObject({ code: "aborted", cause: reason });
    expect(tenant.requests).toHaveLength(2);
    expect(await read()).toBe(all);
  });

  it("does not disturb another one", async () => {
    const { all, read } = await start();
    const stop = new AbortController();
    const [one, other] = await Promise.all([
      errorOf(
        read({ signal: stop.signal }, () => {
          stop.abort();
        }),
      ),
      read(),
    ]);
    expect([one, other]).toEqual([expect.any(AbortedError), all]);
  });

  it("sends nothing more when it is left early", async () => {
    const { tenant, client } = await start();
    for await (const finding of client.findings(firstStream(tenant))) {
      expect(finding.finding_id).not.toBe("");
      break;
    }
    expect(await client.environments().next()).toMatchObject({ done: false });
    expect(tenant.requests.map(({ path }) => path.split("/").at(-1))).toEqual(["details", "available-domains"]);
  });

  it("ends with the client's own signal, and when the client is closed", async () => {
    const stop = new AbortController();
    const { read } = await start({}, { signal: stop.signal });
    expect(
      await errorOf(
        read({}, () => {
          stop.abort(reason);
        }),
      ),
    ).toMatchObject({ code: "aborted", cause: reason });
    const { client, read: readOther } = await start();
    expect(
      await errorOf(
        readOther({}, () => {
          client.close();
        }),
      ),
    ).toBeInstanceOf(AbortedError);
    expect(await errorOf(readOther())).toBeInstanceOf(AbortedError);
  });

  it("ends at once when the client is closed during a request, of which nothing is logged any more", async () => {
    const lines: string[] = [];
    const line = (text: string): void => void lines.push(text);
    const { tenant, client, read } = await start({}, { logger: { debug: line, info: line, warn: line, error: line } });
    const run = () => {
      lines.length = 0;
      client.close();
    };
    tenant.control.fault({ path: "/details$", from: 2, times: 1, effect: { kind: "run", run } });
    expect(await errorOf(read())).toBeInstanceOf(AbortedError);
    expect(lines).toEqual([]);
  });
});

describe("a list that changes while it is read", () => {
  it("gives each finding once", async () => {
    const { tenant, client } = await start();
    const { environmentId, findingType } = firstStream(tenant);
    const [first] = servedFindings(tenant, environmentId, findingType);
    const run = () => void tenant.control.removeFinding(environmentId, findingType, Number(first?.id));
    tenant.control.fault({ path: "/details$", from: 2, times: 1, effect: { kind: "run", run } });
    const ids: unknown[] = [];
    for await (const { finding_id: id } of client.findings({ environmentId, findingType })) ids.push(id);
    expect(ids).toHaveLength(35);
    expect(new Set(ids).size).toBe(35);
    expect(tenant.requests.length).toBeGreaterThan(4);
  });
});

describe("a list with entries that cannot be used", () => {
  it("gives the others, and rejects at its end", async () => {
    const { tenant, client, all } = await start({ maxPageSize: 100 });
    const { environmentId } = firstStream(tenant);
    const more = (path: string, items: readonly unknown[]): void => {
      tenant.control.fault({ path, times: 1, effect: { kind: "more-items", items } });
    };
    more("/available-domains$", [{ name: "NAMELESS.TEST" }]);
    more("/available-types$", [7]);
    more("/details$", ["no finding"]);
    const read = async (list: AsyncIterable<unknown>): Promise<[count: number, error: string]> => {
      let count = 0;
      const counting = async (): Promise<void> => {
        for await (const entry of list) count += entry === undefined ? 0 : 1;
      };
      const error = String(await errorOf(counting()));
      return [count, error];
    };
    expect(await read(client.environments())).toEqual([1, expect.stringContaining("entries without a usable id: 1.")]);
    expect(await read(client.findingTypes(environmentId))).toEqual([
      1,
      expect.stringContaining("entries that are not names: 1."),
    ]);
    expect(await read(client.findings(firstStream(tenant)))).toEqual([
      all,
      expect.stringContaining("entries that are not findings of the requested type and environment: 1."),
    ]);
  });
});

describe("a call after one that met the rate limit", () => {
  const limited = (headers: Record<string, string> = {}) =>
    ({ times: 1, effect: { kind: "status", status: 429, headers } }) as const;

  it("is sent when the service did not say how long to wait", async () => {
    const { tenant, all, read } = await start();
    tenant.control.fault({ from: 2, ...limited() });
    expect(await errorOf(read())).toBeInstanceOf(RateLimitedError);
    expect(await read()).toBe(all);
  });

  it("rejects without a request until the wait is over, and then is sent", async () => {
    const { tenant } = await start();
    const clock = movableClock();
    const calls = new Calls(optionsFor(tenant), clock);
    opened.push(calls);
    const ask = () => calls.ask(undefined, (service) => service.environments.list());
    tenant.control.fault(limited({ "Retry-After": "60" }));
    const error = await errorOf(ask());
    expect(error).toMatchObject({ code: "rate_limited", retryAfterMs: 60_000 });
    clock.moveOn(59_000);
    expect(await errorOf(ask())).toBe(error);
    expect(tenant.requests).toHaveLength(1);
    clock.moveOn(1_000);
    expect((await ask()).environments).toHaveLength(1);
  });

  it("waits for the longer of two times that the service asked for", async () => {
    const held: ServerResponse[] = [];
    const server = await startServer((_, response, index) => {
      if (index === 0) sendJson(response, { data: [] });
      else held.push(response);
      if (index === 2) held[0]?.writeHead(429).end();
    });
    const credentials = { tokenId: "id", tokenKey: "canary-token-key-7c1d" };
    const calls = new Calls({ server: server.url, credentials }, movableClock());
    opened.push(calls);
    const ask = () => calls.ask(undefined, (service) => service.environments.list());
    await ask();
    const [first, second] = [errorOf(ask()), errorOf(ask())];
    await Promise.race([first, second]);
    held[1]?.writeHead(429, { "Retry-After": "60" }).end();
    await Promise.all([first, second]);
    expect(await errorOf(ask())).toMatchObject({ code: "rate_limited", retryAfterMs: 60_000 });
    expect(server.requests).toHaveLength(3);
  });

  it.each([{}, { "Retry-After": "60" }])(
    "is sent after the wait although nobody saw the refusal (%j)",
    async (headers) => {
      const list = Array.from({ length: 10 }, (_, id) => ({ id: id + 1 }));
      const server = await startServer((request, response, index) => {
        if (index === 1) response.writeHead(429, headers).end();
        else sendJson(response, { count: 10, data: (request.url ?? "").includes("/details") ? list : [] });
      });
      const credentials = { tokenId: "id", tokenKey: "canary-token-key-7c1d" };
      const clock = movableClock();
      const calls = new Calls({ server: server.url, credentials }, clock);
      opened.push(calls);
      const stream = { environmentId: "S-1", findingType: "T0Owns" };
      // The question whether findings follow is refused. The page arrives all the same, and is enough.
      for await (const page of calls.list(undefined, (service) => service.findings.pages(stream))) {
        expect(page.findings).toHaveLength(10);
        break;
      }
      clock.moveOn(60_000);
      await expect(calls.ask(undefined, (service) => service.analysis.status({ required: true }))).rejects.toThrow(
        "has no record",
      );
    },
  );

  it("is sent after the wait by an iteration that went on until then, and the wait grows no longer", async () => {
    const { tenant } = await start();
    const clock = movableClock();
    const calls = new Calls(optionsFor(tenant), clock);
    opened.push(calls);
    const pages = calls.list(undefined, (service) => service.findings.pages(firstStream(tenant)));
    await pages.next();
    tenant.control.fault(limited({ "Retry-After": "60" }));
    expect(await errorOf(calls.ask(undefined, (service) => service.environments.list()))).toBeInstanceOf(
      RateLimitedError,
    );
    clock.moveOn(120_000);
    expect((await pages.next()).value?.findings.length).toBeGreaterThan(0);
  });

  it("knows what the client has learned of the tenant, and uses its connections", async () => {
    const { tenant, all, read } = await start({ dialect: "bloodhound-enterprise" });
    await read();
    const { length } = tenant.requests;
    tenant.control.fault(limited());
    expect(await errorOf(read())).toBeInstanceOf(RateLimitedError);
    expect(await read()).toBe(all);
    expect(tenant.requests.slice(length).map(({ status }) => status)).toEqual([429, 200, 200, 200, 200, 200]);
    expect(tenant.connections).toBe(1);
  });

  it("is sent after rejected credentials, too, which may have become valid", async () => {
    const { tenant, all, read } = await start();
    tenant.control.fault({ times: 1, effect: { kind: "status", status: 401 } });
    expect(await errorOf(read())).toBeInstanceOf(UnauthenticatedError);
    expect(await read()).toBe(all);
  });
});

it("a shortest path leads over relationships that give control, unless all are asked for", async () => {
  const asked: string[] = [];
  const server = await startServer(({ url = "" }, response) => {
    asked.push(url);
    sendJson(response, { data: { nodes: {}, edges: [] } });
  });
  const client = new AttackPathClient({ server: server.url, credentials: { tokenId: "1", tokenKey: "key" } });
  opened.push(client);
  await client.shortestPath("A", "B");
  await client.shortestPath("A", "B", { onlyTraversable: false });
  expect(asked.map((url) => url.includes("only_traversable=true"))).toEqual([true, false]);
});
