import { z } from 'zod';
import { COORDINATE_NOTATIONS } from '#lib/geo/coordinate-text.ts';
import { CLOCK_ZONES } from '#lib/model/clock-text.ts';
import { UNIT_SYSTEMS } from '#lib/model/units.ts';
import { arrangedColumns, DEFAULT_COLUMNS } from '#lib/picture/table-columns.ts';

export const LABEL_LEVELS = ['off', 'reference', 'full'] as const;
export const TRAIL_LEVELS = ['off', 'selected', 'all'] as const;
/** How far speed vectors reach ahead, in minutes; 0 is off. */
export const VECTOR_MINUTES = [0, 1, 2, 5] as const;
/** How often changes are read out at most, in seconds; 0 is never. */
export const SPOKEN_EVERY_S = [0, 15, 30, 60] as const;
/** Of marks, and of their labels. */
const MAP_SIZES = ['small', 'normal', 'large'] as const;
/** How far the ground is moved out of the way of what is on it. */
export const MAP_DIMMINGS = ['none', 'half', 'strong'] as const;
export type MapDimming = (typeof MAP_DIMMINGS)[number];
/** The height of the table's rows. */
export const DENSITIES = ['comfortable', 'compact'] as const;
export const THEMES = ['system', 'dark', 'light'] as const;

export const MAX_RING_RADII = 12;
/** In any unit of distance. */
export const MAX_RING_RADIUS = 5000;
const radii = z.array(z.number().positive().max(MAX_RING_RADIUS)).min(1).max(MAX_RING_RADII);

/** An operator's preferences, stored in the browser. Each unreadable value falls back to its default. */
export const preferencesSchema = z.object({
  theme: z.enum(THEMES).catch('system'),
  units: z.enum(UNIT_SYSTEMS).catch('metric'),
  zone: z.enum(CLOCK_ZONES).catch('utc'),
  labels: z.enum(LABEL_LEVELS).catch('reference'),
  /** Which tracks have a trail. */
  trails: z.enum(TRAIL_LEVELS).catch('selected'),
  legendOpen: z.boolean().catch(true),
  panelOpen: z.boolean().catch(true),
  /** Names of the first visit's hints that were dismissed. */
  hintsSeen: z.array(z.string()).readonly().catch([]),
  singleKeys: z.boolean().catch(true),
  /** Whether each value of the selected track is explained in one line. */
  fieldNotes: z.boolean().catch(true),
  /** Radii of range rings: km, nm or mi. */
  ringRadii: z
    .object({
      metric: radii.catch([1, 2, 5, 10]),
      aviation: radii.catch([1, 2, 5, 10]),
      imperial: radii.catch([0.5, 1, 2, 5]),
    })
    .catch({ metric: [1, 2, 5, 10], aviation: [1, 2, 5, 10], imperial: [0.5, 1, 2, 5] }),
  /** How the place under the pointer is written. */
  coordinates: z.enum(COORDINATE_NOTATIONS).catch('decimal'),
  graticule: z.boolean().catch(true),
  /** The map of one's own region that was chosen; null is the built-in map alone. */
  map: z.string().nullable().optional().catch(undefined),
  /** By the name of the map; BUILT_IN_MAP for the built-in one alone. */
  mapDimming: z.record(z.string(), z.enum(MAP_DIMMINGS).catch('none')).catch({}),
  vectorMinutes: z.literal(VECTOR_MINUTES).catch(0),
  spokenEveryS: z.literal(SPOKEN_EVERY_S).catch(30),
  /** Whether the table begins with the emergencies, whatever it is sorted by. */
  emergenciesFirst: z.boolean().catch(true),
  /** Every column of the table, in order. */
  tableColumns: z
    .array(z.object({ name: z.string(), isShown: z.boolean() }))
    .transform(arrangedColumns)
    .catch(DEFAULT_COLUMNS),
  tableDensity: z.enum(DENSITIES).catch('comfortable'),
  /** Whether aircraft and drones have a heading each. */
  tableGrouped: z.boolean().catch(false),
  markSize: z.enum(MAP_SIZES).catch('normal'),
  labelSize: z.enum(MAP_SIZES).catch('normal'),
});

export type Preferences = z.infer<typeof preferencesSchema>;

export const preferencesKey = 'lookout.preferences';

export const defaultPreferences: Preferences = preferencesSchema.parse({});

export function readPreferences(storage: Pick<Storage, 'getItem'>): Preferences {
  try {
    return preferencesSchema.parse(JSON.parse(storage.getItem(preferencesKey) ?? '{}'));
  } catch {
    return defaultPreferences;
  }
}

/** Ignores storage errors (private mode, storage full): the preferences then last for the visit. */
export function writePreferences(storage: Pick<Storage, 'setItem'>, preferences: Preferences): void {
  try {
    storage.setItem(preferencesKey, JSON.stringify(preferences));
  } catch {
    return;
  }
}
