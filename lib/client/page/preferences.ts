import * as z from 'zod/mini';
import { SPEEDS } from '#lib/api/address-state.ts';
import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
import { COORDINATE_NOTATIONS } from '#lib/geo/coordinate-text.ts';
import { parseBbox } from '#lib/geo/parse-bbox.ts';
import { CLOCK_ZONES } from '#lib/model/clock-text.ts';
import { UNIT_SYSTEMS } from '#lib/model/units.ts';
import { arrangedColumns, DEFAULT_COLUMNS } from '#lib/picture/table-columns.ts';
import { AUTO_LOAD_CHOICES, AUTO_LOAD_DEFAULT } from '../replay/automatic-load.ts';
import { REPLAY_MINUTES } from '../replay/window-form.ts';

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
const radius = z.number().check(z.positive(), z.maximum(MAX_RING_RADIUS));
const radii = z.array(radius).check(z.minLength(1), z.maxLength(MAX_RING_RADII));

const homeArea = z.pipe(
  z.object({ west: z.number(), south: z.number(), east: z.number(), north: z.number() }),
  z.transform((box: Bbox, { issues }) => {
    const parsed = parseBbox(formatBbox(box));
    if (parsed.ok) return parsed.bbox;
    issues.push({ code: 'custom', message: parsed.message, input: box });
    return z.NEVER;
  }),
);

/** An operator's preferences, stored in the browser. Each unreadable value falls back to its default. */
export const preferencesSchema = z.object({
  theme: z.catch(z.enum(THEMES), 'system'),
  units: z.catch(z.enum(UNIT_SYSTEMS), 'metric'),
  zone: z.catch(z.enum(CLOCK_ZONES), 'utc'),
  labels: z.catch(z.enum(LABEL_LEVELS), 'reference'),
  trails: z.catch(z.enum(TRAIL_LEVELS), 'selected'),
  legendOpen: z.catch(z.boolean(), true),
  panelOpen: z.catch(z.boolean(), true),
  /** Names of the first visit's hints that were dismissed. */
  hintsSeen: z.catch(z.readonly(z.array(z.string())), []),
  singleKeys: z.catch(z.boolean(), true),
  /** Whether each value of the selected track is explained in one line. */
  fieldNotes: z.catch(z.boolean(), false),
  /** Radii of range rings: km, nm or mi. */
  ringRadii: z.catch(
    z.object({
      metric: z.catch(radii, [1, 2, 5, 10]),
      aviation: z.catch(radii, [1, 2, 5, 10]),
      imperial: z.catch(radii, [0.5, 1, 2, 5]),
    }),
    { metric: [1, 2, 5, 10], aviation: [1, 2, 5, 10], imperial: [0.5, 1, 2, 5] },
  ),
  /** How the place under the pointer is written. */
  coordinates: z.catch(z.enum(COORDINATE_NOTATIONS), 'decimal'),
  graticule: z.catch(z.boolean(), true),
  /** Requested whatever the map shows; null: nothing else is. */
  homeArea: z.catch(z.nullable(homeArea), null),
  /** The map of one's own region that was chosen; null is the built-in map alone. */
  map: z.catch(z.optional(z.nullable(z.string())), undefined),
  /** By the name of the map; BUILT_IN_MAP for the built-in one alone. */
  mapDimming: z.catch(z.record(z.string(), z.catch(z.enum(MAP_DIMMINGS), 'none')), {}),
  namesOverPictures: z.catch(z.boolean(), true),
  /** Ids of overlays that are not drawn. */
  hiddenOverlays: z.catch(z.readonly(z.array(z.string())), []),
  vectorMinutes: z.catch(z.literal(VECTOR_MINUTES), 0),
  spokenEveryS: z.catch(z.literal(SPOKEN_EVERY_S), 30),
  /** Whether emergencies of simulated traffic and of test broadcasts are called too. */
  callsUnreal: z.catch(z.boolean(), false),
  emergenciesFirst: z.catch(z.boolean(), true),
  /** Whether a new alarm sounds. */
  alarmSound: z.catch(z.boolean(), false),
  /** Whether a new alarm raises a notification of the browser. */
  alarmNotices: z.catch(z.boolean(), false),
  /** Every column of the table, in order. */
  tableColumns: z.catch(
    z.pipe(
      z.array(z.object({ name: z.string(), isShown: z.boolean() })),
      z.transform((columns: { name: string; isShown: boolean }[]) => arrangedColumns(columns)),
    ),
    DEFAULT_COLUMNS,
  ),
  tableDensity: z.catch(z.enum(DENSITIES), 'comfortable'),
  /** Whether aircraft and drones have a heading each. */
  tableGrouped: z.catch(z.boolean(), false),
  /** A replay loads by itself up to so many requests; 0: it asks. */
  replayAutoLoadMax: z.catch(z.literal(AUTO_LOAD_CHOICES), AUTO_LOAD_DEFAULT),
  /** Of a replay that is opened without a link. */
  replaySpeed: z.catch(z.literal(SPEEDS), 1),
  /** The length of the window that R opens. */
  replayMinutes: z.catch(z.literal(REPLAY_MINUTES), 60),
  markSize: z.catch(z.enum(MAP_SIZES), 'normal'),
  labelSize: z.catch(z.enum(MAP_SIZES), 'normal'),
});

export type Preferences = z.infer<typeof preferencesSchema>;

const COMMON_KEY = 'lookout.preferences';

/** Where a browser keeps an operator's preferences; without sign-in, everybody's. */
export function preferencesKey(operator: string | undefined): string {
  return operator === undefined ? COMMON_KEY : `${COMMON_KEY}.${operator}`;
}

export const defaultPreferences: Preferences = preferencesSchema.parse({});

/** An operator who is new to this browser begins with what was chosen in it without sign-in. */
export function readPreferences(storage: Pick<Storage, 'getItem'>, operator: string | undefined): Preferences {
  try {
    const kept = storage.getItem(preferencesKey(operator)) ?? storage.getItem(COMMON_KEY);
    return preferencesSchema.parse(JSON.parse(kept ?? '{}'));
  } catch {
    return defaultPreferences;
  }
}

/** Ignores storage errors (private mode, storage full): the preferences then last for the visit. */
export function writePreferences(
  storage: Pick<Storage, 'setItem'>,
  operator: string | undefined,
  preferences: Preferences,
): void {
  try {
    storage.setItem(preferencesKey(operator), JSON.stringify(preferences));
  } catch {
    return;
  }
}
