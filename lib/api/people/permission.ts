import * as z from 'zod/mini';

/** Ordered from the fewest permissions to all. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export const roleSchema = z.enum(ROLES);
export type Role = z.infer<typeof roleSchema>;

interface Row {
  /** The lowest role that has it; null: only tokens. */
  readonly role: Role | null;
  /** An admin can give it to a token. */
  readonly token?: true;
  /** The session of a wall has it. */
  readonly wall?: true;
}

/** The one table of permissions: a role is a set of rows, a token has the rows that it was given, and a wall those of walls. */
export const PERMISSIONS = {
  /** Live positions and trails. */
  'read-live': { role: 'viewer', token: true, wall: true },
  /** Zones, alarms and permits. */
  'read-alarms': { role: 'viewer', token: true, wall: true },
  /** The past: of a token within its requests a day. */
  'read-history': { role: 'viewer', token: true },
  /** States of the layers, maps, and overlays. */
  'read-state': { role: 'viewer', wall: true },
  /** Exports, overviews, incidents, places, and lists about alarms. */
  view: { role: 'viewer' },
  /** Own sessions, password, passkeys and saved views, and changing own overlays. */
  'own-affairs': { role: 'viewer' },
  /** Requests for the past where they use up an allowance, and retries of a refused layer. */
  spend: { role: 'operator' },
  /** Permits: of a token its own. */
  'write-permits': { role: 'operator', token: true },
  /** Own zones. */
  'write-zones': { role: 'operator', token: true },
  /** Acknowledging alarms. */
  acknowledge: { role: 'operator', token: true },
  /** Closing alarms, incidents, trials of zones, and notes for the next shift. */
  watch: { role: 'operator' },
  /** Operators, sessions, audit, allowance, receivers, outputs, zones of others. */
  administer: { role: 'admin' },
  /** `aircraft.json`: what is watched now, without requests of its own. */
  aircraft: { role: null, token: true },
  /** OGC API Features: what is watched now, without requests of its own. */
  features: { role: null, token: true },
  /** Opening one wall (`POST /api/session/wall`), and no other route. */
  wall: { role: null, token: true },
} as const satisfies Readonly<Record<string, Row>>;

export type Permission = keyof typeof PERMISSIONS;
export type TokenPermission = {
  [Name in Permission]: (typeof PERMISSIONS)[Name] extends { readonly token: true } ? Name : never;
}[Permission];

const rows: Readonly<Record<Permission, Row>> = PERMISSIONS;

export const TOKEN_PERMISSIONS = (Object.keys(rows) as Permission[]).filter(
  (name): name is TokenPermission => rows[name].token === true,
);

/** Without an allowance, a load of the past takes nothing from anyone. */
export function roleMayLoad(role: Role, hasAllowance: boolean): boolean {
  return !hasAllowance || roleMay(role, 'spend');
}

export function roleMay(role: Role, permission: Permission): boolean {
  const lowest = rows[permission].role;
  return lowest !== null && ROLES.indexOf(role) >= ROLES.indexOf(lowest);
}

export function wallMay(permission: Permission): boolean {
  return rows[permission].wall === true;
}
