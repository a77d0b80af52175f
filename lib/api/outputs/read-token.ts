import * as z from 'zod/mini';
import { formatBbox } from '#lib/geo/bbox.ts';
import { boxFromCorners, cornersSchema } from '#lib/geo/corners.ts';
import { parseBbox } from '#lib/geo/parse-bbox.ts';
import { instantText } from '#lib/time/instant-schema.ts';
import { TOKEN_PERMISSIONS } from '../people/permission.ts';
import { shortName } from '../short-name.ts';

export const READ_TOKENS_MAX = 50;

export const REQUESTS_A_MINUTE = { default: 120, max: 1200 } as const;
export const HISTORY_A_DAY_MAX = 10_000;

/** Fields of aircraft.json, each with a datum of its own. */
export const ALTITUDE_FIELDS = ['alt_baro', 'alt_geom'] as const;

const scopes = z.array(z.enum(TOKEN_PERMISSIONS)).check(
  z.minLength(1),
  z.refine((all) => new Set(all).size === all.length, { error: 'repeats a scope' }),
);
const altitudeAs = z.nullable(z.enum(ALTITUDE_FIELDS));
const end = z.nullable(instantText);
const area = z.nullable(
  cornersSchema.check(
    z.refine((box) => parseBbox(formatBbox(boxFromCorners(box))).ok, {
      error: 'must be a box: west, south, east, north in degrees',
    }),
  ),
);

const requestsAMinute = z.int().check(z.gte(1), z.lte(REQUESTS_A_MINUTE.max));
const historyADay = z.int().check(z.gte(0), z.lte(HISTORY_A_DAY_MAX));

export const newReadTokenSchema = z
  .strictObject({
    /** 1 to 80 characters, unique. A later token of this name owns what an earlier one wrote. */
    name: shortName,
    /** Its permissions. `wall` stands alone. */
    scopes,
    /** Nothing outside is read or written; null: everywhere. */
    area: z._default(area, null),
    /** The field of aircraft.json for `altitude_m` in feet, though its datum is unknown; null: none. */
    altitude_as: z._default(altitudeAs, null),
    /** When it ends by the server's clock; null where only revoking ends it. */
    ends_at: z._default(end, null),
    /** How often it may be used at each server; a sixth of it at once after a pause. */
    requests_a_minute: z._default(requestsAMinute, REQUESTS_A_MINUTE.default),
    /** With `read-history`: its requests to the upstream in a day of UTC; 0: only what is stored. */
    history_requests_a_day: z._default(historyADay, 0),
    /** With `wall`: the shared view that it shows. */
    view: z._default(z.nullable(z.uuid()), null),
  })
  .check(
    z.refine(({ scopes: all }) => !all.includes('wall') || all.length === 1, { error: 'scopes: a wall has no other' }),
    z.refine(({ scopes: all, view }) => all.includes('wall') === (view !== null), {
      error: 'view: a wall has one, and no other token',
    }),
    z.refine(({ area: box, view }) => box === null || view === null, { error: 'area: a wall has that of its view' }),
  );
export type NewReadToken = z.infer<typeof newReadTokenSchema>;

const readTokenSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  scopes,
  area: z.nullable(cornersSchema),
  altitude_as: altitudeAs,
  requests_a_minute: requestsAMinute,
  history_requests_a_day: historyADay,
  view: z.nullable(z.uuid()),
  made_at: instantText,
  /** '' where there is no sign-in. */
  made_by: z.string(),
  ends_at: end,
  /** When it was used last, to the minute; null where it never was. */
  used_at: z.nullable(instantText),
});
export type ReadToken = z.infer<typeof readTokenSchema>;

export const readTokensSchema = z.object({
  /** The oldest token is first. */
  tokens: z.array(readTokenSchema),
  /** The server's time. */
  as_of: instantText,
});
export type ReadTokensAnswer = z.infer<typeof readTokensSchema>;

export const madeReadTokenSchema = z.object({
  token: readTokenSchema,
  /** Only this answer contains it: Lookout keeps a digest. */
  secret: z.string(),
});
export type MadeReadToken = z.infer<typeof madeReadTokenSchema>;

/** Every output that has positions contains it. */
export const RECEIVED_ONLY =
  'Received positions only, where Lookout watches now: an empty answer or area does not mean that nothing is there. Not for collision avoidance. Redistribution needs the agreement of the upstream.';
