import type { Layer } from '#lib/model/position.ts';
import type { Vertical, ZoneShape } from '#lib/zones/zone.ts';

interface ZonePreset {
  readonly title: string;
  /** Whom it is for, in one line. */
  readonly note: string;
  /** An example of a name. */
  readonly example: string;
  readonly shapeType: ZoneShape['type'];
  /** To each side of a corridor. */
  readonly halfWidthM: number;
  readonly layers: readonly Layer[];
  /**
   * Heights above ground are estimates, and may be below 0 for a drone on the ground: no preset has a floor. A drone whose
   * height is unknown counts, and its alarm says so.
   */
  readonly vertical: Vertical;
  readonly hold: {
    readonly hold_s: number;
    readonly hold_m: number;
    readonly hold_out_s: number;
    readonly hold_out_m: number;
  };
}

const LOW = { field: 'height_agl_m', floor_m: null, ceiling_m: 150, unknown: 'flagged' } as const;
const HELD = { hold_s: 10, hold_m: 30, hold_out_s: 10, hold_out_m: 30 } as const;
const HALF_WIDTH_M = 500;

/** Contents of new zones, one row each. All can be changed in the form. */
export const ZONE_PRESETS = {
  runway: {
    title: 'Runway',
    note: 'Drones up to 150 m, alarm after 5 s.',
    example: 'Runway 14/32',
    shapeType: 'Corridor',
    halfWidthM: 1000,
    layers: ['rid'],
    vertical: LOW,
    // Aircraft need the warning early; a drone at the edge comes back often.
    hold: { hold_s: 5, hold_m: 30, hold_out_s: 30, hold_out_m: 50 },
  },
  prison: {
    title: 'Prison',
    note: 'Drones up to 150 m, alarm after 3 s.',
    example: 'Yard and fence',
    shapeType: 'Circle',
    halfWidthM: HALF_WIDTH_M,
    layers: ['rid'],
    vertical: LOW,
    // A drop takes seconds.
    hold: { hold_s: 3, hold_m: 10, hold_out_s: 20, hold_out_m: 30 },
  },
  event: {
    title: 'Event',
    note: 'Drones up to 150 m, alarm after 10 s.',
    example: 'Stadium, Saturday',
    shapeType: 'Circle',
    halfWidthM: HALF_WIDTH_M,
    layers: ['rid'],
    vertical: LOW,
    hold: { ...HELD, hold_out_s: 30, hold_out_m: 50 },
  },
  site: {
    title: 'Site',
    note: 'Drones up to 150 m, alarm after 10 s.',
    example: 'North gate',
    shapeType: 'Polygon',
    halfWidthM: HALF_WIDTH_M,
    layers: ['rid'],
    vertical: LOW,
    hold: HELD,
  },
  traffic: {
    title: 'All traffic',
    note: 'Drones and aircraft at every height: an airliner overhead raises an alarm.',
    example: 'Glacier pass',
    shapeType: 'Polygon',
    halfWidthM: HALF_WIDTH_M,
    layers: ['rid', 'adsb'],
    vertical: null,
    hold: HELD,
  },
} as const satisfies Readonly<Record<string, ZonePreset>>;

export type ZonePresetName = keyof typeof ZONE_PRESETS;
