import { expect, it } from "@jest/globals";
import { systemClock } from "../../src/clock.ts";
import { connect } from "../../src/service/connect.ts";
import { Secret } from "../../src/service/credentials.ts";
import { startTenant } from "../support/tenant.ts";

const nothing = (): void => undefined;

/** The plugin's parameters know tokens only; the client takes a bearer token too. */
it("an expired bearer token is refused in words that say so, and not taken for an empty tenant", async () => {
  const tenant = await startTenant({ dataset: { environments: 1, findingTypes: 1, findingsPerPair: 1 } });
  const clientWith = (token: string) =>
    connect({
      server: tenant.url,
      credentials: { kind: "jwt", token: new Secret(token) },
      clock: systemClock,
      random: Math.random,
      log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    });
  const now = Date.now();
  const clients = [clientWith(tenant.control.issueJwt(now - 1_000)), clientWith(tenant.control.issueJwt(now + 60_000))];
  const [expired, valid] = clients;
  await expect(expired?.environments.list()).rejects.toMatchObject({
    code: "unauthenticated",
    message: expect.stringMatching(/bearer token.*may have expired\. Get a new one/) as unknown,
  });
  expect((await valid?.environments.list())?.environments).toHaveLength(1);
  for (const client of clients) client.close();
});
