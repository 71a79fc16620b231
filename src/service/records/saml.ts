import type { NullableInt32, NullableTime, Unwrapped } from "./nullables.ts";

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
