/** An object as results name it: its name and its type are cut off where they are longer than any real one. */
export interface ObjectReference {
  objectId: string;
  name: string | null;
  type: string | null;
}

export interface Found {
  status: "found";
  object: ObjectReference;
  /** Null when the search does not say it. */
  tierZero: boolean | null;
  candidates: ObjectReference[];
}
interface Ambiguous {
  status: "ambiguous";
  candidates: ObjectReference[];
}
interface NotFound {
  status: "not_found";
  candidates: ObjectReference[];
}
interface Failed {
  status: "failed";
  error: string;
}

/** The result of a search for a name or an object id. */
export type FoundObject = Found | Ambiguous | NotFound;

/**
 * The outcome of a look-up.
 * @discriminator status
 */
export type LookedUp = Found | Ambiguous | NotFound | Failed;
