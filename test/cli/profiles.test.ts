import { beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { commandLineHere } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startTenant } from "../support/tenant.ts";

let tenant: Tenant;
let home: string;
let profileFile: string;
beforeAll(async () => {
  tenant = await startTenant({ dataset: { environments: 1, findingTypes: 1, findingsPerPair: 3 } });
});
beforeEach(() => {
  home = join(temporaryFolder(), "attack-path-analysis");
  profileFile = join(home, "profile.json");
});

const call = (args: readonly string[], input = "") => commandLineHere(args, { defaultProfile: profileFile, input });
const add = (name: string, input = tenant.tokenKey, ...options: string[]) =>
  call(["profile", "add", name, "--server", tenant.url, "--token-id", tenant.tokenId, ...options], input);
const modeOf = (path: string) => statSync(path).mode & 0o777;

async function listed() {
  const { out } = await call(["profile", "list", "--json"]);
  return out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("a profile with a name", () => {
  it("is written for its owner only, with the key from standard input, and is used by its name", async () => {
    const { code, out, error } = await add("acme");
    expect({ code, out }).toEqual({ code: 0, out: "" });
    expect(error).toBe(
      `Wrote the profile acme for ${tenant.url}. It is used when --profile is not given. Check it with: attack-path-analysis doctor --profile acme\n`,
    );
    const file = join(home, "profiles", "acme.json");
    expect([modeOf(file), modeOf(join(home, "profiles")), modeOf(home)]).toEqual([0o600, 0o700, 0o700]);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
      server: tenant.url,
      tokenId: tenant.tokenId,
      tokenKey: tenant.tokenKey,
    });
    for (const args of [["--profile", "acme"], ["--profile", file], []])
      expect(await call(["ping", ...args])).toMatchObject({ code: 0, error: "" });
  });

  it("may hold a bearer token", async () => {
    const own = await startTenant({ jwts: [{ token: "a.bearer.token" }] });
    await call(["profile", "add", "acme", "--server", own.url, "--bearer"], "a.bearer.token\n");
    expect(await call(["ping", "--profile", "acme"])).toMatchObject({ code: 0, error: "" });
    const listed = await call(["profile", "list", "--json"]);
    expect(listed).toMatchObject({ code: 0, error: "" });
    expect(JSON.parse(listed.out)).toEqual({
      profile: "acme",
      in_use: true,
      server: own.url,
      token_id: "bearer token",
      problem: null,
    });
  });

  it("is not replaced unless that is wanted", async () => {
    await add("acme", "b3RoZXIga2V5");
    const again = await add("acme");
    expect(again).toMatchObject({
      code: 2,
      error: "Error: There is a profile named acme. Add --replace to replace it.\n",
    });
    expect((await call(["ping"])).code).toBe(3);
    expect((await add("acme", tenant.tokenKey, "--replace")).code).toBe(0);
    expect((await call(["ping"])).code).toBe(0);
  });

  it.each([
    [["profile", "add", "../acme"], 2, "cannot be the name of a profile"],
    [["profile", "add", "acme", "--server", "ftp://tenant.test", "--token-id", "1"], 2, "Server starts with a scheme"],
    [["profile", "add", "acme", "--server", "https://tenant.test"], 2, "Token ID is missing"],
    [["profile", "add", "acme", "--server", "https://tenant.test", "--token-id", "a b"], 3, "Token ID contains spaces"],
    [["profile", "use", "acme"], 2, "No profile is named acme"],
    [["profile", "remove", "acme"], 2, "No profile is named acme"],
    [["ping", "--profile", "acme"], 3, 'list your profiles with "profile list"'],
    [["ping", "--profile", ""], 2, "--profile is empty. Enter the name of a profile, or the path of its file."],
    [["profile", "list"], 1, "There are no profiles."],
    [["doctor", "--all"], 2, "There are no profiles."],
    [["doctor", "--all", "--profile", "acme"], 2, "cannot be used with option"],
  ])("that cannot be ends %j with %i", async (args, expected, message) => {
    const { code, error } = await call(args, "a2V5");
    expect({ code, error }).toEqual({ code: expected, error: expect.stringContaining(message) });
    expect(existsSync(join(home, "profiles"))).toBe(false);
  });

  it("that is missing is missed among those that there are", async () => {
    await add("globex");
    await add("acme");
    const { code, error } = await call(["profile", "use", "initech"]);
    const path = join(home, "profiles", "initech.json");
    expect({ code, error }).toEqual({
      code: 2,
      error: `Error: No profile is named initech (${path}). There are: acme, globex.\n`,
    });
    const first = await call(["profile", "remove", "nobody"]);
    expect(first.error).toContain("There are: acme, globex.");
  });

  it("says what it did, and a list names what is wrong with a profile", async () => {
    await add("globex");
    await add("acme");
    expect((await call(["profile", "use", "acme"])).error).toBe("acme is used when --profile is not given.\n");
    expect((await call(["profile", "remove", "globex"])).error).toBe(
      "Removed the profile globex. To end its access, delete its token in the service, too.\n",
    );
    const file = join(home, "profiles", "acme.json");
    writeFileSync(file, "no profile");
    for (const name of ["no name.json", "default.json", "notes.txt"]) writeFileSync(join(home, "profiles", name), "");
    const { code, out, error } = await call(["profile", "list", "--json"]);
    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject({ profile: "acme", in_use: true, server: null, token_id: null });
    expect(error).toMatch(/^Error: acme: .*acme\.json is not a profile\. It is not a JSON object\. Write it as JSON: /);
  });

  it("in use is not known when the file that says so cannot be read, or says something else", async () => {
    await add("acme");
    writeFileSync(join(home, "current"), "no name\n");
    expect((await listed()).map(({ in_use: inUse }) => inUse)).toEqual([false]);
    writeFileSync(join(home, "current"), "x".repeat(2_000));
    expect(await call(["ping"])).toMatchObject({
      code: 3,
      error: expect.stringContaining("current cannot be read (larger than 1000 bytes). Check its owner and mode."),
    });
  });

  it("cannot be kept where a file is in the way", async () => {
    mkdirSync(join(home, ".."), { recursive: true });
    writeFileSync(home, "a file");
    const { code, error } = await add("acme");
    expect({ code, error }).toEqual({
      code: 2,
      error: expect.stringMatching(/acme\.json cannot be written \(E\w+\)\. Check the folder and its owner\.\n$/),
    });
  });

  it("is not written without a key", async () => {
    expect(await add("acme", " \n")).toMatchObject({ code: 3 });
    expect(existsSync(join(home, "profiles"))).toBe(false);
  });

  it("can be used, listed and removed beside the default profile, and no list shows a secret", async () => {
    mkdirSync(home, { recursive: true });
    writeFileSync(profileFile, JSON.stringify({ server: tenant.url, bearerToken: "secret.bearer.token" }), {
      mode: 0o600,
    });
    await add("globex");
    await add("acme");
    const shape = (await listed()).map(({ profile, in_use: inUse }) => [profile, inUse]);
    expect(shape).toEqual([
      ["default", true],
      ["acme", false],
      ["globex", false],
    ]);
    expect((await call(["profile", "use", "acme"])).code).toBe(0);
    expect((await call(["ping"])).code).toBe(0);
    expect((await listed()).map(({ in_use: inUse }) => inUse)).toEqual([false, true, false]);
    for (const form of [[], ["--json"], ["--format", "csv"]]) {
      const { out } = await call(["profile", "list", ...form]);
      expect(out).toContain(tenant.tokenId);
      expect(out).not.toContain(tenant.tokenKey);
      expect(out).not.toContain("secret.bearer.token");
    }
    expect(await call(["profile", "remove", "acme"])).toMatchObject({
      code: 0,
      error: expect.stringContaining("\ndefault is used now when --profile is not given.\n"),
    });
    expect(await listed()).toMatchObject([{ profile: "default", in_use: true }, { profile: "globex" }]);
    expect((await call(["profile", "use", "default"])).code).toBe(0);
    expect((await call(["profile", "remove", "default"])).error).toContain(
      "\nNo profile is in use now. Choose one with: ",
    );
    await call(["profile", "use", "globex"]);
    expect((await call(["profile", "remove", "globex"])).error).not.toContain("in use");
  });
});

describe("doctor --all", () => {
  it("shows a table of all tenants, what is wrong, and ends with the exit code of the worst", async () => {
    const told = await startTenant({
      analysisStatus: true,
      dataset: { environments: 1, findingTypes: 1, findingsPerPair: 3 },
    });
    const createdAt = new Date(Date.now() - 40 * 86_400_000).toISOString();
    const tokens = () =>
      JSON.stringify({ data: { tokens: [{ id: told.tokenId, name: "soar", created_at: createdAt }] } });
    told.control.fault({ path: "/api/v2/tokens$", effect: { kind: "body", transform: tokens, status: 200 } });
    await call(["profile", "add", "acme", "--server", told.url, "--token-id", told.tokenId], told.tokenKey);
    const good = await call(["doctor", "--all"]);
    expect(good).toMatchObject({ code: 0, error: "" });
    expect(good.out.replace(/ +/g, " ")).toMatch(
      /^PROFILE STATE LAST ANALYSIS TOKEN AGE SERVER\nacme ok (\d+ \w+ ){1,2}ago 40 d http:\/\/127\.0\.0\.1:\d+\n$/,
    );
    await add("globex", "b3RoZXIga2V5");
    const worse = await call(["doctor", "--all"]);
    expect(worse.code).toBe(1);
    expect(worse.out).toMatch(/^globex +cannot run +not known +not known +http/m);
    expect(worse.error).toMatch(
      /^globex: Credentials: The service rejected the credentials.* Copy Token ID and Token Key again/,
    );
    await add("initech");
    chmodSync(join(home, "profiles", "initech.json"), 0o644);
    const worst = await call(["doctor", "--all", "--json"]);
    expect(worst.code).toBe(3);
    const reports = worst.out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(reports).toMatchObject([
      { profile: "acme", state: "ok", canRun: true, exitCode: 0, tokenCreatedAt: createdAt },
      { profile: "globex", state: "cannot run", canRun: false, exitCode: 1 },
      { profile: "initech", state: "unusable profile", canRun: false, exitCode: 3, checks: [] },
    ]);
    expect(worst.out).not.toContain(told.tokenKey);
  });
});
