import { beforeEach, describe, expect, it } from "@jest/globals";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { inspect } from "node:util";
import { readAccess } from "../../src/deploy/access.ts";
import { deployCommand } from "../../src/deploy/command.ts";
import { parseTarget } from "../../src/deploy/target.ts";
import { rootDir } from "../support/package.ts";
import { sendJson, startServer } from "../support/raw-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { INSTANCE, startChronicle } from "./chronicle-platform.ts";
import { KEY, type StandIn } from "./stand-in.ts";

let platform: StandIn;
let folder: string;
beforeEach(async () => {
  platform = await startChronicle();
  folder = temporaryFolder();
});

async function command(options: readonly string[], env: NodeJS.ProcessEnv, input = "") {
  const out: string[] = [];
  const error: string[] = [];
  const code = await deployCommand([INSTANCE, "--yes", "--only", "grouping", ...options], {
    rootDir,
    terminal: { input: Readable.from([Buffer.from(input)]), output: new PassThrough() },
    env: { CHRONICLE_ENDPOINT: platform.root, ...env },
    print: (line) => out.push(line),
    printError: (line) => error.push(line),
  });
  return { code, out, error: error.join("\n") };
}

/** Credentials of workload identity federation, which Google's library exchanges for a token at any address. */
async function credentialFile(tokenUrl: string): Promise<string> {
  const subject = join(folder, "subject-token");
  await writeFile(subject, "canary-subject-token");
  const file = join(folder, "credentials.json");
  const credentials = {
    type: "external_account",
    audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    token_url: tokenUrl,
    credential_source: { file: subject },
  };
  await writeFile(file, JSON.stringify(credentials));
  return file;
}

describe("the credentials of the Chronicle API", () => {
  it("are an access token from standard input", async () => {
    const { code, out, error } = await command([], {}, `${KEY}\n`);
    expect({ code, error }).toEqual({ code: 0, error: "" });
    expect(out[0]).toBe(`On ${INSTANCE}:`);
    expect(platform.violations).toEqual([]);
    expect(platform.rules).toHaveLength(1);
  });

  it("are exchanged for an access token when GOOGLE_APPLICATION_CREDENTIALS names a file", async () => {
    const issuer = await startServer((_, response) => {
      sendJson(response, { access_token: KEY, issued_token_type: "x", token_type: "Bearer", expires_in: 3600 });
    });
    const file = await credentialFile(`${issuer.url}/token`);
    const { code, error } = await command([], { GOOGLE_APPLICATION_CREDENTIALS: file });
    expect({ code, error }).toEqual({ code: 0, error: "" });
    expect(platform.violations).toEqual([]);
    expect(issuer.requests).toHaveLength(1);
  });

  it("are asked for again when Google issues no token for them", async () => {
    const issuer = await startServer((_, response) => {
      sendJson(response, { error: "invalid_grant", error_description: "expired" }, 400);
    });
    const file = await credentialFile(`${issuer.url}/token`);
    const { code, error } = await command([], { GOOGLE_APPLICATION_CREDENTIALS: file });
    expect(code).toBe(1);
    expect(error).toMatch(/^Google issued no access token for the credentials in GOOGLE_APPLICATION_CREDENTIALS/);
    expect(error).toContain("expired");
    expect(error).not.toContain("canary");
    expect(platform.requests).toEqual([]);
  });

  it("are given up when Google does not answer", async () => {
    const issuer = await startServer(() => undefined);
    const env = { GOOGLE_APPLICATION_CREDENTIALS: await credentialFile(`${issuer.url}/token`) };
    const terminal = { input: Readable.from([]), output: new PassThrough() };
    const access = await readAccess(parseTarget(INSTANCE), terminal, env, 100);
    await expect(access.secret()).rejects.toThrow(
      /^Google issued no access token .*The reason: there was no answer within 100 ms/,
    );
  });

  it.each([
    ["{ canary", "holds no credentials: it is not a JSON object"],
    ['"canary"', "holds no credentials: it is not a JSON object"],
  ])("are not quoted when their file is broken: %s", async (content, expected) => {
    const file = join(folder, "broken.json");
    await writeFile(file, content);
    const { code, error } = await command([], { GOOGLE_APPLICATION_CREDENTIALS: file });
    expect(code).toBe(1);
    expect(error).toContain(expected);
    expect(error).not.toContain("canary");
  });

  it("say where they can come from when there are none", async () => {
    expect((await command([], {})).error).toMatch(/^No access token was given\. Set GOOGLE_APPLICATION_CREDENTIALS/);
    const missing = await command([], { GOOGLE_APPLICATION_CREDENTIALS: join(folder, "missing.json") });
    expect(missing.error).toContain("which cannot be read. Check the path.");
    expect(platform.requests).toEqual([]);
  });

  it("are never shown", async () => {
    const terminal = { input: Readable.from([Buffer.from(KEY)]), output: new PassThrough() };
    const access = await readAccess(parseTarget(INSTANCE), terminal, {});
    expect(inspect(await access.secret(), { depth: 9 })).not.toContain(KEY);
    platform.answers.set(`GET /v1beta/${INSTANCE}/integrations`, { status: 403, body: `no ${KEY}` });
    const { error } = await command([], {}, KEY);
    expect(error).toMatch(/roles\/chronicle\.admin.*It said: "no \[redacted\]"/);
  });
});
