/** Results as the actions give them: what a domain of some size answers, and names that somebody chose to do harm. */

const sid = "S-1-5-21-2697957641-2271029196-387917394";

const jane = { objectId: `${sid}-2201`, name: "JANE.DOE@PHANTOM.CORP", kind: "User" };
const helpdesk = { objectId: `${sid}-1411`, name: "HELPDESK-TIER2@PHANTOM.CORP", kind: "Group" };
const server = { objectId: `${sid}-1607`, name: "SRV-FILE-07.PHANTOM.CORP", kind: "Computer" };
const policy = {
  objectId: "5C1D8F8E-7C0B-4E7E-9E2A-4B8C4C1F0A11",
  name: "WORKSTATION HARDENING@PHANTOM.CORP",
  kind: "GPO",
};
const admins = { objectId: `${sid}-512`, name: "DOMAIN ADMINS@PHANTOM.CORP", kind: "Group" };

const service = "https://tenant.example/ui/explore";
const files = { objectId: `${sid}-1412`, name: "FILE-OPERATORS@PHANTOM.CORP", kind: "Group" };
const backup = { objectId: `${sid}-1608`, name: "SRV-BACKUP-01.PHANTOM.CORP", kind: "Computer" };

export const pathFound = {
  exists: true,
  paths: [
    {
      start: jane,
      end: admins,
      status: "path",
      exists: true,
      length: 4,
      hops: [
        { from: jane, relation: "MemberOf", to: helpdesk },
        { from: helpdesk, relation: "AdminTo", to: server },
        { from: server, relation: "HasSession", to: policy },
        { from: policy, relation: "WriteAccountRestrictions", to: admins },
      ],
      alternatives: [
        { hop: 1, from: jane, relation: "MemberOf", to: files },
        { hop: 2, from: files, relation: "GenericAll", to: backup },
        { hop: 2, from: helpdesk, relation: "CanRDP", to: server },
        { hop: 3, from: backup, relation: "HasSession", to: policy },
      ],
      truncated: false,
      tierZero: [admins.objectId],
      url: `${service}?searchType=pathfinding&primarySearch=${jane.objectId}&secondarySearch=${admins.objectId}`,
    },
  ],
};

const nothing = { length: null, hops: [], alternatives: [], truncated: false };
const closed = { start: jane, end: admins, status: "no_path", exists: false, ...nothing };
export const unknown = {
  start: { objectId: null, name: "NOBODY", kind: null },
  end: admins,
  status: "unknown_object",
  exists: null,
  ...nothing,
  error: 'Start Node "NOBODY" was not found.',
};

export const noPath = { exists: false, paths: [closed] };

export const severalPairs = { exists: true, paths: [unknown, ...pathFound.paths, closed] };

export const ambiguous = {
  ...unknown,
  start: { objectId: null, name: "SVC-BACKUP", kind: null },
  status: "ambiguous_name",
  error: `Start Node "SVC-BACKUP" is ambiguous. Enter one of these object ids: ${sid}-3301, ${sid}-3302.`,
};
export const failed = {
  ...unknown,
  start: helpdesk,
  status: "failed",
  error: "The service had an internal error (500) on GET /api/v2/graphs/shortest-path, request id 0f6c1f9e.",
};
export const sameObject = {
  start: admins,
  end: admins,
  status: "path",
  exists: true,
  ...nothing,
  length: 0,
  tierZero: [admins.objectId],
};

export const relationshipOnly = {
  ...pathFound.paths[0]!,
  length: 1,
  hops: [{ from: jane, relation: "GetChanges", to: admins }],
  alternatives: [],
  givesControl: false,
};

/** As many pairs as asked for, every status among them, the worst ones not at the beginning. */
export function pairs(many: number): { exists: boolean; paths: object[] } {
  const [found] = pathFound.paths;
  const kinds = [closed, failed, unknown, found!, closed, ambiguous, { ...found!, tierZero: [] }, sameObject, closed];
  const paths = Array.from({ length: many }, (_, index) => {
    const pair = kinds[index % kinds.length]!;
    const name = pair.start.name.replace(/(?=@|$)/, `-${String(index).padStart(2, "0")}`);
    const start = pair === sameObject ? pair.start : { ...pair.start, name };
    return { ...pair, start };
  });
  return { exists: true, paths };
}

export const objects = {
  objects: [
    {
      name: "jane.doe@phantom.corp",
      status: "found",
      objectId: jane.objectId,
      type: "User",
      url: `${service}?searchType=node&primarySearch=${jane.objectId}`,
      candidates: [],
    },
    {
      name: "SVC-BACKUP",
      status: "ambiguous",
      objectId: null,
      type: null,
      candidates: [
        { objectId: `${sid}-3301`, name: "SVC-BACKUP@PHANTOM.CORP", type: "User" },
        {
          objectId: "0d0f7a4e-3df5-4a11-9f0e-7a2f5d3a6b10",
          name: "SVC-BACKUP@PHANTOM.CORP",
          type: "AZServicePrincipal",
        },
      ],
    },
    {
      name: "DOMAIN ADMINS",
      status: "not_found",
      objectId: null,
      type: null,
      candidates: [{ objectId: admins.objectId, name: "DOMAIN ADMINS@PHANTOM.CORP", type: "Group" }],
    },
    {
      name: "KV-PROD",
      status: "failed",
      objectId: null,
      type: null,
      error: "The service had an internal error (500) on GET /api/v2/search, request id 0f6c1f9e.",
      candidates: [],
    },
  ],
};

export const assets = {
  assets: [
    {
      objectId: admins.objectId,
      status: "found",
      kind: "Group",
      name: admins.name,
      tierZero: true,
      properties: {
        domain: "PHANTOM.CORP",
        distinguishedname: "CN=DOMAIN ADMINS,CN=USERS,DC=PHANTOM,DC=CORP",
        system_tags: "admin_tier_0",
        admincount: true,
        whencreated: 1577836800,
        description: null,
      },
      related: {
        members: {
          total: 1204,
          items: Array.from({ length: 25 }, (_, index) => ({
            objectId: `${sid}-${5000 + index}`,
            name: `OPERATOR-${String(index).padStart(2, "0")}@PHANTOM.CORP`,
            kind: index % 5 === 4 ? "Computer" : "User",
          })),
        },
        memberships: { total: 2, items: [files, helpdesk] },
        "admin-rights": {
          total: 871,
          items: null,
          error: "The service did not answer within 30 s on GET /api/v2/groups, request id 12ab.",
        },
      },
      url: `${service}?searchType=node&primarySearch=${admins.objectId}`,
      counts: {
        sessions: 3,
        members: 1204,
        membership: 2,
        adminRights: 871,
        rdpRights: 0,
        psRemoteRights: null,
        controllers: 12,
      },
    },
    {
      objectId: `${sid}-3301`,
      status: "found",
      kind: "User",
      name: "SVC-BACKUP@PHANTOM.CORP",
      properties: { enabled: false, hasspn: true, pwdneverexpires: true, lastlogon: -1, pwdlastset: 1609459200 },
      counts: { sessions: 0, groupMembership: 5, adminRights: 2, sqlAdmin: 0, gpos: null },
    },
    {
      objectId: "6b1f4c0e-2d5a-4c3b-8f2e-0a1b2c3d4e5f",
      status: "found",
      kind: "AZKeyVault",
      name: "KV-PROD",
      tierZero: true,
      properties: { tenantid: "9b8f2b6a-0c86-4c1c-8a87-3a6b8fb6d1f0", isTierZero: true },
      counts: {
        Readers: { KeyReaders: 2, CertificateReaders: 0, SecretReaders: 4, AllReaders: null },
        inbound_object_control: 11,
      },
    },
    { objectId: `${sid}-9999`, status: "not_found", kind: null, name: null, properties: {}, counts: {} },
    {
      objectId: `${sid}-4242`,
      status: "failed",
      kind: null,
      name: null,
      error: "The service did not answer within 30 s on GET /api/v2/users, request id 77aa.",
      properties: {},
      counts: {},
    },
  ],
};

/** As many assets as asked for, every status among them, the worst ones not at the beginning. */
export function manyAssets(many: number): { assets: object[] } {
  const [group, user, vault, notFound, failedAsset] = assets.assets;
  const kinds = [
    user!,
    vault!,
    failedAsset!,
    user!,
    group!,
    notFound!,
    user!,
    { ...vault!, tierZero: false, properties: {} },
  ];
  return {
    assets: Array.from({ length: many }, (_, index) => {
      const asset = kinds[index % kinds.length]!;
      const number = String(index).padStart(2, "0");
      const name = asset.name?.replace(/(?=@|$)/, `-${number}`) ?? null;
      return {
        ...asset,
        objectId: `${asset.objectId}${number}`,
        name,
        counts: { ...asset.counts, adminRights: index },
      };
    }),
  };
}

/** As many looked-up names as asked for, every status among them, the found ones first. */
export function manyObjects(many: number): { objects: object[] } {
  const kinds = objects.objects;
  return {
    objects: Array.from({ length: many }, (_, index) => {
      const object = kinds[index % kinds.length]!;
      return { ...object, name: `${object.name}-${String(index).padStart(2, "0")}` };
    }),
  };
}

export const hostileNames = [
  "</script><script>window.broken = true</script>",
  "<!--<script>",
  '<img src=x onerror="window.broken = true">',
  "`${window.broken = true}`",
  "\"');window.broken=true;//\\",
  "مدير النظام@EXAMPLE.LOCAL",
  "עברית \u202Egpj.exe@EXAMPLE",
  "nul\u0000 tab\t line\nseparator\u2028end\u007f",
  "zero\u200Bwidth",
  "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 👩‍💻",
  "W".repeat(5000),
  "[Event.name] {{mustache}} %s ${x} $&",
];

/** The results above with every name replaced by a hostile one. */
export function hostile(name: string): { paths: unknown; objects: unknown; assets: unknown } {
  const evil = { objectId: name, name, kind: name };
  return {
    paths: {
      exists: true,
      paths: [
        {
          start: evil,
          end: evil,
          status: "path",
          exists: true,
          length: 1,
          hops: [{ from: evil, relation: name, to: evil }],
          alternatives: [{ hop: 1, from: evil, relation: name, to: evil }],
          truncated: false,
          tierZero: [name],
          url: `javascript:window.broken = true//${name}`,
        },
        { start: evil, end: evil, status: name, exists: null, error: name, url: name },
      ],
    },
    objects: {
      objects: [
        {
          name,
          status: name,
          objectId: name,
          type: name,
          error: name,
          candidates: [{ objectId: name, name, type: name }],
        },
      ],
    },
    assets: {
      assets: [
        {
          objectId: name,
          status: "found",
          kind: name,
          name,
          properties: { [name]: name },
          counts: { [name]: 1 },
          related: { [name]: { total: 1, items: [evil] }, [`${name}2`]: { total: 2, items: null, error: name } },
          url: "javascript:window.broken = true",
        },
        { objectId: name, status: "failed", kind: name, name, error: name, properties: {}, counts: {} },
      ],
    },
  };
}
