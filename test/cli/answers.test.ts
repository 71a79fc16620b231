import { beforeAll, describe, expect, it } from "@jest/globals";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { FaultRequest, Tenant } from "../../sandbox/tenant/index.ts";
import { momentOf, toTheSecond } from "../../src/cli/instant-option.ts";
import { edgeKinds } from "../../src/investigation/edges/edge-kinds.ts";
import { askHere, commandLineHere, type CommandOutcome } from "../support/command-line.ts";
import { skippingClock } from "../support/fake-clock.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startTenant } from "../support/tenant.ts";

const FJORD = "S-1-5-21-3130019616-2776909439-2417379446";
const clock = skippingClock();
const demo = (): Promise<Tenant> =>
  startTenant({ clock, dataset: { kind: "demo", analysedAt: "2026-01-15T06:00:00Z" } });
const ask = (tenant: Tenant, ...args: string[]): Promise<CommandOutcome> => askHere(tenant, args, { clock });
const rows = (out: string): string[] => out.trimEnd().split("\n");

let tenant: Tenant;
beforeAll(async () => {
  tenant = await demo();
});

/** A tenant whose answers at this path hold something else. */
async function answering(
  path: string,
  data: (body: { data: never }, request: FaultRequest) => unknown,
): Promise<Tenant> {
  const own = await demo();
  const transform = (body: string, request: FaultRequest): string =>
    JSON.stringify(data(JSON.parse(body) as { data: never }, request));
  own.control.fault({ path, effect: { kind: "body", transform, status: 200 } });
  return own;
}

describe("a list without entries is named", () => {
  it.each([
    [["environments"], "/available-domains$", { data: [] }, "The credentials can see no environments."],
    [["types", "FJORD.TEST"], "/available-types$", { data: [], count: 0 }, "There are no finding types."],
    [["saml", "list"], "/saml$", { data: { saml_providers: [] } }, "The tenant has no SAML providers."],
    [["meta-tree", "FJORD.TEST", "--json"], "/meta-trees/", { data: {} }, "The meta tree has no nodes."],
  ])("%j", async (args, path, body, message) => {
    const { code, error } = await ask(await answering(path, () => body), ...args);
    expect({ code, error }).toEqual({ code: 1, error: `${message}\n` });
  });
});

describe("types", () => {
  it("of a list that was cut off are shown, and the exit code says that some are missing", async () => {
    const own = await answering(`${FJORD}/available-types$`, (body) => ({ ...body, count: 99 }));
    const when = ({ path, query }: FaultRequest): boolean => path.includes("available-types") && query.has("skip");
    own.control.fault({ when, effect: { kind: "status", status: 500 } });
    const { code, out, error } = await ask(own, "types", "FJORD.TEST");
    expect(code).toBe(5);
    expect(error).toMatch(/^Error: Incomplete: FJORD\.TEST\. /);
    expect(rows(out)).toHaveLength(own.data.findingTypes(FJORD).length + 1);
  });
});

describe("assets", () => {
  it("stand apart, each with its status", async () => {
    const { code, out, error } = await ask(tenant, "assets", `${FJORD}-500`, "S-1-5-21-1");
    expect(code).toBe(1);
    expect(out.split("\n\n")).toHaveLength(2);
    expect(out.split("\n\n")[1]).toMatch(/^FACT +VALUE\nobject id +S-1-5-21-1\nstatus +not found\n$/);
    expect(rows(error)).toHaveLength(1);
  });

  it("that could not be read say why", async () => {
    const own = await demo();
    own.control.fault({ when: ({ path }) => path.includes(`${FJORD}-512`), effect: { kind: "status", status: 500 } });
    const { out } = await ask(own, "assets", `${FJORD}-500`, `${FJORD}-512`);
    expect(out.split("\n\n")[1]).toMatch(/^status +failed$/m);
    expect(out.split("\n\n")[1]).toMatch(/^error +The service reported an internal error/m);
  });

  it("say how many related objects they leave out, and only then", async () => {
    const { out } = await ask(tenant, "assets", `${FJORD}-515`, `${FJORD}-512`);
    expect(out).not.toMatch(/^members .*of 3/m);
  });

  it("say that there may be more related objects than a service counts", async () => {
    const own = await demo();
    const data = Array.from({ length: 30 }, (_, index) => ({
      objectID: `U-${index}`,
      name: `U${index}`,
      label: "User",
    }));
    own.control.fault({
      when: ({ path }) => path.endsWith(`/${FJORD}-512/members`),
      effect: { kind: "body", transform: () => JSON.stringify({ data, skip: 0, limit: 25 }) },
    });
    const { out } = await ask(own, "assets", `${FJORD}-512`);
    expect(out).toMatch(/^members .*, U9 \(25 of an unknown number\)$/m);
  });
});

describe("explain", () => {
  it("lists every kind in a column of its own, or as JSON", async () => {
    const table = await commandLineHere(["explain"]);
    const at = new Set(rows(table.out).map((line, index) => line.indexOf(edgeKinds[index]?.allows ?? "")));
    expect(rows(table.out).map((line) => line.split(" ")[0])).toEqual(edgeKinds.map(({ kind }) => kind));
    expect([...at]).toEqual([Math.max(...edgeKinds.map(({ kind }) => kind.length)) + 2]);
    expect(JSON.parse((await commandLineHere(["explain", "--json"])).out)).toEqual(edgeKinds);
  });
});

describe("object-id", () => {
  it("shows the candidates for a part of a name, and only for that", async () => {
    const { code, out } = await ask(tenant, "object-id", "ADMINISTRATOR@FJORD.TEST", "ADMINISTRATOR");
    expect(code).toBe(1);
    expect(rows(out).filter((line) => / candidate /.test(line))).toHaveLength(rows(out).length - 3);
    expect(out).toMatch(/^ADMINISTRATOR@FJORD\.TEST +found +User/m);
    expect(out).toMatch(/^ADMINISTRATOR@CORP\.HALDEN\.TEST +candidate +User +S-1-5-21-[\d-]+-500$/m);
  });

  it("says which full name another form of it stands for", async () => {
    const { out } = await ask(tenant, "object-id", "administrator@fjord.test");
    expect(out).toMatch(/^administrator@fjord\.test +found/m);
    const short = await ask(tenant, "object-id", "FJORD\\ADMINISTRATOR");
    expect(short.out).toMatch(/^FJORD\\ADMINISTRATOR \(ADMINISTRATOR@FJORD\.TEST\) +found/m);
  });

  it("names the credentials when they belong to no user, and doctor does not call the search allowed", async () => {
    const own = await demo();
    const message = "no associated user found with request";
    own.control.fault({ path: "/search$", effect: { kind: "status", status: 400, message } });
    const { code, error } = await ask(own, "object-id", "ADMINISTRATOR");
    expect(code).toBe(3);
    expect(error).toContain("Create an API token for a user, and enter its Token ID and Token Key.");
    const { out } = await askHere(own, ["doctor"]);
    expect(out).toMatch(/^warning +Permission: search +The service rejected the request: no associated user/m);
  });
});

describe("path", () => {
  it("hints at object-id for the end that is unknown, and not for the other", async () => {
    const { error } = await ask(tenant, "path", "ADMINISTRATOR@FJORD.TEST", "nobody@fjord.test");
    expect(error.match(/run: attack-path-analysis object-id/g)).toHaveLength(1);
    expect(error).toContain('object-id "nobody@fjord.test"');
  });

  it("without an end shows the shortest of the paths only", async () => {
    const { out } = await ask(tenant, "path", "SVC_SQL@FJORD.TEST");
    const { paths } = JSON.parse((await ask(tenant, "path", "SVC_SQL@FJORD.TEST", "--json")).out) as {
      paths: { exists: boolean | null; length: number | null }[];
    };
    const lengths = paths.flatMap(({ exists, length }) => (exists === true && length !== null ? length : []));
    expect(new Set(lengths).size).toBeGreaterThan(1);
    expect(out.match(/^ +\d+ {2}/gm)).toHaveLength(Math.min(...lengths));
  });

  it("without an end ends with 5 when some of Tier Zero could not be checked and no path was found", async () => {
    const own = await demo();
    own.control.fault({ path: "shortest-path$", from: 2, effect: { kind: "status", status: 500 } });
    own.control.fault({ path: "shortest-path$", effect: { kind: "status", status: 404 } });
    const { code } = await ask(own, "path", "SVC_SQL@FJORD.TEST");
    expect(code).toBe(5);
  });

  it("does not end like the answer no when the service does not find what was asked for in other words", async () => {
    const own = await demo();
    const errors = [{ context: "graph", message: "node not found" }];
    const transform = (): string => JSON.stringify({ http_status: 404, request_id: "r", errors });
    own.control.fault({ path: "shortest-path$", effect: { kind: "body", transform, status: 404 } });
    const outcome = await ask(own, "path", "SVC_SQL@FJORD.TEST", "ADMINISTRATOR@FJORD.TEST");
    expect(outcome).toMatchObject({ code: 4, error: expect.stringContaining("node not found") });
  });

  it.each([
    [["poll", "--state", "poll.json"], "/assets/findings/"],
    [["path", "SVC_SQL@FJORD.TEST"], "shortest-path$"],
    [["assets", "SVC_SQL@FJORD.TEST"], "/users/"],
    [["cuts", "--environment", "FJORD.TEST"], "shortest-path$"],
  ])("of %j ends with 130 when the command is stopped on its way", async (args, path) => {
    const own = await demo();
    const stop = new AbortController();
    const run = () => {
      stop.abort();
    };
    own.control.fault({ path, effect: { kind: "run", run } });
    const given = args.map((arg) => (arg === "poll.json" ? join(temporaryFolder(), arg) : arg));
    expect(await askHere(own, given, { stop: stop.signal })).toMatchObject({ code: 130 });
  });

  it("without an end ends with 130 when it is stopped while its start is looked up", async () => {
    const own = await demo();
    const stop = new AbortController();
    const run = () => {
      stop.abort();
    };
    own.control.fault({ path: "/search$", effect: { kind: "run", run } });
    const { code } = await askHere(own, ["path", "NOBODY@FJORD.TEST"], { clock, stop: stop.signal });
    expect(code).toBe(130);
  });

  it.each([
    [429, 4],
    [401, 3],
  ])("without an end ends with the error of its start when that is %d", async (status, code) => {
    const own = await demo();
    own.control.fault({ effect: { kind: "status", status } });
    const outcome = await ask(own, "path", "SVC_SQL@FJORD.TEST");
    expect(outcome).toMatchObject({ code, out: "", error: expect.stringContaining(`status ${status}`) });
    expect(outcome.error).not.toContain("object-id");
  });

  it("without an end ends with the error that met every check", async () => {
    const own = await demo();
    own.control.fault({ path: "shortest-path$", effect: { kind: "status", status: 500 } });
    expect(await ask(own, "path", "SVC_SQL@FJORD.TEST")).toMatchObject({ code: 4, out: "" });
  });
});

describe("meta-tree", () => {
  it.each([
    [["--node-id", "7"], "node_id", "7"],
    [["--asset-group-tag-id", "3"], "asset_group_tag_id", "3"],
  ])("asks for what %j names, and for nothing else", async (options, name, value) => {
    const asked: URLSearchParams[] = [];
    const own = await answering("/meta-trees/", (body, { query }) => {
      asked.push(query);
      return body;
    });
    await ask(own, "meta-tree", "FJORD.TEST", "--json", ...options);
    await ask(own, "meta-tree", "FJORD.TEST", "--json");
    const names = ["node_id", "asset_group_tag_id"];
    expect(asked.map((query) => names.map((each) => query.get(each)))).toEqual([
      names.map((each) => (each === name ? value : null)),
      [null, null],
    ]);
  });
});

describe("trend", () => {
  const point = (day: number, values: object) => ({
    EnvironmentID: FJORD,
    Finding: "T0Owns",
    created_at: `2026-01-${String(day).padStart(2, "0")}T06:00:00Z`,
    ...values,
  });

  it("is not that of a name which another environment may have that could not be listed", async () => {
    const own = await demo();
    own.control.fault({
      path: "available-domains",
      effect: { kind: "cut-list", size: own.data.environments.length - 1 },
    });
    const [{ id, name } = { id: "", name: "" }] = own.data.environments;
    const { code, error } = await ask(own, "trend", name, "T0GenericAll");
    expect([code, error]).toEqual([4, expect.stringContaining("The list from the service")]);
    expect((await ask(own, "trend", id, "T0GenericAll", "--from", "2026-01-01")).code).toBe(0);
  });

  it("does not say that a finding type is unknown when not all are listed", async () => {
    const own = await answering(`${FJORD}/available-types$`, (body) => ({ ...body, count: 99 }));
    const { code, error } = await ask(own, "trend", "FJORD.TEST", "T0Nothing");
    expect([code, error]).toEqual([1, "There is no analysis in this period.\n"]);
  });

  it("is in the order of time, whatever the order of the service", async () => {
    const own = await answering("/sparkline$", ({ data }) => ({ data: [...(data as object[])].reverse() }));
    const args = ["trend", "FJORD.TEST", "T0GenericAll", "--from", "2026-01-01", "--json"];
    expect((await ask(own, ...args)).out).toBe((await ask(tenant, ...args)).out);
    expect((await ask(own, ...args.slice(0, -1))).out).toBe((await ask(tenant, ...args.slice(0, -1))).out);
  });

  it("ends with the moment that --to names", async () => {
    const args = ["trend", "FJORD.TEST", "T0GenericAll", "--from", "2026-01-01", "--json"];
    const all = rows((await ask(tenant, ...args)).out);
    const until = rows((await ask(tenant, ...args, "--to", "2026-01-14T12:00:00Z")).out);
    expect(until.length).toBeLessThan(all.length);
    expect(until).toEqual(all.slice(0, until.length));
  });

  it("says what is not known", async () => {
    const points = [
      point(2, { FindingCount: 4, CompositeRisk: 58.74 }),
      point(3, { FindingCount: 2, CompositeRisk: null }),
    ];
    const own = await answering("/sparkline$", () => ({ data: points }));
    const { out } = await ask(own, "trend", "FJORD.TEST", "T0Owns");
    expect(rows(out)).toEqual([
      expect.stringMatching(/^findings {9}\S+ {2}2 to 4, now 2$/),
      expect.stringMatching(/^impacted assets {2} *now not known$/),
      expect.stringMatching(/^risk {13}\S+ {2,3}58\.7 to 58\.7, now not known$/),
      expect.stringMatching(/2026-01-02T06:00:00Z to 2026-01-03T06:00:00Z$/),
    ]);
  });

  it("fits the terminal", async () => {
    const points = Array.from({ length: 300 }, (_, index) => ({
      ...point(1, { FindingCount: index }),
      created_at: new Date(Date.UTC(2026, 0, 1, index)).toISOString(),
    }));
    const own = await answering("/sparkline$", () => ({ data: points }));
    const widthAt = async (columns: number): Promise<number> => {
      const terminal = Object.assign(new PassThrough(), { isTTY: true, columns });
      await askHere(own, ["trend", "FJORD.TEST", "T0Owns"], { clock, stdout: terminal });
      return /^findings +(\S+)/.exec(String(terminal.read()))?.[1]?.length ?? 0;
    };
    expect(await widthAt(100)).toBe(60);
    expect(await widthAt(30)).toBe(20);
  });
});

describe("document", () => {
  it("leaves out the texts that the service does not have", async () => {
    const own = await demo();
    own.control.fault({ path: "/short_description(\\.md)?$", effect: { kind: "status", status: 404 } });
    const { code, out } = await ask(own, "document", "T0GenericAll");
    expect(code).toBe(0);
    const titles = (text: string): string[] => text.match(/^[A-Z]{4,}( [A-Z]+)?$/gm) ?? [];
    const all = titles((await ask(tenant, "document", "T0GenericAll")).out);
    expect(all).toContain("SHORT DESCRIPTION");
    expect(titles(out)).toEqual(all.filter((title) => title !== "SHORT DESCRIPTION"));
    expect(out).not.toMatch(/\n\n\n/);
  });
});

describe("findings", () => {
  it("whose risk was not accepted can be listed alone", async () => {
    const accepted = async (...options: string[]): Promise<boolean[]> =>
      rows((await ask(tenant, "findings", "--json", ...options)).out).map(
        (line) => (JSON.parse(line) as { accepted: boolean }).accepted,
      );
    expect(new Set(await accepted())).toEqual(new Set([true, false]));
    expect(new Set(await accepted("--accepted", "no"))).toEqual(new Set([false]));
  });
});

describe("a moment", () => {
  const now = Date.parse("2026-03-01T12:00:00Z");

  it.each([
    ["90m", "2026-03-01T10:30:00Z"],
    ["12h", "2026-03-01T00:00:00Z"],
    ["100d", "2025-11-21T12:00:00Z"],
    ["2026-01-31", "2026-01-31T00:00:00Z"],
    ["2026-01-31T06:00", "2026-01-31T06:00:00Z"],
    ["2026-01-31T06:00:00+02:00", "2026-01-31T04:00:00Z"],
  ])("is read from %s", (text, instant) => {
    expect(momentOf(text, now)).toBe(Date.parse(instant));
  });

  it.each([
    "d",
    "7",
    "7w",
    "x7d",
    "7dx",
    "-7d",
    "1.5h",
    "1234567d",
    "2026",
    "on 2026-01-31",
    "2026-01-31 06:00",
    "2026-02-30",
  ])("is not read from %s", (text) => {
    expect(momentOf(text, now)).toBeNull();
  });

  it("that cannot be read names its option, before anybody is asked for credentials", async () => {
    const { code, error } = await commandLineHere(["trend", "A", "B", "--from", "7d", "--to", "soon"], {
      input: "a2V5",
    });
    expect({ code, error }).toEqual({
      code: 2,
      error:
        "error: option '--to <moment>' argument 'soon' is invalid. Expected 2026-01-31, 2026-01-31T06:00:00Z, or how long ago: 90m, 12h, 7d.\n(--help explains the options)\n",
    });
  });

  it.each([
    ["2026-01-31T06:00:00.123456789Z", "2026-01-31T06:00:00Z"],
    ["2026-01-31T06:00:00.5+02:00", "2026-01-31T06:00:00+02:00"],
    ["2026-01-31T06:00:00.5Z later", "2026-01-31T06:00:00.5Z later"],
    ["06:00:00.5Z", "06:00:00.5Z"],
  ])("of the service is shown to the second: %s", (instant, shown) => {
    expect(toTheSecond(instant)).toBe(shown);
  });
});
