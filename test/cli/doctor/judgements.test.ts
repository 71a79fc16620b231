import { describe, expect, it } from "@jest/globals";
import { type CheckResult, failed, ok, skipped, warning } from "../../../src/cli/doctor/check.ts";
import { judgeCertificate } from "../../../src/cli/doctor/network-checks.ts";
import type { Handshake } from "../../../src/cli/doctor/network.ts";
import { type Attempt, type JudgedOperation, resultOf } from "../../../src/cli/doctor/operation-result.ts";
import * as errors from "../../../src/service/errors/errors.ts";
import { withEnvironment } from "../../support/environment.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const NOW = Date.parse("2030-01-31T10:00:00Z");
const clock = new FakeClock(NOW);
const DAY = 86_400_000;
const service = { whoActs: "service" } as const;
const administrator = { whoActs: "administrator" } as const;
const analyst = { whoActs: "analyst" } as const;

describe("the certificate of the service", () => {
  const good: Handshake = {
    protocol: "TLSv1.3",
    chainProblem: null,
    fitsHost: true,
    issuer: "Example CA",
    names: "DNS:tenant.test",
    validTo: NOW + 14 * DAY,
  };
  const look = (changes: Partial<Handshake>) =>
    judgeCertificate({ ...good, ...changes }, { server: { host: "tenant.test", port: 443 }, clock });
  const PRIVATE =
    "If that is a private CA, or the CA of a proxy that inspects TLS, set the environment variable NODE_EXTRA_CA_CERTS to the file with its certificate.";

  const OR_CLOCK = "If they are valid today, the clock of this machine is wrong: set it.";

  it.each<[string, Partial<Handshake>, Pick<CheckResult, "status" | "summary" | "fix">]>([
    ["good for two weeks", {}, ok("Issued by Example CA for tenant.test, valid until 2030-02-14.")],
    [
      "about to expire",
      { validTo: NOW + 14 * DAY - 1_000 },
      warning("The certificate expires on 2030-02-14.", "Renew it before that day."),
    ],
    [
      "expired",
      { chainProblem: "CERT_HAS_EXPIRED", validTo: NOW - DAY },
      failed("The certificate expired on 2030-01-30.", `Renew the certificate of the server. ${OR_CLOCK}`),
    ],
    ...["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID", "CERT_REVOKED"].map(
      (chainProblem): [string, Partial<Handshake>, CheckResult] => [
        `not valid itself, or by one that it rests on (${chainProblem})`,
        { chainProblem },
        failed(
          `The certificate, or one that it rests on, is not valid (${chainProblem}).`,
          `Have the certificates of the server checked and renewed. ${OR_CLOCK}`,
        ),
      ],
    ),
    [
      "for another host",
      { fitsHost: false, names: "DNS:other.test" },
      failed(
        "The certificate is for another host name than tenant.test. It is for DNS:other.test.",
        "Enter one of these names as Server, or issue a certificate for the name that you use.",
      ),
    ],
  ])("is %s", async (_, changes, expected) => {
    const validTo = new Date(changes.validTo ?? good.validTo).toISOString().slice(0, 10);
    expect(await look(changes)).toEqual({ ...expected, facts: { ...good, ...changes, validTo } });
  });

  it.each([
    ["no variable is set", "", ""],
    ["its file cannot be read", "/nowhere/ca.pem", " The file that it names now cannot be read."],
    ["its file is another one", import.meta.filename, " The file that it names now does not hold this authority."],
  ])("is of an authority that is not trusted, and the advice says whether %s", async (_, file, hint) => {
    await withEnvironment({ NODE_EXTRA_CA_CERTS: file }, async () => {
      const chainProblem = "SELF_SIGNED_CERT_IN_CHAIN";
      expect(await look({ chainProblem })).toMatchObject({
        status: "failed",
        summary: `The certificate is not issued by a certificate authority (CA) that this machine trusts. Its issuer is Example CA (${chainProblem}).`,
        fix: `${PRIVATE}${hint}`,
      });
      expect((await look({ chainProblem, fitsHost: false })).summary).toMatch(
        /\(SELF_SIGNED_CERT_IN_CHAIN\)\. The certificate is for another host name than tenant\.test\. It is for DNS:tenant\.test\.$/,
      );
    });
  });
});

describe("an operation of the service", () => {
  const optional: JudgedOperation = { request: "GET /api/v2/x", usedBy: "the actions" };
  const required: JudgedOperation = { request: "GET /api/v2/x", usedBy: "the connector", required: true };
  const advised: JudgedOperation = { ...required, missing: { cause: "There is none.", fix: "Get one." } };
  const LATER = "Run this check again later. If it keeps failing, contact the support of the service.";
  const ROLE = "Give the user of the token the role Auditor, or another that may read this.";
  const works: Attempt = { environment: "GOOD", error: null, works: true };
  const fails = (error: errors.ServiceError, environment: string | null = null): Attempt => ({
    environment,
    error,
    works: false,
  });
  const partly = (error: errors.ServiceError, environment: string): Attempt => ({ environment, error, works: true });
  const forbidden = new errors.ForbiddenError("Denied.", administrator);
  const unknown = new errors.NotFoundError("Not found.", { ...service, status: 404, wrapped: true });
  const notOffered = new errors.NotFoundError("Not found.", { ...service, status: 404 });
  const rejected = { ...analyst, status: 400, wrapped: true, messages: ["unknown filter."] };
  const bad = new errors.BadRequestError("Bad. Check what you entered.", rejected);
  const foreign = new errors.BadRequestError("A web page.", { ...administrator, status: 405 });
  const broken = new errors.ServerError("Broken.", service);
  const refused = new errors.RateLimitedError("Refused.", service);
  const facts = (usedBy: string, tried: number, failed: number, code?: string) => ({
    usedBy,
    tried,
    failed,
    ...(code !== undefined && { code }),
  });

  it.each<[string, JudgedOperation, Attempt[], CheckResult]>([
    [
      "not tried without an object",
      optional,
      [],
      skipped("Not tried: the service lists no finding type to try it on."),
    ],
    ["allowed", optional, [works, works], ok("Allowed. Used by the actions.", facts("the actions", 2, 0))],
    [
      "not allowed when the service rejects what the plugin asks",
      optional,
      [fails(bad)],
      warning(
        "The service rejects the requests of the actions: unknown filter (GET /api/v2/x, status 400). Used by the actions.",
        LATER,
        facts("the actions", 1, 1, "bad_request"),
      ),
    ],
    [
      "not allowed when something else rejects the request",
      optional,
      [fails(foreign)],
      warning(
        "A web page. Used by the actions.",
        "Correct this, and run this check again.",
        facts("the actions", 1, 1, "bad_request"),
      ),
    ],
    [
      "out of order when the connector's own question does not fit",
      required,
      [fails(bad)],
      failed(
        "The service rejects the requests of the connector: unknown filter (GET /api/v2/x, status 400). Used by the connector.",
        LATER,
        facts("the connector", 1, 1, "bad_request"),
      ),
    ],
    [
      "forbidden everywhere, and needed",
      required,
      [fails(forbidden, "A"), fails(forbidden, "B")],
      failed("Denied. Used by the connector.", ROLE, facts("the connector", 2, 2, "forbidden")),
    ],
    [
      "forbidden in some environments, of which five are named",
      required,
      [works, ..."ABCDEF".split("").map((name) => fails(forbidden, name))],
      warning("A, B, C, D, E: Denied. Used by the connector.", ROLE, facts("the connector", 7, 6, "forbidden")),
    ],
    [
      "forbidden, and not needed by the connector",
      optional,
      [fails(forbidden)],
      warning("Denied. Used by the actions.", ROLE, facts("the actions", 1, 1, "forbidden")),
    ],
    [
      "answered in part",
      required,
      [partly(broken, "A")],
      warning("Broken. Used by the connector.", LATER, facts("the connector", 1, 1, "server")),
    ],
    [
      "not tried after the rate limit, when it is not needed",
      optional,
      [fails(refused)],
      skipped(
        "Not tried. The rate limit is exhausted: the service refuses further requests for now (status 429).",
        facts("the actions", 1, 1, "rate_limited"),
      ),
    ],
    [
      "not tried on an object that is unknown",
      optional,
      [fails(unknown)],
      skipped(
        "Not tried. The service does not know the object that GET /api/v2/x was tried on (status 404).",
        facts("the actions", 1, 1, "not_found"),
      ),
    ],
    [
      "contradicted by the service's own list",
      required,
      [fails(unknown)],
      failed(
        "The service does not know what it has just listed (GET /api/v2/x, status 404). Used by the connector.",
        LATER,
        facts("the connector", 1, 1, "not_found"),
      ),
    ],
    [
      "not offered",
      optional,
      [fails(notOffered)],
      failed(
        "The service, or a gateway in front of it, does not offer GET /api/v2/x (status 404). Used by the actions.",
        "Update the service, have the gateway let the request pass, or do without what needs this operation.",
        facts("the actions", 1, 1, "not_found"),
      ),
    ],
    [
      "not offered, for a reason that is known",
      advised,
      [fails(notOffered)],
      failed("There is none. Used by the connector.", "Get one.", facts("the connector", 1, 1, "not_found")),
    ],
    [
      "not offered in one environment, which has another reason",
      advised,
      [works, fails(notOffered, "A")],
      warning(
        "A: The service, or a gateway in front of it, does not offer GET /api/v2/x (status 404). Used by the connector.",
        "Update the service, have the gateway let the request pass, or do without what needs this operation.",
        facts("the connector", 2, 1, "not_found"),
      ),
    ],
  ])("is %s", (_, operation, attempts, expected) => {
    expect(resultOf(operation, attempts)).toEqual(expected);
  });

  it("says what it lacks when it could not be tried", () => {
    expect(resultOf(optional, [], "no environment is a cloud tenant").summary).toBe(
      "Not tried: no environment is a cloud tenant.",
    );
  });
});
