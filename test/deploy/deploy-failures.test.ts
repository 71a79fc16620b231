import { beforeEach, describe, expect, it } from "@jest/globals";
import { inspect } from "node:util";
import { type DeployOptions, parseRoot } from "../../src/deploy/deploy.ts";
import { unreachable } from "../../src/deploy/failures.ts";
import { Deployment } from "./deployment.ts";
import { IMPORT_PACKAGE, IMPORT_PLAYBOOKS, KEY, RULES, type StandIn, startPlatform } from "./platform.ts";
import { packageFiles } from "./project.ts";

let platform: StandIn;
let deployment: Deployment;
beforeEach(async () => {
  platform = await startPlatform();
  deployment = new Deployment(platform);
});

describe("a deployment that fails", () => {
  const DETAILS = "POST /api/external/v1/ide/GetPackageDetails";
  const failure = async (changes: Partial<DeployOptions> = {}): Promise<string> => {
    const error: unknown = await deployment.run(changes).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ name: "DeployError", readable: true });
    expect(inspect(error, { depth: 9 })).not.toContain(KEY);
    expect(deployment.lines.join()).not.toContain(KEY);
    return (error as Error).message;
  };

  it.each([
    [
      401,
      "",
      /^Could not check the package: the platform does not accept the API key\. Copy the whole key .* \(POST .*, status 401\)$/,
    ],
    [403, "", /the API key has no permission for this\. Use a key with the permission group Admins/],
    [404, "<html>not here</html>", /the platform does not know this request\. Check the root URL: [^"]*$/],
    [407, "", /the proxy requires a user name and password\. Add them to HTTPS_PROXY/],
    [413, "", /the request \(0\.0 MB\) is larger than the platform, or a proxy in front of it, accepts.*--agent/],
    [429, "", /Wait a few minutes/],
    [
      400,
      '{"errorMessage":"No such thing"}',
      /the platform refused the request\. Do this part by hand.* It said: "\{"errorMessage":"No such thing"\}" \(POST .*, status 400\)/,
    ],
    [500, "x\u001b[2Jy", /internal error\. Run the command again later.*It said: "x \[2Jy"/],
    [503, "", /status 503/],
  ])("explains status %i", async (status, body, expected) => {
    platform.answers.set(DETAILS, { status, body });
    expect(await failure()).toMatch(expected);
  });

  it("says what to do when the platform refuses the version of the package", async () => {
    await deployment.runWith(packageFiles(2));
    platform.answers.set(IMPORT_PACKAGE, { status: 400, body: '{"errorMessage":"A newer version is installed"}' });
    expect(await failure()).toMatch(
      /^Could not import the package: the platform refused the request\. If it objects to the version, delete the installed integration in Response > IDE and try again\. It said: ".*A newer version is installed/,
    );
  });

  it("does not repeat the key when the platform does", async () => {
    platform.answers.set(DETAILS, { status: 400, body: `bad key ${KEY}` });
    expect(await failure()).toContain("bad key [redacted]");
  });

  it("does not follow a redirect with the key", async () => {
    const elsewhere = await startPlatform();
    platform.answers.set(DETAILS, { status: 302, headers: { Location: `${elsewhere.root}/login` } });
    expect(await failure()).toContain(
      `the platform redirects to ${elsewhere.root}/login. The API key is not sent there.`,
    );
    expect(elsewhere.requests).toEqual([]);
  });

  it.each([DETAILS, "GET /api/external/v1/ide/ExportPackage/attack_path_analysis"])(
    "says that a web page is not the API (%s)",
    async (name) => {
      await deployment.run();
      platform.answers.set(name, { status: 200, body: "<!doctype html><title>Log in</title>" });
      expect(await failure()).toMatch(
        /: what answered is a web page or a proxy, not the platform's API\. Check the root URL: [^"]+ \(.*, status 200\)$/,
      );
    },
  );

  it.each([
    [DETAILS, "{}", "the answer has no identifier of the package"],
    [`GET ${RULES}`, '{"items":[{}]}', "the answer has no id of a rule"],
  ])("says what is missing in the answer of %s", async (name, body, expected) => {
    platform.answers.set(name, { status: 200, body });
    expect(await failure()).toContain(expected);
    expect(deployment.writes()).toEqual([]);
  });

  it("does not import a package that the platform reads as another integration", async () => {
    platform.answers.set(DETAILS, { status: 200, body: '{"identifier":"other"}' });
    expect(await failure()).toBe(
      "package.zip is damaged: its definition says attack_path_analysis, and the platform reads other. Build it again.",
    );
    expect(deployment.writes()).toEqual([]);
  });

  it("says that nothing listens at the root URL", async () => {
    const gone = await startPlatform();
    await gone.close();
    expect(await failure({ address: parseRoot(gone.root) })).toMatch(
      /^Could not check the package: nothing accepts connections at the root URL\. Check its host name and port\. \(POST .*, ECONNREFUSED\)$/,
    );
  });

  it.each([
    [
      "ENOTFOUND",
      /DNS cannot resolve the host name of the root URL\. Check it for typing errors\. \(GET \/x, ENOTFOUND\)$/,
    ],
    ["ECONNRESET", /Run the command again: it changes only what still differs\./],
    ["ETIMEDOUT", /cannot reach the host of the root URL\. Check the firewall and HTTPS_PROXY\./],
    ["CERT_HAS_EXPIRED", /has expired\. The API key was not sent\./],
    ["ERR_TLS_CERT_ALTNAME_INVALID", /is for another host\. The API key was not sent\. Check the root URL\./],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", /does not trust the certificate.*NODE_EXTRA_CA_CERTS/],
    ["EPROTO", /no TLS connection could be made/],
    ["HPE_INVALID_CONSTANT", /does not speak HTTP/],
    [
      "EOTHER",
      /the request could not be sent\. Check the network of this machine and HTTPS_PROXY\. \(GET \/x, EOTHER\)$/,
    ],
  ])("explains %s", (code, expected) => {
    const asked = { method: "GET", path: "/x", purpose: "do it", otherwise: "", bytes: 0 } as const;
    const { message } = unreachable(asked, Object.assign(new Error("low level"), { code }));
    expect(message).toMatch(/^Could not do it: /);
    expect(message).toMatch(expected);
  });

  it("names HTTPS_PROXY when it cannot be used", async () => {
    const address = parseRoot("https://soar.example.com");
    process.env["HTTPS_PROXY"] = "socks://proxy.example.com";
    try {
      expect(await failure({ address })).toMatch(/HTTPS_PROXY is not an http:\/\/ or https:\/\/ URL\. Correct it/);
    } finally {
      delete process.env["HTTPS_PROXY"];
    }
  });

  it("says that the platform did not answer in time", async () => {
    platform.answers.set(DETAILS, { status: 200, silent: true });
    expect(await failure({ timeoutSeconds: 0.05 })).toMatch(/the platform did not answer within 50 ms/);
  });

  it("has said what was done when a later part fails, and does the rest the next time", async () => {
    const create = `POST ${RULES}`;
    platform.answers.set(create, { status: 500 });
    expect(await failure()).toMatch(/^Could not create the alert grouping rule/);
    expect(deployment.lines.at(-1)).toBe('  Visual family "Attack Path Findings": done.');
    platform.answers.clear();
    await deployment.run();
    expect(deployment.writes()).toEqual([create, IMPORT_PLAYBOOKS]);
  });
});
