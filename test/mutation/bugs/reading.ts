import { bugsIn, type Mutant } from "../mutant.ts";

/** Windows, cursors, remembered ids and clocks: what decides whether a finding is new. */
export const reading: readonly Mutant[] = [
  ...bugsIn("src/ingestion/read-stream.ts", [
    {
      name: "a list that fails as a whole holds back what is new in its window",
      find: `if (next !== null && isListAtFault(error) && isWholeRead(next, options))`,
      replace: `if (next === null && isListAtFault(error) && isWholeRead(memory, options))`,
    },
    {
      name: "a window that is read in place of the whole history makes the stream complete",
      find: `{ ...batch, complete: false, memory: afterWindowOnly(batch, memory) }`,
      replace: `{ ...batch, memory: afterWindowOnly(batch, memory) }`,
    },
    {
      name: "a failed page loses what was read before it",
      find: `if (error instanceof ProtocolError && !error.retryable) {`,
      replace: `findings = [];\n    if (error instanceof ProtocolError && !error.retryable) {`,
    },
    {
      name: "a window in which nothing is new is begun again after each failure",
      find: `findings.length > 0 || pass.position !== skip`,
      replace: `findings.length > 0`,
    },
    {
      name: "a list that contradicts itself is only continued",
      find: `else pass.doubt();`,
      replace: ``,
    },
    {
      name: "a response that is broken off loses the place",
      find: `error instanceof ProtocolError && !error.retryable`,
      replace: `error instanceof ProtocolError`,
    },
    {
      name: "a read that is continued does not look again at what lies before its place",
      find: `next = batch.complete ? null : batch.memory;`,
      replace: `next = batch.complete || batch.memory.unfinished?.skip === 0 ? null : batch.memory;`,
    },
    {
      name: "a list that has become empty is no new beginning",
      find: `if (page.skip === 0) {`,
      replace: `if (page.skip === 0 && page.findings.length > 0) {`,
    },
    {
      name: "a stream with much to list is taken for one that does not respond",
      find: `if (pass.position !== skip) yield READING;`,
      replace: ``,
    },
    {
      name: "an alert has one event more than the host takes",
      find: `findings.length === batchSize`,
      replace: `findings.length > batchSize`,
    },
  ]),
  ...bugsIn("src/ingestion/pass.ts", [
    {
      name: "a list in another order than before is taken for the rest of it",
      find: `if (this.#isFirst && this.#listing === null && (isKnown || isDeleted)) this.doubt();`,
      replace: ``,
    },
    {
      name: "two findings with one id in a list without a count pass for one",
      find: `if (ambiguous > 0) throw`,
      replace: `if (ambiguous < 0) throw`,
    },
    {
      name: "entries that are not findings do not make a stream incomplete",
      find: `if (this.#unreadable > 0) throw unreadable(`,
      replace: `if (this.#unreadable < 0) throw unreadable(`,
    },
    {
      name: "a run goes on behind entries that it could not read",
      find: `this.#isDoubted || this.#unreadable > 0`,
      replace: `this.#isDoubted`,
    },
    {
      name: "a deleted finding is delivered",
      find: `if (isDeleted || isKnown) return null;`,
      replace: `if (isKnown) return null;`,
    },
    {
      name: "a service that ignores the filter makes old findings come again",
      find: `if (hour !== null && hour < this.#forgotten) {`,
      replace: `if (hour !== null && hour < -Infinity) {`,
    },
    {
      name: "each patch repeats the ids of all batches before it",
      find: `    this.#added = [];\n    // What comes next`,
      replace: `    // What comes next`,
    },
    {
      name: "a finding that is listed twice in a run is delivered twice",
      find: `this.#delivered.add(entry.key, entry.hour, this.#listing === null ? entry.check : null);`,
      replace: ``,
    },
    {
      name: "what a list gave an id to before it was read from its start again is not compared",
      find: `if (this.#listing !== null) this.#delivered.beginAgain(this.#listing);`,
      replace: ``,
    },
    {
      name: "a finding that came back makes the alert that the host already has",
      find: `created: finding.created_at, forgotAt }`,
      replace: `created: finding.created_at }`,
    },
  ]),
  ...bugsIn("src/ingestion/selection.ts", [
    {
      name: "what has a severity of another name is left out as low",
      find: `isUnknownWord(word) ? "unknown" : severityOf(`,
      replace: `severityOf(`,
    },
  ]),
  ...bugsIn("src/ingestion/state/transitions.ts", [
    {
      name: "after one run that did not list a finding type, and a pause of two days, all of it is repeated",
      find: `if (goneUntil - goneSince <= FORGOTTEN_AFTER_HOURS) return`,
      replace: `if (goneUntil < goneSince) return`,
    },
    {
      name: "a finding type that is listed and not selected counts as gone since it last was",
      find: `owing({ ...offered(memory), unselectedSince })`,
      replace: `owing({ ...memory, unselectedSince })`,
    },
    {
      name: "only the run that shortens a window says that findings may be missed",
      find: `memoryCut ?? earlierCut(fitted, pass, time)`,
      replace: `memoryCut`,
    },
    {
      name: "a daily read does not say that it passed over what a full state had forgotten",
      find: `return hasPassedOver || isWindowShort`,
      replace: `return hasPassedOver && isWindowShort`,
    },
    {
      name: "a finding type that came back is read without its undated findings",
      find: `all || memory.wholeHistory === true`,
      replace: `all`,
    },
    {
      name: "the second look after a resumed read begins at the new window",
      find: `pass.isDoubted ? 0 : again`,
      replace: `pass.isDoubted ? 0 : (cursorOf(memory) ?? 0)`,
    },
    {
      name: "the second look begins where the run that resumed begins to look",
      find: `again: unfinished.again ?? 0 }`,
      replace: `again: Math.max(0, hourOf(time.earliestNew) - WINDOW_HOURS) }`,
    },
    {
      name: "a read of everything that took several runs is not compared",
      find: `const isComparable = from === undefined && memory.ids !== undefined && unfinished.isSecond !== true;`,
      replace: `const isComparable = false;`,
    },
    {
      name: "a list that no run can read to its end is begun again and again",
      find: `memory.ids !== undefined && unfinished.isSecond !== true`,
      replace: `memory.ids !== undefined`,
    },
    {
      name: "the batches of a run overwrite each other's ids",
      find: `storedBatch(nextBatch(ids), added`,
      replace: `storedBatch(0, added`,
    },
    {
      name: "ids that go to and fro make the alert that the host already has",
      find: `return Math.max(hour, (forgotAt ?? -1) + 1);`,
      replace: `return hour;`,
    },
    {
      name: "a window forgets what lies outside of it",
      find: `const isWhole = unfinished.from === undefined && reused.size === 0;`,
      replace: `const isWhole = reused.size === 0;`,
    },
    {
      name: "a list that is empty once makes everything come again",
      find: `const forgets = isWhole && (!isEmptied || emptied === true);`,
      replace: `const forgets = isWhole;`,
    },
    {
      name: "a finding that is gone is never forgotten",
      find: `const forgets = isWhole && (!isEmptied || emptied === true);`,
      replace: `const forgets = isWhole && isEmptied && emptied === true;`,
    },
    {
      name: "two empty lists make findings gone although a window between them listed some",
      find: `emptied === true && listing.size === 0;`,
      replace: `emptied === true;`,
    },
    {
      name: "a part of the service that lacks the newest findings makes them come again",
      find: `!forgets || (!isDeleted && !isEmptied && hour !== null && hour >= hourOf(time.service) - WINDOW_HOURS),`,
      replace: `!forgets,`,
    },
    {
      name: "ids that were given anew beyond the window are noticed by the daily read only",
      find: `? second(window.isSecond)`,
      replace: `? { ...windowFrom(window.from), ...second(window.isSecond) }`,
    },
    {
      name: "ids that stand for other findings hide them",
      find: `listing === null ? NOTHING_REUSED : delivered.reused(listing)`,
      replace: `NOTHING_REUSED`,
    },
    {
      name: "a finding in a window that is only dated anew counts as another one",
      find: `found.keys.size > 0 && !found.isProven && unfinished.from !== undefined && unfinished.isSecond !== true`,
      replace: `false`,
    },
    {
      name: "a finding with a later date is the same one also after the whole list",
      find: `!found.isProven && unfinished.from !== undefined && `,
      replace: `!found.isProven && `,
    },
    {
      name: "a list that takes several runs is read from its start again and again",
      find: `unfinished.from !== undefined && unfinished.isSecond !== true;`,
      replace: `unfinished.from !== undefined;`,
    },
    {
      name: "the cursor passes the trusted time",
      find: `hour <= trusted && `,
      replace: ``,
    },
    {
      name: "the cursor is the hour of the finding listed last",
      find: ` && hour > cursor) cursor = hour;`,
      replace: `) cursor = hour;`,
    },
    {
      name: "findings that were gone with their type for days are known when they are back",
      find: `const FORGOTTEN_AFTER_HOURS = 2 * DAY_HOURS;`,
      replace: `const FORGOTTEN_AFTER_HOURS = 20 * DAY_HOURS;`,
    },
    {
      name: "a finding type that came back is not marked",
      find: `FORGOTTEN_AFTER_HOURS) return owing(rest);`,
      replace: `FORGOTTEN_AFTER_HOURS) return rest;`,
    },
    {
      name: "what comes back with its finding type makes its first alerts where findings are newer than the host's clock",
      find: `laterThan(memory.forgotAt, forgottenUpTo(memory, goneSince))`,
      replace: `laterThan(memory.forgotAt, goneSince)`,
    },
    {
      name: "a clock set back is not followed",
      find: `if (cursor === null || cursor <= latest) return memory;`,
      replace: `if (cursor !== latest) return memory;`,
    },
  ]),
  ...bugsIn("src/ingestion/state/stream-memory.ts", [
    {
      name: "the window starts at the cursor instead of a day before it",
      find: `cursor - WINDOW_HOURS, `,
      replace: `cursor, `,
    },
    {
      name: "a backlog goes on in another window",
      find: `if (memory.unfinished !== undefined) return memory.unfinished.from ?? null;`,
      replace: ``,
    },
    {
      name: "a cursor that does not follow from the ids is not stored",
      find: `cursor === undefined || cursor === derived ? {} : { cursor }`,
      replace: `{}`,
    },
  ]),
  ...bugsIn("src/ingestion/state/fit-ids.ts", [
    {
      name: "the ids of a stream are never cut",
      find: `if (size <= room) return {`,
      replace: `if (size !== room) return {`,
    },
    {
      name: "the newest ids are cut first",
      find: `(hourOfName(a) ?? 0) - (hourOfName(b) ?? 0)`,
      replace: `(hourOfName(b) ?? 0) - (hourOfName(a) ?? 0)`,
    },
    {
      name: "the window still covers findings whose ids were cut",
      find: `else from = Math.max(from, hour + 1);`,
      replace: ``,
    },
  ]),
  ...bugsIn("src/ingestion/state/id-text.ts", [
    {
      name: "ids that are more than one apart are read back as neighbours",
      find: `yield first + i * step`,
      replace: `yield first + i`,
    },
    {
      name: "an id between two remembered ones counts as remembered",
      find: `distance % Math.max(step, 1) === 0`,
      replace: `step > 0`,
    },
    {
      name: "a text id that was given to another finding hides it",
      find: `const content = JSON.stringify([identity, principals]);`,
      replace: `const content = JSON.stringify([identity]);`,
    },
    {
      name: "what ids stand for is written without checks",
      find: `numbers.length === 0 || numbers.some(`,
      replace: `numbers.length > 0 || numbers.some(`,
    },
  ]),
  ...bugsIn("src/ingestion/state/delivered-ids.ts", [
    {
      name: "what a run delivers and lists no more is taken for what was delivered before in its hour",
      find: `typeof name === "string" ? (this.#stored[name] ?? "") : ""`,
      replace: `this.#stored[name ?? "none"] ?? ""`,
    },
    {
      name: "ids that cannot be compared are trusted although others were reused",
      find: `all.filter((share) => !trusted.has(share))`,
      replace: `compared.filter((share) => !trusted.has(share))`,
    },
    {
      name: "checks that are the same by chance are trusted where most differ",
      find: `2 * same.length >= compared.length ? same : []`,
      replace: `same`,
    },
    {
      name: "a text keeps checks for ids that it no longer has",
      find: `idsIn(before) === kept.length ? before`,
      replace: `before !== "" ? before`,
    },
    {
      name: "two texts of one hour overwrite each other",
      find: `Object.hasOwn(this.byName, name); i++`,
      replace: `name === ""; i++`,
    },
  ]),
  ...bugsIn("src/ingestion/time.ts", [
    {
      name: "a service's clock that leaps ahead is believed at once",
      find: `Math.min(time, Math.max(last.trusted + 2 * elapsed + MINUTE_MS, now - HOUR_MS))`,
      replace: `time`,
    },
    {
      name: "a time of long ago that a gateway named once is followed for as long",
      find: `Math.max(last.trusted + 2 * elapsed + MINUTE_MS, now - HOUR_MS)`,
      replace: `last.trusted + 2 * elapsed + MINUTE_MS`,
    },
    {
      name: "a service's clock that is ahead in the first run is believed",
      find: `Math.min(time, now + HOUR_MS)`,
      replace: `time`,
    },
    {
      name: "a service that does not tell its time says what is old",
      find: `service === null || service < last.service ? null : last.service`,
      replace: `last.service`,
    },
    {
      name: "a clock that was set back during a pause is noticed only from where it is now",
      find: `earliestNew: time - since - HOUR_MS`,
      replace: `earliestNew: time - HOUR_MS`,
    },
    {
      name: "a host's clock that leaps ahead looks like a long pause",
      find: `hostInDoubt ? Math.min(`,
      replace: `hostInDoubt && elapsed < 0 ? Math.min(`,
    },
  ]),
  ...bugsIn("src/ingestion/time.ts", [
    {
      name: "the zero time is used as a time",
      find: `text == null || text.startsWith("0001-")) return null;`,
      replace: `text == null) return null;\n  if (text.startsWith("0001-")) return parseInstant(text);`,
    },
    {
      name: "a text that is no time stands for 1970",
      find: `epochMs <= 0 ? null : epochMs`,
      replace: `epochMs`,
    },
  ]),
];
