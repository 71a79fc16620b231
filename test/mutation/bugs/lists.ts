import { bugsIn, type Mutant } from "../mutant.ts";

/** Answers of the service: lists that change while they are read, odd bodies, findings without an id. */
export const lists: readonly Mutant[] = [
  ...bugsIn("src/service/lists/paging.ts", [
    {
      name: "the overlap of two pages is not checked",
      find: `if (this.#last === null) return 0;`,
      replace: `return this.#last === null ? 0 : 1;`,
    },
    {
      name: "a list that has moved is at its end once it was read on",
      find: `if (this.#start === 0) this.#startOver(CHANGES);`,
      replace: ``,
    },
    {
      name: "a read goes on at its old position although the list has moved",
      find: `this.#position += shift;`,
      replace: ``,
    },
    {
      name: "nobody hears that a list has moved",
      find: `skip, isMoved: this.#isMoved }`,
      replace: `skip, isMoved: false }`,
    },
    {
      name: "the last record is not searched for before its place",
      find: `if (!wasSearched) this.#back = Math.min(`,
      replace: `if (wasSearched) this.#back = Math.min(`,
    },
    {
      name: "a count that does not match is ignored",
      find: `if (this.#distinct.size === this.#total - this.#start) return;`,
      replace: `if (this.#distinct.size >= 0) return;`,
    },
    {
      name: "what is removed between two records of a pair goes unnoticed",
      find: `const first = await fetch(skip + 1, true).catch(asRefusal);
  const overlap = first && (await fetch(skip, false));`,
      replace: `const overlap = await fetch(skip, false);
  const first = await fetch(skip + 1, true).catch(asRefusal);`,
    },
    {
      name: "a position that is refused once is the end of a list",
      find: `const answer = await fetch(skip, true).catch(asRefusal);`,
      replace: `const answer: ListAnswer<T> | null = { records: [], invalidValues: [], total: null };`,
    },
    {
      name: "a list whose end the service refuses to show has no end",
      find: `return answer instanceof ServiceError ? { records: [], invalidValues: [], total: null } : answer;`,
      replace: `if (answer instanceof ServiceError) throw answer;
  return answer;`,
    },
    {
      name: "an empty page is asked for without end although the service counts more",
      find: `total > this.skip) {`,
      replace: `total < 0) {`,
    },
    {
      name: "a record that is wanted once is given again when the read starts over",
      find: `if (this.#given.add(this.#last)) unseen.push(record);`,
      replace: `this.#given.add(this.#last);
      unseen.push(record);`,
    },
    {
      name: "a read that starts over keeps what it has counted",
      find: `this.#distinct = new IdentitySet();`,
      replace: ``,
    },
    {
      name: "a read that is continued does not check its place",
      find: `this.#last = resume.after;`,
      replace: ``,
    },
    {
      name: "a list without a count ends with its first page",
      find: `this.#ended = isEmpty || (`,
      replace: `this.#ended = true || (`,
    },
    {
      name: "a list without a count ends with a page that holds the overlap alone",
      find: `(!isOverlapped || pair !== null)`,
      replace: `(isOverlapped || pair !== null)`,
    },
    {
      name: "pairs of single records are requested although the service grants more again",
      find: `if (!first || !overlap || overlap.records.length !== 1) return overlap;`,
      replace: `if (!first || !overlap) return overlap;`,
    },
    {
      name: "the count of the overlap ends a list although the next record has another one",
      find: `pair?.countsAgree !== false`,
      replace: `true`,
    },
    {
      name: "a count smaller than what was received is believed",
      find: `said !== null && said < this.skip + length ? null : said`,
      replace: `said`,
    },
  ]),
  ...bugsIn("src/service/lists/paging.ts", [
    {
      name: "a list that was counted and is then empty is at its end",
      find: `if (isEmpty && this.#known > 0) throw`,
      replace: `if (isEmpty && this.#known < 0) throw`,
    },
    {
      name: "a list with new records in each answer is read for ever",
      find: `++this.#answers > MOST_ANSWERS`,
      replace: `++this.#answers < -MOST_ANSWERS`,
    },
  ]),
  ...bugsIn("src/service/lists/whole-list.ts", [
    {
      name: "a list of environments or finding types ends with the page that the service granted",
      find: `if (isWhole && !body.mayGoOn)`,
      replace: `if (isWhole)`,
    },
    {
      name: "a list of environments or finding types that is shorter than its count is complete",
      find: `body.count === null || body.count <= listed.length`,
      replace: `body.count === null || body.count >= 0`,
    },
    {
      name: "what the service does not list of its count goes unnoticed",
      find: `incomplete: error };`,
      replace: `incomplete: null };`,
    },
  ]),
  ...bugsIn("src/service/resources/requested-findings.ts", [
    {
      name: "findings of another finding type are those of the stream",
      find: `if (isAnother(type, asked.findingType)) return "belongs to another finding type";`,
      replace: ``,
    },
    {
      name: "findings of another environment are those of the stream",
      find: `isAnotherEnvironment(id, asked.environmentId) ? "belongs to another environment" : null`,
      replace: `null`,
    },
    {
      name: "a name of the domain where its SID belongs is another environment",
      find: `: SID.test(said) && SID.test(asked);`,
      replace: `: SID.test(asked);`,
    },
  ]),
  ...bugsIn("src/service/lists/identity-set.ts", [
    {
      name: "two ids of a list count as one",
      find: `1 << (id % BLOCK)`,
      replace: `1 << (id % 16)`,
    },
  ]),
  ...bugsIn("src/service/lists/count-check.ts", [
    {
      name: "an answer with room for one record shows that nothing comes after it",
      find: `if (again === 0 || isShown) return past;`,
      replace: `if (again < 2) return past;`,
    },
    {
      name: "a count that is as large as its page ends the list",
      find: `const isEnd = total > 0 && part.skip + records.length === total;`,
      replace: `const isEnd = false as boolean;`,
    },
    {
      name: "one list that is as long as a page can be shows that counts go further",
      find: `?? 0) >= MOST_BY_CHANCE`,
      replace: `?? 0) >= 1`,
    },
    {
      name: "a count that only goes as far as what was shown proves those of other lists",
      find: `const isTrusted = this.#countsAhead || (!this.#mayCountToHere && !isResumed);`,
      replace: `const isTrusted = true as boolean;`,
    },
    {
      name: "a count that is less than the one before proves the counts of other lists",
      find: `if (!isCounted || !isTrusted) return;`,
      replace: `if (!isTrusted) return;`,
    },
    {
      name: "a full page ends the list once a count was that of a list",
      find: `!(mayBeMost || mayBeCut(count, part))`,
      replace: `!mayBeCut(count, part)`,
    },
    {
      name: "a page of a usual size is a list once another list was counted",
      find: `return isUsualLimit(count) || (skip === 0 && count >= limit);`,
      replace: `return skip === 0 && count >= limit;`,
    },
    {
      name: "a page as large as the limit is a list once another list was counted",
      find: `return isUsualLimit(count) || (skip === 0 && count >= limit);`,
      replace: `return isUsualLimit(count);`,
    },
    {
      name: "a limit that is too small is a position that is too large",
      find: `!Number.isFinite(limit) || limit <= few`,
      replace: `limit > 0`,
    },
    {
      name: "a service that takes no positions has nothing after its first page",
      find: `(again === 0 || !mayBeCut(count, part))`,
      replace: `true`,
    },
    {
      name: "a service that ignores positions has nothing after its first page",
      find: `const isTold = !mayBeCut(count, part);`,
      replace: `const isTold = true as boolean;`,
    },
    {
      name: "a list that begins again at each position goes on for ever",
      find: `pastIds.slice(again).some((id) => !ids.includes(id))`,
      replace: `pastIds.length > again`,
    },
    {
      name: "a list whose last record has another place is whole",
      find: `!isMore && (!isMoved || hasGrown || (await ignoresPosition()))`,
      replace: `!isMore`,
    },
    {
      name: "a list that has grown at its beginning is one that ignores positions",
      find: `first !== null && (await isFirstAt(count + 1 - again, first, part))`,
      replace: `first !== null`,
    },
    {
      name: "a list whose records have moved is whole where the service counts it",
      find: `!isMoved || hasGrown ||`,
      replace: `!isMoved || isCounted ||`,
    },
    {
      name: "a service that ignores positions tells by a full page that it is whole",
      find: `isTold && pastIds[0] === ids[0]`,
      replace: `pastIds[0] === ids[0]`,
    },
    {
      name: "a refusal of the second question says that the service ignores positions",
      find: `if (!(error instanceof ServiceError)) throw error;
    return false;`,
      replace: `if (!(error instanceof ServiceError)) throw error;
    return true;`,
    },
    {
      name: "a list that has grown makes all counts wrong",
      find: `else if (isMore && !hasGrown) this.#isWrong = true;`,
      replace: `else if (isMore) this.#isWrong = true;`,
    },
    {
      name: "one count that is right makes greater ones right",
      find: `if (count > this.#checked || `,
      replace: `if (this.#checked === 0 || `,
    },
    {
      name: "a count that may end with what was shown is right where it is smaller than one that was",
      find: ` || (this.#mayCountToHere && !this.#countsAhead)) return false;`,
      replace: `) return false;`,
    },
    {
      name: "a question about the end of a list that fails ends the list",
      find: `return refusesPosition(error, again === 0) &&`,
      replace: `return true;`,
    },
  ]),
  ...bugsIn("src/service/resources/findings.ts", [
    {
      name: "a list whose order is rejected behind its first page goes on in another one",
      find: `if (isOtherPlace) return null;`,
      replace: ``,
    },
    {
      name: "an interrupted list goes on in another order than that in which it was begun",
      find: `knownListing(query.resume?.order) ?? accepted`,
      replace: `accepted`,
    },
    {
      name: "a list is read without its order where the service rejects only the filter",
      find: `  { sortBy: ["created_at", "id"], limit: true, filter: false },`,
      replace: ``,
    },
    {
      name: "a page that is too large or takes too long is never asked for in smaller ones",
      find: `if (size.shrink(error)) {`,
      replace: `if (hasLimit && skip < 0) {`,
    },
    {
      name: "a page without a limit that takes too long is never asked for in smaller ones behind the first",
      find: `if (size.shrink(error)) {`,
      replace: `if ((hasLimit || skip === 0) && size.shrink(error)) {`,
    },
    {
      name: "a place behind the end of a list is an error of each run",
      find: `if (skip === 0 || mayBeEnd || startedOver || !isRefused) throw error;`,
      replace: `throw error;`,
    },
    {
      name: "a place that is answered with 404 behind the end of a list is an error of each run",
      find: `error instanceof BadRequestError || refusesPosition(error, true);`,
      replace: `error instanceof BadRequestError;`,
    },
    {
      name: "a list goes on in another order than it began with",
      find: `listing = page.listing;`,
      replace: `listing = accepted;`,
    },
    {
      name: "a probe accepts the answer to another request",
      find: `newest !== null && isEmpty(newest) ? null : `,
      replace: ``,
    },
    {
      name: "a probe asks for the oldest finding",
      find: `["sort_by", "-id"]`,
      replace: `["sort_by", "id"]`,
    },
    {
      name: "a probe counts without its window",
      find: `[...filterOf(query), ["sort_by"`,
      replace: `[["sort_by"`,
    },
    {
      name: "a rejected sort order fails the stream",
      find: `rejection ??= error;`,
      replace: `throw error;`,
    },
  ]),
  ...bugsIn("src/service/lists/every-page.ts", [
    {
      name: "only the order of a page shows where the next one goes on",
      find: `return others.length === records.length - 1 ? [before.last, ...others] : records;`,
      replace: `return others.length < 0 ? [] : records;`,
    },
    {
      name: "a page that follows without an overlap is taken for one that has it",
      find: `others.length === records.length - 1`,
      replace: `others.length > 0`,
    },
  ]),
  ...bugsIn("src/service/lists/page-size.ts", [
    {
      name: "a list whose page was too much once is read in small pages to its end",
      find: `if (this.#light === this.#lightNeeded) {`,
      replace: `if (this.#light < 0) {`,
    },
    {
      name: "a page that grew and is rejected is tried again and again",
      find: `isRejected ? Infinity : 2 * this.#lightNeeded`,
      replace: `2 * this.#lightNeeded`,
    },
    {
      name: "a page that grew and is rejected changes the order of the list",
      find: `error instanceof BadRequestError && this.#step < this.#arrived`,
      replace: `error instanceof BadRequestError && this.#step < 0`,
    },
    {
      name: "a run that ends before a page arrives does not know how large pages can be",
      find: `if (isCertain) this.#learned(this.#step);`,
      replace: ``,
    },
    {
      name: "an outage makes the pages of all lists smaller",
      find: `if (isCertain) this.#learned(this.#step);`,
      replace: `this.#learned(this.#step);`,
    },
    {
      name: "pages stay small where each response takes two seconds",
      find: `const LIGHT_MS = 3_000;`,
      replace: `const LIGHT_MS = 1_000;`,
    },
    {
      name: "an outage makes each list try all sizes of pages",
      find: `(this.#isDoubted || !isPerhapsTooMuch(error))`,
      replace: `!isPerhapsTooMuch(error)`,
    },
    {
      name: "each list finds out anew that its pages can be larger",
      find: `this.#step -= 1;\n    this.#learned(this.#step);`,
      replace: `this.#step -= 1;`,
    },
    {
      name: "small pages stay small although they take next to nothing",
      find: `if (isLight && this.#step > this.#largest) this.#step -= 1;`,
      replace: ``,
    },
    {
      name: "a list that found its largest page tries a larger one again",
      find: `this.#largest = this.#step;`,
      replace: ``,
    },
  ]),
  ...bugsIn("src/service/api.ts", [
    {
      name: "a list that is null is believed at once",
      find: `reply.body.data === null && !reply.body.count ? `,
      replace: `reply.body.data === undefined ? `,
    },
  ]),
  ...bugsIn("src/service/responses/response-body.ts", [
    {
      name: "an error of the service with status 200 passes for an empty list",
      find: `refuseErrors(json, answer, context);`,
      replace: ``,
    },
    {
      name: "the count of a page is believed to be that of the list",
      find: `mayGoOn ? null : count`,
      replace: `count`,
    },
    {
      name: "a page as large as was asked for is never the last one",
      find: `granted < asked && `,
      replace: ``,
    },
    {
      name: "an answer without data passes for an empty list",
      find: `throw malformed("has no data", endpoint, requestId);`,
      replace: `return { data: null, count: null };`,
    },
  ]),
  ...bugsIn("src/service/resources/finding-identity.ts", [
    {
      name: "ids with more digits than a number holds are taken for numbers",
      find: `\\d{0,14}`,
      replace: `\\d{0,24}`,
    },
    {
      name: "an id with leading zeros is taken for another one",
      find: `(?:0|[1-9]\\d{0,14})`,
      replace: `\\d{1,15}`,
    },
    {
      name: "a finding without an id becomes another one when it is updated",
      find: `"updated_at",`,
      replace: ``,
    },
    {
      name: "a finding without an id becomes another one when its fields are in another order",
      find: `.sort(([a], [b]) => (a < b ? -1 : 1))`,
      replace: ``,
    },
    {
      name: "all findings with the id 0 are the same one",
      find: `id !== 0 && `,
      replace: ``,
    },
  ]),
  ...bugsIn("src/service/responses/nullables.ts", [
    {
      name: "a value that is not valid is used",
      find: `if (!valid) return null;`,
      replace: ``,
    },
    {
      name: "whatever stands in deleted_at makes a finding deleted",
      find: `typeof valid !== "boolean") return NO_WRAPPER;`,
      replace: `typeof valid !== "boolean") return UNREADABLE;`,
    },
    {
      name: "a finding whose time of deletion cannot be read is delivered",
      find: `content === UNREADABLE && declared === "time"`,
      replace: `content === UNREADABLE && declared !== "time"`,
    },
  ]),
  ...bugsIn("src/service/resources/documents.ts", [
    {
      name: "a missing document is a failure",
      find: `if (error instanceof NotFoundError && (error.wrapped || error.isPlainText)) return "";`,
      replace: ``,
    },
    {
      name: "a gateway's JSON says that a document does not exist",
      find: `error.wrapped || error.isPlainText`,
      replace: `error.wrapped || error.messages.length > 0`,
    },
  ]),
  ...bugsIn("src/service/resources/environments.ts", [
    {
      name: "environments without an id go unnoticed",
      find: `unreadable: found.length - environments.length`,
      replace: `unreadable: 0`,
    },
  ]),
  ...bugsIn("src/service/resources/analysis.ts", [
    {
      name: "an analysis that never completed counts as evidence",
      find: `epochMs <= ZERO_TIME_MS ? null : completedAt`,
      replace: `completedAt`,
    },
  ]),
];
