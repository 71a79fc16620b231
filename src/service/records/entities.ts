/** The data of a directory or cloud entity read (BloodHound API, docs/openapi.json). Counts stand beside these fields. */
export interface WireEntity {
  kind?: string;
  kinds?: string[];
  isTierZero?: boolean;
  isOwnedObject?: boolean;
  props?: Record<string, unknown>;
  /** The same as `props`: the service document and the server use different words. */
  properties?: Record<string, unknown>;
}

/** Counts under the service's own names. What the service could not count is absent. */
export interface EntityCounts {
  [name: string]: number | EntityCounts;
}

/** What the service knows about one object. */
export interface Entity {
  kind?: string;
  kinds?: string[];
  isTierZero?: boolean;
  isOwnedObject?: boolean;
  /** Free-form, under the service's own names. */
  properties: Record<string, unknown>;
  /** Empty when none were asked for. */
  counts: EntityCounts;
}
