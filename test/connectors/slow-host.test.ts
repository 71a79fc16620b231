import { Writable } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import { InterruptedError } from "../../src/runtime/errors.ts";
import { applyMergePatch } from "../../src/runtime/merge-patch.ts";
import type { AlertMessage, Json, Message, ResultMessage } from "../../src/runtime/protocol.ts";
import { FakeClock, settle } from "../support/fake-clock.ts";
import { messageIn } from "../support/messages.ts";
import { runHere } from "../support/plugin-run.ts";
import { connectorFields, connectorRequest } from "../support/requests.ts";
import { startTenant } from "../support/tenant.ts";

const FINDINGS = 40;

/** A host that stops reading in the middle of an alert until the test lets it continue. */
class SlowHost extends Writable {
  readonly messages: Message[] = [];
  /** Resolves when it has stopped. */
  readonly stuck: Promise<void>;
  #isStuck: () => void = () => undefined;
  #goOn: () => void = () => undefined;
  #takes: number;

  /** @param takes - how many alerts it takes before it stops */
  constructor(takes = Infinity) {
    super({ highWaterMark: 1 });
    this.#takes = takes;
    this.stuck = new Promise((resolve) => (this.#isStuck = resolve));
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, next: () => void): void {
    this.#goOn = () => {
      this.messages.push(...lines(chunk));
      next();
    };
    if (this.alerts.length < this.#takes) this.#goOn();
    else this.#isStuck();
  }

  get alerts(): AlertMessage[] {
    return this.messages.filter((message) => message.type === "alert");
  }

  goOn(): void {
    this.#takes = Infinity;
    this.#goOn();
  }
}

function lines(chunk: Buffer): Message[] {
  const texts = chunk.toString().split("\n");
  return texts.filter((line) => line !== "").map(messageIn);
}

const idsIn = (alerts: readonly AlertMessage[]) =>
  alerts.flatMap(({ alert }) => alert.events.map((event) => `${alert.findingType} ${String(event["finding_id"])}`));

async function start() {
  const clock = new FakeClock();
  const tenant = await startTenant({
    clock,
    dataset: { environments: 1, findingTypes: 2, findingsPerPair: FINDINGS / 2 },
  });
  const poll = (state: Json, host: SlowHost, stop?: AbortSignal): Promise<unknown> => {
    const deadline = new Date(clock.now() + 60_000).toISOString();
    const request = connectorRequest(connectorFields(tenant), state, { deadline, maxEventsPerAlert: 2 });
    return runHere(request, host, { clock, ...(stop && { stop }) });
  };
  return { clock, poll };
}

describe("a run whose host reads slowly", () => {
  const endings: [string, RegExp, (clock: FakeClock, stop: AbortController) => void][] = [
    [
      "the deadline passes",
      /^The run reached its deadline before everything was delivered\./,
      (clock) => {
        clock.advance(55_000);
      },
    ],
    [
      "the host stops it",
      /^The run was stopped before everything was delivered\./,
      (_, stop) => {
        stop.abort(new InterruptedError("stopped"));
      },
    ],
  ];

  it.each(endings)("ends with its own summary and checkpoint when %s", async (_, begins, end) => {
    const { clock, poll } = await start();
    const host = new SlowHost(3);
    const stop = new AbortController();
    const running = poll(null, host, stop.signal);
    await host.stuck;
    end(clock, stop);
    for (let turn = 0; turn < 20; turn++) await settle();
    // The time that a run has to end by itself is over, too.
    clock.advance(3_000);
    host.goOn();
    await running;
    const result = host.messages.at(-1) as ResultMessage;
    expect(result).toMatchObject({ status: "partial", json: { alerts: 4, findings: 8, streamsUnread: 2 } });
    expect(result.message).toMatch(begins);
    expect(result.message).toContain("The next run continues with ");
    expect(result.message).toContain("Delivered 8 new findings in 4 alerts");
    expect(host.alerts).toHaveLength(4);
    const rest = new SlowHost();
    await poll(result.checkpoint ?? null, rest);
    const delivered = idsIn([...host.alerts, ...rest.alerts]);
    expect([delivered.length, new Set(delivered).size]).toEqual([FINDINGS, FINDINGS]);
  });

  it("loses and repeats nothing when the host never takes the last alert", async () => {
    const { clock, poll } = await start();
    const host = new SlowHost(3);
    const running = poll(null, host);
    await host.stuck;
    clock.advance(55_000);
    for (let turn = 0; turn < 20; turn++) await settle();
    expect(host.messages.at(-1)?.type).not.toBe("result");
    host.destroy();
    await running;
    const state = host.alerts.reduce<Json>((before, { checkpoint }) => applyMergePatch(before, checkpoint ?? {}), null);
    const rest = new SlowHost();
    await poll(state, rest);
    const delivered = idsIn([...host.alerts, ...rest.alerts]);
    expect([host.alerts.length, delivered.length, new Set(delivered).size]).toEqual([3, FINDINGS, FINDINGS]);
  });
});
