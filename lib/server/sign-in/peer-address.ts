import 'server-only';

/** Set by lib/front, which removes what clients write there. */
const PEER_ADDRESS_HEADER = 'x-lookout-peer';

export function peerAddress(request: Request): string {
  return request.headers.get(PEER_ADDRESS_HEADER) ?? 'unknown';
}
