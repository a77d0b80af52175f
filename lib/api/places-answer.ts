import * as z from 'zod/mini';

const PLACE_KINDS = ['place', 'airport', 'heliport', 'seaplane_base', 'balloonport'] as const;

export const PLACES_MAX_RESULTS = 20;

/** The query of `GET /api/places`. */
export const placesQuerySchema = z.strictObject({
  q: z.string().check(
    z.maxLength(100, { error: 'at most 100 characters' }),
    z.refine((text) => (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= 2, {
      error: 'write at least two letters or digits of a name or a code',
    }),
  ),
});

const foundPlaceSchema = z.object({
  kind: z.enum(PLACE_KINDS),
  name: z.string(),
  /** ICAO (or the local code where there is none) and IATA; empty for a place. */
  codes: z.array(z.string()),
  /** The municipality that an airport serves, if the source has it. */
  city: z.nullable(z.string()),
  /** ISO 3166-1 alpha-2. */
  country: z.string(),
  /** Of a place; null if not known. */
  population: z.nullable(z.int()),
  /** An airport that is no longer in use. */
  closed: z.boolean(),
  /** For airports: whether it is a large or medium one, and is seen from further away. */
  major: z.boolean(),
  lat: z.number(),
  lon: z.number(),
});

export type FoundPlace = z.infer<typeof foundPlaceSchema>;

/** `GET /api/places`: the best matches first. */
export const placesAnswerSchema = z.object({
  results: z.array(foundPlaceSchema).check(z.maxLength(PLACES_MAX_RESULTS)),
  /** Whether there are more matches than were sent. */
  more: z.boolean(),
  /** How many places and airports were searched. */
  searched: z.object({ places: z.int(), airports: z.int() }),
});

export type PlacesAnswer = z.infer<typeof placesAnswerSchema>;
