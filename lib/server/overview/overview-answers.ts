import 'server-only';
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import {
  APART,
  type Apart,
  COVERAGE_CELLS_MAX,
  type CoverageAnswer,
  type CoverageCells,
  type CoverageQuery,
  type LayerHours,
  type LayerReception,
  OVERVIEW_DAYS_MAX,
  type OverviewHour,
  type OverviewHoursAnswer,
  type OverviewHoursQuery,
  type ReceptionAnswer,
  type TimesOfDay,
} from '#lib/api/overview.ts';
import type { Zone } from '#lib/api/watching/zones.ts';
import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
import { corners } from '#lib/geo/corners.ts';
import { HEIGHT_BANDS, heightBandsOf } from '#lib/model/height-band.ts';
import { RECEPTION_DAYS } from '#lib/model/measured-reception.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import {
  BANDS,
  bboxOfCells,
  bboxOfUnits,
  boundedCellBox,
  type CellBox,
  CLASSES,
  cellDegOf,
  SIZES,
  unitBoxAround,
  unitsTouch,
} from '#lib/overview/cells.ts';
import { STEP_MS } from '#lib/overview/followed-steps.ts';
import type { StoredHour } from '#lib/overview/hour-body.ts';
import {
  type BandChoice,
  type CellMask,
  CoverageSum,
  type HourSum,
  ReceptionSum,
  receptionOfHour,
  sumOfHour,
} from '#lib/overview/sums.ts';
import { addMs, epochMs, formatInstant, isoTime, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import { type Ground, groundOf } from '#lib/zones/ground.ts';
import { type Hours, WEEKDAYS } from '#lib/zones/zone.ts';
import { ZoneHours } from '#lib/zones/zone-hours.ts';
import { Yielding } from '../work/yielding.ts';
import type { HourRow, OverviewStore } from './overview-store.ts';

/** With `band`, `layer` is the layer of the bands. */
type AskedHours = AskedTimes & Pick<OverviewHoursQuery, 'layer' | 'band'>;

type AskedTimes = Window & Pick<OverviewHoursQuery, 'times' | 'time_zone'>;

/** The part of a zone that its hours depend on. */
type SummedZone = Pick<Zone, 'id' | 'revision' | 'shape'>;

/**
 * Answers from the sums of hours. An answer may read a month, and lets other requests run between its pieces.
 * Methods reject with `DatabaseFailure`.
 */
export class OverviewAnswers {
  readonly #store: OverviewStore;
  readonly #now: () => UpstreamInstant;
  readonly #closed = new ClosedSums();

  constructor(store: OverviewStore, now: () => UpstreamInstant) {
    this.#store = store;
    this.#now = now;
  }

  async coverage(query: Omit<CoverageQuery, 'format'>, signal?: AbortSignal): Promise<CoverageAnswer> {
    return this.#coverage(query, new Yielding(signal));
  }

  /** Without a layer, the answer is of both at all heights. */
  async hours(
    { layer: only, band, ...asked }: AskedHours,
    area: Bbox | SummedZone,
    signal?: AbortSignal,
  ): Promise<OverviewHoursAnswer> {
    const yielding = new Yielding(signal);
    const layers: LayerHours[] = [];
    for (const layer of only === undefined ? LAYERS : [only])
      layers.push(await this.#layerHours(layer, { asked, bands: bandsOf(layer, band) }, area, yielding));
    return { ...(await this.#tallied(asked)), band: band ?? null, layers };
  }

  /** Measured reception of an area in the last 30 days. */
  async reception(area: Bbox | Pick<Zone, 'shape'>, signal?: AbortSignal): Promise<ReceptionAnswer> {
    const yielding = new Yielding(signal);
    const now = this.#now();
    const window = { start: addMs(now, -RECEPTION_DAYS * DAY_MS), end: now };
    const ground = 'shape' in area ? groundOf(area.shape) : undefined;
    const name = createHash('sha256').update(JSON.stringify(area)).digest('base64');
    const layers: LayerReception[] = [];
    for (const layer of LAYERS) {
      const rows = await this.#rows(layer, window);
      const cells = cellsFor(layer, rows, ground?.bbox ?? (area as Bbox), 'measured');
      const of = { layer, rows, cells, name, ground };
      const hours = await this.#byHour(this.#closed.receptions, of, yielding, (_, hour, mask) =>
        receptionOfHour(hour, mask),
      );
      const sum = new ReceptionSum();
      for (const hour of hours.values()) sum.plus(hour);
      layers.push(layerReception(layer, cells, sum));
    }
    return { as_of: formatInstant(now), start: formatInstant(window.start), end: formatInstant(now), layers };
  }

  async #coverage(
    { layer, band, bbox, cells: kind, ...times }: Omit<CoverageQuery, 'format'>,
    yielding: Yielding,
  ): Promise<CoverageAnswer> {
    const tallied = await this.#tallied(times);
    const rows = await this.#rows(layer, times);
    const bands = [...HEIGHT_BANDS[layer]];
    const extent = unitBoxAround(rows.flatMap(({ extent }) => extent ?? []));
    const asked = bbox ?? (extent && bboxOfUnits(extent));
    const found = asked && cellsFor(layer, rows, asked, kind);
    const cells = found ?? { size: SIZES[layer].finest, column: 0, row: 0, columns: 0, rows: 0 };
    const counted = bandsOf(layer, band);
    const [closed, open] = over(rows, found);
    const isMeasured = cells.size >= SIZES[layer].measured;
    const empty = () => ({ sum: new CoverageSum(cells, counted, isMeasured), sampling: 0, isCut: false });
    const known = await this.#closed.coverage({ layer, bands: counted, cells }, closed, () =>
      this.#withHours(empty(), layer, closed, yielding),
    );
    const { sum, sampling, isCut } =
      open.length === 0 ? known : await this.#withHours({ ...known, sum: known.sum.copy() }, layer, open, yielding);
    return {
      ...tallied,
      layer,
      bands,
      band: band ?? null,
      bbox: found ? corners(bboxOfCells(found)) : null,
      cell_deg: cellDegOf(cells.size),
      references_sampled: 2 ** -sampling,
      watched_cut: isCut,
      cells: cellsOf(sum),
    };
  }

  /** Adds hours to the given sum. */
  async #withHours(
    { sum, ...flags }: SummedHours,
    layer: Layer,
    hoursMs: readonly number[],
    yielding: Yielding,
  ): Promise<SummedHours> {
    let { sampling, isCut } = flags;
    for await (const [, hour] of this.#store.hours(layer, hoursMs)) {
      sum.add(hour);
      sampling = Math.max(sampling, hour.sampling);
      isCut ||= hour.isCut;
      if (yielding.isDue) await yielding.next();
    }
    return { sum, sampling, isCut };
  }

  async #layerHours(
    layer: Layer,
    { asked, bands }: { readonly asked: AskedTimes; readonly bands: BandChoice },
    area: Bbox | SummedZone,
    yielding: Yielding,
  ): Promise<LayerHours> {
    const rows = await this.#rows(layer, asked);
    const [name, ground] =
      'shape' in area ? [`${area.id} ${area.revision}`, groundOf(area.shape)] : [formatBbox(area), undefined];
    const cells = cellsFor(layer, rows, ground?.bbox ?? (area as Bbox), undefined);
    const of = { layer, rows, cells, name: `${name} ${bands ?? ''}`, ground };
    const sums = await this.#byHour(this.#closed.hours, of, yielding, (hourMs, hour, mask) =>
      hourOf(hourMs, sumOfHour(hour, mask, bands), hour),
    );
    return {
      layer,
      cell_deg: cellDegOf(cells.size),
      bbox: corners(bboxOfCells(cells)),
      hours: hoursOf(asked).map((hourMs) => sums.get(hourMs) ?? hourOf(hourMs, NOTHING, { late: 0, isCut: false })),
    };
  }

  /** Reads the hours of an area, of which closed ones are kept. */
  async #byHour<Sum extends object>(
    kept: AreaSums<Sum>,
    { layer, rows, cells, name, ground }: SummedArea,
    yielding: Yielding,
    sumOf: (hourMs: number, hour: StoredHour, mask: CellMask) => Sum,
  ): Promise<ReadonlyMap<number, Sum>> {
    const { mask, hours: known } = await kept.of([layer, cells, name], () => maskOf(cells, ground, yielding));
    const [closed, open] = over(rows, cells);
    const sums = new Map<number, Sum>();
    const missing = closed.filter((hourMs) => !known.has(hourMs));
    for await (const [hourMs, hour] of this.#store.hours(layer, [...missing, ...open])) {
      sums.set(hourMs, sumOf(hourMs, hour, mask));
      if (yielding.isDue) await yielding.next();
    }
    for (const hourMs of missing) {
      const sum = sums.get(hourMs);
      if (sum) known.set(hourMs, sum);
    }
    for (const hourMs of closed) {
      const sum = known.get(hourMs);
      if (sum) sums.set(hourMs, sum);
    }
    return sums;
  }

  async #rows(layer: Layer, asked: AskedTimes): Promise<readonly HourRow[]> {
    const isAsked = new Set(hoursOf(asked));
    const rows = await this.#store.rows(layer, ...wholeHours(asked));
    return rows.filter(({ hourMs }) => isAsked.has(hourMs));
  }

  async #tallied({ times, time_zone = 'UTC', ...window }: AskedTimes) {
    const { sinceMs, untilMs } = await this.#store.kept();
    const [startMs, endMs] = wholeHours(window);
    return {
      as_of: formatInstant(this.#now()),
      start: isoTime(startMs),
      end: isoTime(endMs),
      times: times ?? null,
      time_zone,
      kept_since: sinceMs === undefined ? null : isoTime(sinceMs),
      counted_until: untilMs === undefined ? null : isoTime(untilMs),
    };
  }
}

/** The query is checked: every id is of the layer. */
function bandsOf(layer: Layer, ids: string | undefined): BandChoice {
  return ids === undefined ? undefined : heightBandsOf(layer, ids);
}

function wholeHours({ start, end }: Window): readonly [startMs: number, endMs: number] {
  return [Math.floor(epochMs(start) / HOUR_MS) * HOUR_MS, Math.ceil(epochMs(end) / HOUR_MS) * HOUR_MS];
}

const DAILY: Readonly<Record<TimesOfDay, Extract<NonNullable<Hours>, { weekly: unknown }>['weekly'][number]>> = {
  night: { days: [...WEEKDAYS], from: '20:00', to: '06:00' },
  work: { days: WEEKDAYS.slice(0, 5), from: '08:00', to: '18:00' },
};

function hoursOf({ times, time_zone = 'UTC', ...window }: AskedTimes): readonly number[] {
  const [startMs, endMs] = wholeHours(window);
  const daily = times && new ZoneHours({ time_zone, weekly: [DAILY[times]] });
  const hours = Array.from({ length: (endMs - startMs) / HOUR_MS }, (_, hour) => startMs + hour * HOUR_MS);
  return daily ? hours.filter((hourMs) => daily.isActive(hourMs)) : hours;
}

/** Cells of the box, as large as those of any hour there. */
function cellsFor(layer: Layer, rows: readonly HourRow[], bbox: Bbox, kind: CoverageQuery['cells']): CellBox {
  const there = rows.filter(({ extent }) => extent && unitsTouch(bbox, extent));
  const { measured, finest } = SIZES[layer];
  const size = Math.max(kind === 'measured' ? measured : finest, ...there.map((row) => row.size));
  return boundedCellBox(bbox, size, COVERAGE_CELLS_MAX);
}

/** The hours that have cells there: those that are closed, and those that are open. */
function over(rows: readonly HourRow[], cells: CellBox | undefined): readonly [readonly number[], readonly number[]] {
  const bbox = cells && bboxOfCells(cells);
  const there = rows.filter(({ extent }) => bbox && extent && unitsTouch(bbox, extent));
  const of = (isClosed: boolean) => there.filter((row) => row.isClosed === isClosed).map(({ hourMs }) => hourMs);
  return [of(true), of(false)];
}

/** The cells that the ground touches. Without a ground, all. */
async function maskOf(cells: CellBox, ground: Ground | undefined, yielding: Yielding): Promise<CellMask> {
  const isIn = new Uint8Array(cells.columns * cells.rows).fill(1);
  for (let index = 0; ground && index < isIn.length; index++) {
    const [column, row] = [cells.column + (index % cells.columns), cells.row + Math.floor(index / cells.columns)];
    if (!touches(ground, cells, column, row)) isIn[index] = 0;
    if (yielding.isDue) await yielding.next();
  }
  return { cells, isIn };
}

function touches(ground: Ground, { size }: CellBox, column: number, row: number): boolean {
  const { west, south, east, north } = bboxOfCells({ size, column, row, columns: 1, rows: 1 });
  const corner = (lon: number, lat: number) => ({ lon, lat });
  const [a, b, c, d] = [corner(west, south), corner(east, south), corner(east, north), corner(west, north)];
  const isAround = ground.bbox.west >= west && ground.bbox.east <= east && ground.bbox.west <= ground.bbox.east;
  if (isAround && ground.bbox.south >= south && ground.bbox.north <= north) return true;
  return ground.lineTouches(a, b) || ground.lineTouches(b, c) || ground.lineTouches(c, d) || ground.lineTouches(d, a);
}

function cellsOf(sum: CoverageSum): CoverageCells {
  const { cells, positions, referenceHours, measured } = sum;
  const { watchedS, partlyS } = sum.watched();
  const [received, ...apart] = positions as [Float64Array, Float64Array, Float64Array, Float64Array];
  const listed = Array.from(referenceHours.keys()).filter(
    (index) =>
      positions.some((counts) => (counts[index] as number) > 0) ||
      (watchedS[index] as number) + (partlyS[index] as number) > 0,
  );
  const column = (values: Float64Array) => listed.map((index) => values[index] as number);
  const seconds = (values: Float64Array) => listed.map((index) => roundedUp(values[index] as number));
  const stepped = (steps: Float64Array | undefined) =>
    listed.map((index) => (measured && (measured.followed[index] as number) > 0 ? secondsOf(steps, index) : null));
  const worldColumns = 360 / cellDegOf(cells.size);
  return {
    column: listed.map((index) => (cells.column + (index % cells.columns)) % worldColumns),
    row: listed.map((index) => cells.row + Math.floor(index / cells.columns)),
    positions: column(received),
    reference_hours: column(referenceHours),
    watched_s: seconds(watchedS),
    partly_s: seconds(partlyS),
    ...(Object.fromEntries(APART.map((name, index) => [name, column(apart[index] as Float64Array)])) as Record<
      Apart,
      number[]
    >),
    followed_s: stepped(measured?.followed),
    received_s: stepped(measured?.received),
  };
}

function secondsOf(steps: Float64Array | undefined, index: number): number {
  return ((steps?.[index] ?? 0) * STEP_MS) / SECOND_MS;
}

/** Rounds up to 0.1 s, so that watched time never becomes none. */
function roundedUp(seconds: number): number {
  return Math.max(0, Math.ceil(seconds * 10 - 1e-6) / 10);
}

function layerReception(layer: Layer, cells: CellBox, sum: ReceptionSum): LayerReception {
  return {
    layer,
    cell_deg: cellDegOf(cells.size),
    bbox: corners(bboxOfCells(cells)),
    watched_s: roundedUp(sum.watchedS),
    partly_s: roundedUp(sum.partlyS),
    bands: HEIGHT_BANDS[layer].map((band, index) => {
      const byClass = Array.from({ length: CLASSES }, (_, its) => sum.positions[its * BANDS + index] as number);
      const [positions = 0, ...apart] = byClass;
      const isMeasured = (sum.followed[index] as number) > 0;
      return {
        ...band,
        positions,
        apart: apart.reduce((total, count) => total + count, 0),
        followed_s: isMeasured ? secondsOf(sum.followed, index) : null,
        received_s: isMeasured ? secondsOf(sum.received, index) : null,
      };
    }),
  };
}

const NO_CLASS = { positions: 0, references: 0, referencesError: undefined };
const NOTHING: HourSum = { watchedS: 0, partlyS: 0, classes: [NO_CLASS, NO_CLASS, NO_CLASS, NO_CLASS] };

function hourOf(
  hourMs: number,
  { watchedS, partlyS, classes }: HourSum,
  { late, isCut }: { readonly late: number; readonly isCut: boolean },
): OverviewHour {
  const [main, simulated, test, inconsistent] = classes.map(({ positions, references, referencesError }) => ({
    positions,
    references,
    references_error: referencesError ?? null,
  })) as [ReceivedSum, ReceivedSum, ReceivedSum, ReceivedSum];
  return {
    start: isoTime(hourMs),
    watched_s: roundedUp(watchedS),
    partly_s: roundedUp(partlyS),
    ...main,
    simulated,
    test,
    inconsistent,
    late,
    watched_cut: isCut,
  };
}

type ReceivedSum = OverviewHour['simulated'];

interface SummedHours {
  readonly sum: CoverageSum;
  readonly sampling: number;
  readonly isCut: boolean;
}

interface SummedArea {
  readonly layer: Layer;
  readonly rows: readonly HourRow[];
  readonly cells: CellBox;
  /** Names a shape that does not change, and the counted bands. */
  readonly name: string;
  readonly ground: Ground | undefined;
}

interface SumsOfArea<Sum extends object> {
  readonly mask: CellMask;
  /** The hours by their start. */
  readonly hours: LRUCache<number, Sum>;
}

/** A coverage takes up to 1.3 MB, for 20,000 cells. */
const COVERAGES_MAX = 12;
/** An area takes up to 0.4 MB, for 31 days. */
const AREAS_MAX = 24;
const HOURS_MAX = OVERVIEW_DAYS_MAX * 24;

/** Sums of closed hours, which never change: of the coverages and areas that were used last. */
class ClosedSums {
  readonly #coverages = new LRUCache<string, SummedHours>({ max: COVERAGES_MAX });
  readonly hours = new AreaSums<OverviewHour>();
  readonly receptions = new AreaSums<ReceptionSum>();

  async coverage(
    of: { readonly layer: Layer; readonly bands: BandChoice; readonly cells: CellBox },
    hoursMs: readonly number[],
    sum: () => Promise<SummedHours>,
  ): Promise<SummedHours> {
    const hours = createHash('sha256').update(hoursMs.join()).digest('base64');
    return kept(this.#coverages, JSON.stringify([of, hours]), sum);
  }
}

class AreaSums<Sum extends object> {
  readonly #areas = new LRUCache<string, SumsOfArea<Sum>>({ max: AREAS_MAX });

  async of(key: readonly unknown[], mask: () => Promise<CellMask>): Promise<SumsOfArea<Sum>> {
    return kept(this.#areas, JSON.stringify(key), async () => ({
      mask: await mask(),
      hours: new LRUCache({ max: HOURS_MAX }),
    }));
  }
}

async function kept<Value extends object>(
  cache: LRUCache<string, Value>,
  key: string,
  make: () => Promise<Value>,
): Promise<Value> {
  const known = cache.get(key);
  if (known) return known;
  const made = await make();
  cache.set(key, made);
  return made;
}
