'use client';

import { type Permission, roleMay } from '#lib/api/people/permission.ts';
import { useLookout } from './lookout-context.tsx';

/** Whether whoever looks at the page may do this, as of when it was opened; the server decides at each request. */
export function useMay(permission: Permission): boolean {
  const { operator } = useLookout();
  return operator === undefined || roleMay(operator.role, permission);
}
