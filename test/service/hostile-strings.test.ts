import { afterEach, describe, expect, it } from "@jest/globals";
import { parseInstant } from "../../src/service/instants.ts";
import { findingIdentity } from "../../src/service/resources/finding-identity.ts";
import type { AttackPathService } from "../../src/service/connect.ts";
import { clientOf, closeClients, errorOf, recordingLog } from "./support/clients.ts";
import { networkOf } from "./support/networks.ts";

afterEach(closeClients);

const NAMES = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];
const MEGABYTE = "x".repeat(1_000_000);

/** A client of a service that answers everything with this text. JSON, unlike a literal, may have the key `__proto__`. */
function serviceWith(json: string, status = 200): { service: AttackPathService; log: ReturnType<typeof recordingLog> } {
  const log = recordingLog();
  const transport = networkOf(() => ({ status, headers: { "content-type": "application/json" }, body: json }));
  return { service: clientOf("https://tenant.test", { transport, log }), log };
}

const object = (value: (name: string) => unknown): string =>
  `{${NAMES.map((name) => `${JSON.stringify(name)}:${JSON.stringify(value(name))}`).join(",")}}`;

describe("names that JavaScript gives a meaning of their own", () => {
  it("are counts like any other, nested ones too", async () => {
    const counts = object(() => 7);
    const { service } = serviceWith(`{"data":{"props":${counts},"group":${counts},${counts.slice(1)}}`);
    const entity = await service.entities.directory("users", "S-1", { counts: true });
    const seven = NAMES.map((name) => [name, 7]);
    expect(Object.entries(entity.counts)).toEqual([["group", entity.counts["group"]], ...seven]);
    expect(Object.entries(entity.counts["group"] ?? {})).toEqual(seven);
    expect(Object.entries(entity.properties)).toEqual(seven);
  });

  it("are nodes and edges like any other", async () => {
    const { service } = serviceWith(`{"data":${object((name) => ({ image: name }))}}`);
    expect(Object.keys(await service.graph.metaTree("S-1"))).toEqual(NAMES);
    const nodes = object((name) => ({ objectId: name }));
    const paths = serviceWith(`{"data":{"nodes":${nodes},"edges":[]}}`).service;
    expect([...((await paths.paths.shortest(NAMES[0]!, NAMES[1]!))?.nodes.keys() ?? [])]).toEqual(NAMES);
  });

  it("are not found in a graph that does not have them", async () => {
    const { service } = serviceWith('{"data":{"nodes":{},"edges":[{"source":"constructor","target":"__proto__"}]}}');
    const graph = await service.paths.shortest("A", "B");
    expect(NAMES.map((name) => graph?.nodes.get(name))).toEqual(NAMES.map(() => undefined));
  });

  it("tell findings apart that have no id", () => {
    const identities = NAMES.flatMap((name) =>
      ["1", "2"].map((value) => findingIdentity(JSON.parse(`{"${name}":{"x":${value}}}`) as object)),
    );
    expect(new Set(identities).size).toBe(identities.length);
  });

  it("are taken out where they do not fit, and nothing else is", async () => {
    const { service } = serviceWith('{"data":{"nodes":{"__proto__":7,"constructor":{"label":8},"a":{}},"edges":[]}}');
    const graph = await service.paths.shortest("A", "B");
    expect([...(graph?.nodes ?? [])]).toEqual([
      ["constructor", {}],
      ["a", {}],
    ]);
    expect(({} as { label?: unknown }).label).toBeUndefined();
  });
});

describe("a megabyte of text", () => {
  it.each([400, 401, 403, 404, 408, 429, 500])(
    "in the message of a %i does not get into the error or the log",
    async (status) => {
      const errors = Array(9).fill({ context: MEGABYTE, message: `first ${MEGABYTE}` });
      const { service, log } = serviceWith(JSON.stringify({ errors, request_id: MEGABYTE }), status);
      const error = await errorOf(service.sso.deleteSsoProvider(1));
      expect(error.message).toContain("first");
      expect(JSON.stringify([error, log.lines]).length).toBeLessThan(20_000);
    },
  );

  it("as a key or a value that does not fit does not get into the log or the report", async () => {
    const { service, log } = serviceWith(`{"data":{"${MEGABYTE}":"x"}}`);
    await service.graph.metaTree("S-1");
    const { service: paths, log: pathLog } = serviceWith(`{"data":{"nodes":{"${MEGABYTE}":7}}}`);
    await paths.paths.shortest("A", "B");
    expect([...log.lines, ...pathLog.lines].filter(({ level }) => level === "warn")).toHaveLength(2);
    // At the level debug, the message of each request holds the first 2,000 characters of its body.
    expect(JSON.stringify([log.lines, pathLog.lines]).length).toBeLessThan(8_000);
  });

  it("in a redirect does not get into the error", async () => {
    const headers = { location: `https://elsewhere.test/${MEGABYTE}` };
    const transport = networkOf(() => ({ status: 302, headers, body: "" }));
    const error = await errorOf(clientOf("https://tenant.test", { transport }).environments.list());
    expect(error.message).toContain("https://elsewhere.test/xxx");
    expect(error.message.length).toBeLessThan(1_000);
  });

  it("in a time is read in no time", () => {
    const digits = `${"0".repeat(1_000_000)}1`;
    const started = performance.now();
    expect(parseInstant(`2026-08-20T14:05:06.${digits}Z`)).toBe(Date.UTC(2026, 7, 20, 14, 5, 6));
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

describe("text that is not valid Unicode", () => {
  const messageFor = async (message: string): Promise<string> => {
    const { service } = serviceWith(JSON.stringify({ errors: [{ message }] }), 500);
    return (await errorOf(service.environments.list())).message;
  };

  it("is shown with a replacement character", async () => {
    const shown = await messageFor("lone \ud800 surrogate");
    expect(shown).not.toMatch(/\p{Surrogate}/u);
    expect(shown).toContain("lone \ufffd surrogate");
  });

  it("does not arise where a long message is cut: a character that takes two units is left out whole", async () => {
    const shown = await messageFor(`${"x".repeat(399)}\u{1f600} and more`);
    expect(shown).not.toMatch(/\p{Surrogate}|\ufffd/u);
    expect(shown).toContain(`${"x".repeat(399)}…`);
  });
});
