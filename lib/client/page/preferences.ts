import * as z from 'zod/mini';
import { SPEEDS } from '#lib/api/address-state.ts';
import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
import { COORDINATE_NOTATIONS } from '#lib/geo/coordinate-text.ts';
import { parseBbox } from '#lib/geo/parse-bbox.ts';
import { CLOCK_ZONES } from '#lib/model/clock-text.ts';
import { UNIT_SYSTEMS } from '#lib/model/units.ts';
import { arrangedColumns, DEFAULT_COLUMNS } from '#lib/picture/table-columns.ts';
import type { BrowserStorage } from '../browser/storage.ts';
import { OwnedValue } from '../value-store.ts';

export const LABEL_LEVELS = ['off', 'reference', 'full'] as const;
export const TRAIL_LEVELS = ['off', 'selected', 'all'] as const;
/** How many minutes ahead a vector shows; 0 switches vectors off. */
export const VECTOR_MINUTES = [0, 1, 2, 5] as const;
/** Least seconds between spoken changes; 0 is never. */
export const SPOKEN_EVERY_S = [0, 15, 30, 60] as const;
/** Requests that a replay may make without asking. */
export const AUTO_LOAD_CHOICES = [0, 10, 25, 100] as const;
export const AUTO_LOAD_DEFAULT = 25;
/** Lengths of the windows that a replay offers. */
export const REPLAY_MINUTES = [15, 30, 60] as const;
const MAP_SIZES = ['small', 'normal', 'large'] as const;
export const MAP_DIMMINGS = ['none', 'half', 'strong'] as const;
export type MapDimming = (typeof MAP_DIMMINGS)[number];
export const DENSITIES = ['comfortable', 'compact'] as const;
export const THEMES = ['system', 'dark', 'light'] as const;

/** The next choice, as keys and buttons step through them: the first follows the last. */
export function nextOf<T>(all: readonly T[], current: T): T {
  return all[(all.indexOf(current) + 1) % all.length] as T;
}

export const MAX_RING_RADII = 12;
/** This limit holds in every unit of distance. */
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

/**
 * An operator's choices about the page itself. This browser keeps them for each operator separately. Each unreadable
 * value falls back to its default.
 */
export const preferencesSchema = z.object({
  theme: z.catch(z.enum(THEMES), 'system'),
  units: z.catch(z.enum(UNIT_SYSTEMS), 'metric'),
  zone: z.catch(z.enum(CLOCK_ZONES), 'utc'),
  labels: z.catch(z.enum(LABEL_LEVELS), 'reference'),
  trails: z.catch(z.enum(TRAIL_LEVELS), 'selected'),
  legendOpen: z.catch(z.boolean(), true),
  panelOpen: z.catch(z.boolean(), true),
  hintsSeen: z.catch(z.readonly(z.array(z.string())), []),
  /** Notes for the next shift that were read in this browser, where there is no sign-in. */
  handOverRead: z.catch(z.readonly(z.array(z.string())), []),
  singleKeys: z.catch(z.boolean(), true),
  fieldNotes: z.catch(z.boolean(), false),
  /** Radii in km, nm or mi. */
  ringRadii: z.catch(
    z.object({
      metric: z.catch(radii, [1, 2, 5, 10]),
      aviation: z.catch(radii, [1, 2, 5, 10]),
      imperial: z.catch(radii, [0.5, 1, 2, 5]),
    }),
    { metric: [1, 2, 5, 10], aviation: [1, 2, 5, 10], imperial: [0.5, 1, 2, 5] },
  ),
  coordinates: z.catch(z.enum(COORDINATE_NOTATIONS), 'decimal'),
  graticule: z.catch(z.boolean(), true),
  /** The home area is requested whatever the map shows; null: nothing else is. */
  homeArea: z.catch(z.nullable(homeArea), null),
  /** null is the built-in map alone. */
  map: z.catch(z.optional(z.nullable(z.string())), undefined),
  /** The dimming by the name of the map; BUILT_IN_MAP for the built-in one alone. */
  mapDimming: z.catch(z.record(z.string(), z.catch(z.enum(MAP_DIMMINGS), 'none')), {}),
  namesOverPictures: z.catch(z.boolean(), true),
  hiddenOverlays: z.catch(z.readonly(z.array(z.string())), []),
  vectorMinutes: z.catch(z.literal(VECTOR_MINUTES), 0),
  spokenEveryS: z.catch(z.literal(SPOKEN_EVERY_S), 30),
  callsUnreal: z.catch(z.boolean(), false),
  emergenciesFirst: z.catch(z.boolean(), true),
  /** Whether a new alarm sounds. */
  alarmSound: z.catch(z.boolean(), false),
  /** Whether a new alarm raises a notification of the browser. */
  alarmNotices: z.catch(z.boolean(), false),
  tableColumns: z.catch(
    z.pipe(
      z.array(z.object({ name: z.string(), isShown: z.boolean() })),
      z.transform((columns: { name: string; isShown: boolean }[]) => arrangedColumns(columns)),
    ),
    DEFAULT_COLUMNS,
  ),
  tableDensity: z.catch(z.enum(DENSITIES), 'comfortable'),
  tableGrouped: z.catch(z.boolean(), false),
  /** Requests that a replay may make without asking; 0: it always asks. */
  replayAutoLoadMax: z.catch(z.literal(AUTO_LOAD_CHOICES), AUTO_LOAD_DEFAULT),
  replaySpeed: z.catch(z.literal(SPEEDS), 1),
  replayMinutes: z.catch(z.literal(REPLAY_MINUTES), 60),
  markSize: z.catch(z.enum(MAP_SIZES), 'normal'),
  labelSize: z.catch(z.enum(MAP_SIZES), 'normal'),
});

export type Preferences = z.infer<typeof preferencesSchema>;

const COMMON_KEY = 'lookout.preferences';

/** The key of the preferences, one per operator; without sign-in, all share one. */
export function preferencesKey(operator: string | undefined): string {
  return operator === undefined ? COMMON_KEY : `${COMMON_KEY}.${operator}`;
}

export const defaultPreferences: Preferences = preferencesSchema.parse({});

/** A new operator starts with this browser's preferences without sign-in. */
export function readPreferences(storage: Pick<BrowserStorage, 'read'>, operator: string | undefined): Preferences {
  return (
    storage.read(preferencesKey(operator), preferencesSchema) ??
    storage.read(COMMON_KEY, preferencesSchema) ??
    defaultPreferences
  );
}

/** These preferences are per window: on a desk with two screens the panel is open on one of them. */
const ofWindowSchema = z.object({
  panelOpen: z.catch(z.optional(z.boolean()), undefined),
  legendOpen: z.catch(z.optional(z.boolean()), undefined),
});
const windowKey = 'lookout.window-preferences';

interface PreferencesStores {
  readonly local: Pick<BrowserStorage, 'read' | 'write'>;
  readonly session: Pick<BrowserStorage, 'read' | 'write'>;
}

export interface StorageEvents {
  addEventListener(type: 'storage', listener: (event: Pick<StorageEvent, 'key'>) => void): void;
  removeEventListener(type: 'storage', listener: (event: Pick<StorageEvent, 'key'>) => void): void;
}

function openedPreferences({ local, session }: PreferencesStores, operator: string | undefined): Preferences {
  const preferences = readPreferences(local, operator);
  const { panelOpen, legendOpen } = session.read(windowKey, ofWindowSchema) ?? {};
  return {
    ...preferences,
    panelOpen: panelOpen ?? preferences.panelOpen,
    legendOpen: legendOpen ?? preferences.legendOpen,
  };
}

/** The preferences of an operator in this window. It alone writes them. */
export class StoredPreferences extends OwnedValue<Preferences> {
  readonly #stores: PreferencesStores;
  readonly #operator: string | undefined;
  readonly #held: Partial<Preferences> | undefined;

  /** @param held choices of this page alone, whatever is stored: such a page stores nothing */
  constructor(stores: PreferencesStores, operator: string | undefined, held?: Partial<Preferences>) {
    super({ ...openedPreferences(stores, operator), ...held });
    this.#stores = stores;
    this.#operator = operator;
    this.#held = held;
  }

  readonly change = (part: Partial<Preferences>): void => this.write({ ...this.get(), ...part });

  /** Stores changes, and adopts those of other windows, except per-window preferences. Returns a function that stops. */
  store(events: StorageEvents): () => void {
    const { local, session } = this.#stores;
    const key = preferencesKey(this.#operator);
    let isTakingOver = false;
    const stop = this.subscribe(() => {
      // Writing it again could undo the other window's next change.
      if (isTakingOver || this.#held) return;
      const preferences = this.get();
      local.write(key, preferences);
      const { panelOpen, legendOpen } = preferences;
      session.write(windowKey, { panelOpen, legendOpen });
    });
    const onStorage = (event: Pick<StorageEvent, 'key'>) => {
      // null: all of the storage was cleared.
      if (event.key !== key && event.key !== null) return;
      const { panelOpen, legendOpen } = this.get();
      isTakingOver = true;
      this.write({ ...readPreferences(local, this.#operator), panelOpen, legendOpen, ...this.#held });
      isTakingOver = false;
    };
    events.addEventListener('storage', onStorage);
    return () => {
      stop();
      events.removeEventListener('storage', onStorage);
    };
  }
}
