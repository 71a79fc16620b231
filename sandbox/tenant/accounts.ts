import { seededRandom, seededUuid } from "./dataset/random.ts";
import { NEVER, NOT_DELETED, type WireNullableInt32, type WireNullableString } from "./wire.ts";

interface Stamped {
  created_at: string;
  updated_at: string;
  deleted_at: typeof NOT_DELETED;
}

export interface SamlProvider extends Stamped {
  id: number;
  name: string;
  display_name: string;
  idp_issuer_uri: string;
  idp_sso_uri: string;
  principal_attribute_mappings: string[];
  sp_issuer_uri: string;
  sp_sso_uri: string;
  sp_metadata_uri: string;
  sp_acs_uri: string;
  sso_provider_id: WireNullableInt32;
}

export interface Account extends Stamped {
  id: string;
  saml_provider_id: WireNullableInt32;
  sso_provider_id: WireNullableInt32;
  AuthSecret: (Stamped & { id: number; digest_method: string; expires_at: string; totp_activated: boolean }) | null;
  roles: (Stamped & { id: number; name: string; description: string; permissions: Permission[] })[];
  first_name: WireNullableString;
  last_name: WireNullableString;
  email_address: WireNullableString;
  principal_name: string;
  last_login: string;
  is_disabled: boolean;
  eula_accepted: boolean;
}

type Permission = Stamped & { id: number; authority: string; name: string };

/** Sign-on providers of the tenant and the users who sign on through them. */
export interface Accounts {
  samlProviders: SamlProvider[];
  users: Account[];
  /** The user that API tokens belong to. */
  self: Account;
}

const CREATED: Stamped = {
  created_at: "2025-03-01T08:00:00Z",
  updated_at: "2025-03-01T08:00:00Z",
  deleted_at: NOT_DELETED,
};
const PERMISSIONS = ["GraphDBRead", "AppReadApplicationConfiguration", "SavedQueriesRead"];

export function makeAccounts(): Accounts {
  const random = seededRandom(77);
  const samlProviders = [provider(1, "halden-idp", 11), provider(2, "fjord-idp", 12)];
  const user = (name: string, samlProvider: SamlProvider | null): Account =>
    account(name, seededUuid(random), samlProvider);
  const users = samlProviders.flatMap((saml) => [
    user(`auditor.${saml.name}`, saml),
    user(`analyst.${saml.name}`, saml),
  ]);
  const self = user("soar.integration", null);
  return { samlProviders, users: [...users, self], self };
}

function provider(id: number, name: string, ssoProviderId: number): SamlProvider {
  const base = `https://tenant.test/api/v2/sso/${name}`;
  return {
    id,
    ...CREATED,
    name,
    display_name: name.toUpperCase(),
    idp_issuer_uri: `https://${name}.test/issuer`,
    idp_sso_uri: `https://${name}.test/sso`,
    principal_attribute_mappings: ["emailaddress"],
    sp_issuer_uri: base,
    sp_sso_uri: `${base}/login`,
    sp_metadata_uri: `${base}/metadata`,
    sp_acs_uri: `${base}/acs`,
    sso_provider_id: { int32: ssoProviderId, valid: true },
  };
}

const text = (value: string): WireNullableString => ({ string: value, valid: value !== "" });

function account(name: string, id: string, saml: SamlProvider | null): Account {
  const permissions = PERMISSIONS.map((permission, index) => ({
    id: index + 1,
    ...CREATED,
    authority: permission.startsWith("GraphDB") ? "graphdb" : "app",
    name: permission,
  }));
  return {
    id,
    ...CREATED,
    saml_provider_id: saml === null ? { int32: 0, valid: false } : { int32: saml.id, valid: true },
    sso_provider_id: saml?.sso_provider_id ?? { int32: 0, valid: false },
    AuthSecret:
      saml === null ? { id: 5, ...CREATED, digest_method: "argon2", expires_at: NEVER, totp_activated: false } : null,
    roles: [{ id: 3, ...CREATED, name: "Auditor", description: "Can read everything", permissions }],
    first_name: text(name.split(".")[0] ?? ""),
    last_name: text(saml === null ? "" : saml.name),
    email_address: text(`${name}@tenant.test`),
    principal_name: name,
    last_login: "2026-01-10T07:30:00.25Z",
    is_disabled: false,
    eula_accepted: true,
  };
}

/** Removes the provider that fits and returns the users who lose their way to sign on; null when none fits. */
export function removeProvider(accounts: Accounts, fits: (provider: SamlProvider) => boolean): Account[] | null {
  const provider = accounts.samlProviders.find(fits);
  if (provider === undefined) return null;
  accounts.samlProviders = accounts.samlProviders.filter((other) => other !== provider);
  const affected = accounts.users.filter(
    (user) => user.saml_provider_id.valid && user.saml_provider_id.int32 === provider.id,
  );
  for (const user of affected) {
    user.saml_provider_id = { int32: 0, valid: false };
    user.sso_provider_id = { int32: 0, valid: false };
  }
  return affected;
}
