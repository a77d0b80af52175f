'use client';

import { type Permission, roleMay } from '#lib/api/people/permission.ts';
import { useLookout } from './lookout-context.tsx';

/** Whether the operator may do this, as of the opening of the page. The server decides at each request. */
export function useMay(permission: Permission): boolean {
  const { operator } = useLookout();
  return operator === undefined || roleMay(operator.role, permission);
}
