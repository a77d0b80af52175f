import 'server-only';

/** Set by our own server from the socket, over anything that the client sent under this name (scripts/app-server.ts). */
const PEER_ADDRESS_HEADER = 'x-lookout-peer';

/** The address at the other end of the connection. X-Forwarded-For is whatever the client wrote, and is not asked. */
export function peerAddress(request: Request): string {
  return request.headers.get(PEER_ADDRESS_HEADER) ?? 'unknown';
}
