import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";

export interface Address {
  path: string;
  query: URLSearchParams;
}

/** What a page is given; it shows nothing that is not a function of this and the server's answers. */
export interface PageProps {
  /** Parameters in the path, decoded. */
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
}

export interface RouteEntry {
  /** Such as /cases/:id. */
  pattern: string;
  /** Title of the browser's tab. */
  title: string;
  page: ComponentType<PageProps>;
}

function current(): Address {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

/** Where the person is. */
export const address = signal<Address>(current());

/** What the page of the address is about, once it knows: `Case 12`. Null: the name of its route says it. */
export const subject = signal<string | null>(null);

/** Goes to a page of the console. `replace` leaves no entry in the history, for filters and tabs. */
export function go(to: string, { replace = false } = {}): void {
  const { pathname } = location;
  // A form with unsaved changes may hold this back, and then nothing changes.
  history[replace ? "replaceState" : "pushState"](null, "", to);
  address.value = current();
  if (location.pathname !== pathname) scrollTo(0, 0);
}

/**
 * Hears where the browser is about to go within the console, for as long as the component is on the page. The listener may hold it back with
 * `preventDefault`. A browser that cannot be held back, or has no Navigation API, just goes there.
 */
export function useLeaving(listener: (event: NavigateEvent) => void): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    if (!("navigation" in globalThis)) return undefined;
    const hears = (event: NavigateEvent): void => {
      if (event.cancelable && !event.defaultPrevented && event.destination.sameDocument) latest.current(event);
    };
    navigation.addEventListener("navigate", hears);
    return () => {
      navigation.removeEventListener("navigate", hears);
    };
  }, []);
}

/** Changes the query of this page; null takes a name away. */
export function setQuery(changes: Readonly<Record<string, string | null>>, { replace = true } = {}): void {
  go(withQuery(changes), { replace });
}

/** The address of this page with another query. */
export function withQuery(changes: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") query.delete(name);
    else query.set(name, value);
  }
  const search = query.toString();
  return `${location.pathname}${search === "" ? "" : `?${search}`}`;
}

/** Follows the back button, and links to pages of the console without loading the document again. */
export function startRouter(): void {
  addEventListener("popstate", () => {
    address.value = current();
  });
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (link === null || link.origin !== location.origin || link.target !== "" || link.hasAttribute("download")) return;
    if (link.pathname.startsWith("/api/") || link.getAttribute("href")?.startsWith("#") === true) return;
    event.preventDefault();
    go(link.href);
  });
}

export function matching<T extends { pattern: string }>(
  routes: readonly T[],
  path: string,
): { route: T; params: Record<string, string> } | null {
  for (const route of routes) {
    const params = paramsOf(route.pattern, path);
    if (params !== null) return { route, params };
  }
  return null;
}

function paramsOf(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split("/");
  const given = path.replace(/(?<=.)\/$/, "").split("/");
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? "";
    if (part.startsWith(":") && value !== "") params[part.slice(1)] = decoded(value);
    else if (part !== value) return null;
  }
  return params;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
