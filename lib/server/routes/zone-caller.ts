import 'server-only';
import { roleMay } from '#lib/api/people/permission.ts';
import type { ZoneCaller } from '../zones/zone-rows.ts';
import { operatorOf, type Viewer } from './session-cookie.ts';

export function zoneCaller(viewer: Viewer): ZoneCaller {
  const { operator, session } = viewer;
  const name = session ? operator.name : '';
  return {
    owner: operatorOf(viewer),
    name,
    actor: name,
    isAdmin: roleMay(operator.role, 'administer'),
  };
}
