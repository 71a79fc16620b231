/** A host in a process of its own, so that a test can kill it: runs one connector and tells of its progress. */
import { openHost } from "../../../sandbox/soar/index.ts";

const [data = "", connectorId = ""] = process.argv.slice(2);
const host = openHost({ data });
await host.runConnector(connectorId, {
  onProgress: ({ done }) => {
    process.stdout.write(`${done}\n`);
  },
});
await host.close();
