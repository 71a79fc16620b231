import { beforeAll, describe, expect, it } from "@jest/globals";
import { execFileSync, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { chmodSync, chownSync, copyFileSync, cpSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { commands } from "../../src/cli/main.ts";
import { stopSignal } from "../../src/cli/stop-signal.ts";
import { ask, askHere, commandLine, commandLineHere, failingOutput } from "../support/command-line.ts";
import { builtNpmFolder } from "../support/package.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startTenant } from "../support/tenant.ts";

let tenant: Tenant;
beforeAll(async () => {
  tenant = await startTenant();
});

describe("the program", () => {
  it("explains its commands and exit codes", async () => {
    const { code, out, error } = await commandLine(["--help"]);
    expect({ code, error }).toEqual({ code: 0, error: "" });
    for (const { name, summary } of commands) expect(out).toMatch(new RegExp(`^ {2}${name} .*${summary}`, "m"));
    expect(out).toMatch(/^Examples:\n {2}\$ attack-path-analysis ping --server /m);
    expect(out).toContain("Exit codes:");
    expect((await commandLineHere(["--help"])).out).toBe(out);
  });

  const COMMANDS_OF_COMMANDS = [
    ...["saml list", "saml delete", "sso delete", "task current"],
    ...["profile add", "profile list", "profile use", "profile remove"],
  ];
  it.each(["", ...commands.map(({ name }) => name), ...COMMANDS_OF_COMMANDS])(
    "explains %s with examples",
    async (name) => {
      const { code, out } = await commandLineHere([...name.split(" "), "--help"].filter((word) => word !== ""));
      expect(code).toBe(0);
      expect(out).toMatch(new RegExp(`^Examples:\n {2}\\$ attack-path-analysis ${name}`, "m"));
      expect(out).not.toMatch(/default: (\[\]|false)/);
      expect(out).toMatchSnapshot();
    },
  );

  it.each(commands.map(({ name }) => name))("explains %s also as a topic of help", async (name) => {
    const { out } = await commandLineHere([name, "--help"]);
    expect((await commandLineHere(["help", name])).out).toBe(out);
  });

  it.each([
    ["--token-key=", "a2V5"],
    ["--token-key=", "a'2=V\n5=="],
    ["--token-key ", "a2V5"],
    ["-k", "a2V5"],
  ])("does not repeat the value of an option that does not exist: %s%s", async (option, value) => {
    const { error } = await commandLineHere(["ping", `${option}${value}`]);
    expect(error).toMatch(
      /unknown option '(--token-key|-k)'\. There is no option for the token key\. The command asks for it/,
    );
    expect(error).not.toContain(value);
  });

  it.each([
    [[], "Usage:"],
    [["pong"], "unknown command 'pong'"],
    [["ping", "--token-key", "a2V5"], "unknown option '--token-key'. There is no option for the token key"],
    [["ping", "extra"], "too many arguments"],
    [["object-id"], "missing required argument 'names'"],
    [["path"], "missing required argument 'start'"],
    [["cuts"], "required option '--environment <name>' not specified"],
    [["explain", "WriteDcal"], "Did you mean WriteDacl"],
    [["assets"], "missing required argument 'objects'"],
    [["document"], "missing required argument 'type'"],
    [["environments", "FJORD.TEST"], "too many arguments"],
    [["environments", "--json", "--format", "csv"], "'--json' cannot be used with option '--format csv'"],
    [["trend", "FJORD.TEST", "T0Owns", "--format", "plot", "--json"], "cannot be used with option '--format plot'"],
    [["meta-tree", "FJORD.TEST", "--json", "--format", "svg"], "cannot be used with option '--format svg'"],
    [["environments", "--format", "xml"], "Allowed choices are table, ndjson, csv."],
    [["trend", "FJORD.TEST", "T0GenericAll", "--from", "yesterday"], "Expected 2026-01-31"],
    [["trend", "FJORD.TEST", "T0GenericAll", "--to", "2026-02-30"], "Expected 2026-01-31"],
    [["trend", "A", "B", "--from", "7d", "--to", "8d"], "option '--to <moment>' is earlier than '--from <moment>'"],
    [["trend", "A", "B", "--to", "31d"], "option '--to <moment>' is earlier than '--from <moment>' (default: 30d)"],
    [["saml", "list", "--format", "xml"], "Allowed choices are table, ndjson, csv."],
    [["saml", "delete"], "missing required argument 'id'"],
    [["sso", "delete"], "missing required argument 'id'"],
    [["saml", "delete", "fjord-idp"], "A whole number is expected."],
    [["sso", "delete", "-1", "--yes"], "A whole number is expected."],
    [["sso", "delete", "1.5", "--yes"], "A whole number is expected."],
    [["task"], "Usage: attack-path-analysis task"],
    [["task", "current", "4211"], "too many arguments"],
    [["doctor", "--bundle"], "option '--bundle <file>' argument missing"],
    [["doctor", "tenant.json"], "too many arguments"],
    [["findings", "--severity", "grave"], "Allowed choices are critical, high, moderate, low, unknown."],
    [["findings", "--since", "yesterday"], "Expected 2026-01-31"],
    [["findings", "--format", "xml"], "Allowed choices are table, ndjson, csv, ocsf"],
    [["meta-tree", "FJORD.TEST", "--node-id", "one"], "A whole number is expected."],
    [["ping", "--wait", "soon"], "A whole number is expected."],
    [["ping", "--wait", "0"], "A whole number from 1 on is expected."],
    [["poll", "--state", "poll.json", "--max-events", "0"], "A whole number from 1 on is expected."],
    [["ping", "--bearer", "--token-id", "1"], "cannot be used with option"],
    [["saml"], "Usage: attack-path-analysis saml"],
    [["completion", "tcsh"], "Allowed choices are bash, zsh, fish."],
    [["ping"], "Server is missing, and standard input is not a terminal."],
    [["--", "ping"], "Server is missing, and standard input is not a terminal."],
    [["ping", "--server", "tenant.test"], "Token ID is missing, and standard input is not a terminal."],
    [["ping", "--server", "ftp://tenant.test", "--token-id", "1"], "Server starts with a scheme other than https."],
  ])("ends %j with 2 and says why", async (args, expected) => {
    const { code, out, error } = await commandLineHere(args, { input: "a2V5" });
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(error).toContain(expected);
  });

  it("tells the service how long it may work", async () => {
    const heard: unknown[] = [];
    const own = await startTenant();
    own.control.fault({ effect: { kind: "run", run: (_, { headers }) => void heard.push(headers["prefer"]) } });
    const preferred = async (...options: string[]): Promise<unknown> => {
      await askHere(own, ["ping", ...options]);
      return heard.at(-1);
    };
    expect(await preferred()).toBe("wait=30");
    expect(await preferred("--wait", "120")).toBe("wait=120");
    expect(await preferred("--wait", "-1")).toBe("wait=-1");
  });

  it("logs requests only when it is asked to, and never the key", async () => {
    expect((await askHere(tenant, ["ping"])).error).toBe("");
    const { error } = await askHere(tenant, ["ping", "--verbose"]);
    expect(error).toMatch(/^debug: GET \/api\/v2\/available-domains \{.*"status":200/);
    expect(error).not.toContain(tenant.tokenKey);
  });

  it.each([
    ["object-id", ["WEB01"], "WEB01"],
    ["path", ["ALICE", "WEB01"], "ALICE to WEB01"],
    ["assets", ["S-1-5-21-1-1104"], "S-1-5-21-1-1104"],
  ])("logs what %s could not read, and only when it is asked to", async (command, args, name) => {
    const own = await startTenant();
    own.control.fault({ effect: { kind: "status", status: 500 } });
    const brief = await askHere(own, [command, ...args]);
    expect(brief.code).toBe(4);
    expect(brief.error).toMatch(/^Error: The service reported an internal error.*\n$/);
    const { error } = await askHere(own, [command, ...args, "--verbose"]);
    expect(error).toMatch(/^debug: GET .*"status":500/m);
    expect(error).toContain(`warning: ${name}: The service reported an internal error`);
  });

  it.each(["ping", "path A B", "assets A", "object-id A", "findings"])(
    "ends %s with 3 when the key is wrong",
    async (line) => {
      const { code, out, error } = await askHere(tenant, line.split(" "), { input: "b3RoZXIga2V5" });
      expect({ code, out }).toEqual({ code: 3, out: "" });
      expect(error).toMatch(/^Error: The service rejected the credentials/);
    },
  );

  it("ends with 2 when HTTPS_PROXY cannot be used, and with 3 when the Token ID is none", async () => {
    const env = { HTTPS_PROXY: "socks5://127.0.0.1:1080" };
    const args = ["ping", "--server", "https://tenant.test", "--token-id", "1"];
    expect(await commandLineHere(args, { input: "a2V5", env })).toMatchObject({
      code: 2,
      error: expect.stringContaining("Correct HTTPS_PROXY"),
    });
    expect(await askHere({ ...tenant, tokenId: "1" }, ["ping"])).toMatchObject({
      code: 3,
      error: expect.stringContaining("Token ID must be the UUID of an API token."),
    });
  });

  const manyFindings = () =>
    startTenant({ dataset: { kind: "uniform", environments: 1, findingTypes: 2, findingsPerPair: 1_500 } });

  it("does not end before its reader has everything", async () => {
    const { code, out } = await ask(await manyFindings(), ["findings", "--json"]);
    expect([code, out.split("\n").length]).toEqual([0, 3_001]);
  });

  it("ends without a complaint when its reader has seen enough", async () => {
    const many = await manyFindings();
    const program = join(await builtNpmFolder(), "cli.mjs");
    const args = [program, "findings", "--json", "--server", many.url, "--token-id", many.tokenId];
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "pipe"] });
    child.stdin.end(many.tokenKey);
    const complaints: string[] = [];
    child.stderr.on("data", (text: Buffer) => complaints.push(text.toString()));
    child.stdout.once("data", () => child.stdout.destroy());
    const [code] = (await once(child, "close")) as [number];
    expect({ code, complaints }).toEqual({ code: 0, complaints: [] });
  });

  it.each([
    [["ping", "--json"], { input: "b3RoZXIga2V5" }, 3, "The service rejected the credentials"],
    [["path", "NILS.KOVAC@CORP.HALDEN.TEST", "DOMAIN ADMINS@CORP.HALDEN.TEST"], {}, 0, "An attack path leads from"],
    [["path", "WEB01", "NOBODY"], {}, 2, "was not found"],
    [["path", "WEB01", "NOBODY", "--json"], {}, 2, "was not found"],
    [["object-id", "NOBODY"], {}, 1, ""],
    [["object-id", "NOBODY", "--json"], {}, 1, ""],
    [["assets", "NOBODY"], {}, 1, "NOBODY was not found."],
    [["assets", "NOBODY", "--json"], {}, 1, "NOBODY was not found."],
  ])("answers with its exit code when its reader has seen enough: %j", async (args, call, expected, said) => {
    const outcome = await askHere(tenant, args, { stdout: failingOutput("EPIPE"), ...call });
    expect(outcome).toMatchObject({ code: expected, error: expect.stringContaining(said) });
  });

  const INCOMPLETE = "The result is incomplete. Check the disk and its free space.\n";

  it.each([["--help"], ["--version"], ["ping", "--help"], ["help", "poll"], ["completion", "zsh"]])(
    "ends with 5 and says so when the disk is full: %s",
    async (...args) => {
      const { code, error } = await commandLineHere(args, { file: "/dev/full" });
      const expected = `Error: Standard output cannot be written (ENOSPC). ${INCOMPLETE}`;
      expect({ code, error }).toEqual({ code: 5, error: expected });
    },
  );

  it.each([
    ["ping"],
    ["object-id", "ADMINISTRATOR@FJORD.TEST"],
    ["assets", "S-1-5-21-1"],
    ["environments"],
    ["findings", "--json"],
    ["trend", "FJORD.TEST", "T0GenericAll"],
    ["meta-tree", "FJORD.TEST"],
    ["saml", "list", "--format", "csv"],
    ["task", "current"],
    ["doctor"],
    ["doctor", "--json"],
  ])("ends with 5 and says so when the disk is full: %s", async (...args) => {
    const { code, error } = await askHere(tenant, args, { file: "/dev/full" });
    expect(code).toBe(5);
    expect(error).toBe(`Error: Standard output cannot be written (ENOSPC). ${INCOMPLETE}`);
  });

  it.each([[["--help"]], [["findings", "--json"]]])(
    "ends with 5 when the disk is full, also as a process: %j",
    async (args) => {
      const { code, error } = await ask(tenant, args, { file: "/dev/full" });
      expect({ code, error }).toEqual({ code: 5, error: expect.stringContaining("(ENOSPC)") });
    },
  );

  it("does not take a part of its output for all of it when the disk becomes full", async () => {
    const file = join(temporaryFolder(), "help.txt");
    const { code, error } = await commandLine(["--help"], { file, fileLimit: 1 });
    expect({ code, error }).toEqual({
      code: 5,
      error: `Error: Standard output cannot be written (EFBIG). ${INCOMPLETE}`,
    });
    expect(statSync(file).size).toBe(1024);
  });
});

describe("the signal to stop", () => {
  it.each([
    ["SIGINT", "SIGTERM"],
    ["SIGTERM", "SIGINT"],
  ])("comes with the first %s, and a %s after it ends the process at once", (first, second) => {
    const program = new EventEmitter();
    const signal = stopSignal(program);
    expect([signal.aborted, program.listenerCount(first), program.listenerCount(second)]).toEqual([false, 1, 1]);
    program.emit(first);
    // Without a listener, Node.js ends the process.
    expect([signal.aborted, program.listenerCount(first), program.listenerCount(second)]).toEqual([true, 0, 0]);
  });
});

describe("credentials", () => {
  function profile(content: string, mode = 0o600): string {
    const path = join(temporaryFolder(), "profile.json");
    writeFileSync(path, content);
    chmodSync(path, mode);
    return path;
  }
  const ours = (): string => JSON.stringify({ server: tenant.url, tokenId: tenant.tokenId, tokenKey: tenant.tokenKey });

  it("come from a profile", async () => {
    expect(await commandLineHere(["ping", "--profile", profile(ours())])).toMatchObject({ code: 0, error: "" });
  });

  it("come from the profile of the user when no server is named", async () => {
    const path = profile(ours());
    const folder = join(temporaryFolder(), "attack-path-analysis");
    const defaultProfile = join(folder, "profile.json");
    mkdirSync(folder);
    copyFileSync(path, defaultProfile);
    chmodSync(defaultProfile, 0o600);
    const env = { XDG_CONFIG_HOME: join(folder, "..") };
    expect(await commandLine(["ping"], { env })).toMatchObject({ code: 0 });
    const home = temporaryFolder();
    cpSync(folder, join(home, ".config/attack-path-analysis"), { recursive: true });
    // XDG Base Directory Specification: these count as not set.
    for (const XDG_CONFIG_HOME of ["", "."])
      expect(await commandLine(["ping"], { env: { HOME: home, XDG_CONFIG_HOME } })).toMatchObject({ code: 0 });
    // Other credentials are not mixed with those of the profile, nor ignored.
    for (const option of [["--token-id", tenant.tokenId], ["--bearer"]]) {
      const { code, error } = await commandLineHere(["ping", ...option], { defaultProfile, input: "a2V5" });
      expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining("Server is missing") });
    }
  });

  it.each(["", "."])("are never kept in the folder in which the command is started: HOME=%s", async (HOME) => {
    const { error } = await commandLine(["profile", "use", "acme"], { env: { HOME } });
    expect(error).toMatch(
      /^Error: No profile is named acme \(\/\S+\.config\/attack-path-analysis\/profiles\/acme\.json\)/,
    );
    expect(error).not.toContain(process.cwd());
  });

  // Only root can give a file away.
  (process.getuid?.() === 0 ? it : it.skip)("in a profile of somebody else are refused", async () => {
    const path = profile(ours());
    chownSync(path, 65_534, 65_534);
    const { code, error } = await commandLineHere(["ping", "--profile", path]);
    expect({ code, error }).toEqual({ code: 3, error: expect.stringContaining("belongs to another user (65534)") });
  });

  it.each([0o640, 0o604, 0o620, 0o644])("in a profile with mode %o are refused", async (mode) => {
    const { code, error } = await commandLineHere(["ping", "--profile", profile(ours(), mode)]);
    expect(code).toBe(3);
    expect(error).toContain(`Others can read or change the profile`);
    expect(error).toContain(`(mode 0${mode.toString(8)})`);
    expect(error).not.toContain(tenant.tokenKey);
  });

  it("are refused with a command that a shell takes as it is", async () => {
    const path = join(temporaryFolder(), "Bob's profile.json");
    writeFileSync(path, ours());
    chmodSync(path, 0o644);
    const { error } = await commandLineHere(["ping", "--profile", path]);
    const [, command = ""] = /Run "(.*)", and/.exec(error) ?? [];
    execFileSync("sh", ["-c", command]);
    expect(await commandLineHere(["ping", "--profile", path])).toMatchObject({ code: 0, error: "" });
  });

  it.each([
    ["", "Write it as JSON"],
    ["[]", "Write it as JSON"],
    ['{"server": "https://tenant.test"}', "It has no field tokenId, tokenKey."],
    ['{"server": "https://tenant.test", "tokenId": "1", "tokenKey": 12345678}', "The value of tokenKey is not a text."],
    [
      '{"server": "https://tenant.test", "tokenId": "1", "tokenKey": "s3cr3t-s3cr3t", "bearerToken": "2"}',
      "It holds an API token and a bearer token. Remove one of them.",
    ],
    [
      '{"server": "https://tenant.test", "tokenId": "1", "tokenKey": "s3cr3t-s3cr3t", "color": "red"}',
      'It has a field "color", which no profile has.',
    ],
    [
      '{"server": "https://tenant.test", "token_id": "1", "tokenKey": "s3cr3t-s3cr3t"}',
      'It has a field "token_id", which no profile has. The field is called tokenId.',
    ],
    ['{"s3cr3t-s3cr3t-s3cr3t+s3cr3t": "tokenKey"}', "It has a field that no profile has."],
  ])("in a file that is no profile are refused: %s", async (content, problem) => {
    const { code, error } = await commandLineHere(["ping", "--profile", profile(content)]);
    expect(code).toBe(3);
    expect(error).toContain("is not a profile. ");
    expect(error).toContain(problem);
    expect(error).not.toContain("s3cr3t");
  });

  it("in a folder instead of a file are missed", async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const { code, error } = await commandLineHere(["ping", "--profile", folder]);
    expect({ code, error }).toEqual({
      code: 3,
      error: `Error: The profile ${folder} is a directory. Name the file in it.\n`,
    });
  });

  it("in a file that is missing are missed", async () => {
    const { code, error } = await commandLineHere(["ping", "--profile", "/nowhere/profile.json"]);
    expect({ code, error }).toEqual({
      code: 3,
      error:
        'Error: The profile /nowhere/profile.json cannot be read (ENOENT). Check the path, or list your profiles with "profile list".\n',
    });
  });

  it("that are empty are missed", async () => {
    const { code, error } = await askHere(tenant, ["ping"], { input: " \n" });
    expect(code).toBe(3);
    expect(error).toContain("No Token Key was given.");
  });

  it("may be a bearer token", async () => {
    const own = await startTenant({ jwts: [{ token: "a.bearer.token" }] });
    const args = ["ping", "--bearer", "--server", own.url];
    expect(await commandLineHere(args, { input: "a.bearer.token\n" })).toMatchObject({ code: 0, error: "" });
    const path = profile(JSON.stringify({ server: own.url, bearerToken: "a.bearer.token" }));
    expect(await commandLineHere(["ping", "--profile", path])).toMatchObject({ code: 0, error: "" });
    const { code, error } = await commandLineHere(args, { input: "no-such-token" });
    expect(code).toBe(3);
    expect(error).toContain("The service rejected the bearer token");
  });
});
