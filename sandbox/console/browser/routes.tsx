import { CasePage } from "./pages/case.tsx";
import { CasesPage } from "./pages/cases.tsx";
import { ConnectorPage } from "./pages/connector.tsx";
import { ConnectorsPage } from "./pages/connectors.tsx";
import { HomePage } from "./pages/home.tsx";
import { InstancesPage } from "./pages/instances.tsx";
import { MarketplacePage } from "./pages/marketplace.tsx";
import { PlaybookRunPage } from "./pages/playbook-run.tsx";
import { PlaybooksPage } from "./pages/playbooks.tsx";
import { RunPage } from "./pages/run.tsx";
import { RunsPage } from "./pages/runs.tsx";
import { TenantPage } from "./pages/tenant.tsx";
import type { RouteEntry } from "./router.ts";

/** Every page of the console. */
export const routes: readonly RouteEntry[] = [
  { pattern: "/", title: "Home", page: HomePage },
  { pattern: "/cases", title: "Cases", page: CasesPage },
  { pattern: "/cases/:id", title: "Case", page: CasePage },
  { pattern: "/playbooks", title: "Playbooks", page: PlaybooksPage },
  { pattern: "/playbook-runs/:id", title: "Playbook run", page: PlaybookRunPage },
  { pattern: "/runs", title: "Runs", page: RunsPage },
  { pattern: "/runs/:id", title: "Run", page: RunPage },
  { pattern: "/connectors", title: "Connectors", page: ConnectorsPage },
  { pattern: "/connectors/:id", title: "Connector", page: ConnectorPage },
  { pattern: "/instances", title: "Instances", page: InstancesPage },
  { pattern: "/marketplace", title: "Marketplace", page: MarketplacePage },
  { pattern: "/tenant", title: "Tenant", page: TenantPage },
];
