/** A plugin for tests of the launcher with Node.js: `body` is JavaScript that sees the request and writes messages with `say`. */
export function fakePlugin(body: string): string {
  return `
import { writeFileSync } from "node:fs";
const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const request = JSON.parse(Buffer.concat(chunks).toString());
const say = (message) => console.log(JSON.stringify(message));
const done = (result) => say({ type: "result", status: "completed", message: "Done.", value: true, ...result });
const forever = () => new Promise(() => setInterval(() => {}, 1000));
${body}
`;
}

/** The result of a run that is completed, as the plugin writes it. */
export function done(result: object = {}): object {
  return { type: "result", status: "completed", message: "Done.", value: true, ...result };
}

/** A line of the plugin's log. */
export function log(level: string, message: string, fields: object = {}): object {
  return { type: "log", level, message, fields };
}

/** An alert as the plugin writes it. */
export function alertOf(id: string, overrides: object = {}): Record<string, unknown> {
  return {
    id,
    name: "Kerberoastable users",
    severity: "critical",
    priority: 100,
    startTime: 1_790_000_000_000,
    endTime: 1_790_000_060_000,
    sourceGroupingIdentifier: "S-1-5-21-1",
    environmentId: "S-1-5-21-1",
    environmentName: "EXAMPLE.LOCAL",
    findingType: "Kerberoasting",
    title: "Kerberoastable users",
    description: "Users whose password can be guessed offline.",
    product: "Attack Path Analysis",
    vendor: "Attack Path Analysis Service",
    tags: ["attack-path", "Kerberoasting"],
    extensions: { short_remediation: "Use long passwords." },
    events: [{ finding_id: id, start_time: 1_790_000_000_000, source_tier_zero: true, impact_percentage: 12.5 }],
    ...overrides,
  };
}
