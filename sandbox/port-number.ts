import { InvalidArgumentError } from "commander";

/** Reads a port from a command line; 0 stands for any free one. */
export function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new InvalidArgumentError("It must be a number from 0 to 65535.");
  return port;
}
