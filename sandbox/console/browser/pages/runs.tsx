import type { JSX } from "preact";
import { PageHead } from "../parts/layout.tsx";
import { Loading } from "../parts/states.tsx";

export function RunsPage(): JSX.Element {
  return (
    <>
      <PageHead title="Runs" />
      <Loading />
    </>
  );
}
