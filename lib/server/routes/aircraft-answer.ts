import 'server-only';
import { ApiError } from '#lib/api/error-code.ts';
import { RECEIVED_ONLY } from '#lib/api/outputs/read-token.ts';
import { aircraftOf, secondsOf } from '#lib/outputs/aircraft.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { currentPositions } from '../outputs/current-positions.ts';
import type { TokenGrant } from '../read-access/read-tokens.ts';
import { runtime } from '../runtime.ts';

/** `aircraft.json` of readsb. Lookout receives no Mode S: `messages` counts positions. */
export function aircraftAnswer({ area, altitude_as }: TokenGrant): Response {
  const { now, positions, watched, not_watched, observed } = currentPositions(runtime(), area);
  const aircraft = aircraftOf(positions, { now, altitudeAs: altitude_as });
  return Response.json({
    now: secondsOf(now),
    messages: observed,
    note: RECEIVED_ONLY,
    watched,
    not_watched,
    aircraft,
  });
}

/** The share of a token's uses that one page of tar1090 takes. */
const PAGE_SHARE = 1 / 2;

/** `receiver.json` of readsb, without a place: Lookout states none of a station. */
export function receiverAnswer({ requests_a_minute }: TokenGrant): Response {
  const refresh = Math.ceil(Math.max(SECOND_MS, MINUTE_MS / (requests_a_minute * PAGE_SHARE)));
  return Response.json({ version: 'Lookout', refresh, history: 0 });
}

/** Below the token, as readsb and tar1090 serve them. @throws ApiError for other files */
export function feedAnswer(request: Request, reader: TokenGrant): Response {
  const [, file] =
    /^\/api\/feeds\/[^/]+\/(?:data\/)?(aircraft|receiver)\.json$/.exec(new URL(request.url).pathname) ?? [];
  if (file === 'aircraft') return aircraftAnswer(reader);
  if (file === 'receiver') return receiverAnswer(reader);
  throw new ApiError('not_found', 'There are only aircraft.json and receiver.json here.');
}
