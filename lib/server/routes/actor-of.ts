import 'server-only';
import type { Actor } from '../audit/audit-row.ts';
import { peerAddress } from '../sign-in/peer-address.ts';
import type { RouteRequest } from './route.ts';
import type { Viewer } from './session-cookie.ts';

export function actorOf({
  request,
  requestId,
  viewer,
}: RouteRequest & { readonly viewer?: Pick<Viewer, 'operator'> }): Actor {
  return { operator: viewer?.operator ?? null, address: peerAddress(request), requestId };
}
