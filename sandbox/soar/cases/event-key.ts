const EVENTS_OF_ALERT = 2 ** 20;
const ALERTS = 2 ** 30;
const EVENTS_OF_RANK = EVENTS_OF_ALERT * ALERTS;

/**
 * The key of an event, the same in the text index: greater for a worse event, of equal ones for a later one. The index
 * is read in the order of its keys, so a page ends where it is full, and the alert of a match is known without reading
 * the event.
 */
export function eventKey(rank: number, alertKey: number, position: number): number {
  return rank * EVENTS_OF_RANK + alertKey * EVENTS_OF_ALERT + position;
}

/** SQL for the key of the alert that the event of a key belongs to. */
export function alertOf(key: string): string {
  return `(${key} / ${EVENTS_OF_ALERT} % ${ALERTS})`;
}

/** The least and the greatest key that an event of this severity can have. */
export function keysOfRank(rank: number): [least: number, greatest: number] {
  return [rank * EVENTS_OF_RANK, (rank + 1) * EVENTS_OF_RANK - 1];
}
