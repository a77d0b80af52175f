import * as z from 'zod/mini';
import { formatBbox } from '#lib/geo/bbox.ts';
import { boxFromCorners, cornersSchema } from '#lib/geo/corners.ts';
import { parseBbox } from '#lib/geo/parse-bbox.ts';
import { instantText } from '#lib/time/instant-schema.ts';
import { shortName } from '../short-name.ts';

export const READ_TOKENS_MAX = 50;

export const READ_SCOPES = ['aircraft', 'features'] as const;
export type ReadScope = (typeof READ_SCOPES)[number];

/** Fields of aircraft.json, each with a datum of its own. */
export const ALTITUDE_NAMES = ['alt_baro', 'alt_geom'] as const;

const fields = {
  /** Which outputs it opens. */
  scopes: z.array(z.enum(READ_SCOPES)).check(
    z.minLength(1),
    z.refine((scopes) => new Set(scopes).size === scopes.length, { error: 'repeats a scope' }),
  ),
  /** Nothing outside is served; null: everywhere. */
  area: z.nullable(cornersSchema),
  /** aircraft.json repeats `altitude_m`, whose datum is unknown, in feet under this name; null: it does not. */
  altitude_as: z.nullable(z.enum(ALTITUDE_NAMES)),
  /** By this server's clock; null: until revoked. */
  ends_at: z.nullable(instantText),
};

export const newReadTokenSchema = z.strictObject({
  name: shortName,
  scopes: fields.scopes,
  area: z._default(
    z.nullable(
      cornersSchema.check((payload) => {
        const parsed = parseBbox(formatBbox(boxFromCorners(payload.value)));
        if (!parsed.ok) payload.issues.push({ code: 'custom', message: parsed.message, input: payload.value });
      }),
    ),
    null,
  ),
  altitude_as: z._default(fields.altitude_as, null),
  ends_at: z._default(fields.ends_at, null),
});
export type NewReadToken = z.infer<typeof newReadTokenSchema>;

const readTokenSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  ...fields,
  made_at: instantText,
  /** '' without sign-in. */
  made_by: z.string(),
  /** To a minute; null: never. */
  used_at: z.nullable(instantText),
});
export type ReadToken = z.infer<typeof readTokenSchema>;

export const readTokensSchema = z.object({
  /** Oldest first. */
  tokens: z.array(readTokenSchema),
  /** The server's time. */
  as_of: instantText,
});
export type ReadTokens = z.infer<typeof readTokensSchema>;

export const madeReadTokenSchema = z.object({
  token: readTokenSchema,
  /** Only in this answer: Lookout keeps a digest. */
  secret: z.string(),
});
export type MadeReadToken = z.infer<typeof madeReadTokenSchema>;
