import { ExitCode } from "../exit-codes.ts";
import { writeFacts } from "../facts.ts";
import { serviceHandler } from "../session.ts";

export const currentTask = serviceHandler(async ({ output }, service, command) => {
  const { json } = command.opts<{ json?: true }>();
  const found = await service.clientTasks.current();
  if (json === true) await output.json(found);
  else await writeFacts(output, Object.entries(found));
  return ExitCode.yes;
});
