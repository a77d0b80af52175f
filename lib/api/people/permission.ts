import * as z from 'zod/mini';

/** From the fewest permissions to all of them. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export const roleSchema = z.enum(ROLES);
export type Role = z.infer<typeof roleSchema>;

/** The lowest role with each permission: a role has all permissions of the roles before it. */
export const PERMISSIONS = {
  /** Live positions and trails, places and maps, the cached past, zones and alarms. */
  view: 'viewer',
  /** The operator's own sessions, password, passkeys, saved views and overlays. */
  'own-affairs': 'viewer',
  /** Upstream requests for the past, and retries of a refused layer. */
  spend: 'operator',
  /** The operator's own zones, and acknowledging and closing alarms. */
  watch: 'operator',
  /** Operators and their sessions, the audit, the allowance and the receivers; everyone's zones. */
  administer: 'admin',
} as const satisfies Readonly<Record<string, Role>>;

export type Permission = keyof typeof PERMISSIONS;

export function roleMay(role: Role, permission: Permission): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(PERMISSIONS[permission]);
}
