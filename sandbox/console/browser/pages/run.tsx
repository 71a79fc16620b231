import type { JSX } from "preact";
import { PageHead } from "../parts/layout.tsx";
import { Loading } from "../parts/states.tsx";

export function RunPage(): JSX.Element {
  return (
    <>
      <PageHead title="Run" />
      <Loading />
    </>
  );
}
