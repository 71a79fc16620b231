import { beforeEach, describe, expect, it } from "@jest/globals";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { inspect } from "node:util";
import { type Asked, unreachable } from "../../src/deploy/failures.ts";
import { parseTarget } from "../../src/deploy/target.ts";
import { withEnvironment } from "../support/environment.ts";
import { startRawServer } from "../support/raw-server.ts";
import { Deployment } from "./deployment.ts";
import { CHECK_ACCESS, IMPORT_PACKAGE, KEY, RULES, type StandIn, startPlatform } from "./platform.ts";
import { packageFiles } from "./project.ts";

let platform: StandIn;
let deployment: Deployment;
beforeEach(async () => {
  platform = await startPlatform();
  deployment = new Deployment(platform);
});

describe("a deployment that fails", () => {
  const DETAILS = "POST /api/external/v1/ide/GetPackageDetails";
  /** What is told when a run stops, or when a step fails: the message about the step. */
  const failure = async (changes: Parameters<Deployment["run"]>[0] = {}): Promise<string> => {
    const outcome: unknown = await deployment.run(changes).catch((reason: unknown) => reason);
    expect(inspect(outcome, { depth: 9 })).not.toContain(KEY);
    expect([...deployment.lines, ...deployment.errors].join()).not.toContain(KEY);
    if (outcome === false) {
      expect(deployment.errors.at(-1)).toMatch(/^Not done: [a-z,]+\. .* --only [a-z,]+\.$/);
      return deployment.errors[0]!.replace(/^[a-z]+: /, "");
    }
    expect(outcome).toMatchObject({ name: "DeployError", readable: true });
    return (outcome as Error).message;
  };

  it.each([
    [
      401,
      "",
      /^Could not check the API key: the platform does not accept the API key\. Copy the whole key .* \(GET .*, status 401\)$/,
    ],
    [403, "", /the API key has no permission for this\. Use a key with the permission group Admins/],
    [404, "<html>not here</html>", /the platform does not know this request\. Check the address: [^"]*$/],
  ])("sends no package when access is denied with status %i", async (status, body, expected) => {
    platform.answers.set(CHECK_ACCESS, { status, body });
    expect(await failure()).toMatch(expected);
    expect(platform.requests).toEqual([CHECK_ACCESS]);
  });

  it.each([
    [404, "", /does not know this request, which is described in packages\/mp\/.*\. Its version may be another one/],
    [407, "", /the proxy requires a user name and password\. Add them to HTTPS_PROXY/],
    [413, "", /the request \(0\.0 MB\) is larger than the platform, or a proxy in front of it, accepts.*--agent/],
    [429, "", /Wait a few minutes/],
    [
      400,
      '{"errorMessage":"No such thing"}',
      /the platform refused the request\. Do this part by hand.* It said: "\{"errorMessage":"No such thing"\}" \(POST .*, status 400\)/,
    ],
    [500, "x\u001b[2Jy", /internal error\. Run the command again later.*It said: "x \[2Jy"/],
    ...[502, 503, 504].map(
      (status) => [status, "", new RegExp(`a large upload took longer than the gateway.*status ${status}`)] as const,
    ),
  ])("explains status %i", async (status, body, expected) => {
    platform.answers.set(DETAILS, { status, body });
    expect(await failure()).toMatch(expected);
  });

  it("does not blame the user when a guess is refused", async () => {
    platform.answers.set(`POST ${RULES}`, { status: 400, body: "bad category" });
    expect(await failure()).toMatch(
      /^Could not create the alert grouping rule: .* The request is a guess, so this is no mistake of yours: .*by hand.*It said: "bad category"/,
    );
  });

  it("says what to do when the platform refuses the version of the package", async () => {
    await deployment.runWith(packageFiles(2));
    platform.answers.set(IMPORT_PACKAGE, { status: 400, body: '{"errorMessage":"A newer version is installed"}' });
    expect(await failure()).toMatch(
      /^Could not import the package: the platform refused the request\. If it objects to the version, read Rollback in docs\/google-secops\.md before you delete the installed integration\. It said: ".*A newer version is installed/,
    );
  });

  it("imports over an integration that cannot be read with --reinstall, and says so without it", async () => {
    await deployment.run();
    platform.answers.set("GET /api/external/v1/ide/ExportPackage/attack_path_analysis", { status: 500 });
    expect(await failure()).toMatch(/status 500\) If this stays so, --reinstall imports the package without reading/);
    await deployment.run({ reinstall: true });
    expect(deployment.said("Integration")).toEqual([
      expect.stringMatching(/does not tell what is installed, so nothing can be saved\.$/),
      expect.stringMatching(/^Could not read the installed integration: .*internal error/),
    ]);
    expect(deployment.writes()).toContain(IMPORT_PACKAGE);
  });

  it("replaces nothing unsaved with --reinstall because the platform is busy", async () => {
    await deployment.run();
    platform.answers.set("GET /api/external/v1/ide/ExportPackage/attack_path_analysis", { status: 429 });
    expect(await failure({ reinstall: true })).toMatch(/Wait a few minutes/);
    expect(deployment.writes()).not.toContain(IMPORT_PACKAGE);
  });

  it("does not repeat the key when the platform does", async () => {
    platform.answers.set(DETAILS, { status: 400, body: `bad key ${KEY}` });
    expect(await failure()).toContain("bad key [redacted]");
  });

  it("does not follow a redirect with the key", async () => {
    const elsewhere = await startPlatform();
    platform.answers.set(DETAILS, { status: 302, headers: { Location: `${elsewhere.root}/login` } });
    expect(await failure()).toContain(
      `the platform redirects to ${elsewhere.root}/login. The credentials are not sent there.`,
    );
    expect(elsewhere.requests).toEqual([]);
  });

  it.each([DETAILS, "GET /api/external/v1/ide/ExportPackage/attack_path_analysis"])(
    "says that a web page is not the API (%s)",
    async (name) => {
      await deployment.run();
      platform.answers.set(name, { status: 200, body: "<!doctype html><title>Log in</title>" });
      expect(await failure()).toMatch(
        /: what answered is a web page or a proxy, not the platform's API\. Check the address: [^"]+ \([^)]*, status 200\)$/,
      );
    },
  );

  it.each([
    [DETAILS, "{}", "the answer has no identifier of the package"],
    [`GET ${RULES}`, '{"items":[{}]}', "the answer has no id of a rule"],
  ])("says what is missing in the answer of %s", async (name, body, expected) => {
    platform.answers.set(name, { status: 200, body });
    expect(await failure({ dryRun: true })).toContain(expected);
  });

  it("does not import a package that the platform reads as another integration", async () => {
    platform.answers.set(DETAILS, { status: 200, body: '{"identifier":"other"}' });
    expect(await failure()).toBe(
      "package.zip is damaged: its definition says attack_path_analysis, and the platform reads other. Build it again.",
    );
    expect(deployment.writes()).not.toContain(IMPORT_PACKAGE);
  });

  it("says that nothing listens at the root URL", async () => {
    const gone = await startPlatform();
    await gone.close();
    expect(await failure({ target: parseTarget(gone.root) })).toMatch(
      /^Could not check the API key: nothing accepts connections at the address\. Check its host name and port\. \(GET .*, ECONNREFUSED\)$/,
    );
  });

  it.each([
    [
      "ENOTFOUND",
      /DNS cannot resolve the host name of the address\. Check it for typing errors\. \(GET \/x, ENOTFOUND\)$/,
    ],
    ["ECONNRESET", /Run the command again: it changes only what still differs\./],
    ["ETIMEDOUT", /cannot reach the host of the address\. Check the firewall and HTTPS_PROXY\./],
    ["CERT_HAS_EXPIRED", /has expired\. The credentials were not sent\./],
    ["ERR_TLS_CERT_ALTNAME_INVALID", /is for another host\. The credentials were not sent\. Check the address\./],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", /does not trust the certificate.*NODE_EXTRA_CA_CERTS/],
    ["EPROTO", /no TLS connection could be made/],
    ["HPE_INVALID_CONSTANT", /does not speak HTTP/],
    [
      "EOTHER",
      /the request could not be sent\. Check the network of this machine and HTTPS_PROXY\. \(GET \/x, EOTHER\)$/,
    ],
  ])("explains %s", (code, expected) => {
    const asked = { method: "GET", path: "/x", purpose: "do it" } as Asked;
    const { message } = unreachable(asked, Object.assign(new Error("low level"), { code }));
    expect(message).toMatch(/^Could not do it: /);
    expect(message).toMatch(expected);
  });

  it("names HTTPS_PROXY when it cannot be used", async () => {
    const target = parseTarget("https://soar.example.com");
    const message = (HTTPS_PROXY: string) => withEnvironment({ HTTPS_PROXY }, () => failure({ target }));
    expect(await message("socks://proxy.example.com")).toMatch(
      /: the environment variable HTTPS_PROXY is not an http:\/\/ or https:\/\/ URL\. .*add the host of the address to NO_PROXY/,
    );
    expect(await message("http://user:50%@proxy.example.com")).toMatch(
      /: the user name or password in the environment variable HTTPS_PROXY is not percent-encoded\./,
    );
  });

  it("says that the platform did not answer in time", async () => {
    platform.answers.set(DETAILS, { status: 200, silent: true });
    expect(await failure({ timeoutSeconds: 0.05 })).toMatch(/the platform did not answer within 50 ms/);
  });

  it("names a proxy that does not answer, and closes its connection, which would keep the command from ending", async () => {
    const proxy = createServer();
    const closed = once(proxy, "connection").then(([socket]) => once((socket as Socket).resume(), "close"));
    await once(proxy.listen(0, "127.0.0.1"), "listening");
    const HTTPS_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const target = parseTarget("https://soar.example.com");
    const message = await withEnvironment({ HTTPS_PROXY }, () => failure({ target, timeoutSeconds: 1 }));
    expect(message).toMatch(
      /^Could not check the API key: the proxy did not connect to the platform within 1 s\. The request did not reach the platform\. Check HTTPS_PROXY, and that the proxy works and can reach the platform\. \(GET [^ ]+\)$/,
    );
    await closed;
    proxy.close();
  });

  it("blames the proxy that nothing listens at, and the one that refuses to connect, and not the platform", async () => {
    const target = parseTarget("https://soar.example.com");
    const message = (HTTPS_PROXY: string) => withEnvironment({ HTTPS_PROXY }, () => failure({ target }));
    expect(await message("http://127.0.0.1:1")).toMatch(
      /: there is no connection to the proxy \(E[A-Z]+\)\. The request did not reach the platform\. Check HTTPS_PROXY, and that this machine can reach the proxy\. \(/,
    );
    const refusing = await startRawServer((_, socket) => socket.end("HTTP/1.1 403 Forbidden\r\n\r\n"));
    expect(await message(refusing.url)).toMatch(
      /: the proxy did not connect to the server \(status 403\)\. The request did not reach the platform\. Check HTTPS_PROXY and the address, /,
    );
  });

  it("does not blame the proxy for a platform that does not answer through its tunnel", async () => {
    const proxy = await startRawServer((head, socket) => {
      if (head.startsWith("CONNECT")) socket.write("HTTP/1.1 200 OK\r\n\r\n");
    });
    const target = parseTarget("https://soar.example.com");
    const message = await withEnvironment({ HTTPS_PROXY: proxy.url }, () => failure({ target, timeoutSeconds: 1 }));
    expect(message).toContain("the platform did not answer within 1 s");
  });

  it("does the other steps when one is refused, says which one is left, and does it the next time", async () => {
    const create = `POST ${RULES}`;
    platform.answers.set(create, { status: 500 });
    expect(await failure()).toMatch(/^Could not create the alert grouping rule/);
    expect(deployment.errors.at(-1)).toMatch(/^Not done: grouping\. .* --only grouping\.$/);
    expect(deployment.lines).toContain('  Playbook "Attack Path Triage": done.');
    expect(deployment.lines.join()).not.toContain("Done.");
    platform.answers.clear();
    expect(await deployment.run()).toBe(true);
    expect(deployment.writes()).toEqual([create]);
  });

  it("takes what does not need the package when that cannot even be planned", async () => {
    platform.answers.set(DETAILS, { status: 500 });
    expect(await failure()).toMatch(/^Could not check the package/);
    expect(deployment.writes()).toEqual([`POST ${RULES}`]);
  });
});
