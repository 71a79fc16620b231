import { afterAll, afterEach, beforeAll, beforeEach } from "@jest/globals";
import type { AttackPathService } from "../../../src/service/connect.ts";
import { type Handler, sendJson, startServer, type TestServer } from "../../support/raw-server.ts";
import { clientOf, closeClients, recordingLog } from "./clients.ts";

/** A server that answers as a test says, and a client of it; both are there while a test runs. */
export interface Answering {
  server: TestServer;
  service: AttackPathService;
  readonly log: ReturnType<typeof recordingLog>;
  /** Answers each request. */
  answer: Handler;
  /** The server answers each request with this. */
  respond(body: unknown, status?: number): void;
  /** Method and target of each request of the test. */
  targets(): string[];
  warnings(): ReturnType<typeof recordingLog>["lines"];
}

/** Call it once in a suite. */
export function answering(): Answering {
  const log = recordingLog();
  const at = {
    log,
    respond(body, status = 200) {
      at.answer = (_, response) => {
        sendJson(response, body, status);
      };
    },
    targets: () => at.server.requests.map(({ method, target }) => `${method} ${target}`),
    warnings: () => log.lines.filter(({ level }) => level === "warn"),
  } as Answering;

  beforeAll(async () => {
    at.server = await startServer((request, response, index) => {
      at.answer(request, response, index);
    });
  });

  // A client asks nothing more once its credentials were rejected, and remembers what else the service rejects.
  beforeEach(() => {
    at.service = clientOf(at.server.url, { log, requestsPerSecond: 10_000 });
  });

  afterEach(() => {
    at.server.requests.length = 0;
    log.lines.length = 0;
  });

  afterAll(closeClients);
  return at;
}
