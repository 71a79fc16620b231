import { findObjectIds } from "../../investigation/objects/object-ids.ts";
import { type Cli, describeCommand, serviceAction } from "../command.ts";
import { ExitCode } from "../exit-codes.ts";
import { writeRows } from "../rows.ts";

const columns = [
  { key: "name", title: "Name", narrowest: 16 },
  { key: "status", title: "Status", leftOut: 2 },
  { key: "type", title: "Kind", leftOut: 1 },
  { key: "objectId", title: "Object id", narrowest: 42 },
] as const;

const objectId = (cli: Cli) =>
  serviceAction(
    cli,
    describeCommand(
      "object-id",
      "Find the object id of each name. Candidates are shown for a name that is not unique.",
      [
        "object-id ADMINISTRATOR@CORP.EXAMPLE.COM",
        'object-id "DOMAIN ADMINS@CORP.EXAMPLE.COM" WEB01.CORP.EXAMPLE.COM --json',
      ],
    )
      .argument("<names...>", "names or object ids")
      .option("--json", "write the result as JSON"),
    async (service, command, log) => {
      const { json } = command.opts<{ json?: true }>();
      const { objects, remaining, cause } = await findObjectIds(service, command.args, { state: null, log });
      if (cause !== null) throw cause;
      if (json === true) await cli.output.json({ objects });
      else {
        const rows = objects.flatMap(({ name, fullName, status, type, objectId: id, candidates }) => [
          { name: fullName === undefined ? name : `${name} (${fullName})`, status, type, objectId: id },
          ...(status === "found" ? [] : candidates).map((candidate) => ({ ...candidate, status: "candidate" })),
        ]);
        await writeRows(cli.output, { format: "table", columns }, rows);
      }
      for (const { name, error } of objects) if (error !== undefined) cli.output.error(`${name}: ${error}`);
      if (remaining > 0) {
        cli.output.error(`Not looked up, because time or the rate limit ran out: ${remaining} of the names.`);
      }
      if (remaining > 0 || objects.some(({ status }) => status === "failed")) return ExitCode.partial;
      return objects.every(({ status }) => status === "found") ? ExitCode.yes : ExitCode.no;
    },
  );
export default objectId;
