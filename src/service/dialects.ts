/** How tenants of the same API differ. */
export interface Dialect {
  readonly name: string;
  /** Scheme word of the Authorization header in signed requests. */
  readonly signatureScheme: string;
  /** Comes after the kind in the path of a finding document. */
  readonly documentSuffix: string;
}

/** The Attack Path Analysis Service API as documented. */
const STANDARD: Dialect = { name: "standard", signatureScheme: "svcsignature", documentSuffix: "" };

/**
 * What tenants of BloodHound Enterprise use (BloodHound API, docs/openapi.json; the document names come from its release
 * notes).
 */
const BLOODHOUND_ENTERPRISE: Dialect = {
  name: "bloodhound-enterprise",
  signatureScheme: "bhesignature",
  documentSuffix: ".md",
};

function otherThan(dialect: Dialect): Dialect {
  return dialect === STANDARD ? BLOODHOUND_ENTERPRISE : STANDARD;
}

/**
 * The dialect that a client speaks with its tenant. It starts with the one that was remembered or that the host name
 * suggests, and changes at most once: when the tenant rejects the scheme word before it has accepted any, or when it has a
 * document only where the other dialect has it.
 */
export class TenantDialect {
  #current: Dialect;
  #isKnown = false;
  #isFinal = false;

  /** @param hostname - in lower case; public tenants of BloodHound Enterprise are `<name>.bloodhoundenterprise.io` */
  constructor(hostname: string) {
    this.#current = hostname.endsWith(".bloodhoundenterprise.io") ? BLOODHOUND_ENTERPRISE : STANDARD;
  }

  /** The dialect of the next request. */
  get current(): Dialect {
    return this.#current;
  }

  /** The name of the dialect that the tenant has accepted, now or when it was remembered; null while that is a guess. */
  get known(): string | null {
    return this.#isKnown ? this.#current.name : null;
  }

  /** Takes the dialect of this name for the tenant's, unless another one is final. An unknown name changes nothing. */
  remember(name: string | null): void {
    const remembered = [STANDARD, BLOODHOUND_ENTERPRISE].find((dialect) => dialect.name === name);
    if (remembered === undefined || (this.#isFinal && remembered !== this.#current)) return;
    this.#current = remembered;
    this.#isKnown = true;
  }

  /** The dialect in which to ask again for what is not there in this one; null when the tenant is known to speak this one. */
  insteadOf(dialect: Dialect): Dialect | null {
    if (dialect !== this.#current) return this.#current;
    return this.#isFinal ? null : otherThan(dialect);
  }

  /** The tenant accepted a request that only this dialect makes. */
  accept(dialect: Dialect): void {
    if (this.#isFinal && dialect !== this.#current) return;
    this.#current = dialect;
    this.#isKnown = true;
    this.#isFinal = true;
  }

  /**
   * The tenant rejected the scheme word of a request that was made in this dialect.
   *
   * @returns whether to send the request again, in `current`; never true twice for the same request
   */
  reject(dialect: Dialect): boolean {
    if (dialect !== this.#current) return true;
    if (this.#isFinal) return false;
    this.#current = otherThan(dialect);
    this.#isKnown = false;
    this.#isFinal = true;
    return true;
  }
}
