import connector from "../../connectors/attack-path-findings.ts";
import type { ConnectorOutcome } from "../../src/runtime/modules.ts";
import { systemClock, type Clock } from "../../src/runtime/clock.ts";
import type { Alert, AlertEvent, ConnectorRun, Json } from "../../src/runtime/protocol.ts";
import { applyMergePatch } from "../../sandbox/soar/merge-patch.ts";

export interface PollOptions {
  environments?: string[];
  findingTypes?: string[];
  run?: Partial<ConnectorRun>;
  /** Milliseconds that the run has. */
  timeMs?: number;
  /** The host dies after this many alerts: it keeps what the alerts' checkpoints say and never sees the result. */
  diesAfter?: number;
}

export interface Poll {
  outcome: ConnectorOutcome | null;
  alerts: Alert[];
  events: AlertEvent[];
  log: string[];
}

class HostDied extends Error {}

/**
 * A host in memory around the connector's entry point: keeps the state as the contract says, and counts repeats of
 * findings by environment, finding type and id.
 */
export class PollingHost {
  state: Json = null;
  readonly findings = new Map<string, number>();
  readonly #credentials: { url: string; tokenId: string; tokenKey: string };
  #aheadMs = 0;

  constructor(credentials: { url: string; tokenId: string; tokenKey: string }) {
    this.#credentials = credentials;
  }

  /** This machine's clock, moved on by `moveOn`; give it to the tenant too. */
  readonly clock: Clock = {
    now: () => systemClock.now() + this.#aheadMs,
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
  };

  moveOn(milliseconds: number): void {
    this.#aheadMs += milliseconds;
  }

  /** Findings that were delivered more than once. */
  get repeated(): string[] {
    return [...this.findings].filter(([, times]) => times > 1).map(([key]) => key);
  }

  async poll({
    environments = ["All"],
    findingTypes = ["All"],
    run = {},
    timeMs,
    diesAfter = Infinity,
  }: PollOptions = {}): Promise<Poll> {
    const poll: Poll = { outcome: null, alerts: [], events: [], log: [] };
    const note = (message: string): void => void poll.log.push(message);
    const deliver = (alert: Alert, checkpoint?: Json): Promise<void> => {
      if (poll.alerts.length >= diesAfter) return Promise.reject(new HostDied());
      this.#store(alert, poll);
      if (checkpoint !== undefined) this.state = applyMergePatch(this.state, overTheWire(checkpoint));
      return Promise.resolve();
    };
    try {
      poll.outcome = await connector.run({
        run: { id: "test", deadline: null, test: false, ...run },
        clock: this.clock,
        random: () => 0.5,
        signal: new AbortController().signal,
        deadline: timeMs === undefined ? null : this.clock.now() + timeMs,
        log: { debug: note, info: note, warn: note, error: note },
        progress: () => undefined,
        parameters: {
          Server: this.#credentials.url,
          "Token ID": this.#credentials.tokenId,
          "Token Key": this.#credentials.tokenKey,
          "Selected Environments": environments,
          "Selected Finding Types": findingTypes,
          "Product Field Name": "device_product",
          "Event Field Name": "finding_type",
        },
        state: this.state,
        deliver,
      });
    } catch (error) {
      if (!(error instanceof HostDied)) throw error;
    }
    if (poll.outcome?.checkpoint !== undefined) this.state = overTheWire(poll.outcome.checkpoint);
    return poll;
  }

  #store(alert: Alert, poll: Poll): void {
    poll.alerts.push(alert);
    poll.events.push(...alert.events);
    for (const event of alert.events) {
      const key = [event["environment_id"], event["finding_type"], event["finding_id"]].join(" ");
      this.findings.set(key, (this.findings.get(key) ?? 0) + 1);
    }
  }
}

function overTheWire(value: Json): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
