import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { LiveEvent } from "../contract/index.ts";

/** What a page hears: an event of the server, or that it may have missed some. */
export type Heard = LiveEvent | { type: "reconnected" };
type Listener = (event: Heard) => void;

const listeners = new Set<Listener>();

/** Whether live events arrive. Starts true, so that a page does not complain while it opens its stream. */
export const isLive = signal(true);

/** Opens the stream of live events. The browser itself reconnects after a failure. */
export function startLive(address = "/api/live"): void {
  const source = new EventSource(address);
  let wasLost = false;
  source.addEventListener("open", () => {
    isLive.value = true;
    if (wasLost) tell({ type: "reconnected" });
    wasLost = false;
  });
  source.addEventListener("error", () => {
    isLive.value = false;
    wasLost = true;
    // A stream that was refused stays closed; the page tries again by hand.
    if (source.readyState === EventSource.CLOSED)
      setTimeout(() => {
        reopen(address);
      }, 3000);
  });
  source.addEventListener("message", ({ data }) => {
    tell(JSON.parse(String(data)) as LiveEvent);
  });
}

function reopen(address: string): void {
  startLive(address);
  tell({ type: "reconnected" });
}

function tell(event: Heard): void {
  for (const listener of listeners) listener(event);
}

/** Hears live events for as long as the component is on the page. */
export function useLive(listener: Listener): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    const hear: Listener = (event) => {
      latest.current(event);
    };
    listeners.add(hear);
    return () => {
      listeners.delete(hear);
    };
  }, []);
}
