import * as z from 'zod/mini';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { parseDecimal } from '#lib/geo/parse-decimal.ts';

const PLACE_KINDS = ['place', 'airport', 'heliport', 'seaplane_base', 'balloonport'] as const;

export const PLACES_MAX_RESULTS = 20;
const WORDS_MAX = 8;

/** Places are near up to this distance. */
export const NEAR_PLACES_MAX_M = 30_000;

/** `GET /api/places` */
export const placesQuerySchema = z
  .strictObject({
    /** 2 to 100 characters, at most 8 words; each word is the start of a word in name, code, city or country. */
    q: z.optional(
      z.string().check(
        z.maxLength(100, { error: 'at most 100 characters' }),
        z.refine((text) => (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= 2, {
          error: 'write at least two letters or digits of a name or a code',
        }),
        // A word blocks the event loop for up to 3 ms.
        z.refine((text) => (text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) <= WORDS_MAX, {
          error: `at most ${WORDS_MAX} words`,
        }),
      ),
    ),
    /** `LAT,LON` instead of `q`: airports in use and towns within 30 km, the nearest first, airports before towns. */
    near: z.optional(
      z
        .string()
        .check(z.refine((text) => nearPlace(text) !== undefined, { error: 'must be a place such as 47.458,8.548' })),
    ),
  })
  .check(z.refine(({ q, near }) => (q === undefined) !== (near === undefined), { error: 'write either q or near' }));

export function nearPlace(text: string): LonLat | undefined {
  const [lat, lon, ...rest] = text.split(',').map(parseDecimal);
  if (lat === undefined || lon === undefined || rest.length > 0) return undefined;
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lon, lat } : undefined;
}

const foundPlaceSchema = z.object({
  kind: z.enum(PLACE_KINDS),
  name: z.string(),
  /** ICAO code (or the local one) and IATA code; empty for a place. */
  codes: z.array(z.string()),
  /** The municipality of an airport, if known. */
  city: z.nullable(z.string()),
  /** ISO 3166-1 alpha-2. */
  country: z.string(),
  /** Inhabitants of a place, if known. */
  population: z.nullable(z.int()),
  /** The airport is no longer in use. */
  closed: z.boolean(),
  /** The airport is large or medium. */
  major: z.boolean(),
  lat: z.number(),
  lon: z.number(),
  /** Runways of an airport whose two ends are known. */
  runways: z.array(
    z.object({
      /** Both ends as painted: `14/32`. */
      name: z.string(),
      /** WGS84 [longitude, latitude] of its two ends. */
      ends: z.tuple([z.tuple([z.number(), z.number()]), z.tuple([z.number(), z.number()])]),
    }),
  ),
});

export type FoundPlace = z.infer<typeof foundPlaceSchema>;
export type FoundRunway = FoundPlace['runways'][number];

/** `GET /api/places` */
export const placesAnswerSchema = z.object({
  /** The best matches first, at most 20. */
  results: z.array(foundPlaceSchema).check(z.maxLength(PLACES_MAX_RESULTS)),
  /** There are more matches than `results`. */
  more: z.boolean(),
  /** Number of places and airports in the index. */
  searched: z.object({ places: z.int(), airports: z.int() }),
});

export type PlacesAnswer = z.infer<typeof placesAnswerSchema>;
