import * as z from 'zod/mini';

/** From the one that may least to the one that may all. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export const roleSchema = z.enum(ROLES);
export type Role = z.infer<typeof roleSchema>;

/** The lowest role that has each permission: a role has all permissions of those before it. The only such table. */
export const PERMISSIONS = {
  /** Live positions and trails, places and maps, and what is loaded of the past already. */
  view: 'viewer',
  /** One's own session, password and saved views. */
  'own-affairs': 'viewer',
  /** Requests to the upstream for the past, and trying again what it refused. */
  spend: 'operator',
  /** People, everybody's sessions, what was done, what is spent by whom, and how receivers stand. */
  administer: 'admin',
} as const satisfies Readonly<Record<string, Role>>;

export type Permission = keyof typeof PERMISSIONS;

export function roleMay(role: Role, permission: Permission): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(PERMISSIONS[permission]);
}
