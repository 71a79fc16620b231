import { Refusal } from "./answer.ts";

const PATTERN = /^wait=(-1|[0-9]+)$/;
const DEFAULT_SECONDS = 30;

/** Seconds that the service may take for a request; -1 means no limit (service API, header Prefer). */
export function preferredWait(header: string | undefined): number {
  if (header === undefined || header === "") return DEFAULT_SECONDS;
  const seconds = PATTERN.exec(header)?.[1];
  if (seconds === undefined) throw new Refusal(400, `Prefer header has an invalid value: ${header}`);
  return Number(seconds);
}

export function preferenceApplied(seconds: number): string {
  return `wait=${seconds.toFixed(2)}`;
}
