import { signal } from "@preact/signals";
import type { Overview, Tour } from "../contract/index.ts";
import { call } from "./api.ts";

/** What many pages need to know of the host; null until it is known. */
export const overview = signal<Overview | null>(null);

/** Asks for it again. A failure leaves what was known: the page itself says what does not work. */
export async function refreshOverview(): Promise<void> {
  overview.value = await call("GET /overview").catch(() => overview.value);
}

/** Ticks off a step of the tour, once. */
export async function markTour(done: keyof Tour): Promise<void> {
  if (overview.value === null) await refreshOverview();
  const known = overview.value;
  if (known === null || known.tour[done]) return;
  const tour = await call("POST /tour", { body: { done } }).catch(() => known.tour);
  overview.value = { ...known, tour };
}
