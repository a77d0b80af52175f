import * as z from 'zod/mini';
import type { Bbox } from '#lib/geo/bbox.ts';
import { cornersSchema } from '#lib/geo/corners.ts';
import { parseBbox } from '#lib/geo/parse-bbox.ts';
import { heightBandsOf } from '#lib/model/height-band.ts';
import { instantParameter, instantText, windowTexts } from '#lib/time/instant-schema.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { isTimeZone } from '#lib/time/time-zone.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';
import { layerSchema } from './layer-state.ts';

export const OVERVIEW_DAYS_MAX = 31;
/** Rows times columns of cells in an answer; larger boxes have larger cells. */
export const COVERAGE_CELLS_MAX = 20_000;

/**
 * Apart from the main figures. A position is counted once: as simulated, else as test, else as inconsistent (the label
 * of `confidence`).
 */
export const APART = ['simulated', 'test', 'inconsistent'] as const;
export type Apart = (typeof APART)[number];

const bbox = z.pipe(
  z.string(),
  z.transform((text: string, context): Bbox => {
    const parsed = parseBbox(text);
    if (parsed.ok) return parsed.bbox;
    context.issues.push({ code: 'custom', message: parsed.message, input: text });
    return z.NEVER;
  }),
);

const window = {
  /** RFC 3339 with a timezone; rounded down to a whole hour UTC. */
  start: instantParameter('start'),
  /** Exclusive; rounded up to a whole hour. At most 31 days after `start`. */
  end: instantParameter('end'),
};

/** Ids of height bands of the layer, separated by commas, which are added up; default: all heights. */
const band = z.optional(z.string().check(z.maxLength(80)));

/** Parts of the day that alone are counted. Night has hours from 20 to 6; work, from 8 to 18, Monday to Friday. */
export const TIMES_OF_DAY = ['night', 'work'] as const;
export type TimesOfDay = (typeof TIMES_OF_DAY)[number];

const times = {
  /** `night`: 20:00 to 06:00; `work`: 08:00 to 18:00, Monday to Friday. Other hours are left out. Default: all hours. */
  times: z.optional(z.enum(TIMES_OF_DAY)),
  /** IANA name, of the clock of `times`; default: UTC. An hour counts by its start. */
  time_zone: z.optional(
    z.string().check(z.refine(isTimeZone, { error: 'must be an IANA name, such as Europe/Zurich' })),
  ),
};

/** Without it, the answer is JSON. */
const format = z.optional(z.literal('csv', { error: 'must be csv' }));

const endsAfterStart = z.refine<Window>(
  (asked) => asked.end > asked.start && windowLengthMs(asked) <= OVERVIEW_DAYS_MAX * DAY_MS,
  { error: `end must be after start, by at most ${OVERVIEW_DAYS_MAX} days` },
);

/** `GET /api/overview/coverage` */
export const coverageQuerySchema = z
  .strictObject({
    ...window,
    layer: layerSchema,
    band,
    ...times,
    /** `W,S,E,N` in degrees; W > E crosses 180°. Default: the smallest box around everything watched or received. */
    bbox: z.optional(bbox),
    /** `measured`: cells at least as large as those in which reception is measured. Default: the smallest. */
    cells: z.optional(z.literal('measured', { error: 'must be measured' })),
    /** `csv`: the same as a file; default: JSON. */
    format,
  })
  .check(
    endsAfterStart,
    z.refine(({ layer, band }) => band === undefined || heightBandsOf(layer, band) !== undefined, {
      error: 'band must be ids of height bands of the layer, each once',
    }),
  );
export type CoverageQuery = z.infer<typeof coverageQuerySchema>;

/** `GET /api/overview/hours` */
export const overviewHoursQuerySchema = z
  .strictObject({
    ...window,
    /** Id of a zone; or `bbox`. */
    zone: z.optional(z.uuid({ error: 'must be the id of a zone' })),
    /** `W,S,E,N` in degrees; or `zone`. */
    bbox: z.optional(bbox),
    /** Default: both. */
    layer: z.optional(layerSchema),
    /** As of the coverage, with `layer`. */
    band,
    ...times,
    /** `csv`: the same as a file; default: JSON. */
    format,
  })
  .check(
    endsAfterStart,
    z.refine(({ zone, bbox: box }) => (zone === undefined) !== (box === undefined), {
      error: 'send zone or bbox, not both',
    }),
    z.refine(
      ({ layer, band }) => band === undefined || (layer !== undefined && heightBandsOf(layer, band) !== undefined),
      { error: 'band must be ids of height bands of the layer, each once' },
    ),
  );
export type OverviewHoursQuery = z.infer<typeof overviewHoursQuerySchema>;

const count = z.int().check(z.nonnegative());
const seconds = z.number().check(z.nonnegative());

const heightBandSchema = z.object({
  id: z.string(),
  field: z.enum(['height_agl_m', 'altitude_m']),
  /** The band includes it; null is no limit. */
  floor_m: z.nullable(z.number()),
  /** The band ends below it; null is no limit. */
  ceiling_m: z.nullable(z.number()),
});

/** Counts of all servers, on the upstream's clock. */
const tallied = {
  as_of: instantText,
  /** The window in whole hours. */
  ...windowTexts,
  /** The part of the day that was counted; null: all hours. */
  times: z.nullable(z.enum(TIMES_OF_DAY)),
  /** Of the clock of `times`. */
  time_zone: z.string(),
  /** The oldest hour that is kept; null: none. Earlier ones count as not watched. */
  kept_since: z.nullable(instantText),
  /** Counted so far, up to a minute ago. The time after it counts as not watched. null: nothing yet. */
  counted_until: z.nullable(instantText),
};

/** Cells are squares of `cell_deg` degrees; a cell's west edge is `column * cell_deg - 180`, its south edge `row * cell_deg - 90`. */
const cellDeg = z.number().check(z.positive());

/**
 * Columns of equal length, one entry a cell. Received: `positions` > 0. Watched and nothing received: no positions, but
 * `watched_s` or `partly_s` > 0. Cells that are absent were not watched, and nothing was received there.
 */
const cellsSchema = z.object({
  column: z.array(count),
  row: z.array(count),
  /** Counts received positions, each once, without simulated ones and tests. */
  positions: z.array(count),
  /** References received, counted once an hour and added up: divided by the hours watched, the mean at a time. */
  reference_hours: z.array(count),
  /** Seconds with reads at most 15 s apart, as the mean over the cell's area. */
  watched_s: z.array(seconds),
  /** Seconds with reads 15 to 60 s apart: positions may be missing. */
  partly_s: z.array(seconds),
  /** Positions that `positions` does not count. */
  simulated: z.array(count),
  test: z.array(count),
  inconsistent: z.array(count),
  /** Seconds between two receptions of a track, in steps of 10 s. null: not measured; the cells may be too small for it. */
  followed_s: z.array(z.nullable(seconds)),
  /** Those of `followed_s` with a reception. Its share is measured reception, and no probability. */
  received_s: z.array(z.nullable(seconds)),
});

/** `GET /api/overview/coverage` */
export const coverageSchema = z.object({
  ...tallied,
  layer: layerSchema,
  /** Of the layer: lowest first, the last is `unknown` (the field was null). */
  bands: z.array(heightBandSchema),
  /** null stands for all heights. */
  band: z.nullable(z.string()),
  /** The box of whole cells; null: nothing was watched or received. */
  bbox: z.nullable(cornersSchema),
  /** Width and height of a cell in degrees. */
  cell_deg: cellDeg,
  /** Below 1, `reference_hours` are estimates from this part of the references; positions are always exact. */
  references_sampled: z.number().check(z.positive(), z.maximum(1)),
  /** Watched time is missing, since more areas were read in an hour than are kept. */
  watched_cut: z.boolean(),
  cells: cellsSchema,
});
export type CoverageAnswer = z.infer<typeof coverageSchema>;
export type CoverageCells = CoverageAnswer['cells'];

const received = {
  /** Counts each position once. */
  positions: count,
  /** Counts distinct references within the hour and the area. */
  references: count,
  /** Standard error of `references`, where they are an estimate from a sample; null: exact. */
  references_error: z.nullable(z.number().check(z.nonnegative())),
};
const receivedSchema = z.object(received);

const overviewHourSchema = z.object({
  start: instantText,
  /** Seconds with reads at most 15 s apart and every receiver there, as the mean over the area. */
  watched_s: seconds,
  /** Seconds with reads 15 to 60 s apart: positions may be missing. */
  partly_s: seconds,
  /** Simulated positions and tests are counted apart. */
  ...received,
  simulated: receivedSchema,
  test: receivedSchema,
  inconsistent: receivedSchema,
  /** Positions of any place that were read in this hour, too late for the hour of their observation: counted nowhere else. */
  late: count,
  /** Watched time is missing, since more areas were read than are kept. */
  watched_cut: z.boolean(),
});
export type OverviewHour = z.infer<typeof overviewHourSchema>;

const layerHoursSchema = z.object({
  layer: layerSchema,
  /** Width and height of a cell in degrees: counts are of whole cells that the zone or box touches. */
  cell_deg: cellDeg,
  /** The box around these cells. */
  bbox: cornersSchema,
  /** Every hour of the window that `times` has, in order. */
  hours: z.array(overviewHourSchema),
});
export type LayerHours = z.infer<typeof layerHoursSchema>;

/** `GET /api/overview/hours` */
export const overviewHoursSchema = z.object({
  ...tallied,
  /** null stands for all heights. */
  band: z.nullable(z.string()),
  layers: z.array(layerHoursSchema),
});
export type OverviewHoursAnswer = z.infer<typeof overviewHoursSchema>;

/** `GET /api/overview/reception` */
export const receptionQuerySchema = z.strictObject({
  /** `W,S,E,N` in degrees; W > E crosses 180°. */
  bbox,
});

const layerReceptionSchema = z.object({
  layer: layerSchema,
  /** Width and height of a cell in degrees: figures are of whole cells that the area touches. */
  cell_deg: cellDeg,
  /** The box around these cells. */
  bbox: cornersSchema,
  /** Seconds with reads at most 15 s apart and every receiver there, as the mean over the area. */
  watched_s: seconds,
  /** Seconds with reads 15 to 60 s apart. */
  partly_s: seconds,
  /** Lowest first, the last is `unknown`. */
  bands: z.array(
    z.extend(heightBandSchema, {
      /** Received positions without simulated, test and inconsistent ones, which are `apart`. */
      positions: count,
      apart: count,
      /** As of the coverage. */
      followed_s: z.nullable(seconds),
      received_s: z.nullable(seconds),
    }),
  ),
});
export type LayerReception = z.infer<typeof layerReceptionSchema>;

/** Measured reception of an area. */
export const receptionSchema = z.object({
  as_of: instantText,
  /** 30 days before `end`. */
  start: instantText,
  /** As `as_of`. */
  end: instantText,
  layers: z.array(layerReceptionSchema),
});
export type ReceptionAnswer = z.infer<typeof receptionSchema>;

export const LOOKS = ['received', 'nothing_received', 'not_watched'] as const;
export type Look = (typeof LOOKS)[number];

/** Received without watched time has no rate: reads were further apart than a minute. */
export function lookOf(positions: number, watchedS: number, partlyS: number): Look {
  if (positions > 0) return 'received';
  return watchedS + partlyS > 0 ? 'nothing_received' : 'not_watched';
}
