/** What the exit code of every command says. */
export const ExitCode = {
  /** Yes; everything that was asked for is there. */
  yes: 0,
  /** No; nothing found; not confirmed. */
  no: 1,
  /** The command line cannot be used as it is. */
  usage: 2,
  /** Credentials are missing, unsafe to use, or rejected. */
  credentials: 3,
  /** The service or the way to it failed. */
  service: 4,
  /** Some of what was asked for is missing. */
  partial: 5,
  /** A bug, as sysexits.h counts it; the stack is on standard error. */
  bug: 70,
  /** Ctrl-C or SIGTERM, as shells count the first: 128 and the number of SIGINT. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
