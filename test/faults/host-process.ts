/** A host in a process of its own, to be killed: runs one connector and writes a line for each alert that it takes. */
import { openHost } from "../../sandbox/soar/index.ts";

const [data = "", connectorId = ""] = process.argv.slice(2);
const now = (): number => {
  process.stdout.write("\n");
  return Date.now();
};
const host = openHost({ data, clock: { now, sleep: () => Promise.resolve() } });
await host.runConnector(connectorId, { maxEventsPerAlert: 5 });
await host.close();
