import { connect } from "../../../src/service/connect.ts";
import { systemClock } from "../../../src/clock.ts";
import { Secret } from "../../../src/service/credentials.ts";

/**
 * Asks the server named in the arguments for its environments and prints the outcome as JSON: a process of its own,
 * because Node reads its TLS variables when it starts.
 */
const quiet = () => undefined;
const service = connect({
  server: process.argv[2] ?? "",
  credentials: { kind: "token", id: "id", key: new Secret("canary-token-key-7c1d") },
  clock: systemClock,
  random: Math.random,
  log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
});
try {
  const { environments } = await service.environments.list();
  process.stdout.write(JSON.stringify({ environments }));
} catch (error) {
  process.stdout.write(JSON.stringify({ error }));
} finally {
  service.close();
}
