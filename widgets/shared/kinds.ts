/**
 * What stands for each kind of object: a line drawing of 24 by 24 units, and a colour, which is the token `--hue-<shape>`
 * of tokens.css. Needs no browser.
 */
export const shapes = {
  user: "M12 3.5a4 4 0 1 0 0 8 4 4 0 1 0 0-8M4 20.5c0-4.2 3.4-6.3 8-6.3s8 2.1 8 6.3z",
  group:
    "M8.5 5.5a3.2 3.2 0 1 0 0 6.4 3.2 3.2 0 1 0 0-6.4M2.5 19.5c0-3.4 2.5-5.1 6-5.1s6 1.7 6 5.1zM16 4.9a2.7 2.7 0 1 1 0 5.6M17 13.6c2.8.3 4.5 2 4.5 4.9",
  computer: "M3 4.5h18v11.5H3zM8.5 20h7M12 16v4",
  domain: "M12 3a9 9 0 1 0 0 18 9 9 0 1 0 0-18M3 12h18M12 3c-4.7 4.6-4.7 13.4 0 18M12 3c4.7 4.6 4.7 13.4 0 18",
  policy: "M6 3h8.5L18 6.5V21H6zM9 10.5h6M9 14h6M9 17.5h4",
  container: "M3 6h6.5l2 2.5H21V19H3z",
  certificate: "M12 3.5a5 5 0 1 0 0 10 5 5 0 1 0 0-10M9 13.2 7.5 21l4.5-2.3 4.5 2.3-1.5-7.8",
  application: "M4 4h6.5v6.5H4zM13.5 4H20v6.5h-6.5zM4 13.5h6.5V20H4zM13.5 13.5H20V20h-6.5z",
  vault: "M8 11.5a4 4 0 1 0 0 8 4 4 0 1 0 0-8M11 12.7 20 4M16.2 7.8l3 3M13.6 10.3l2 2",
  role: "M12 3l7.5 2.8v5.7c0 4.6-3 7.9-7.5 9.5-4.5-1.6-7.5-4.9-7.5-9.5V5.8z",
  other: "M12 3.5l8.5 8.5-8.5 8.5L3.5 12z",
} as const;

export type Shape = keyof typeof shapes;

/** Kinds of objects as the service names them, without the AZ in front of those from Azure. */
const shapeOfKind: Readonly<Record<string, Shape>> = {
  User: "user",
  Group: "group",
  ADLocalGroup: "group",
  Computer: "computer",
  Device: "computer",
  VM: "computer",
  VMScaleSet: "computer",
  ManagedCluster: "computer",
  Domain: "domain",
  Tenant: "domain",
  GPO: "policy",
  IssuancePolicy: "policy",
  OU: "container",
  Container: "container",
  ManagementGroup: "container",
  Subscription: "container",
  ResourceGroup: "container",
  ContainerRegistry: "container",
  AIACA: "certificate",
  RootCA: "certificate",
  EnterpriseCA: "certificate",
  NTAuthStore: "certificate",
  CertTemplate: "certificate",
  FederatedIdentityCredential: "certificate",
  App: "application",
  ServicePrincipal: "application",
  WebApp: "application",
  LogicApp: "application",
  FunctionApp: "application",
  AutomationAccount: "application",
  KeyVault: "vault",
  Role: "role",
};

/** The shape of a kind as the service names it; `other` when it is unknown. */
export function shapeOf(kind: string | null): Shape {
  const name = kind?.replace(/^AZ/, "") ?? "";
  return (Object.hasOwn(shapeOfKind, name) ? shapeOfKind[name] : undefined) ?? "other";
}
