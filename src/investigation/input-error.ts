/** What a person entered or selected, or what a host handed over, cannot be used. The message says what to do. */
export class InputError extends Error {
  override readonly name = "InputError";
  readonly readable = true;
}
