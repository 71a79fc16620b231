import type { ComponentChildren, JSX } from "preact";
import { useErrorBoundary } from "preact/hooks";
import { Button, LinkButton } from "./button.tsx";
import { PageHead } from "./layout.tsx";
import { Empty } from "./states.tsx";

/** Says what to do when a page cannot be drawn; without it, the last drawing would stay and react to nothing. */
export function PageBoundary({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  const [error] = useErrorBoundary((thrown) => {
    reportError(thrown);
  }) as [unknown, () => void];
  if (error === undefined) return <>{children}</>;
  return (
    <>
      <PageHead title={title} />
      <Empty
        icon="warning"
        title="This page could not be shown."
        actions={
          <>
            <Button
              icon="repeat"
              look="primary"
              onPress={() => {
                location.reload();
              }}
            >
              Reload the page
            </Button>
            <LinkButton href="/">Go to Home</LinkButton>
          </>
        }
      >
        This is an error of the console. Nothing that is stored was changed. Reload the page. If it fails again, the
        browser's own console says why.
      </Empty>
    </>
  );
}
