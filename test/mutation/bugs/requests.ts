import { bugsIn, type Mutant } from "../mutant.ts";

/** How requests are admitted, signed, retried and ended. */
export const requests: readonly Mutant[] = [
  ...bugsIn("src/service/http/limiter.ts", [
    {
      name: "a request counts from its start instead of its response",
      find: `this.#count(running, this.#clock.monotonic());`,
      replace: `this.#count(running, running.sentAt);`,
    },
    {
      name: "slow requests never free their slots",
      find: `this.#running.size - slow < this.#line.mostAtOnce`,
      replace: `this.#running.size < this.#line.mostAtOnce`,
    },
    {
      name: "requests whose body stalls never free their slots",
      find: `if (now >= this.#slowAt(running)) slow++;`,
      replace: `if (!running.answered && now >= this.#slowAt(running)) slow++;`,
    },
    {
      name: "a body that keeps arriving counts as slow",
      find: `if (running.bytes >= LEAST_PROGRESS_BYTES) this.#progress(running);`,
      replace: ``,
    },
    {
      name: "requests that hang are not given up for those that wait",
      find: `slowest.giveUp.abort();`,
      replace: `return;`,
    },
    {
      name: "requests that hang starve the others of a low limit",
      find: `if (now >= longest) this.#count(running, longest);`,
      replace: ``,
    },
    {
      name: "the pace follows a clock that can be set",
      find: `this.#clock = clock;`,
      replace: `const { now, sleep } = { now: () => clock.now(), sleep: (...wait: Parameters<Clock["sleep"]>) => clock.sleep(...wait) };
    this.#clock = { now, sleep, monotonic: now };`,
    },
    {
      name: "a request that has ended keeps its place",
      find: `this.#running.delete(running);`,
      replace: ``,
    },
  ]),
  ...bugsIn("src/service/http/rate-window.ts", [
    {
      name: "the limiter admits one more per second",
      find: `uncounted + this.#counted.length < Math.max(1, this.#perSecond)`,
      replace: `uncounted + this.#counted.length <= Math.max(1, this.#perSecond)`,
    },
    {
      name: "a request counts for half a second",
      find: `const WINDOW_MS = 1_005;`,
      replace: `const WINDOW_MS = 500;`,
    },
    {
      name: "a higher announced limit raises the pace",
      find: `Math.min(this.#perSecond, wholeRate(perSecond))`,
      replace: `wholeRate(perSecond)`,
    },
  ]),
  ...bugsIn("src/service/http/shared-line.ts", [
    {
      name: "a slow line is shared by as many requests as before",
      find: `if (this.mostAtOnce > 1) this.#halvings += 1;`,
      replace: ``,
    },
    {
      name: "responses that came too slowly together count one by one",
      find: `if (generation < this.#lowered) return;`,
      replace: ``,
    },
  ]),
  ...bugsIn("src/service/http/requester.ts", [
    {
      name: "requests go on after a rate limit or rejected credentials",
      find: `else limiter.refuse(error, until);`,
      replace: ``,
    },
    {
      name: "a refused request that only saves work ends the run",
      find: `endpoint: { method, path: pathPrefix + ownPath, optional },`,
      replace: `endpoint: { method, path: pathPrefix + ownPath },`,
    },
    {
      name: "requests that save work go on after a rate limit",
      find: `if (error.optional) this.#optionalRefused.abort(error);`,
      replace: `if (error.optional) return error;`,
    },
    {
      name: "requests that only save work are retried",
      find: `optional === true || (divisible`,
      replace: `(divisible`,
    },
    {
      name: "a request that nobody wants any more keeps its place",
      find: `const cancelled = signal === undefined ? [] : [signal];`,
      replace: `const cancelled: AbortSignal[] = [];`,
    },
    {
      name: "a 429 is retried",
      find: `const answer = await this.#exchange(request, admission, stop, (headers) => (sent = headers));`,
      replace: `let answer = await this.#exchange(request, admission, stop, () => undefined);
    if (!(answer instanceof ServiceError) && answer.status === 429) {
      await clock.sleep(500, deadline.signal);
      answer = await this.#exchange(request, admission, stop, () => undefined);
    }`,
    },
    {
      name: "a lower announced limit is ignored",
      find: `limiter.slowTo(Math.max(1, limit));`,
      replace: `void limit;`,
    },
    {
      name: "a server that responded counts as silent",
      find: `this.#responded ||= arrival.hasHead && !(answer instanceof SlowResponseError);`,
      replace: ``,
    },
    {
      name: "an error repeats the signature",
      find: `.replace(SIGNATURE, REDACTED)`,
      replace: ``,
    },
    {
      name: "an error repeats the token key",
      find: `this.#withoutSecret(text)`,
      replace: `text`,
    },
  ]),
  ...bugsIn("src/secrets.ts", [
    {
      name: "a key is looked for as it is, and in no other form",
      find: `texts.flatMap((secret) => formsOf(secret, LOOKED_FOR))`,
      replace: `texts.map((secret) => literal(secret.slice(0, LOOKED_FOR)))`,
    },
  ]),
  ...bugsIn("src/service/http/requester.ts", [
    {
      name: "a connection that the server had closed costs a retry",
      find: `return isLost ? this.#inTurn(spoken, operation, true) : outcome;`,
      replace: `return outcome;`,
    },
    {
      name: "a deletion is sent again on a new connection",
      find: ` && operation.method === "GET"`,
      replace: ``,
    },
  ]),
  ...bugsIn("src/service/http/http-transport.ts", [
    {
      name: "a request that needs a new connection takes one that was kept open",
      find: `if (fresh) closeIdle(agent);`,
      replace: ``,
    },
  ]),
  ...bugsIn("src/service/http/exchange.ts", [
    {
      name: "a signature is made once for all retries",
      find: `const headers = requestHeaders(request, credentials, clock, waitSeconds);`,
      replace: `const headers = Object.assign(options, { [target]: Reflect.get(options, target) ?? requestHeaders(request, credentials, clock, waitSeconds) })[target];`,
    },
    {
      name: "a page may take as long as the run",
      find: `divisible ? Math.min(LONGEST_WHOLE_MS, deadline.remainingMs() * SHARE_OF_RUN) : smallMs`,
      replace: `divisible ? Infinity : smallMs`,
    },
    {
      name: "a list of environments or finding types may come in drips for ever",
      find: `largestBody === undefined ? Infinity : LONGEST_WHOLE_MS`,
      replace: `Infinity`,
    },
  ]),
  ...bugsIn("src/service/http/response-timer.ts", [
    {
      name: "a request that is never answered does not time out",
      find: `clock.monotonic() + patience.headMs`,
      replace: `Infinity`,
    },
    {
      name: "a body must be complete in the time in which it may be silent",
      find: `this.#silentUntil = this.#clock.monotonic() + this.#patience.silenceMs;`,
      replace: ``,
    },
    {
      name: "a body that comes in drips never ends",
      find: `if (this.#bytes < LEAST_BYTES) return;`,
      replace: ``,
    },
  ]),
  ...bugsIn("src/service/http/body.ts", [
    {
      name: "the size of a body is checked before it is decompressed only",
      find: `limited(await decoded(sent, head), largest)`,
      replace: `await decoded(sent, head)`,
    },
    {
      name: "a compressed body of which nothing comes out has no limit",
      find: `largest + ENCODING_BYTES`,
      replace: `Infinity`,
    },
    {
      name: "an error status is lost when its body breaks off",
      find: `if (isSuccess(head)) throw error;`,
      replace: `throw error;`,
    },
  ]),
  ...bugsIn("src/service/http/proxy-setting.ts", [
    {
      name: "a proxy without a scheme is asked over TLS",
      find: "`http://${text}`",
      replace: "`https://${text}`",
    },
  ]),
  ...bugsIn("src/deadline.ts", [
    {
      name: "a deadline follows a clock that can be set",
      find: `this.#endsAt - this.#clock.monotonic()`,
      replace: `(this.at ?? 0) - this.#clock.now()`,
    },
  ]),
  ...bugsIn("src/service/http/retry-policy.ts", [
    {
      name: "a DELETE is retried",
      find: `method !== "GET" || `,
      replace: ``,
    },
    {
      name: "a request is retried once more than the policy says",
      find: `retries >= policy.retries`,
      replace: `retries > policy.retries`,
    },
    {
      name: "Retry-After is ignored",
      find: `error.retryAfterMs ?? 0`,
      replace: `0`,
    },
    {
      name: "a retry is waited for although the run ends before it",
      find: `delayMs < remainingMs ? delayMs : null`,
      replace: `delayMs`,
    },
  ]),
  ...bugsIn("src/service/http/signing.ts", [
    {
      name: "the signature covers the path without the query",
      find: `digest(key, method + target)`,
      replace: `digest(key, method + (target.split("?")[0] ?? ""))`,
    },
  ]),
  ...bugsIn("src/service/http/service-clock.ts", [
    {
      name: "the service's clock stands still between responses",
      find: ` + this.#clock.monotonic() - this.#newest.here`,
      replace: ``,
    },
  ]),
  ...bugsIn("src/service/http/target.ts", [
    {
      name: "an id of two dots leads to another operation",
      find: `text.replaceAll(".", "%2E")`,
      replace: `text`,
    },
  ]),
  ...bugsIn("src/service/dialects.ts", [
    {
      name: "a request that was on its way when the dialect changed fails",
      find: `if (dialect !== this.#current) return true;`,
      replace: ``,
    },
    {
      name: "a tenant that speaks the other dialect is never read",
      find: `if (this.#isFinal) return false;`,
      replace: `return false;`,
    },
    {
      name: "the dialect changes although the tenant has accepted it",
      find: `this.#isKnown = true;
    this.#isFinal = true;`,
      replace: `this.#isKnown = true;`,
    },
  ]),
  ...bugsIn("src/service/connect.ts", [
    {
      name: "a client that is closed sends again what was on its way",
      find: `    closed.abort();\n`,
      replace: ``,
    },
    {
      name: "a wrong guess of the dialect costs as many requests as are on their way",
      find: `oneByOne: () => dialect.known === null && credentials.kind === "token"`,
      replace: `oneByOne: () => false`,
    },
  ]),
  ...bugsIn("src/ingestion/poll.ts", [
    {
      name: "the dialect is guessed anew in every run",
      find: `service.dialect = learned.dialect;`,
      replace: ``,
    },
  ]),
  ...bugsIn("src/service/errors/status-errors.ts", [
    {
      name: "any rejected request changes the dialect",
      find: `messages.some((message) => /Unexpected authorization scheme/i.test(message))`,
      replace: `messages.length > 0`,
    },
    {
      name: "a service that fails with status 500 is asked again at once",
      find: `new Set([502, 503, 504])`,
      replace: `new Set([500, 502, 503, 504])`,
    },
    {
      name: "a gateway that fails with status 503 is not asked again",
      find: `new Set([502, 503, 504])`,
      replace: `new Set([502, 504])`,
    },
  ]),
];
