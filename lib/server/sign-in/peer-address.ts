import 'server-only';

/** Set by the front, which takes away what clients write there (lib/front/front.ts). */
const PEER_ADDRESS_HEADER = 'x-lookout-peer';

/** The sender of a request: the nearest address that is no trusted proxy. */
export function peerAddress(request: Request): string {
  return request.headers.get(PEER_ADDRESS_HEADER) ?? 'unknown';
}
