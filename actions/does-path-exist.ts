import { openService } from "../src/connection.ts";
import { type CaseContext, readCaseContext } from "../src/investigation/case-context.ts";
import {
  choosePairs,
  chooseStarts,
  enteredStarts,
  sameObjectNote,
  nothingLeft,
  type Starts,
} from "../src/investigation/paths/path-pairs.ts";
import { pathSentences } from "../src/investigation/paths/path-sentences.ts";
import { pathInsight, pathTables } from "../src/investigation/paths/path-wall.ts";
import { isAnswered } from "../src/investigation/paths/path-entry.ts";
import { provePairs } from "../src/investigation/paths/prove-pairs.ts";
import { otherForms } from "../src/investigation/result/sentences.ts";
import { pauseAfter, remainderSentence } from "../src/investigation/result/refusal.ts";
import {
  findNearestTierZero,
  isNearnessState,
  nearnessSentences,
} from "../src/investigation/tier-zero/nearest-tier-zero.ts";
import { type ActionContext, type ActionOutcome, defineAction } from "../src/runtime/modules.ts";
import type { Json } from "../src/runtime/protocol.ts";
import type { AttackPathService } from "../src/service/attack-path-service.ts";
import { sentences } from "../src/text.ts";

export default defineAction("Does Path Exist", async (context) => {
  const { "Start Node": starts, "End Node": ends } = context.parameters;
  const known = readCaseContext(context.context, context.clock.now());
  // Only looking up the selected entities can show that they are Start Node under other names.
  const areStart = starts !== null && ends === null && isNearnessState(context.state);
  const chosen = areStart ? enteredStarts(starts) : chooseStarts(starts, ends, known);
  const none = { pairs: [], note: "", lost: 0 };
  const { pairs, note, lost } = chosen === null ? choosePairs(starts, ends, known) : none;
  const service = openService(context, context.instance);
  try {
    if (chosen !== null) return await nearest(context, service, chosen, known, context.state);
    const proved = await provePairs(service, pairs, context.state, context.log, { lost });
    const { json, answered, different, checked, remaining, refusal, leftOut, state } = proved;
    const [same] = leftOut;
    if (same !== undefined && json.paths.length === 0 && remaining === 0) {
      if (same.selected !== "end" || starts === null) throw nothingLeft(same, known);
      return await nearest(context, service, enteredStarts(starts), known, null);
    }
    const ends = answered.flatMap(({ pair, entry }) => [
      { text: pair.start, ...entry.start },
      { text: pair.end, ...entry.end },
    ]);
    const notes = [...otherForms(ends), note, ...sameObjectNote(leftOut)];
    const said = pathSentences(json.paths);
    if (remaining > 0) {
      await pauseAfter(refusal, context);
      const rest = `Checked ${checked} of ${different} pairs. ${remainderSentence("checks", refusal)}`;
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

/** A question without ends: how near the starts are to Tier Zero. */
async function nearest(
  context: ActionContext<"Does Path Exist">,
  service: AttackPathService,
  starts: Starts & { note: string },
  { entities }: CaseContext,
  before: Json,
): Promise<ActionOutcome<"Does Path Exist">> {
  const found = await findNearestTierZero(service, starts, before, context.log);
  const { json, nearness, facts, isPlanned, remaining, different, checked, refusal, state } = found;
  const said = isPlanned ? nearnessSentences(nearness, starts.values) : [];
  if (remaining > 0) {
    await pauseAfter(refusal, context);
    const soFar = isPlanned ? `Checked ${checked} of ${different} paths.` : "No path has been checked yet.";
    const rest = `${soFar} ${remainderSentence("checks", refusal)}`;
    return { status: "in_progress", message: sentences([...said, rest, starts.note]), value: json.exists, json, state };
  }
  return {
    status: nearness.starts.some(({ exists }) => exists !== null) ? "completed" : "failed",
    message: sentences([...said, starts.note]),
    value: json.exists,
    json,
    tables: pathTables(json.paths),
    ...pathInsight(json.paths),
    ...facts.about(entities),
  };
}
