/** A value of the wrong type that was removed from a record. */
export interface InvalidField {
  /** JSON pointer inside the record, shortened; empty when the record was not an object, or not one that was asked for. */
  readonly path: string;
  readonly problem: string;
}
