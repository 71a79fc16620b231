import { messageOf } from "../../../text.ts";
import type { Item, NodeErrors, WorkflowNode } from "./n8n.ts";
import type { ObservedTransport } from "./request-helper-transport.ts";

/** A run failed. */
export class FailedRun extends Error {
  /** Whether the service was asked, so that the failure may lie there or on the way. */
  readonly asked: boolean;
  /** Status of the last response; null without one. */
  readonly status: number | null;
  /** Index of the input item that cannot be used, where a run takes all of them. */
  readonly item: number | undefined;

  constructor(message: string, transport?: ObservedTransport, item?: number) {
    super(message);
    this.asked = transport?.used ?? false;
    this.status = transport?.lastStatus ?? null;
    this.item = item;
  }
}

/** What n8n shows of a failed run: the first sentence is the title, and the others are the description. */
export function nodeErrorOf(errors: NodeErrors, node: WorkflowNode, failure: unknown, item?: number): unknown {
  if (!(failure instanceof FailedRun)) return failure;
  const itemIndex = failure.item ?? item;
  const [message, description] = titleAndRest(failure.message);
  const options = {
    message,
    ...(description !== "" && { description }),
    ...(itemIndex !== undefined && { itemIndex }),
  };
  if (!failure.asked) return new errors.NodeOperationError(node, message, options);
  const httpCode = failure.status !== null && failure.status >= 400 ? { httpCode: String(failure.status) } : {};
  return new errors.NodeApiError(node, { message: failure.message, ...httpCode }, { ...options, ...httpCode });
}

/** What takes the place of the results of an item whose run failed, if the node goes on: n8n knows such an item by its only key. */
export function errorItem(failure: unknown, item: number): Item {
  const own = failure instanceof FailedRun ? failure.item : undefined;
  return { json: { error: messageOf(failure) }, pairedItem: { item: own ?? item } };
}

function titleAndRest(message: string): [title: string, rest: string] {
  const end = /[.!?](?=\s+\p{Lu})/u.exec(message)?.index ?? message.length;
  return [message.slice(0, end + 1), message.slice(end + 1).trim()];
}
