import 'server-only';
import { browserName } from '../sign-in/browser-name.ts';
import { peerAddress } from '../sign-in/peer-address.ts';
import type { SessionOrigin } from '../sign-in/session.ts';

export function originOf(request: Request, isKept: boolean): SessionOrigin {
  return { browser: browserName(request.headers.get('user-agent')), address: peerAddress(request), isKept };
}
