import { documentKinds } from "../../service/resources/documents.records.ts";
import { ExitCode } from "../exit-codes.ts";
import { NothingFoundError } from "../failures.ts";
import { serviceHandler } from "../session.ts";

export const document = serviceHandler(async (cli, service, command) => {
  const { json } = command.opts<{ json?: true }>();
  const [type = ""] = command.args;
  const read = documentKinds.map(
    async (kind) => [kind, await service.documents.read(type, kind, { required: true })] as const,
  );
  const texts = await Promise.all(read);
  if (texts.every(([, text]) => text === "")) throw new NothingFoundError(`The service has no texts about ${type}.`);
  if (json === true) await cli.output.json({ finding_type: type, ...Object.fromEntries(texts) });
  else {
    const shown = texts.filter(([, text]) => text !== "");
    const sections = shown.map(
      ([kind, text]) => `${cli.output.style("bold", kind.replace("_", " ").toUpperCase())}\n${text.trim()}\n`,
    );
    await cli.output.write(sections.join("\n"));
  }
  return ExitCode.yes;
});
