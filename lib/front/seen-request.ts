// The head of a request as it arrived, before the front removed headers for Next, for the doctor alone.
import type { IncomingMessage } from 'node:http';

export interface SeenRequest {
  /** Address of the connection: of the nearest proxy, if there is one. */
  readonly peer: string;
  /** Address that the request counts for. */
  readonly client: string;
  readonly host: string;
  readonly hasForwardedFor: boolean;
  /** Null without `X-Forwarded-Proto`. */
  readonly forwardedProto: string | null;
}

/** Clients may not send it. */
export const SEEN_HEADER = 'x-lookout-seen';
const SEEN_BY = '/api/admin/doctor';

/** The header’s value; `undefined` for other routes. */
export function seenForDoctor({ url, socket, headers }: IncomingMessage, client: string): string | undefined {
  if (url?.split('?', 1)[0] !== SEEN_BY) return undefined;
  const seen: SeenRequest = {
    peer: socket.remoteAddress ?? 'unknown',
    client,
    host: headers.host ?? '',
    hasForwardedFor: headers['x-forwarded-for'] !== undefined,
    forwardedProto: headers['x-forwarded-proto']?.toString() ?? null,
  };
  return encodeURIComponent(JSON.stringify(seen));
}

export function readSeen(headers: Headers): SeenRequest | undefined {
  const header = headers.get(SEEN_HEADER);
  return header === null ? undefined : (JSON.parse(decodeURIComponent(header)) as SeenRequest);
}
