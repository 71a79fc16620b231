import { afterEach, expect, it } from "@jest/globals";
import { Deadline } from "../../../src/deadline.ts";
import { MOST_CONNECTIONS } from "../../../src/service/http/connection-pool.ts";
import { retryPolicies } from "../../../src/service/http/retry-policy.ts";
import { withEnvironment } from "../../support/environment.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { sendJson, startRawServer, startServer } from "../../support/raw-server.ts";
import { clientOf, closeClients, errorOf } from "../support/clients.ts";

afterEach(closeClients);

it.each([
  ["waited for its tunnel", ""],
  ["was in the TLS handshake", "HTTP/1.1 200 OK\r\n\r\n"],
])("sends the next request through the proxy when one that %s made room for it", async (_, answer) => {
  const clock = new FakeClock();
  let connects = 0;
  let stuck = 0;
  const countStuck = (): void => {
    // By then, the slowest request is given up for the one that waits.
    if (++stuck === MOST_CONNECTIONS) clock.advance(2_000);
  };
  const proxy = await startRawServer((__, socket) => {
    if (++connects > MOST_CONNECTIONS) {
      socket.end("HTTP/1.1 403 No\r\n\r\n");
      return;
    }
    socket.removeAllListeners("data");
    if (answer === "") countStuck();
    else socket.once("data", countStuck).write(answer);
  });
  const stop = new AbortController();
  const client = clientOf("https://tenant.example.com", {
    clock,
    deadline: new Deadline({ clock, at: null, stops: [stop.signal] }),
    requestsPerSecond: 2 * MOST_CONNECTIONS,
    concurrentRequests: 2 * MOST_CONNECTIONS,
    retryPolicy: retryPolicies.none,
  });
  const list = (): Promise<Error> => errorOf(client.environments.list());
  await withEnvironment({ HTTPS_PROXY: proxy.url }, async () => {
    const others = Array.from({ length: MOST_CONNECTIONS }, list);
    const next = await list();
    expect(next.message).toContain("The proxy did not connect to the server (status 403).");
    stop.abort();
    await Promise.all(others);
  });
});

it("sends nothing again when it is closed, and settles what was on its way", async () => {
  let arrived = (): void => undefined;
  const twoHang = new Promise<void>((resolve) => (arrived = resolve));
  const server = await startServer((_, response, index) => {
    if (index === 0) sendJson(response, { data: [], count: 0 });
    // One of them on the connection that was kept open, the other one on a new connection.
    if (index === 2) arrived();
  });
  const client = clientOf(server.url);
  await client.environments.list();
  const hanging = [1, 2].map(() => errorOf(client.environments.list()));
  await twoHang;
  client.close();
  expect(await Promise.all(hanging)).toMatchObject([{ code: "aborted" }, { code: "aborted" }]);
  expect(await errorOf(client.environments.list())).toMatchObject({ code: "aborted" });
  expect(server.requests).toHaveLength(3);
});
