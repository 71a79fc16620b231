import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Navigation } from "./navigation.tsx";
import { LinkButton } from "./parts/button.tsx";
import { PageHead } from "./parts/layout.tsx";
import { PageToasts, Questions } from "./parts/dialog.tsx";
import { PageBoundary } from "./parts/page-boundary.tsx";
import { Empty } from "./parts/states.tsx";
import { refreshOverview } from "./overview.ts";
import { useResource } from "./resource.ts";
import { address, matching, subject } from "./router.ts";
import { isSignedIn } from "./session.ts";
import { routes } from "./routes.tsx";

/** Navigation, the page of the address, and what may appear above any page. */
export function App(): JSX.Element {
  const { path, query } = address.value;
  const found = matching(routes, path);
  const main = useRef<HTMLElement>(null);
  const title = found?.route.title ?? "Not found";
  const isFirst = useRef(true);
  const named = subject.value ?? title;
  useEffect(() => {
    document.title = `${named} · Attack Path Analysis console`;
  }, [named]);
  useEffect(() => {
    // A screen reader goes on with the new page; on the first one the browser does that by itself.
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [path]);
  useResource(refreshOverview, [], { on: ({ type }) => ["case", "run", "packages", "instances"].includes(type) });
  if (isSignedIn.value === false) return <SignedOut />;
  const Page = found?.route.page;
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <Navigation path={path} />
      <main id="main" ref={main} tabIndex={-1} aria-label={title}>
        {Page === undefined || found === null ? (
          <NotFound path={path} />
        ) : (
          <PageBoundary key={path} title={title}>
            <Page params={found.params} query={query} />
          </PageBoundary>
        )}
      </main>
      <Questions />
      <PageToasts />
    </div>
  );
}

function SignedOut(): JSX.Element {
  return (
    <main>
      <PageHead title="Attack Path Analysis" />
      <Empty icon="lock" title="This page is not signed in.">
        Open the URL that <code>npm start</code> has printed. Each start makes a new token, so an older page stops
        working.
      </Empty>
    </main>
  );
}

function NotFound({ path }: { path: string }): JSX.Element {
  return (
    <>
      <PageHead title="Not found" />
      <Empty icon="search" title="There is no such page." actions={<LinkButton href="/">Go to Home</LinkButton>}>
        <code>{path}</code> is not an address of the console.
      </Empty>
    </>
  );
}
