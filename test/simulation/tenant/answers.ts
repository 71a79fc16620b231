/** What leaves the service, before the network has its say. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** Records in a page of findings. */
  records?: number;
  /** Whose rows or how many of them the answer holds, where that is not what was asked for: at the end of a list, it holds none. */
  flaw?: "foreign rows" | "foreign end" | "cut list" | "short list";
}

export function json(value: unknown, status = 200): Answer {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
}

export function text(body: string, status = 200): Answer {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body };
}

export function webPage(status = 200): Answer {
  return {
    status,
    headers: { "content-type": "text/html" },
    body: "<!DOCTYPE html><html><head><title>Sign in</title></head><body>Sign in</body></html>",
  };
}

/** The service's error wrapper (service document, section Errors). */
export function refusal(status: number, message: string, now: number, context = ""): Answer {
  return json(
    {
      http_status: status,
      timestamp: new Date(now).toISOString(),
      request_id: "3d7c7f7e-0000-4000-8000-00000000abcd",
      errors: [{ context, message }],
    },
    status,
  );
}

/** As the service document shows them; in practice most are empty. */
const CONTEXTS = new Map([
  [401, "login"],
  [429, "middleware"],
]);

/** Names the place of an error in the error wrapper, where there is one. */
export function withContext(answer: Answer): Answer {
  const context = CONTEXTS.get(answer.status) ?? "clients";
  return { ...answer, body: answer.body.replace('"errors":[{"context":""', `"errors":[{"context":"${context}"`) };
}
