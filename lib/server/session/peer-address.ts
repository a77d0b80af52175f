import 'server-only';

/** Set by our own server from the socket, replacing anything that the client sent (scripts/app-server.ts). */
const PEER_ADDRESS_HEADER = 'x-lookout-peer';

/** The address of the connection's other end. X-Forwarded-For is ignored, because the client can write anything there. */
export function peerAddress(request: Request): string {
  return request.headers.get(PEER_ADDRESS_HEADER) ?? 'unknown';
}
