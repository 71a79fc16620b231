import { once } from "node:events";
import { PassThrough, Readable, Writable } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import { InterruptedError, ParameterError } from "../../src/runtime/errors.ts";
import type { Alert } from "../../src/runtime/protocol.ts";
import { connectorRequest, modules, pingRequest, runWith, SECRET } from "./harness.ts";
import { FakeClock, settle } from "../support/fake-clock.ts";

const pong = { status: "completed", message: "Reached.", value: true } as const;

const alert: Alert = {
  id: "a-1",
  name: "n",
  severity: "high",
  priority: 80,
  startTime: 1,
  endTime: 2,
  sourceGroupingIdentifier: "e",
  environmentId: "e",
  environmentName: "E",
  findingType: "T",
  title: "t",
  description: "",
  product: "p",
  vendor: "v",
  tags: [],
  extensions: {},
  events: [{ finding_id: "1" }],
};

function untilAborted(signal: AbortSignal): Promise<void> {
  return signal.aborted ? Promise.resolve() : once(signal, "abort").then(() => undefined);
}

describe("a run of an action", () => {
  it("hands parameters, state and context over and writes the outcome as the result", async () => {
    const state = { done: ["A"] };
    const ran = await runWith(
      pingRequest({ name: "Get Object Id", parameters: { "Object Names": "A, B" }, state, context: { case: 7 } }),
      {
        modules: modules({
          objectId: ({ instance, parameters, state: given, context, run }) =>
            Promise.resolve({
              status: "in_progress",
              message: "1 of 2",
              value: [instance.Server, parameters["Object Names"], given, context, run.id],
              json: { objects: [] },
              state: { done: ["A", "B"] },
            }),
        }),
      },
    );
    expect(ran.code).toBe(0);
    expect(ran.messages).toEqual([
      {
        type: "result",
        status: "in_progress",
        message: "1 of 2",
        value: ["https://tenant.test", ["A", "B"], state, { case: 7 }, "r-1"],
        json: { objects: [] },
        state: { done: ["A", "B"] },
      },
    ]);
  });

  it("warns of a parameter that it does not know, and goes on", async () => {
    const ran = await runWith(pingRequest({ parameters: { Verbose: "true" } }), {
      modules: modules({ ping: () => Promise.resolve(pong) }),
    });
    expect(ran.result).toMatchObject(pong);
    const message = "Ignored parameters that this plugin does not declare.";
    expect(ran.logs).toMatchObject([{ level: "warn", message, fields: { unknown: ["Verbose"] } }]);
  });

  it.each([
    ["Server", {}],
    ["Token Key", { Server: "https://tenant.test", "Token ID": "x" }],
    ["Server", { Server: 5, "Token ID": "x", "Token Key": SECRET }],
  ])("names the instance parameter %s that it cannot use", async (label, instance) => {
    const ran = await runWith(pingRequest({ instance }));
    expect(ran.code).toBe(0);
    expect(ran.result).toMatchObject({ status: "failed", value: false });
    expect(ran.result.message).toContain(`Parameter "${label}"`);
  });

  it("names the action parameter that it cannot use", async () => {
    const ran = await runWith(pingRequest({ name: "Get Object Id", parameters: { "Object Names": "[A, B]" } }));
    expect(ran.result).toMatchObject({ status: "failed", value: null });
    expect(ran.result.message).toContain('Parameter "Object Names" is in square brackets');
  });

  it.each([
    [pingRequest({ instance: {} }), "in the settings of the integration instance"],
    [connectorRequest({ parameters: {} }), "in the settings of the connector"],
  ])("says where to enter what is missing (%#)", async (request, place) => {
    expect((await runWith(request)).result.message).toContain(`is missing. Enter it ${place}.`);
  });

  it("shows the message of a readable error as it is", async () => {
    const error = new ParameterError("Server", "is not a URL.");
    const ran = await runWith(pingRequest(), { modules: modules({ ping: () => Promise.reject(error) }) });
    expect(ran.code).toBe(0);
    expect(ran.messages).toEqual([
      { type: "result", status: "failed", message: 'Parameter "Server" is not a URL.', value: false },
    ]);
    expect(ran.stderr).toBe("");
  });

  it("keeps every message short enough for one screen", async () => {
    const error = new ParameterError("Server", "\u0000".repeat(1_500));
    const ran = await runWith(pingRequest(), { modules: modules({ ping: () => Promise.reject(error) }) });
    expect(ran.result.message).toMatch(/^Parameter "Server" /);
    expect(ran.result.message.length).toBeLessThan(2_000);
  });

  it("says that any other error was not expected, and gives its stack to people on stderr", async () => {
    const ran = await runWith(pingRequest(), {
      modules: modules({ ping: () => Promise.reject(new TypeError("x is not a function")) }),
    });
    expect(ran.code).toBe(0);
    expect(ran.result).toMatchObject({ type: "result", status: "failed", value: false });
    expect(ran.result.message).toContain("The plugin failed unexpectedly: x is not a function. ");
    expect(ran.stderr).toMatch(/^TypeError: x is not a function\n +at .*run\.test\.ts/);
  });

  it("takes only an error that was made for people for one", async () => {
    const object = Object.assign({ name: "Error", message: "no error" }, { readable: true });
    const errors: Error[] = [object, Object.assign(new Error("x"), { readable: "yes" })];
    for (const thrown of errors) {
      const { result } = await runWith(pingRequest(), {
        modules: modules({ ping: () => Promise.reject(thrown) }),
      });
      expect(result.message).toMatch(/^The plugin failed unexpectedly: /);
    }
  });

  it("has a result although nobody reads standard error", async () => {
    const stderr = new Writable({
      write(_chunk, _encoding, next) {
        next(new Error("write EPIPE"));
      },
    });
    const ran = await runWith(pingRequest(), { stderr });
    expect([ran.code, ran.result.status]).toEqual([0, "failed"]);
  });

  it.each([
    ["a thrown error", () => Promise.reject(new Error(`denied ${SECRET}\u001b[2J`))],
    ["a readable error", () => Promise.reject(new ParameterError("Server", `got ${encodeURIComponent(SECRET)}`))],
    [
      "an outcome",
      () =>
        Promise.resolve({
          status: "failed" as const,
          message: `key ${SECRET}\nnext`,
          value: SECRET,
          state: { key: Buffer.from(SECRET).toString("base64") },
        }),
    ],
  ])("lets no secret out through %s", async (_, ping) => {
    const ran = await runWith(pingRequest(), { modules: modules({ ping }) });
    for (const output of [ran.stdout, ran.stderr]) {
      expect(output).not.toContain(SECRET);
      expect(output).not.toContain(encodeURIComponent(SECRET));
      expect(output).not.toContain(Buffer.from(SECRET).toString("base64"));
    }
    expect(ran.result.message).toContain("[redacted]");
    expect(ran.result.message).not.toMatch(/\p{Cc}/u);
  });

  it("hides a secret that stands in a request which is refused", async () => {
    const ran = await runWith(pingRequest({ kind: SECRET, name: SECRET, run: { deadline: SECRET } }));
    expect(ran.result.status).toBe("failed");
    expect(ran.stdout + ran.stderr).not.toContain(SECRET);
  });
});

describe("the value of a run that failed", () => {
  const failing = { status: "failed" as const, message: "No.", value: true };
  const parameters = { "Object Names": "ALICE" };
  const late = { run: { id: "r", deadline: "2020-01-31T10:00:00Z", test: false } };

  it.each<[string, Record<string, unknown>]>([
    ["the deadline had passed", { parameters, ...late }],
    ["the instance is not configured", { parameters, instance: { Server: "" } }],
    ["a parameter has the wrong type", { parameters: { "Object Names": 5 } }],
    ["the protocol is not known", { parameters, protocol: 2 }],
    ["the run is malformed", { parameters, run: { deadline: 5 } }],
    ["the action fails", { parameters }],
  ])("is unknown when %s, and false only for Ping", async (_, changes) => {
    const parts = { ping: () => Promise.resolve(failing), objectId: () => Promise.resolve(failing) };
    const valueOf = async (name: string) => {
      const { result } = await runWith(pingRequest({ name, ...changes }), { modules: modules(parts) });
      expect(result.status).toBe("failed");
      return result.value;
    };
    expect(await valueOf("Get Object Id")).toBeNull();
    expect(await valueOf("Ping")).toBe(false);
  });

  it("is unknown when the run was stopped before its request was complete", async () => {
    const stop = new AbortController();
    stop.abort(new InterruptedError("The host stopped the run before it finished."));
    const stdin = new Readable({ read: () => undefined });
    const { result } = await runWith("", { stdin, stop: stop.signal });
    expect(result).toMatchObject({ status: "failed", value: null });
  });

  it("is unknown for a connector", async () => {
    const connector = () => Promise.resolve({ status: "failed" as const, message: "No.", value: false });
    const { result } = await runWith(connectorRequest(), { modules: modules({ connector }) });
    expect(result).toMatchObject({ status: "failed", value: null });
  });
});

describe("a run with bad input", () => {
  it.each(["", "{", "[]", '{"protocol": 7}', "{} {}"])(
    "answers %j with one failed result and exit code 0",
    async (text) => {
      const ran = await runWith(text);
      expect(ran.code).toBe(0);
      expect(ran.messages).toHaveLength(1);
      expect(ran.result).toMatchObject({ type: "result", status: "failed", value: null });
    },
  );

  it.each<[string, Record<string, unknown>]>([
    ['Parameter "Object Names" contains', { parameters: { "Object Names": ["A", `is ${SECRET}?`] } }],
    [
      'Parameter "Server" contains',
      { instance: { ...(pingRequest()["instance"] as object), Server: `https://${encodeURIComponent(SECRET)}.test` } },
    ],
    [
      "A selected entity contains",
      { parameters: { "Object Names": "A" }, context: { entities: [{ identifier: SECRET, type: "USER" }] } },
    ],
  ])("sends no secret that stands in a wrong place: %s", async (message, request) => {
    const { result } = await runWith(pingRequest({ name: "Get Object Id", ...request }), {
      modules: modules({ objectId: () => Promise.reject(new Error("It ran.")) }),
    });
    expect(result).toMatchObject({ status: "failed", value: null });
    expect(result.message).toContain(`${message} the token key or another secret. No request was sent.`);
  });

  it("does not wait for ever for a host that keeps standard input open", async () => {
    const clock = new FakeClock();
    const stdin = new PassThrough();
    stdin.write(JSON.stringify(pingRequest()));
    const running = runWith("", { stdin, clock });
    await new Promise(setImmediate);
    clock.advance(120_000);
    const { result } = await running;
    expect(result.message).toContain("write one JSON request to standard input and close it");
  });
});

describe("a run of a connector", () => {
  it("writes alerts with their checkpoints in order and the result last", async () => {
    const ran = await runWith(connectorRequest({ state: { version: 1 } }), {
      modules: modules({
        connector: async ({ deliver, log, parameters, state }) => {
          expect(state).toEqual({ version: 1 });
          expect(parameters["Selected Environments"]).toEqual(["All"]);
          expect(parameters["Product Field Name"]).toBe("device_product");
          log.info("first");
          await deliver(alert, { pairs: { a: 1 } });
          await deliver({ ...alert, id: "a-2" });
          return { status: "partial", message: "2 alerts", value: 2, checkpoint: { version: 1 } };
        },
      }),
    });
    expect(ran.messages).toEqual([
      { type: "log", level: "info", message: "first", fields: { run: "r-1" } },
      { type: "alert", alert, checkpoint: { pairs: { a: 1 } } },
      { type: "alert", alert: { ...alert, id: "a-2" } },
      { type: "result", status: "partial", message: "2 alerts", value: 2, checkpoint: { version: 1 } },
    ]);
  });

  it("passes over Run Every, which the host reads, whatever stands in it", async () => {
    const ran = await runWith(
      connectorRequest({ parameters: { ...(connectorRequest()["parameters"] as object), "Run Every": "often" } }),
      {
        modules: modules({
          connector: ({ parameters }) =>
            Promise.resolve({
              status: "completed",
              message: "ok",
              value: Object.keys(parameters).includes("Run Every"),
            }),
        }),
      },
    );
    expect(ran.messages).toEqual([{ type: "result", status: "completed", message: "ok", value: false }]);
  });

  it("tells everything in a test run and no details in another", async () => {
    const options = {
      modules: modules({
        connector: ({ log }) => {
          log.debug("detail");
          return Promise.resolve({ status: "completed" as const, message: "ok", value: true });
        },
      }),
    };
    const test = await runWith(connectorRequest({ run: { id: "r", deadline: null, test: true } }), options);
    const other = await runWith(connectorRequest(), options);
    expect(test.logs).toMatchObject([{ level: "debug", message: "detail" }]);
    expect(other.logs).toEqual([]);
  });

  it("tells no more than the request asks for, also in a test run", async () => {
    const { logs } = await runWith(connectorRequest({ run: { id: "r", test: true, logLevel: "warn" } }), {
      modules: modules({
        connector: ({ log }) => {
          for (const level of ["debug", "info", "warn", "error"] as const) log[level](level);
          return Promise.resolve({ status: "completed", message: "ok", value: true });
        },
      }),
    });
    expect(logs.map(({ level }) => level)).toEqual(["warn", "error"]);
  });

  it("tells the host a few times a second how far it has come, and always the end", async () => {
    const clock = new FakeClock();
    const ran = await runWith(connectorRequest(), {
      clock,
      modules: modules({
        connector: ({ progress }) => {
          for (let done = 0; done <= 108; done++) {
            progress(done, 108, "findings");
            clock.advance(10);
          }
          return Promise.resolve({ status: "completed", message: "ok", value: true });
        },
      }),
    });
    const progress = ran.messages.flatMap((message) => (message.type === "progress" ? [message.done] : []));
    expect(progress).toEqual([0, 25, 50, 75, 100, 108]);
  });
});

describe("a run that is interrupted", () => {
  const deadlineIn = (seconds: number): Record<string, unknown> => ({
    run: { id: "r", deadline: new Date(new FakeClock().now() + seconds * 1000).toISOString(), test: false },
  });

  it("has its signal aborted early enough before the deadline to deliver what it has", async () => {
    const clock = new FakeClock();
    const start = clock.now();
    const ran = await runWith(connectorRequest(deadlineIn(30)), {
      clock,
      modules: modules({
        connector: async ({ deadline: { at, signal }, deliver }) => {
          expect(at).toBe(start + 27_000);
          clock.advance(26_999);
          await new Promise(setImmediate);
          expect(signal.aborted).toBe(false);
          clock.advance(1);
          await untilAborted(signal);
          await deliver(alert);
          return { status: "partial", message: "the rest later", value: 1 };
        },
      }),
    });
    expect(ran.messages.map((message) => message.type)).toEqual(["alert", "result"]);
    expect(ran.result.status).toBe("partial");
  });

  it("has all the time there is when the host gives no deadline", async () => {
    const { result } = await runWith(pingRequest(), {
      modules: modules({
        ping: ({ deadline }) => Promise.resolve({ ...pong, value: [deadline.at, deadline.reached] }),
      }),
    });
    expect(result.value).toEqual([null, false]);
  });

  it("keeps at most five seconds of a long run for its result", async () => {
    const clock = new FakeClock();
    const ran = await runWith(pingRequest(deadlineIn(600)), {
      clock,
      modules: modules({ ping: ({ deadline }) => Promise.resolve({ ...pong, value: deadline.remainingMs() }) }),
    });
    expect(ran.result.value).toBe(595_000);
  });

  it("fails readably when the entry point does not wind up in time", async () => {
    const clock = new FakeClock();
    const ran = await runWith(pingRequest(deadlineIn(30)), {
      clock,
      modules: modules({
        ping: async ({ deadline: { signal } }) => {
          clock.advance(27_000);
          await untilAborted(signal);
          await new Promise(setImmediate);
          clock.advance(1_500);
          return new Promise(() => undefined);
        },
      }),
    });
    expect(ran.code).toBe(0);
    expect(ran.result).toMatchObject({ status: "failed", value: false });
    expect(ran.result.message).toBe(
      "The run reached its deadline before it finished. (deadline 2030-01-31T10:00:30.000Z)",
    );
  });

  it("fails readably when the deadline had passed before it began", async () => {
    const clock = new FakeClock();
    const running = runWith(pingRequest(deadlineIn(-5)), {
      clock,
      modules: modules({ ping: () => new Promise(() => undefined) }),
    });
    for (let turn = 0; turn < 5; turn++) {
      await new Promise(setImmediate);
      clock.advance(0);
    }
    expect((await running).result.message).toContain("deadline");
  });

  it("may still wind up when the host asks it to end", async () => {
    const stop = new AbortController();
    const ran = await runWith(connectorRequest(), {
      stop: stop.signal,
      modules: modules({
        connector: async ({ deadline: { signal } }) => {
          stop.abort(new InterruptedError("stopped by the host"));
          await untilAborted(signal);
          return { status: "partial", message: "what there was", value: true };
        },
      }),
    });
    expect(ran.result).toMatchObject({ status: "partial", message: "what there was" });
  });

  it("fails at once after an error that nobody caught", async () => {
    const stop = new AbortController();
    const ran = await runWith(pingRequest(), {
      stop: stop.signal,
      modules: modules({
        ping: () => {
          stop.abort(new Error(`stray ${SECRET}`));
          return new Promise(() => undefined);
        },
      }),
    });
    expect(ran.code).toBe(0);
    expect(ran.result.message).toContain("The plugin failed unexpectedly: stray [redacted]. ");
    expect(ran.stderr).not.toContain(SECRET);
  });

  it.each(["a signal", "its deadline"])("ends by itself after %s when nobody reads its result", async (reason) => {
    const [clock, stop] = [new FakeClock(), new AbortController()];
    const stdout = new Writable({ highWaterMark: 1, write: () => undefined });
    const running = runWith(pingRequest(reason === "a signal" ? {} : deadlineIn(30)), {
      clock,
      stop: stop.signal,
      stdout,
      modules: modules({ ping: () => Promise.resolve(pong) }),
    });
    await settle();
    if (reason === "a signal") stop.abort(new InterruptedError("stopped by the host"));
    await clock.drain();
    const ran = await running;
    expect(ran.code).toBe(1);
    expect(ran.stderr).toBe(
      "The host read nothing from standard output for 30 s after the run had to end, so the result was not written.\n",
    );
  });

  it("ends with another exit code when the host has closed standard output", async () => {
    const stdout = new Writable({
      write(_chunk, _encoding, next) {
        next(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
      },
    });
    let aborted = false;
    const ran = await runWith(connectorRequest(), {
      stdout,
      modules: modules({
        connector: async ({ deliver, deadline: { signal } }) => {
          await deliver(alert).catch(() => undefined);
          aborted = signal.aborted;
          await deliver(alert);
          return { status: "completed", message: "ok", value: true };
        },
      }),
    });
    expect(ran.code).toBe(1);
    expect(aborted).toBe(true);
    expect(ran.stderr).toContain("closed standard output");
  });
});
