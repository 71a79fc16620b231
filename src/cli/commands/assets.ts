import type { Asset } from "../../investigation/read-asset.ts";
import { readAssets } from "../../investigation/read-assets.ts";
import { type Cli, describeCommand, serviceAction } from "../command.ts";
import { ExitCode } from "../exit-codes.ts";
import { writeFacts } from "../facts.ts";

const assets = (cli: Cli) =>
  serviceAction(
    cli,
    describeCommand("assets", "Show properties, counts and related objects of each object.", [
      "assets S-1-5-21-1-2-3-512",
      "assets S-1-5-21-1-2-3-512 S-1-5-21-1-2-3-1104 --json",
    ])
      .argument("<object-ids...>", "object ids")
      .option("--json", "write the result as JSON"),
    async (service, command, log) => {
      const { json } = command.opts<{ json?: true }>();
      const { assets: read, cause } = await readAssets(service, command.args, {
        names: false,
        state: null,
        log,
      });
      if (cause !== null) throw cause;
      if (json === true) await cli.output.json({ assets: read });
      else {
        for (const [index, asset] of read.entries()) {
          if (index > 0) await cli.output.write("\n");
          await writeFacts(cli.output, factsOf(asset));
        }
      }
      if (read.some(({ status }) => status === "failed")) return ExitCode.partial;
      return read.every(({ status }) => status === "found") ? ExitCode.yes : ExitCode.no;
    },
  );
export default assets;

function factsOf({ objectId, status, kind, name, properties, counts, related, error }: Asset): [string, unknown][] {
  return [
    ["object id", objectId],
    ["status", status.replace("_", " ")],
    ["name", name],
    ["kind", kind],
    ["error", error],
    ...Object.entries(properties),
    ...Object.entries(counts).map(([key, value]): [string, unknown] => [`count of ${key}`, value ?? "unknown"]),
    ...Object.entries(related).map(([list, { items, error: reason }]): [string, unknown] => [
      list,
      items === null ? reason : items.map((item) => item.name ?? item.objectId).join(", "),
    ]),
  ];
}
