import type { LiveEvent } from "../console/contract/index.ts";

type Listener = (event: LiveEvent) => void;

/** Notifies listeners of changes in the host. */
export class LiveEvents {
  private readonly listeners = new Set<Listener>();

  /** Returns what ends the listening. */
  on(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  emit(event: LiveEvent): void {
    for (const listener of this.listeners) listener(event);
  }
}
