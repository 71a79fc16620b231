import type { Clock } from "../../clock.ts";
import { Selection } from "../../ingestion/selection.ts";
import type { FindingRecord } from "../../records/finding-record.ts";
import { InputError, ParameterError } from "../../runtime/errors.ts";
import { SEVERITIES } from "../../runtime/protocol.ts";
import { isSeverity } from "../../runtime/severity.ts";
import type { AttackPathService } from "../../service/attack-path-service.ts";
import { connect, type ServiceOptions } from "../../service/connect.ts";
import { named } from "../../text.ts";
import { arranged } from "../arranged.ts";
import { chooseEnvironments } from "../choose-environments.ts";
import { type FindingFilter, FindingRows, rowOf } from "../finding-rows.ts";
import { momentOf } from "../instant-option.ts";
import { ENVIRONMENTS, ListOfParts, WITHOUT_ID } from "../list-end.ts";
import { MOMENTS } from "../option-values.ts";
import { readArguments } from "./arguments.ts";
import { type FindingsArguments, MOST, PARAMETERS } from "./findings-parameters.ts";
import type { ToolCall } from "./tool.ts";

/** Whom to ask, and as whom. */
export type ListTerms = Pick<ServiceOptions, "server" | "credentials" | "clock" | "random">;

/** @throws ServiceError when nothing could be read */
export async function listFindings(call: ToolCall, terms: ListTerms) {
  const { deadline, log } = call;
  const service = connect({ ...terms, log, deadline });
  try {
    return await list(service, call, terms.clock);
  } finally {
    service.close();
  }
}

async function list(service: AttackPathService, call: ToolCall, clock: Clock) {
  const now = clock.now();
  const { args, filter } = chosen(call, now);
  const { environments, uncollected, unreadable, incomplete } = await chooseEnvironments(
    service,
    args.environments ?? [],
  );
  const parts = new ListOfParts();
  parts.ignore(unreadable, WITHOUT_ID);
  parts.lack(uncollected);
  const found = new FindingRows(service, { ...filter, environments }, parts, {
    now,
    map: rowOf,
    progress: call.progress,
  });
  await found.checkTypes();
  let more = false as boolean;
  const findings: FindingRecord[] = [];
  for await (const finding of arranged(found.rows(), args, () => (more = true))) findings.push(finding);
  parts.fail(ENVIRONMENTS, incomplete);
  const gaps = parts.gaps();
  if (findings.length === 0 && parts.failure !== undefined) throw parts.failure;
  return { findings, more, incomplete: gaps };
}

/** @throws InputError or ParameterError when an argument cannot be used */
function chosen(call: ToolCall, now: number): { args: FindingsArguments; filter: Omit<FindingFilter, "environments"> } {
  const args = readArguments("findings", PARAMETERS, call.args) as unknown as FindingsArguments;
  const { types, severities, since, accepted, limit } = args;
  const unknown = (severities ?? []).find((severity) => !isSeverity(severity));
  if (unknown !== undefined) {
    throw new InputError(`There is no severity ${named(unknown)}. There are: ${SEVERITIES.join(", ")}.`);
  }
  if (limit > MOST)
    throw new ParameterError("limit", `must be at most ${MOST}. Narrow the list with the other arguments.`);
  const moment = since === null ? undefined : momentOf(since, now);
  if (moment === null) throw new ParameterError("since", `must be one of these forms: ${MOMENTS}.`);
  const filter = {
    types: types ?? [],
    selection: new Selection({ "Selected Finding Types": types ?? [] }),
    severities: severities ?? [],
    since: moment,
    accepted: accepted ?? undefined,
  };
  return { args, filter };
}
