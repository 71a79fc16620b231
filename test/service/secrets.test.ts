import { inspect } from "node:util";
import { afterEach, describe, expect, it } from "@jest/globals";
import { connect } from "../../src/service/connect.ts";
import { systemClock } from "../../src/clock.ts";
import { Secret } from "../../src/service/credentials.ts";
import { ConfigurationError } from "../../src/service/errors/errors.ts";
import { closeClients, failure, recordingLog, TOKEN_ID, TOKEN_KEY } from "./support/clients.ts";
import { skippingClock } from "../support/fake-clock.ts";
import { sendJson, wrapper, type Handler } from "../support/raw-server.ts";

afterEach(closeClients);

describe("secrets", () => {
  const everything = (error: unknown) =>
    [
      String(error),
      JSON.stringify(error),
      inspect(error, { depth: 10, showHidden: true }),
      (error as Error).stack,
    ].join("\n");

  it("stand in no error and no log line, even when the service repeats them", async () => {
    const echo: Handler = (request, response) => {
      const said = `bad key ${TOKEN_KEY} in ${JSON.stringify(request.headers)}`;
      sendJson(response, wrapper(500, said, `id-${TOKEN_KEY}`), 500);
    };
    const drop: Handler = (_, response) => {
      response.destroy();
    };
    const redirect: Handler = (_, response) => {
      response.writeHead(302, { location: `/${TOKEN_KEY}/x` }).end();
    };
    for (const handler of [echo, drop, redirect]) {
      const log = recordingLog();
      const error = await failure(handler, { log, clock: skippingClock() });
      expect(everything(error) + JSON.stringify(log.lines)).not.toContain(TOKEN_KEY);
      expect(everything(error)).not.toMatch(/axios|_currentRequest/i);
    }
  });

  it("include a JWT that the service repeats", async () => {
    const token = "eyJ.canary.jwt";
    const error = await failure(
      (request, response) => {
        sendJson(response, wrapper(401, `expired: ${request.headers.authorization ?? ""}`), 401);
      },
      { credentials: { kind: "jwt", token: new Secret(token) } },
    );
    expect(error.messages).toEqual(["expired: Bearer [redacted]"]);
    expect(everything(error)).not.toContain(token);
  });

  it.each([
    ["", ""],
    ["id:", ""],
    ["Bearer ", "\n"],
  ])("include a key in base64 that the service repeats behind %j", async (before, after) => {
    const key = "c2VjcmV0LXRva2VuLWtleS1vZi1mb3J0eS1ieXRlcy0xMjM0NTY3ODk=";
    const written = Buffer.from(`${before}${key}${after}`).toString("base64");
    const error = await failure(
      (_, response) => {
        sendJson(response, wrapper(500, `bad header ${written}`), 500);
      },
      { credentials: { kind: "token", id: "id", key: new Secret(key) } },
    );
    const [said = ""] = error.messages;
    const left = said
      .replace(/^bad header /, "")
      .split("[redacted]")
      .map((part) => part.length);
    expect(Math.max(...left)).toBeLessThanOrEqual(Math.ceil((before.length * 4) / 3) + 4);
    expect(left.length).toBe(2);
  });

  it.each([400, 401, 403, 404, 500])("include the signature that a response with status %i repeats", async (status) => {
    const log = recordingLog();
    let signature = "";
    const error = await failure(
      (request, response) => {
        signature = String(request.headers["signature"]);
        sendJson(response, wrapper(status, `bad request: signature=${signature}`), status);
      },
      { log, clock: skippingClock() },
    );
    expect(signature).toHaveLength(44);
    expect(error.message).toContain("signature=[redacted]");
    expect(everything(error) + JSON.stringify(log.lines)).not.toContain(signature.slice(0, 20));
  });

  it("do not show themselves", () => {
    const secret = new Secret(TOKEN_KEY);
    const shown = [
      String(secret),
      JSON.stringify({ secret }),
      inspect({ secret }, { showHidden: true, depth: 10 }),
      ["key", secret].join(),
    ];
    expect(shown.join()).not.toContain(TOKEN_KEY);
    expect(secret.reveal()).toBe(TOKEN_KEY);
  });
});

describe("credentials that cannot be sent", () => {
  const attempt =
    (id: string, key: string, server = "https://tenant.example.com") =>
    () =>
      connect({
        server,
        credentials: { kind: "token", id, key: new Secret(key) },
        clock: systemClock,
        random: Math.random,
        log: recordingLog(),
      });

  it.each([
    ["", TOKEN_KEY, /^Token ID is empty/],
    ["a b", TOKEN_KEY, /^Token ID contains spaces/],
    ["a\r\nX-Evil: 1", TOKEN_KEY, /^Token ID contains/],
    [TOKEN_ID, "", /^Token Key is empty/],
  ])("are refused by their label before anything is sent (%j)", (id, key, reason) => {
    expect(attempt(id, key)).toThrow(ConfigurationError);
    expect(attempt(id, key)).toThrow(reason);
  });

  it("are refused as Server, and not repeated", () => {
    const key = "qzr7-secret+key/0987654321==";
    for (const server of [key, `https://${key}`, `https://tenant.example.com/${key}`]) {
      expect(attempt(TOKEN_ID, key, server)).toThrow(/^Server contains the token key\./);
      expect(attempt(TOKEN_ID, key, server)).toThrow(/^(?!.*0987)/s);
    }
  });
});
