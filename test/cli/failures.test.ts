import { describe, expect, it } from "@jest/globals";
import {
  CredentialsError,
  exitCodeOf,
  NoOutputError,
  NothingFoundError,
  StandardOutputError,
  ReaderGoneError,
  StalledReaderError,
  UsageError,
} from "../../src/cli/failures.ts";
import { LockedError } from "../../src/cli/poll/lock.ts";
import { StateFileError } from "../../src/cli/poll/state-file.ts";
import { InputError } from "../../src/runtime/errors.ts";
import * as errors from "../../src/service/errors/errors.ts";
import { PromptClosedError } from "../../src/terminal.ts";

const service = { whoActs: "service" } as const;
const administrator = { whoActs: "administrator" } as const;
const analyst = { whoActs: "analyst" } as const;

const ends: [error: Error, code: number][] = [
  [new ReaderGoneError(), 0],
  [new NothingFoundError(""), 1],
  [new LockedError(1), 1],
  [new UsageError(""), 2],
  [new StateFileError(""), 2],
  [new InputError(""), 2],
  [new errors.ServerAddressError(""), 2],
  [new errors.ProxySettingError(""), 2],
  [new errors.BadRequestError("", analyst), 2],
  [new CredentialsError(""), 3],
  [new errors.ConfigurationError(""), 3],
  [new errors.BadRequestError("", administrator), 3],
  [new errors.UnauthenticatedError("", administrator), 3],
  [new errors.ForbiddenError("", administrator), 3],
  [new errors.ClockSkewError("", administrator, null), 3],
  [new errors.BadRequestError("", service), 4],
  [new errors.SchemeRejectedError("", administrator), 4],
  [new errors.NotFoundError("", administrator), 4],
  [new errors.NotFoundError("", { ...analyst, wrapped: true }), 4],
  [new errors.RateLimitedError("", service), 4],
  [new errors.ServerError("", service), 4],
  [new errors.NetworkError("", service), 4],
  [new errors.StaleConnectionError("", service), 4],
  [new errors.TlsError("", administrator), 4],
  [new errors.TimeoutError("", service), 4],
  [new errors.SlowResponseError("", service, true), 4],
  [new errors.DeadlineError("", service), 4],
  [new errors.RedirectError("", administrator, ""), 4],
  [new errors.ProtocolError("", service), 4],
  [new errors.TooLargeError("", service), 4],
  [new StandardOutputError(new Error(""), ""), 5],
  [new StandardOutputError(new StalledReaderError(false), ""), 5],
  [new NoOutputError(), 5],
  [new TypeError(""), 70],
  [Object.assign(new Error("of a class that nobody thought of"), { readable: true }), 70],
  [new PromptClosedError(), 130],
  [new StandardOutputError(new StalledReaderError(true), ""), 130],
  [new errors.AbortedError("", analyst), 130],
];

describe("the exit code of a command that ended with an error", () => {
  it.each(ends.map(([error, code]) => [error.name, code, error] as const))("%s is %i", (_, code, error) => {
    expect(exitCodeOf(error)).toBe(code);
  });

  it("is decided here for every error of the service", () => {
    const isError = (value: unknown): value is new (...details: never[]) => Error =>
      typeof value === "function" && value.prototype instanceof Error;
    const decided = ends.map(([error]) => error.constructor);
    const classes = Object.values(errors).filter(isError);
    expect(classes.filter((type) => type !== errors.ServiceError && !decided.includes(type))).toEqual([]);
  });
});
