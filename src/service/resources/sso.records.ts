import type { NullableInt32, NullableString, NullableTime, Unwrapped } from "../responses/nullables.ts";

/** Attack Path Analysis Service API, section SAML provider. Instants are RFC 3339. */
export interface WireSamlProvider {
  id?: number;
  created_at?: string;
  updated_at?: string;
  deleted_at?: NullableTime;
  name?: string;
  display_name?: string;
  idp_issuer_uri?: string;
  idp_sso_uri?: string;
  principal_attribute_mappings?: string[];
  sp_issuer_uri?: string;
  sp_sso_uri?: string;
  sp_metadata_uri?: string;
  sp_acs_uri?: string;
  /** The single-sign-on provider that replaces this one. */
  sso_provider_id?: NullableInt32;
}
export type SamlProvider = Unwrapped<WireSamlProvider>;

/** Attack Path Analysis Service API, section User. Instants are RFC 3339. */
export interface WirePermission {
  id?: number;
  created_at?: string;
  updated_at?: string;
  deleted_at?: NullableTime;
  authority?: string;
  name?: string;
}
export type Permission = Unwrapped<WirePermission>;

export interface WireRole {
  id?: number;
  created_at?: string;
  updated_at?: string;
  deleted_at?: NullableTime;
  name?: string;
  description?: string;
  permissions?: WirePermission[];
}
export type Role = Unwrapped<WireRole>;

/** What the service says about a user's password; the secret itself is not in it. */
export interface WireAuthSecret {
  id?: number;
  created_at?: string;
  updated_at?: string;
  deleted_at?: NullableTime;
  digest_method?: string;
  expires_at?: string;
  totp_activated?: boolean;
}
export type AuthSecret = Unwrapped<WireAuthSecret>;

export interface WireUser {
  /** UUID. */
  id?: string;
  created_at?: string;
  updated_at?: string;
  deleted_at?: NullableTime;
  saml_provider_id?: NullableInt32;
  sso_provider_id?: NullableInt32;
  AuthSecret?: WireAuthSecret;
  roles?: WireRole[];
  first_name?: NullableString;
  last_name?: NullableString;
  email_address?: NullableString;
  principal_name?: string;
  last_login?: string;
  is_disabled?: boolean;
  eula_accepted?: boolean;
}
export type User = Unwrapped<WireUser>;
