import { Readable } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import { manifest } from "../../src/generated/manifest.ts";
import { checkRequest, LARGEST_REQUEST_BYTES, readRequest, secretsIn } from "../../src/runtime/request.ts";
import { connectorRequest, pingRequest, SECRET } from "./harness.ts";

function read(...chunks: (string | Uint8Array)[]): Promise<Record<string, unknown>> {
  return readRequest(Readable.from(chunks.map((chunk) => Buffer.from(chunk))));
}

describe("readRequest", () => {
  it("reads a request in pieces that cut characters in two, with a byte order mark and blanks around it", async () => {
    const bytes = Buffer.from('\ufeff \n{"name": "Zoë 👩"}\n');
    const pieces = [...bytes].map((byte) => Uint8Array.of(byte));
    expect(await read(...pieces)).toEqual({ name: "Zoë 👩" });
  });

  it.each([
    ["nothing", "", "standard input is empty"],
    ["blanks", " \n", "standard input is empty"],
    ["no JSON", "hello", "not JSON"],
    ["truncated JSON", '{"protocol": 1', "not JSON"],
    ["text after the request", '{"protocol": 1} x', "nothing before or after it"],
    ["two requests", '{"protocol": 1}\n{"protocol": 1}', "nothing before or after it"],
    ["an array", "[]", "The request must be a JSON object"],
    ["null", "null", "must be a JSON object"],
  ])("refuses %s", async (_, text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  it("refuses text that is not UTF-8", async () => {
    await expect(read(Buffer.from('{"a": "\u00e9"}', "latin1"))).rejects.toThrow("UTF-8");
    await expect(read(Buffer.from('\ufeff{"a": 1}', "utf16le"))).rejects.toThrow("UTF-8");
  });

  it("shows no part of what it could not read", async () => {
    const error = await read(`{"Token Key": "${SECRET}"`).catch((reason: unknown) => reason);
    expect(String(error)).not.toContain(SECRET.slice(0, 6));
  });

  it("says once, while it reads, that a request is large", async () => {
    const sizes: number[] = [];
    const readPieces = async (count: number): Promise<void> => {
      let given = 0;
      const pieces = Readable.from(
        (function* () {
          for (let piece = 0; piece < count; piece++) {
            given += 2 ** 20;
            yield Buffer.alloc(2 ** 20, " ");
          }
          yield Buffer.from("{}");
        })(),
        { highWaterMark: 1 },
      );
      await readRequest(pieces, () => sizes.push(given));
    };
    await readPieces(4);
    expect(sizes).toEqual([4 * 2 ** 20]);
    await readPieces(3);
    await readPieces(12);
    expect(sizes).toHaveLength(2);
    expect(sizes[1]).toBeLessThan(12 * 2 ** 20);
  });

  it("stops reading a request that is too large", async () => {
    const chunk = Buffer.alloc(LARGEST_REQUEST_BYTES / 4, " ");
    let given = 0;
    const endless = Readable.from(
      (function* () {
        for (;;) {
          given += chunk.length;
          yield chunk;
        }
      })(),
    );
    await expect(readRequest(endless)).rejects.toThrow("larger than 64 MiB");
    expect(given).toBeLessThanOrEqual(LARGEST_REQUEST_BYTES * 2);
  });
});

describe("checkRequest", () => {
  it("takes a request of the contract", () => {
    const run = { id: "r-2", deadline: "2030-01-31T10:00:00Z", test: true, maxAlerts: 100, maxEventsPerAlert: 500 };
    const request = checkRequest(connectorRequest({ run, state: { version: 1 } }), manifest);
    expect(request).toMatchObject({ kind: "connector", name: "Attack Path Findings", run, state: { version: 1 } });
    expect(request.deadline).toBe(Date.parse("2030-01-31T10:00:00Z"));
  });

  it.each(["2030-01-31T12:00:00+02:00", "2030-01-31T10:00:00.000z"])("takes the deadline %s", (deadline) => {
    const request = checkRequest(pingRequest({ run: { deadline } }), manifest);
    expect(request.deadline).toBe(Date.parse("2030-01-31T10:00:00Z"));
  });

  it("takes every level of log messages, and the least limits", () => {
    for (const logLevel of ["debug", "info", "warn", "error"]) {
      const run = { logLevel, maxAlerts: 1, maxEventsPerAlert: 1 };
      expect(checkRequest(connectorRequest({ run }), manifest).run).toMatchObject(run);
    }
  });

  it("does without what may be left out", () => {
    const request = checkRequest({ protocol: 1, kind: "action", name: "Ping" }, manifest);
    expect(request.run).toEqual({ id: "", deadline: null, test: false });
    expect(request).toMatchObject({ deadline: null, instance: {}, parameters: {}, context: {}, state: null });
  });

  it.each([
    [{ protocol: 2 }, '"protocol" must be 1'],
    [{ protocol: "1" }, '"protocol" must be 1'],
    [{ kind: "widget" }, '"kind" is "widget". It must be "action", "connector" or "job".'],
    [{ kind: undefined }, '"kind" is missing. It must be'],
    [
      { name: "Pong" },
      `"name" is "Pong". It must be one of this plugin's actions: ${manifest.actions.map(({ name }) => name).join(", ")}.`,
    ],
    [{ name: null }, '"name" is null. It must be one of'],
    [{ name: "a\nb\u202e" }, '"name" is "a\\nb\\u202e". It must be one of'],
    [{ name: "x".repeat(1_000_000) }, `"name" is "${"x".repeat(80)}…". It must be one of`],
    [{ kind: "connector" }, '"name" is "Ping". It must be one of this plugin\'s connectors: Attack Path Findings.'],
    [{ run: "r-1" }, '"run" must be a JSON object'],
    [{ run: { id: 5 } }, '"run.id" must be a string'],
    [{ run: { test: "yes" } }, '"run.test" must be true or false'],
    [{ run: { deadline: "tomorrow" } }, '"run.deadline" must be null or an RFC 3339 instant'],
    [{ run: { deadline: "2030-13-31T10:00:00Z" } }, '"run.deadline" must be null or an RFC 3339 instant'],
    [{ run: { deadline: ["2030-01-31T10:00:00Z"] } }, '"run.deadline" must be null or an RFC 3339 instant'],
    [{ run: { deadline: "+002030-01-31T10:00:00Z" } }, '"run.deadline" must be null or an RFC 3339 instant'],
    [{ run: { deadline: 1893456000000 } }, '"run.deadline" must be null or an RFC 3339 instant'],
    [{ run: { logLevel: "loud" } }, '"run.logLevel" must be one of debug, info, warn, error'],
    [{ run: { maxAlerts: 0 } }, '"run.maxAlerts" must be a whole number of at least 1'],
    [{ run: { maxEventsPerAlert: "500" } }, '"run.maxEventsPerAlert" must be a whole number of at least 1'],
    [{ instance: [] }, '"instance" must be a JSON object'],
    [{ parameters: "x" }, '"parameters" must be a JSON object'],
    [{ context: 5 }, '"context" must be a JSON object'],
  ])("refuses %j and names the field", (changes, message) => {
    expect(() => checkRequest(pingRequest(changes), manifest)).toThrow(message);
  });
});

describe("secretsIn", () => {
  it("finds the secret parameters of the instance and of a connector", () => {
    expect(secretsIn(pingRequest(), manifest)).toEqual([SECRET]);
    expect(secretsIn(connectorRequest(), manifest)).toEqual([SECRET]);
  });

  it("finds a secret of the wrong type, and copes with a request that is malformed", () => {
    expect(secretsIn(pingRequest({ instance: { "Token Key": [SECRET] } }), manifest)).toEqual([
      JSON.stringify([SECRET]),
    ]);
    expect(secretsIn({ instance: "x", parameters: null }, manifest)).toEqual([]);
  });
});

describe("the alerts of a job", () => {
  const alert = {
    alertId: "4711",
    environmentId: "E",
    findingType: "T0Owns",
    status: "open",
    closedBy: null,
    closedAt: null,
    findings: [{ id: "1", source: null, target: "A", createdAt: 0 }],
  };
  const check = (...alerts: unknown[]) =>
    checkRequest({ protocol: 1, kind: "job", name: "Follow Up Findings", alerts }, manifest);

  it("may have no findings", () => {
    expect(check(alert, { ...alert, alertId: "4712", findings: [] }).alerts).toHaveLength(2);
  });

  it.each([
    ["a status that does not exist", { ...alert, status: "ajar" }, '"4711") is malformed: "status"'],
    ["a finding without a target", { ...alert, findings: [{ id: "1", source: null }] }, "findings.0"],
    ["no id", { ...alert, alertId: "" }, "alert number 2"],
    ["the id of another one", alert, "in the request twice"],
  ])("fail the request by name when one has %s", (_, wrong, message) => {
    const others = message.includes("twice") ? [alert] : [{ ...alert, alertId: "1" }];
    expect(() => check(...others, wrong)).toThrow(message);
  });
});
