import { generateKeyPairSync, sign } from "node:crypto";

export interface CertificateOptions {
  /** IPv4 addresses the certificate is for; default 127.0.0.1. */
  addresses?: string[];
  /** Host names the certificate is for; default none. */
  names?: string[];
  /** Default: from yesterday until in a year. */
  notBefore?: Date;
  notAfter?: Date;
}

const DAY_MS = 86_400_000;
const ECDSA_WITH_SHA256 = oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02);
const COMMON_NAME = oid(0x55, 0x04, 0x03);
const SUBJECT_ALT_NAME = oid(0x55, 0x1d, 0x11);
const BASIC_CONSTRAINTS = oid(0x55, 0x1d, 0x13);

/**
 * A new key and a certificate that it signed itself (X.509, RFC 5280), in PEM. A client trusts it only when it is
 * given the certificate as a CA; an address, a name or a time that does not fit makes the other bad certificates.
 */
export function selfSignedCertificate(options: CertificateOptions = {}): { key: string; cert: string } {
  const { addresses = ["127.0.0.1"], names = [] } = options;
  const { notBefore = new Date(Date.now() - DAY_MS), notAfter = new Date(Date.now() + 365 * DAY_MS) } = options;
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = sequence(set(sequence(COMMON_NAME, utf8("Simulated tenant"))));
  const content = sequence(
    tagged(0xa0, integer(2)),
    integer(1 + Math.floor(Math.random() * 0x7fff_ffff)),
    sequence(ECDSA_WITH_SHA256),
    name,
    sequence(time(notBefore), time(notAfter)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(authority(), alternativeNames(addresses, names))),
  );
  const certificate = sequence(content, sequence(ECDSA_WITH_SHA256), bits(sign("sha256", content, privateKey)));
  return { key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(), cert: pem(certificate) };
}

function authority(): Buffer {
  const isAuthority = sequence(tagged(0x01, Buffer.from([0xff])));
  return sequence(BASIC_CONSTRAINTS, tagged(0x01, Buffer.from([0xff])), octets(isAuthority));
}

function alternativeNames(addresses: readonly string[], names: readonly string[]): Buffer {
  const entries = [
    ...addresses.map((address) => tagged(0x87, Buffer.from(address.split(".").map(Number)))),
    ...names.map((host) => tagged(0x82, Buffer.from(host))),
  ];
  return sequence(SUBJECT_ALT_NAME, octets(sequence(...entries)));
}

function tagged(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content]);
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

function sequence(...contents: Buffer[]): Buffer {
  return tagged(0x30, ...contents);
}

function set(...contents: Buffer[]): Buffer {
  return tagged(0x31, ...contents);
}

function oid(...bytes: number[]): Buffer {
  return tagged(0x06, Buffer.from(bytes));
}

/** A positive number below 2^31. */
function integer(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  const first = bytes.findIndex((byte) => byte !== 0);
  const short = bytes.subarray(first < 0 ? 3 : first);
  return tagged(0x02, (short[0] ?? 0) > 0x7f ? Buffer.concat([Buffer.from([0]), short]) : short);
}

function utf8(text: string): Buffer {
  return tagged(0x0c, Buffer.from(text));
}

function octets(content: Buffer): Buffer {
  return tagged(0x04, content);
}

function bits(content: Buffer): Buffer {
  return tagged(0x03, Buffer.from([0]), content);
}

/** UTCTime, which serves until 2049. */
function time(date: Date): Buffer {
  return tagged(0x17, Buffer.from(`${date.toISOString().slice(2, 19).replace(/[-:T]/g, "")}Z`));
}

function pem(der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}
