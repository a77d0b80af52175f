import type { CoverageAnswer, OverviewHour, OverviewHoursAnswer, ReceptionAnswer } from '#lib/api/overview.ts';
import { HEIGHT_BANDS } from '#lib/model/height-band.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';

const NOTHING = { positions: 0, references: 0, references_error: null };

export function overviewHour(start: number | string, changed: Partial<OverviewHour> = {}): OverviewHour {
  return {
    start: new Date(start).toISOString(),
    watched_s: 0,
    partly_s: 0,
    ...NOTHING,
    simulated: NOTHING,
    test: NOTHING,
    inconsistent: NOTHING,
    late: 0,
    watched_cut: false,
    ...changed,
  };
}

const START = '2026-11-27T10:00:00.000Z';
const tallied = {
  as_of: '2026-11-27T13:30:00.000Z',
  start: START,
  end: '2026-11-27T14:00:00.000Z',
  times: null,
  time_zone: 'UTC',
  kept_since: '2026-11-01T00:00:00.000Z',
  counted_until: '2026-11-27T13:29:40.000Z',
};

/** Three cells of drones: received, nothing received, received apart. */
export function coverageAnswer(changed: Partial<CoverageAnswer['cells']> = {}): CoverageAnswer {
  return {
    ...tallied,
    layer: 'rid',
    bands: [...HEIGHT_BANDS.rid],
    band: null,
    bbox: [8, 47, 8.75, 47.25],
    cell_deg: 0.25,
    references_sampled: 1,
    watched_cut: false,
    cells: {
      column: [752, 753, 754],
      row: [548, 548, 548],
      positions: [120, 0, 0],
      reference_hours: [6, 0, 0],
      watched_s: [10_800, 3600, 3600],
      partly_s: [0, 600, 0],
      simulated: [0, 0, 30],
      test: [0, 0, 0],
      inconsistent: [0, 0, 0],
      followed_s: [7200, null, null],
      received_s: [1800, null, null],
      ...changed,
    },
  };
}

/** Four hours: received, nothing received, not watched, received apart. */
export function hoursAnswer(): OverviewHoursAnswer {
  const at = (hour: number) => Date.parse(START) + hour * HOUR_MS;
  const hours = [
    overviewHour(at(0), { watched_s: 3600, positions: 120, references: 6 }),
    overviewHour(at(1), { watched_s: 1800, partly_s: 360 }),
    overviewHour(at(2)),
    overviewHour(at(3), { watched_s: 1500, simulated: { positions: 30, references: 2, references_error: null } }),
  ];
  const layers = (['adsb', 'rid'] as const).map((layer) => ({
    layer,
    cell_deg: 0.25,
    hours,
    bbox: [8, 47, 8.75, 47.25] as [number, number, number, number],
  }));
  return { ...tallied, band: null, layers };
}

/** Drones are hardly received below 60 m; aircraft are not measured. */
export function receptionAnswer(): ReceptionAnswer {
  const layers = (['rid', 'adsb'] as const).map((layer) => ({
    layer,
    cell_deg: layer === 'rid' ? 1 / 32 : 1 / 4,
    bbox: [8, 47, 8.75, 47.25] as [number, number, number, number],
    watched_s: 86_400,
    partly_s: 0,
    bands: HEIGHT_BANDS[layer].map((band, index) => {
      const isMeasured = layer === 'rid' && index < 4;
      return {
        ...band,
        positions: isMeasured ? 100 : 0,
        apart: 0,
        followed_s: isMeasured ? 18_000 : null,
        received_s: isMeasured ? (index < 2 ? 1800 : 16_200) : null,
      };
    }),
  }));
  return { as_of: tallied.as_of, start: '2026-10-28T13:30:00.000Z', end: tallied.as_of, layers };
}
