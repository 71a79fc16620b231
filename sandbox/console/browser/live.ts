import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { LiveEvent } from "../contract/index.ts";
import { authorized } from "./session.ts";

/** What a page hears: an event of the server, or that it may have missed some. */
export type Heard = LiveEvent | { type: "reconnected" };
type Listener = (event: Heard) => void;

const listeners = new Set<Listener>();

/** Whether live events arrive. Starts true, so that a page does not complain while it opens its stream. */
export const isLive = signal(true);

/** The server is on this machine: it is there again soon, or it was stopped. */
const PAUSE_MS = 1500;

/**
 * Reads live events while the page is visible: a browser opens six connections to one server at most, for all of its tabs. An EventSource would
 * send no token.
 */
export async function startLive(): Promise<never> {
  let hasMissedEvents = document.hidden;
  for (;;) {
    while (document.hidden) await visibilityChange();
    const hiding = new AbortController();
    const hide = (): void => {
      hiding.abort();
    };
    document.addEventListener("visibilitychange", hide, { once: true });
    await listen(hiding.signal, hasMissedEvents).catch(() => undefined);
    document.removeEventListener("visibilitychange", hide);
    hasMissedEvents = true;
    if (hiding.signal.aborted) continue;
    isLive.value = false;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

function visibilityChange(): Promise<unknown> {
  return new Promise((resolve) => {
    document.addEventListener("visibilitychange", resolve, { once: true });
  });
}

async function listen(signal: AbortSignal, hasMissedEvents: boolean): Promise<void> {
  const { ok, body } = await authorized("/api/live", { headers: { accept: "text/event-stream" }, signal });
  if (!ok || body === null) return;
  if (hasMissedEvents) tell({ type: "reconnected" });
  isLive.value = true;
  let rest = "";
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const messages = (rest + value).split("\n\n");
    rest = messages.pop() ?? "";
    for (const message of messages) hear(message);
  }
}

/** A message that is no event is a sign of life. */
function hear(message: string): void {
  const data = message.startsWith("data: ") ? message.slice("data: ".length) : null;
  if (data !== null) tell(JSON.parse(data) as LiveEvent);
}

function tell(event: Heard): void {
  for (const listener of listeners) listener(event);
}

/** Hears live events for as long as the component is on the page. */
export function useLive(listener: Listener): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    const hears: Listener = (event) => {
      latest.current(event);
    };
    listeners.add(hears);
    return () => {
      listeners.delete(hears);
    };
  }, []);
}
