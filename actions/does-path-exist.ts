import { openService } from "../src/connection.ts";
import { readCaseContext } from "../src/investigation/case-context.ts";
import { choosePairs, leftOutNote } from "../src/investigation/paths/path-pairs.ts";
import { pathSentences } from "../src/investigation/paths/path-sentences.ts";
import { pathInsight, pathTables } from "../src/investigation/paths/path-wall.ts";
import { isAnswered } from "../src/investigation/paths/prove-path.ts";
import { provePaths } from "../src/investigation/paths/prove-paths.ts";
import { pauseAfter, whoDoesTheRest } from "../src/investigation/result/refusal.ts";
import { defineAction } from "../src/runtime/modules.ts";
import { sentences } from "../src/text.ts";

export default defineAction("Does Path Exist", async (context) => {
  const { "Start Node": starts, "End Node": ends } = context.parameters;
  const { pairs, note } = choosePairs(starts, ends, readCaseContext(context.context));
  const service = openService(context, context.instance);
  try {
    const proved = await provePaths(service, pairs, context.state, context.log);
    const { json, different, remaining, refusal, leftOut, state } = proved;
    const notes = [note, ...leftOutNote(leftOut)];
    const said = pathSentences(json.paths);
    if (remaining > 0) {
      await pauseAfter(refusal, context);
      const rest = `Checked ${different - remaining} of ${different} pairs. ${whoDoesTheRest("checks", refusal)}`;
      return { status: "in_progress", message: sentences([...said, rest, ...notes]), value: json.exists, json, state };
    }
    const status = json.paths.some(isAnswered) ? "completed" : "failed";
    return {
      status,
      message: sentences([...said, ...notes]),
      value: json.exists,
      json,
      tables: pathTables(json.paths),
      ...pathInsight(json.paths),
    };
  } finally {
    service.close();
  }
});
