import type { Pair } from "./path-pairs.ts";
import { named } from "../../text.ts";

/** What messages call the two ends. */
export interface EndLabels {
  readonly start: string;
  readonly end: string;
}

/** The parameters of the action. */
export const PARAMETERS: EndLabels = { start: "Start Node", end: "End Node" };

/** How messages name one end of a pair, and what they advise. Both depend on whether somebody entered it. */
export interface EndWords {
  /** The beginning of a sentence. */
  subject: string;
  /** What to do when the service does not know the object. */
  whenUnknown: string;
  /** What to do when several objects have the name, to be followed by their object ids. */
  whenAmbiguous: string;
}

const NOT_KNOWN = "The service does not know this object, or no longer knows it.";

export function wordsFor(pair: Pair, side: "start" | "end", labels: EndLabels): EndWords {
  const [label, text] = [labels[side], `"${named(pair[side])}"`];
  if (pair.areIds === true) {
    const role = side === "start" ? "source" : "target";
    return {
      subject: `The ${role} of a finding of the alert, ${text},`,
      whenUnknown: `${NOT_KNOWN} It may have been removed since the finding was created.`,
      whenAmbiguous: `Enter ${labels.start} and ${labels.end} instead, with one of these object ids as ${label}`,
    };
  }
  if (side === "end" && pair.isTried === true) {
    return {
      subject: `The Tier Zero object ${text}`,
      whenUnknown: "It was tried because the id of the domain says that it should exist.",
      whenAmbiguous: `Enter one of their object ids as ${label}`,
    };
  }
  if (pair.selected === side) {
    return {
      subject: `The selected entity ${text}, used as ${label},`,
      whenUnknown: `${NOT_KNOWN} Select other entities of the case, or enter ${label}.`,
      whenAmbiguous: `Enter one of their object ids as ${label}`,
    };
  }
  return {
    subject: `${label} ${text}`,
    whenUnknown: "Enter an object id or the full name, such as ALICE@EXAMPLE.LOCAL.",
    whenAmbiguous: "Enter one of their object ids",
  };
}
