import { describe, expect, it } from "@jest/globals";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { readAccess } from "../../src/cli/credentials.ts";
import { deleteProvider } from "../../src/cli/delete-provider.ts";
import { main } from "../../src/cli/main.ts";
import { Output } from "../../src/cli/output/output.ts";
import { promptOutput } from "../../src/cli/output/prompt-output.ts";
import { writeRows } from "../../src/cli/rows.ts";
import { sparkline } from "../../src/cli/drawing/sparkline.ts";
import { systemClock } from "../../src/clock.ts";
import { connect } from "../../src/service/connect.ts";
import { Secret } from "../../src/service/credentials.ts";
import { readSecret } from "../../src/terminal.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startTenant } from "../support/tenant.ts";

const KEY = "c2VjcmV0LWtleS1vZi10aGUtdG9rZW4=";

/** A person at a terminal, who types each answer when its question is there. */
function person(answers: Readonly<Record<string, string>>) {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const output = new PassThrough();
  let shown = "";
  const open = new Map(Object.entries(answers));
  output.on("data", (chunk: Buffer) => {
    shown += chunk.toString();
    for (const [question, typed] of open) {
      if (!shown.includes(question)) continue;
      open.delete(question);
      setImmediate(() => input.write(`${typed}\r`));
    }
  });
  return { terminal: { input, output }, shown: () => shown };
}

function outputOf(isTTY: boolean) {
  const stdout = Object.assign(new PassThrough(), { isTTY, columns: 40 });
  const stderr = Object.assign(new PassThrough(), { isTTY });
  const output = new Output({ stdout, stderr, colours: true, clock: systemClock, stop: new AbortController().signal });
  return { output, written: () => String(stdout.read() ?? ""), said: () => String(stderr.read() ?? "") };
}

describe("prompts", () => {
  it("ask for what is missing, and do not show the key", async () => {
    const { terminal, shown } = person({
      "Server:": "https://tenant.test",
      "Token ID:": "an id",
      "Token Key (not shown):": KEY,
    });
    const access = await readAccess({}, { terminal, defaultProfile: "/nowhere" });
    expect(access).toMatchObject({ server: "https://tenant.test", credentials: { kind: "token", id: "an id" } });
    expect(access.credentials.kind === "token" && access.credentials.key.reveal()).toBe(KEY);
    expect(shown()).not.toContain(KEY);
  });

  it("are shown on the terminal if standard error goes elsewhere", () => {
    const [stderr, terminal] = [new PassThrough(), new PassThrough()];
    const shownOn = (input: boolean, error: boolean, opened: PassThrough | null) =>
      promptOutput({ stdin: { isTTY: input }, stderr: Object.assign(stderr, { isTTY: error }) }, () => opened);
    expect(shownOn(true, false, terminal)).toBe(terminal);
    expect(shownOn(true, false, null)).toBe(stderr);
    expect(shownOn(true, true, terminal)).toBe(stderr);
    expect(shownOn(false, false, terminal)).toBe(stderr);
  });

  it("ask for a secret only once the terminal has stopped showing what is typed", async () => {
    const happened: string[] = [];
    const setRawMode = (isRaw: boolean) => happened.push(isRaw ? "echo off" : "echo on");
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode });
    const output = new PassThrough();
    output.on("data", (shown: Buffer) => {
      happened.push(shown.toString());
      if (shown.toString() !== "\n") setImmediate(() => input.write(`${KEY}\r`));
    });
    expect(await readSecret({ input, output }, "Token Key: ")).toBe(KEY);
    expect(happened.slice(0, 3)).toEqual(["echo off", "Token Key: ", "echo on"]);
  });

  it("go on after Ctrl-Z, which would show the rest of a secret", async () => {
    const modes: boolean[] = [];
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (isRaw: boolean) => modes.push(isRaw) });
    const secret = readSecret({ input, output: new PassThrough() }, "Token Key: ");
    input.write(KEY.slice(0, 5));
    input.write("\u001a");
    input.write(KEY.slice(5));
    await new Promise((resolve) => setImmediate(resolve));
    expect(modes).toEqual([true]);
    input.write("\r");
    expect(await secret).toBe(KEY);
  });

  it("end with Ctrl-C", async () => {
    const { terminal } = person({ "Server:": "\u0003" });
    await expect(readAccess({}, { terminal, defaultProfile: "/nowhere" })).rejects.toThrow("Stopped.");
  });

  it.each([true, false])("end when the program is asked to stop (terminal: %s)", async (isTTY) => {
    const stop = new AbortController();
    const terminal = {
      input: Object.assign(new PassThrough(), { isTTY }),
      output: new PassThrough(),
      stop: stop.signal,
    };
    const access = readAccess(
      { server: "https://tenant.test", tokenId: "1" },
      { terminal, defaultProfile: "/nowhere" },
    );
    setImmediate(() => {
      stop.abort();
    });
    await expect(access).rejects.toThrow("Stopped. Nothing was changed.");
    expect(terminal.input.destroyed || isTTY).toBe(true);
  });

  it.each([
    ["n", 1, 2],
    ["y", 0, 1],
  ])("ask before a provider is deleted, whatever its name is made of: %s", async (typed, code, left) => {
    const tenant = await startTenant();
    const rename = (body: string) => body.replaceAll("HALDEN-IDP", "HALDEN\\u001b[2J-IDP");
    tenant.control.fault({ effect: { kind: "body", transform: rename } });
    const service = connect({
      server: tenant.url,
      credentials: { kind: "token", id: tenant.tokenId, key: new Secret(tenant.tokenKey) },
      clock: systemClock,
      random: () => 0,
      log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
    });
    const { terminal, shown } = person({ "[y/N]": typed });
    const { output } = outputOf(false);
    const cli = { terminal, output, clock: systemClock, random: Math.random, stop: new AbortController().signal };
    const deletion = {
      noun: "SSO provider",
      idOf: ({ sso_provider_id: id }: { sso_provider_id?: number | null }) => String(id),
      delete: () => service.sso.deleteSsoProvider(11),
    };
    const command = { ...cli, defaultProfile: "", exitCode: 0 as const };
    expect(await deleteProvider(command, service, deletion, { id: "11", format: "table" })).toBe(code);
    expect(shown()).toContain("Delete SSO provider 11 (HALDEN [2J-IDP)? [y/N]");
    expect(await service.sso.listSamlProviders()).toHaveLength(left);
    service.close();
  });
});

describe("a list", () => {
  const columns = [
    { key: "name", title: "Name" },
    { key: "count", title: "Count", align: "right" },
  ] as const;

  it("has colours and fits the screen on a terminal only", async () => {
    const rows = [{ name: "a name that is too long for this terminal", count: 1 }];
    const [terminal, pipe] = [outputOf(true), outputOf(false)];
    await writeRows(terminal.output, { format: "table", columns }, rows);
    await writeRows(pipe.output, { format: "table", columns }, rows);
    const [title, row] = terminal.written().split("\n");
    expect(title).toBe(`\u001b[1mNAME${" ".repeat(31)}COUNT\u001b[0m`);
    expect(row).toBe("a name that is too long for this…      1");
    expect(pipe.written()).toBe(
      "NAME                                       COUNT\na name that is too long for this terminal      1\n",
    );
  });

  it("cannot move the cursor or forge lines of a terminal", async () => {
    const { output, written } = outputOf(true);
    await writeRows(output, { format: "table", columns }, [{ name: "\u001b[2Ja\nb", count: 1 }]);
    expect(written()).toContain("\n[2Ja b");
  });

  it("as CSV cannot drive a terminal either, while a file has every character", async () => {
    const [terminal, pipe] = [outputOf(true), outputOf(false)];
    for (const { output } of [terminal, pipe]) {
      await writeRows(output, { format: "csv", columns, fields: ["name", "count"] }, [
        { name: "a\u001b[2J\tb\u009b2J", count: 1 },
      ]);
      output.note("c\u001b]0;title\u0007");
    }
    expect([terminal.said(), pipe.said()]).toEqual(["c\\u001b]0;title\\u0007\n", "c\u001b]0;title\u0007\n"]);
    expect(terminal.written()).toBe("name,count\na\\u001b[2J\tb\\u009b2J,1\n");
    expect(pipe.written()).toBe("name,count\na\u001b[2J\tb\u009b2J,1\n");
  });

  it("has no styles of its own on a terminal", async () => {
    const { output, written } = outputOf(true);
    const name = "\u001b[31mred\u001b[0m";
    for (const format of ["csv", "table"] as const)
      await writeRows(output, { format, columns, fields: ["name", "count"] }, [{ name, count: 1 }]);
    const shown = written();
    expect(shown).not.toContain("\u001b[31m");
    expect(shown).toContain("\\u001b[31mred");
  });

  it("as JSON means the same on a terminal, and cannot drive it", async () => {
    const { output, written } = outputOf(true);
    const name = "a\u001b[31m\u009b2J\u202e\r\nb";
    await output.json({ name });
    const text = written();
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(JSON.parse(text)).toEqual({ name });
  });

  it("as CSV has its header also when there is no row", async () => {
    const { output, written } = outputOf(false);
    await writeRows(output, { format: "csv", columns, fields: ["name", "count"] }, []);
    expect(written()).toBe("name,count\n");
  });

  it("is quoted as CSV, and starts no formula in a spreadsheet", async () => {
    const { output, written } = outputOf(false);
    await writeRows(output, { format: "csv", columns, fields: ["name", "count"] }, [
      { name: 'a "b", c', count: -1 },
      { name: "=1+1", count: null },
      { name: ["@1", "b"], count: 2 },
      { name: "\n=1+1", count: 3 },
    ]);
    expect(written()).toBe(`name,count\n"a ""b"", c",-1\n'=1+1,\n'@1 b,2\n"'\n=1+1",3\n`);
  });

  it("never holds a secret", async () => {
    const { output, written, said } = outputOf(false);
    output.protect(KEY);
    await output.json({ key: KEY });
    output.error(`The key is ${KEY}`);
    expect(written() + said()).toBe('{\n  "key": "[redacted]"\n}\nError: The key is [redacted]\n');
  });
});

describe("what a command keeps", () => {
  it("loses secrets, and no other character", () => {
    const { output } = outputOf(true);
    output.protect("20261128");
    const kept = { at: 1_202_611_280, "20261128": ["a\u0085\u202e\nb", "on 20261128"] };
    expect(output.withoutSecrets(kept)).toEqual({
      at: 1_202_611_280,
      "[redacted]": ["a\u0085\u202e\nb", "on [redacted]"],
    });
  });
});

describe("progress", () => {
  async function said(command: string[], terminals: { stdout: boolean; stderr: boolean }): Promise<string> {
    const tenant = await startTenant({ dataset: { environments: 1, findingTypes: 1, findingsPerPair: 3 } });
    const stream = (isTTY: boolean) => Object.assign(new PassThrough(), { isTTY, columns: 30 });
    const [stdout, stderr] = [stream(terminals.stdout), stream(terminals.stderr)];
    const input = new PassThrough();
    input.end(tenant.tokenKey);
    stdout.resume();
    const { signal: stop } = new AbortController();
    await main([...command, "--server", tenant.url, "--token-id", tenant.tokenId], {
      terminal: { input, output: stderr },
      output: new Output({ stdout, stderr, colours: false, clock: systemClock, stop }),
      clock: systemClock,
      random: Math.random,
      stop,
      defaultProfile: "/nowhere",
      exitCode: 0,
    });
    return String(stderr.read() ?? "").replaceAll("\u001b[K", "<clear>");
  }
  const poll = (...options: string[]) => ["poll", "--state", join(temporaryFolder(), "poll.json"), ...options];

  it("is one line of a terminal that fits, and that is gone at the end", async () => {
    const seen = await said(["findings", "--json"], { stdout: false, stderr: true });
    expect(seen).toMatch(/^\rReading UNIFORM-[^\r\n]{13}<clear>\r<clear>$/);
    expect(await said(poll(), { stdout: false, stderr: true })).toMatch(
      /\rRead 1 of 1 streams<clear>\r<clear>Delivered 3 new findings in 1\nalert from 1 environment\.\n$/,
    );
  });

  it.each([
    ["where standard error is no terminal", ["findings"], { stdout: true, stderr: false }, ""],
    ["where the data is on the terminal", ["findings"], { stdout: true, stderr: true }, ""],
    ["with --quiet", poll("--quiet"), { stdout: false, stderr: true }, ""],
  ])("is not shown %s", async (_, command, terminals, expected) => {
    expect(await said(command, terminals)).toBe(expected);
  });
});

describe("a sparkline", () => {
  it.each([
    [[0, 7, 3.5, undefined, 14], 10, "▁▅▃ █"],
    [[0, 0], 10, "▁▁"],
    [[1, 2, 3, 8, 1, 1], 3, "▃█▂"],
  ])("of %j in %d columns is %s", (values, width, expected) => {
    expect(sparkline(values, width)).toBe(expected);
  });

  it("are drawn of as many values as a service likes", () => {
    expect(
      sparkline(
        Array.from({ length: 500_000 }, (_, at) => at),
        2,
      ),
    ).toBe("▄█");
  });
});
