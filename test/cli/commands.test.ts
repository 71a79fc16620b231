import { beforeAll, describe, expect, it } from "@jest/globals";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FaultEffect, FaultRequest, Tenant } from "../../sandbox/tenant/index.ts";
import { type Clock, systemClock } from "../../src/clock.ts";
import { askHere, commandLineHere, type CommandOutcome } from "../support/command-line.ts";
import { skippingClock } from "../support/fake-clock.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startTenant } from "../support/tenant.ts";

const POLL = "poll --state STATE --environment FJORD.TEST --type T0GenericAll";
const FJORD = "S-1-5-21-3130019616-2776909439-2417379446";

/** A tenant, and the clock that it shares with the commands that ask it. */
type TimedTenant = Tenant & { clock: Clock };

let tenant: TimedTenant;
beforeAll(async () => {
  tenant = await demoTenant();
});

/** By default, nobody waits for the rate limit. */
async function demoTenant(clock: Clock = skippingClock()): Promise<TimedTenant> {
  const dataset = { kind: "demo", analysedAt: "2026-01-15T06:00:00Z" } as const;
  return { ...(await startTenant({ clock, dataset })), clock };
}

/** What a call writes, with a name in place of the tenant's address. */
async function answer(args: readonly string[], asked: TimedTenant = tenant): Promise<CommandOutcome> {
  const { code, out, error } = await askHere(asked, args, { clock: asked.clock });
  const named = (text: string): string => text.replaceAll(asked.url, "https://tenant.test");
  return { code, out: named(out), error: named(error) };
}

function lines(text: string): unknown[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as unknown);
}

describe("what commands write for people and for programs", () => {
  it.each([
    ["environments"],
    ["environments --json"],
    ["types FJORD.TEST"],
    ["types fjord.test --format csv"],
    ["findings --environment FJORD.TEST --severity critical"],
    ["findings --environment FJORD.TEST --severity critical --json"],
    ["findings --environment FJORD.TEST --type Kerberoasting --format csv"],
    ["trend FJORD.TEST T0GenericAll --from 2026-01-01"],
    ["trend FJORD.TEST T0GenericAll --from 2026-01-01 --json"],
    ["document T0GenericAll"],
    ["document T0GenericAll --json"],
    ["meta-tree FJORD.TEST"],
    ["meta-tree FJORD.TEST --format dot"],
    ["meta-tree FJORD.TEST --format svg"],
    ["saml list"],
    ["saml list --json"],
    ["saml list --format csv"],
    ["task current"],
    ["task current --json"],
    ["object-id ADMINISTRATOR@FJORD.TEST"],
    ["object-id ADMINISTRATOR@FJORD.TEST --json"],
    [`path ADMINISTRATOR@FJORD.TEST ${FJORD}-512`],
    [`path ADMINISTRATOR@FJORD.TEST ${FJORD}-512 --json`],
    [`assets ${FJORD}-512`],
    [`assets ${FJORD}-512 --json`],
    ["completion zsh"],
    ["completion fish"],
  ])("%s", async (line) => {
    const args = line.split(" ");
    const written = args[0] === "completion" ? await commandLineHere(args) : await answer(args);
    expect(written.code).toBe(0);
    // The task of the demo tenant ended just now.
    const out = args[0] === "task" ? written.out.replaceAll(/20\d\d-[\d:T-]+Z/g, "<moment>") : written.out;
    expect(`${out}--- standard error\n${written.error}`).toMatchSnapshot();
  });

  it.each([["sso delete 11 --yes"], ["saml delete 2 --yes"], ["saml delete 2 --yes --format csv"], [POLL]])(
    "%s",
    async (line) => {
      // A run of poll has a time limit, which must not be skipped.
      const own = await demoTenant(line === POLL ? systemClock : undefined);
      const state = join(temporaryFolder(), "poll.json");
      const { code, out, error } = await answer(line.replace("STATE", state).split(" "), own);
      expect(code).toBe(0);
      expect(`${out}--- standard error\n${error}`).toMatchSnapshot();
    },
  );

  it("names the provider also if its id is written with zeros in front", async () => {
    const deleted = await answer(["sso", "delete", "011", "--yes"], await demoTenant());
    expect(deleted.error).toContain("Deleted SSO provider 11 (HALDEN-IDP).");
  });

  it("meta-tree as JSON and as a picture", async () => {
    const graph = JSON.parse((await answer(["meta-tree", "FJORD.TEST"])).out) as Record<string, object>;
    expect(graph["meta-tier-zero"]).toMatchObject({ label: { text: "TIER ZERO FJORD.TEST" } });
    const { out } = await answer(["meta-tree", "FJORD.TEST", "--format", "svg"]);
    expect(out).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="\d+" height="\d+"/);
    const nodes = Object.values(graph).filter((item) => !("id1" in item));
    expect(out.match(/<g><rect/g)).toHaveLength(nodes.length);
    expect(out.match(/<polyline/g)).toHaveLength(Object.keys(graph).length - nodes.length);
  });
});

describe("findings", () => {
  it("are all that the tenant has", async () => {
    const { code, out } = await answer(["findings", "--json"]);
    const written = lines(out) as { finding_id: string }[];
    const served = tenant.data.environments.flatMap(({ id }) =>
      tenant.data
        .findingTypes(id)
        .flatMap((type) => [...(tenant.data.findings(id, type)?.query(EVERYTHING).findings ?? [])]),
    );
    const present = served.filter(
      ({ deleted_at: deleted }: { deleted_at?: { valid?: boolean } }) => deleted?.valid !== true,
    );
    expect(code).toBe(0);
    expect(written.map(({ finding_id: id }) => id).sort()).toEqual(present.map(({ id }) => String(id)).sort());
  });

  it("can be narrowed by time and by acceptance", async () => {
    const all = lines((await answer(["findings", "--json"])).out) as { created_at: string; accepted: boolean }[];
    const since = "2026-01-15T00:00:00Z";
    const recent = lines((await answer(["findings", "--json", "--since", since])).out);
    expect(recent.length).toBeGreaterThan(0);
    expect(recent).toEqual(all.filter(({ created_at: created }) => Date.parse(created) >= Date.parse(since)));
    const [{ created_at: moment } = { created_at: "" }] = recent as typeof all;
    expect(lines((await answer(["findings", "--json", "--since", moment])).out)).toEqual(
      all.filter(({ created_at: created }) => Date.parse(created) >= Date.parse(moment)),
    );
    expect(lines((await answer(["findings", "--json", "--accepted", "yes"])).out)).toEqual(
      all.filter(({ accepted }) => accepted),
    );
  });

  it("that cannot be read leave the others, and the exit code says so", async () => {
    const other = await demoTenant();
    other.control.fault({ path: `/api/v2/domains/${FJORD}/details`, effect: { kind: "status", status: 500 } });
    const { code, out, error } = await answer(["findings", "--json"], other);
    expect(code).toBe(5);
    expect(error).toMatch(/^Error: Incomplete: FJORD\.TEST \/ ASREPRoasting\. The service reported an internal error/);
    expect(lines(out).length).toBeGreaterThan(0);
  });

  it("that the service rejects, although it lists their type itself, are no mistake on the command line", async () => {
    const other = await demoTenant();
    other.control.fault({ path: "/details$", effect: { kind: "status", status: 400 } });
    expect(await answer(["findings", "--type", "T0GenericAll"], other)).toMatchObject({ code: 4, out: "" });
  });

  it("after the rate limit was reached are named with what was not read behind them", async () => {
    const other = await demoTenant();
    const [first, second, ...rest] = other.data.environments;
    other.control.fault({ path: `${second!.id}/available-types`, effect: { kind: "status", status: 429 } });
    const { code, out, error } = await answer(["types", "--json"], other);
    expect(code).toBe(5);
    const ids = (lines(out) as { environment_id: string }[]).map(({ environment_id: id }) => id);
    expect(new Set(ids)).toEqual(new Set([first!.id]));
    const collected = rest.filter((environment) => environment.collected);
    expect(error).toContain(`Not read after that: ${collected.map(({ name }) => name).join(", ")}.`);
  });

  it("and finding types that cannot be read in one environment leave those of the others", async () => {
    const other = await demoTenant();
    other.control.forbid(FJORD);
    const { code, out, error } = await answer(["types", "--json"], other);
    expect(code).toBe(5);
    expect(error).toMatch(/^Error: Incomplete: FJORD\.TEST\. Permission denied/);
    expect(lines(out).length).toBeGreaterThan(0);
    for (const { id } of other.data.environments) other.control.forbid(id);
    expect(await answer(["types", "--json"], other)).toMatchObject({ code: 3, out: "" });
  });

  it("and finding types that have no name are counted", async () => {
    const other = await demoTenant();
    other.control.fault({
      path: `/api/v2/domains/${FJORD}/available-types`,
      effect: { kind: "more-items", items: [7, null] },
    });
    const { code, out, error } = await answer(["types", "FJORD.TEST", "--json"], other);
    expect({ code, error }).toEqual({ code: 5, error: "Ignored 2 entries that are not names.\n" });
    expect(lines(out)).toHaveLength(other.data.findingTypes(FJORD).length);
  });

  it("and entries that cannot be used are counted, and leave the others", async () => {
    const other = await demoTenant();
    const before = lines((await answer(["findings", "--json"], other)).out);
    const more = (path: string, items: readonly unknown[]): void => {
      other.control.fault({ path, effect: { kind: "more-items", items } });
    };
    more("/available-domains$", [{ name: "NAMELESS.TEST" }]);
    more(`${FJORD}/available-types$`, [7]);
    more(`${FJORD}/details$`, ["no finding"]);
    const { code, out, error } = await answer(["findings", "--json"], other);
    expect(code).toBe(5);
    expect(lines(out)).toHaveLength(before.length);
    expect(error).toMatch(/^Ignored 1 entry without a usable id\.$/m);
    expect(error).toMatch(/^Ignored 1 entry that are not names\.$/m);
    expect(error).toMatch(/^Ignored \d+ entries that are not findings of the requested type and environment\.$/m);
    expect(await answer(["types", "HALDEN.ONMICROSOFT.TEST"], other)).toMatchObject({ code: 0, error: "" });
    expect(await answer(["types"], other)).toMatchObject({
      code: 5,
      error: expect.stringContaining("without a usable id") as unknown,
    });
  });

  it("that a rejected token cannot read are a matter of credentials", async () => {
    const { code, out } = await askHere(tenant, ["findings"], { input: "b3RoZXIga2V5" });
    expect({ code, out }).toEqual({ code: 3, out: "" });
  });
});

const EVERYTHING = { filters: [], sort: [], unsorted: "id" as const, skip: 0, limit: Number.MAX_SAFE_INTEGER };

describe("a provider", () => {
  it("is deleted once somebody has said yes", async () => {
    const own = await demoTenant();
    const asked = await answer(["sso", "delete", "11"], own);
    expect(asked).toMatchObject({ code: 2, out: "" });
    expect(asked.error).toContain("Nothing was deleted. Add --yes.");
    const { code, out, error } = await answer(["sso", "delete", "11", "--yes", "--json"], own);
    expect({ code, error }).toEqual({ code: 0, error: "Deleted SSO provider 11 (HALDEN-IDP). Affected users: 2.\n" });
    expect(lines(out)).toMatchObject([
      { principal_name: "auditor.halden-idp" },
      { principal_name: "analyst.halden-idp" },
    ]);
    expect((await answer(["saml", "list"], own)).out).not.toContain("halden-idp");
  });

  it("is deleted also where the deprecated list of its name is not offered", async () => {
    const own = await demoTenant();
    own.control.fault({ path: "/api/v2/saml", effect: { kind: "status", status: 404 } });
    const { code, error } = await answer(["sso", "delete", "11", "--yes"], own);
    expect(code).toBe(0);
    expect(error).toMatch(/^The names of the providers could not be read\. .*\nDeleted SSO provider 11\. /);
  });

  it("is deleted by the deprecated operation with a warning", async () => {
    const own = await demoTenant();
    const { code, out, error } = await answer(["saml", "delete", "2", "--yes"], own);
    expect(code).toBe(0);
    expect(error).toMatch(/^Warning: saml delete is deprecated/);
    expect(out).toContain("auditor.fjord-idp@tenant.test");
  });

  it.each([["sso"], ["saml"]])("that %s does not know is not found", async (command) => {
    const { code, error } = await answer([command, "delete", "99", "--yes"]);
    expect(code).toBe(1);
    expect(error).toMatch(/^Error: Not found/m);
  });

  it.each<[what: string, effect: FaultEffect, code: number, said: string]>([
    [
      "names no affected users",
      { kind: "body", transform: () => '{"data":null}' },
      0,
      "users: the service did not name them.",
    ],
    [
      "is too busy",
      { kind: "status", status: 504 },
      4,
      "SSO provider 11 (HALDEN-IDP) may have been deleted. To find out",
    ],
    ["breaks off", { kind: "truncate" }, 4, "It has no OIDC providers"],
    ["refuses", { kind: "status", status: 403 }, 3, "their user may not do this"],
  ])("is deleted, maybe, by a service that %s", async (_, effect, code, said) => {
    const own = await demoTenant();
    own.control.fault({ path: "sso-providers", effect });
    const answered = await answer(["sso", "delete", "11", "--yes"], own);
    expect(answered).toMatchObject({ code, error: expect.stringContaining(said) });
    if (code === 3) expect(answered.error).not.toContain("may have been");
  });

  it("is listed with the same columns, whatever the first one leaves out", async () => {
    const own = await demoTenant();
    const strip = (body: string): string => {
      const { data } = JSON.parse(body) as { data: { saml_providers: Record<string, unknown>[] } };
      const [first, ...others] = data.saml_providers;
      delete first?.["sso_provider_id"];
      Object.assign(first ?? {}, { "new, field": { nested: true }, principal_attribute_mappings: ["=1+1"] });
      return JSON.stringify({ data: { saml_providers: [first, ...others] } });
    };
    own.control.fault({ path: "/saml$", effect: { kind: "body", transform: strip } });
    const { code, out } = await answer(["saml", "list", "--format", "csv"], own);
    const [header = "", first = "", second = ""] = out.split("\n");
    expect(code).toBe(0);
    const columns = header.split(",");
    expect(columns).not.toContain('"new');
    const at = columns.indexOf("sso_provider_id");
    expect([first.split(",")[at], second.split(",")[at]]).toEqual(["", "12"]);
    expect(first).toContain(",'=1+1,");
  });
});

describe("completion", () => {
  async function completed(...words: string[]): Promise<string[]> {
    const { out } = await commandLineHere(["completion", "bash"]);
    const [file, typed] = [join(temporaryFolder(), "completion"), words.map((word) => `"${word}"`).join(" ")];
    writeFileSync(
      file,
      `${out}\nCOMP_WORDS=(attack-path-analysis ${typed})\nCOMP_CWORD=${words.length}\n_attack_path_analysis\necho "\${COMPREPLY[@]}"\n`,
    );
    return execFileSync("bash", [file], { encoding: "utf8" }).trim().split(" ");
  }

  it("knows the commands, theirs, and the options", async () => {
    expect(await completed("pa")).toEqual(["path"]);
    expect(await completed("saml", "")).toEqual(expect.arrayContaining(["list", "delete", "--yes", "--profile"]));
    expect(await completed("mcp", "--")).toEqual(["--profile", "--verbose", "--help"]);
    expect(await completed("findings", "--s")).toEqual(["--severity", "--since", "--sort", "--server"]);
  });
});

describe("what cannot be found", () => {
  it.each([
    [["findings", "--since", "2099-01-01"], "No finding matches."],
    [["object-id", "nobody@fjord.test"], ""],
    [["path", "PETRA.SILVA@FJORD.TEST", "HALDEN.ONMICROSOFT.TEST"], "No attack path leads from"],
    [["assets", "S-1-5-21-1"], 'run: attack-path-analysis object-id "S-1-5-21-1".'],
    [["document", "T0Nothing"], "The service has no texts about T0Nothing."],
    [["trend", "FJORD.TEST", "T0Owns", "--from", "2099-01-01", "--json"], "There is no analysis in this period."],
  ])("ends %j with 1", async (args, expected) => {
    const { code, error } = await answer(args);
    expect({ code, error }).toEqual({ code: 1, error: expect.stringContaining(expected) });
  });
});

describe("a name that does not exist is no answer", () => {
  const NAMES = "No environment is named NOWHERE.TEST. The credentials can see: CORP.HALDEN.TEST, ";
  const TYPES = "There are findings of: ASREPRoasting, ";

  it.each([
    [["types", "NOWHERE.TEST"], NAMES],
    [["findings", "--environment", "NOWHERE.TEST"], NAMES],
    [["findings", "--environment", ""], 'No environment is named "". The credentials can see: '],
    [["trend", "NOWHERE.TEST", "T0GenericAll"], NAMES],
    [["meta-tree", "NOWHERE.TEST"], NAMES],
    [["findings", "--type", "T0Nothing"], `No finding type is named T0Nothing. ${TYPES}`],
    [["findings", "--json", "--type", "T0Owns", "T0Nothing"], `No finding type is named T0Nothing. ${TYPES}`],
    [
      ["findings", "--type", "kerberoasting"],
      `No finding type is named kerberoasting. Did you mean Kerberoasting? ${TYPES}`,
    ],
    [["trend", "FJORD.TEST", "T0Nothing", "--json"], `No finding type is named T0Nothing. ${TYPES}`],
  ])("and ends %j with 2", async (args, expected) => {
    const { code, out, error } = await answer(args);
    expect({ code, out, error }).toEqual({ code: 2, out: "", error: expect.stringContaining(expected) });
  });

  it("unless the list of what exists could not be read to its end", async () => {
    const own = await demoTenant();
    own.control.fault({ path: `${FJORD}/available-types$`, effect: { kind: "status", status: 500 } });
    const { code, error } = await answer(["findings", "--type", "T0Nothing"], own);
    expect({ code, error }).toEqual({ code: 4, error: expect.stringContaining("internal error") });
  });

  it("and a finding type that the service knows, and has no findings of, does exist", async () => {
    const own = await demoTenant();
    const title = () => '{"data":"A rare finding"}';
    own.control.fault({ path: "/T0Rare/title$", effect: { kind: "body", transform: title, status: 200 } });
    const { code, error } = await answer(["findings", "--type", "T0Rare"], own);
    expect({ code, error }).toEqual({ code: 1, error: "No finding matches.\n" });
  });
});

describe("what could not be answered is no answer", () => {
  const NOTHING_HERE = '{"http_status":404,"errors":[{"message":"resource not found"}]}';

  it.each([
    [["findings", "--severity", "critical"]],
    [["types"]],
    [["trend", "FJORD.TEST", "T0GenericAll"]],
    [["cuts", "--environment", "FJORD.TEST"]],
    [["object-id", "bob@fjord.test"]],
    [["saml", "list"]],
  ])("when the service does not offer what %j asks for", async (args) => {
    const own = await demoTenant();
    const effect: FaultEffect = { kind: "body", transform: () => NOTHING_HERE, status: 404 };
    own.control.fault({ path: "available-types|details|sparkline|search|saml", effect });
    expect(await answer(args, own)).toMatchObject({ code: 4, out: "" });
  });

  it.each([
    ["the credentials see no environment", [], "The credentials can see no environment. Check"],
    [
      "none has data",
      [{ id: "S-1", name: "NEW.TEST", type: "active-directory", collected: false }],
      "data: NEW.TEST. Check",
    ],
  ])("when %s", async (_, data, expected) => {
    const own = await demoTenant();
    const transform = () => JSON.stringify({ count: data.length, data });
    own.control.fault({ path: "available-domains", effect: { kind: "body", transform } });
    for (const args of [["findings", "--severity", "critical"], ["types"]]) {
      expect(await answer(args, own)).toMatchObject({ code: 2, out: "", error: expect.stringContaining(expected) });
    }
  });

  it.each(["findings --environment", "findings --json --environment", "types", "cuts --environment"])(
    "when no data is collected for the environment that %s names",
    async (line) => {
      const note = "Findings may be missing: no data is collected for LEGACY.HALDEN.TEST.";
      const { code, out, error } = await answer([...line.split(" "), "LEGACY.HALDEN.TEST"]);
      expect({ code, out, last: error.trimEnd().split("\n").at(-1) }).toEqual({ code: 5, out: "", last: note });
    },
  );

  it("unless all environments are meant, which leaves out those without collected data", async () => {
    for (const args of [["types"], ["types", "All"]]) expect(await answer(args)).toMatchObject({ code: 0, error: "" });
  });

  it("when an end of a path is unknown or ambiguous", async () => {
    const unknown = await answer(["path", "nobody@fjord.test", "ADMINISTRATOR@FJORD.TEST"]);
    expect(unknown).toMatchObject({ code: 2, out: "" });
    expect(unknown.error).toMatch(/^Error: <start> "nobody@fjord\.test" was not found\. Enter an object id/);
    expect(unknown.error).toContain('run: attack-path-analysis object-id "nobody@fjord.test".');
    const own = await demoTenant();
    const found = new Map<string | null, object[]>();
    const twice = (body: string, { query }: FaultRequest): string => {
      const { data } = JSON.parse(body) as { data: object[] | null };
      const all = found.get(query.get("q")) ?? [];
      for (const object of data ?? []) all.push(object, { ...object, objectid: "S-1-5-21-9-9-9-500" });
      found.set(query.get("q"), all);
      return JSON.stringify({ data: all.slice(Number(query.get("skip"))) });
    };
    own.control.fault({ path: "/search$", effect: { kind: "body", transform: twice } });
    const args = ["path", `${FJORD}-512`, "ADMINISTRATOR@FJORD.TEST"];
    const ambiguous = await answer([...args, "--json"], own);
    expect(ambiguous.code).toBe(2);
    expect(ambiguous.error).toContain('Error: <end> "ADMINISTRATOR@FJORD.TEST" is the name of several objects.');
    expect(JSON.parse(ambiguous.out)).toMatchObject({ exists: null });
  });

  it.each([
    [["object-id", "ADMINISTRATOR@FJORD.TEST", "GUEST@FJORD.TEST"], "GUEST"],
    [["assets", `${FJORD}-500`, `${FJORD}-512`], `${FJORD}-512`],
  ])("and standard error names it, also next to JSON: %j", async (args, failing) => {
    const own = await demoTenant();
    own.control.fault({
      when: ({ query, path }) => `${path}?${query.toString()}`.includes(failing),
      effect: { kind: "status", status: 500 },
    });
    for (const form of [[], ["--json"]]) {
      const { code, error } = await answer([...args, ...form], own);
      expect({ code, error }).toEqual({
        code: 5,
        error: expect.stringContaining(`Error: ${args.at(-1)}: The service reported`),
      });
    }
  });

  it("and neither are related objects that could not be read", async () => {
    const own = await demoTenant();
    own.control.fault({ path: `${FJORD}-512/members$`, effect: { kind: "status", status: 500 } });
    const { code, error } = await answer(["assets", `${FJORD}-512`], own);
    expect({ code, error }).toEqual({ code: 5, error: expect.stringContaining(`Error: ${FJORD}-512, members: `) });
  });

  it("and neither are related objects that are fewer than the service counts", async () => {
    const own = await demoTenant();
    const one = (body: string) => {
      const { data } = JSON.parse(body) as { data: unknown[] };
      return JSON.stringify({ count: 1, data: data.slice(0, 1) });
    };
    own.control.fault({ path: `${FJORD}-512/members$`, effect: { kind: "body", transform: one } });
    const { code, out, error } = await answer(["assets", `${FJORD}-512`], own);
    expect({ code, error }).toEqual({
      code: 5,
      error: expect.stringMatching(/members: .* counts \d+ objects but lists 1/),
    });
    expect(out).toMatch(/members.* \(1 of \d+\)/);
  });
});
