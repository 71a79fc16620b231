/**
 * A host in a process of its own, so that a test can kill it: runs one connector, and writes a dot for each alert that it
 * takes and a number for its progress.
 */
import { openHost } from "../../../sandbox/soar/index.ts";

const [data = "", connectorId = ""] = process.argv.slice(2);
const now = (): number => {
  process.stdout.write(".");
  return Date.now();
};
const host = openHost({ data, clock: { now, monotonic: () => performance.now(), sleep: () => Promise.resolve() } });
await host.runConnector(connectorId, {
  maxEventsPerAlert: 5,
  onProgress: ({ done }) => {
    process.stdout.write(` ${done} `);
  },
});
await host.close();
