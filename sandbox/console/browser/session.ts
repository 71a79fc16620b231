import { signal } from "@preact/signals";

const KEY = "token";

/** Whether the server takes this page's token; null until it was asked. */
export const isSignedIn = signal<boolean | null>(null);

/** Takes the token out of the address that `npm start` printed and keeps it for this host and port. */
export function startSession(): void {
  takeToken();
  // The address may be opened in a tab that shows the console already: then only the part behind the # changes.
  addEventListener("hashchange", () => {
    if (takeToken()) location.reload();
  });
}

function takeToken(): boolean {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token === null) return false;
  localStorage.setItem(KEY, token);
  // The ticket that let a file open this page goes with it.
  history.replaceState(null, "", location.pathname);
  return true;
}

/** Sends a request with the token of this page. A browser adds no such header by itself. */
export async function authorized(address: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("authorization", `Bearer ${localStorage.getItem(KEY) ?? ""}`);
  const response = await fetch(address, { ...init, headers, credentials: "omit" });
  isSignedIn.value = response.status !== 401;
  return response;
}
