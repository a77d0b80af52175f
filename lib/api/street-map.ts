import * as z from 'zod/mini';

/** An admin fetches a street map: how large it is, how far it is, and what became of it. */

const STREET_MAP_RADIUS_KM = { min: 1, max: 100 } as const;

export const streetMapRequestSchema = z.strictObject({
  lat: z.number().check(z.gte(-85), z.lte(85)),
  lon: z.number().check(z.gte(-180), z.lte(180)),
  radius_km: z.int().check(z.gte(STREET_MAP_RADIUS_KM.min), z.lte(STREET_MAP_RADIUS_KM.max)),
  /** false: only the size is read. */
  fetch: z.boolean(),
});
export type StreetMapRequest = z.infer<typeof streetMapRequestSchema>;

export const streetMapSizeSchema = z.object({
  /** The name that the map will have. */
  map: z.string(),
  /** The archive that it is cut from. */
  source: z.string(),
  /** The archive's own words about its data, such as its owners; null if it has none. */
  attribution: z.nullable(z.string()),
  bytes: z.int(),
  tiles: z.int(),
  requests: z.int(),
  max_zoom: z.int(),
});
export type StreetMapSize = z.infer<typeof streetMapSizeSchema>;

export const streetMapStateSchema = z.object({
  /** null where no source is set: a map cannot be fetched. */
  source: z.nullable(z.string()),
  /** Since the server's start. `measuring`: its size is being read. */
  state: z.enum(['idle', 'measuring', 'fetching', 'done', 'failed', 'cancelled']),
  /** null before the first one. */
  size: z.nullable(streetMapSizeSchema),
  bytes_done: z.int(),
  /** A sentence; null unless it failed. */
  problem: z.nullable(z.string()),
});
export type StreetMapState = z.infer<typeof streetMapStateSchema>;
