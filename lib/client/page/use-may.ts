'use client';

import { type Permission, roleMay } from '#lib/api/people/permission.ts';
import { useLookout } from './lookout-context.tsx';

/** As of the opening of the page; the server decides at each request. */
export function useMay(permission: Permission): boolean {
  const { operator } = useLookout();
  return operator === undefined || roleMay(operator.role, permission);
}
