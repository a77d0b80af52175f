import * as z from 'zod/mini';

/** Ordered from the fewest permissions to all. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export const roleSchema = z.enum(ROLES);
export type Role = z.infer<typeof roleSchema>;

/** The lowest role with each permission. */
export const PERMISSIONS = {
  /** Live positions, trails, places, maps, the cached past, zones and alarms. */
  view: 'viewer',
  /** Own sessions, password, passkeys, saved views and overlays. */
  'own-affairs': 'viewer',
  /** Requests for the past where they use up an allowance, and retries of a refused layer. */
  spend: 'operator',
  /** Own zones, and acknowledging and closing alarms. */
  watch: 'operator',
  /** Operators, sessions, audit, allowance, receivers, outputs, zones of others. */
  administer: 'admin',
} as const satisfies Readonly<Record<string, Role>>;

export type Permission = keyof typeof PERMISSIONS;

/** Without an allowance, a load of the past takes nothing from anyone. */
export function roleMayLoad(role: Role, hasAllowance: boolean): boolean {
  return !hasAllowance || roleMay(role, 'spend');
}

export function roleMay(role: Role, permission: Permission): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(PERMISSIONS[permission]);
}
