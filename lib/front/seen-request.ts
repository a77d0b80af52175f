// The head of a request as it arrived, before the front removed headers for Next. Only admins and commands read it.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { LOOKOUT_VERSION } from '#lib/version/lookout-version.ts';

export interface SeenRequest {
  /** Address of the connection: of the nearest proxy, if there is one. */
  readonly peer: string;
  /** Address that the request counts for. */
  readonly client: string;
  readonly host: string;
  readonly hasForwardedFor: boolean;
  /** Null without `X-Forwarded-Proto`. */
  readonly forwardedProto: string | null;
  /** The version that answers. */
  readonly version: string;
}

/** The page of the doctor reads it there. Clients may not send it. */
export const SEEN_HEADER = 'x-lookout-seen';
const SEEN_BY = '/api/admin/doctor';
/** Longer than a command takes, and than two clocks of one machine differ. */
const PROOF_MS = 60_000;
const PROTO_MAX_LENGTH = 32;

export function seenRequest({ socket, headers }: IncomingMessage, client: string): SeenRequest {
  const proto = [headers['x-forwarded-proto']].flat().join(',');
  return {
    peer: socket.remoteAddress ?? 'unknown',
    client,
    host: headers.host ?? '',
    hasForwardedFor: headers['x-forwarded-for'] !== undefined,
    forwardedProto: proto === '' ? null : proto.slice(0, PROTO_MAX_LENGTH),
    version: LOOKOUT_VERSION,
  };
}

/** Call it before `prepareForNext`, and set the header after it. */
export function seenForDoctor(request: IncomingMessage, client: string): string | undefined {
  const path = request.url?.split('?', 1)[0];
  return path === SEEN_BY ? encodeURIComponent(JSON.stringify(seenRequest(request, client))) : undefined;
}

export function readSeen(headers: Headers): SeenRequest | undefined {
  const header = headers.get(SEEN_HEADER);
  return header === null ? undefined : (JSON.parse(decodeURIComponent(header)) as SeenRequest);
}

/** `Authorization` of a command that can read the secret of sessions, and so may read the head of its request. */
export function doctorProof(secret: string, atMs: number): string {
  return `Lookout-Doctor ${atMs}.${digestOf(secret, atMs).toString('hex')}`;
}

export function isDoctorProof(header: string | undefined, secret: string, nowMs: number): boolean {
  const [, at, digest = ''] = /^Lookout-Doctor (\d{1,15})\.([0-9a-f]{64})$/.exec(header ?? '') ?? [];
  if (at === undefined || Math.abs(Number(at) - nowMs) > PROOF_MS) return false;
  return timingSafeEqual(Buffer.from(digest, 'hex'), digestOf(secret, Number(at)));
}

function digestOf(secret: string, atMs: number): Buffer {
  return createHmac('sha256', secret).update(`lookout doctor ${atMs}`).digest();
}
