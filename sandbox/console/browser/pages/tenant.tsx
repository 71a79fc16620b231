import type { JSX } from "preact";
import { PageHead } from "../parts/layout.tsx";
import { Loading } from "../parts/states.tsx";

export function TenantPage(): JSX.Element {
  return (
    <>
      <PageHead title="Simulated tenant" />
      <Loading />
    </>
  );
}
