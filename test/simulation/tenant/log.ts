import type { Endpoint } from "../scenario.ts";
import type { Answer } from "./answers.ts";

/** One request as the tenant saw it. */
export interface LogEntry {
  readonly endpoint: Endpoint | null;
  readonly target: string;
  /** Asks for one record and the count. */
  readonly isProbe: boolean;
  readonly environment: string | undefined;
  readonly type: string | undefined;
  /** How many records it leaves out. */
  readonly skip: number;
  /** How many records it asks for; null for as many as the service likes. */
  readonly limit: number | null;
  /** When it left the plugin, and when it arrived; null when it never did. */
  readonly sent: number;
  arrived: number | null;
  /** When the plugin had the whole answer or the error. */
  answered: number | null;
  /** When the last byte or head of the answer arrived; null for none. */
  heard: number | null;
  /** How much of its body has arrived. */
  bytes: number;
  /** When the last part of its body arrived; null for none. */
  bodyHeard: number | null;
  /** Status, or what happened instead of an answer. */
  outcome: number | string;
  /** The answer is what the service should have said. */
  sound: boolean;
  /** A fault of the scenario changed the answer, or when it came. */
  struck: boolean;
  /** The tenant refuses such requests for ever. */
  refused: boolean;
  flaw: Answer["flaw"] | null;
}
