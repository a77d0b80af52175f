import 'server-only';
import {
  COVERAGE_CELLS_MAX,
  type CoverageAnswer,
  type CoverageQuery,
  type LayerHours,
  type OverviewHour,
  type OverviewHoursAnswer,
} from '#lib/api/overview.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { corners } from '#lib/geo/corners.ts';
import { HEIGHT_BANDS } from '#lib/model/height-band.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import {
  bboxOfCells,
  bboxOfUnits,
  boundedCellBox,
  type CellBox,
  cellDegOf,
  SIZES,
  unitsTouch,
} from '#lib/overview/cells.ts';
import { CoverageSum } from '#lib/overview/coverage-sum.ts';
import { cellMask, sumOfHour } from '#lib/overview/hour-sum.ts';
import { epochMs, formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import type { Ground } from '#lib/zones/ground/ground.ts';
import { orRefuse } from '../database/database-failure.ts';
import { cellsOf, hourOf, hourText, NOTHING } from './overview-forms.ts';
import type { HourRow, OverviewStore } from './overview-store.ts';

/** Answers, one after the other: each may read a month. Methods throw `ApiError` where the database fails. */
export class OverviewAnswers {
  readonly #store: OverviewStore;
  readonly #now: () => UpstreamInstant;
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: OverviewStore, now: () => UpstreamInstant) {
    this.#store = store;
    this.#now = now;
  }

  coverage(query: Omit<CoverageQuery, 'format'>): Promise<CoverageAnswer> {
    return this.#inTurn(() => this.#coverage(query));
  }

  /** @param area a box, or the ground of a zone */
  hours(window: Window, area: Bbox | Ground): Promise<OverviewHoursAnswer> {
    return this.#inTurn(async () => ({
      ...(await this.#tallied(window)),
      layers: await Promise.all(LAYERS.map((layer) => this.#layerHours(layer, window, area))),
    }));
  }

  #inTurn<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const answer = this.#last.then(work);
    this.#last = answer.catch(() => undefined);
    return orRefuse(answer);
  }

  async #coverage({ layer, band, bbox, ...window }: Omit<CoverageQuery, 'format'>): Promise<CoverageAnswer> {
    const tallied = await this.#tallied(window);
    const rows = await this.#rows(layer, window);
    const bands = [...HEIGHT_BANDS[layer]];
    const asked = bbox ?? bboxOfUnits(rows.flatMap(({ extent }) => extent ?? []));
    const cells = asked && cellsFor(layer, rows, asked);
    const bandIndex = band === undefined ? undefined : bands.findIndex(({ id }) => id === band);
    const sum = new CoverageSum(
      cells ?? { size: SIZES[layer].finest, column: 0, row: 0, columns: 0, rows: 0 },
      bandIndex,
    );
    let [sampling, isCut] = [0, false];
    for await (const [, hour] of this.#store.hours(layer, over(rows, cells))) {
      sum.add(hour);
      sampling = Math.max(sampling, hour.sampling);
      isCut ||= hour.isCut;
    }
    return {
      ...tallied,
      ...{ layer, bands, band: band ?? null },
      bbox: cells ? corners(bboxOfCells(cells)) : null,
      cell_deg: cellDegOf(sum.cells.size),
      references_sampled: 2 ** -sampling,
      watched_cut: isCut,
      cells: cellsOf(sum),
    };
  }

  async #layerHours(layer: Layer, window: Window, area: Bbox | Ground): Promise<LayerHours> {
    const rows = await this.#rows(layer, window);
    const bbox = 'bbox' in area ? area.bbox : area;
    const cells = cellsFor(layer, rows, bbox);
    const mask = cellMask(cells, (column, row) => !('bbox' in area) || touches(area, cells, column, row));
    const sums = new Map<number, OverviewHour>();
    for await (const [hourMs, hour] of this.#store.hours(layer, over(rows, cells)))
      sums.set(hourMs, hourOf(hourMs, sumOfHour(hour, mask), hour));
    return {
      layer,
      cell_deg: cellDegOf(cells.size),
      bbox: corners(bboxOfCells(cells)),
      hours: hoursOf(window).map((hourMs) => sums.get(hourMs) ?? hourOf(hourMs, NOTHING, { late: 0, isCut: false })),
    };
  }

  #rows(layer: Layer, window: Window): Promise<readonly HourRow[]> {
    const [startMs, endMs] = wholeHours(window);
    return this.#store.rows(layer, startMs, endMs);
  }

  async #tallied(window: Window) {
    const { sinceMs, untilMs } = await this.#store.kept();
    const [startMs, endMs] = wholeHours(window);
    return {
      as_of: formatInstant(this.#now()),
      start: hourText(startMs),
      end: hourText(endMs),
      kept_since: sinceMs === undefined ? null : hourText(sinceMs),
      counted_until: untilMs === undefined ? null : hourText(untilMs),
    };
  }
}

function wholeHours({ start, end }: Window): readonly [startMs: number, endMs: number] {
  return [Math.floor(epochMs(start) / HOUR_MS) * HOUR_MS, Math.ceil(epochMs(end) / HOUR_MS) * HOUR_MS];
}

function hoursOf(window: Window): readonly number[] {
  const [startMs, endMs] = wholeHours(window);
  return Array.from({ length: (endMs - startMs) / HOUR_MS }, (_, hour) => startMs + hour * HOUR_MS);
}

/** As large as those of any hour there. */
function cellsFor(layer: Layer, rows: readonly HourRow[], bbox: Bbox): CellBox {
  const there = rows.filter(({ extent }) => extent && unitsTouch(bbox, extent));
  const size = Math.max(SIZES[layer].finest, ...there.map((row) => row.size));
  return boundedCellBox(bbox, size, COVERAGE_CELLS_MAX);
}

function over(rows: readonly HourRow[], cells: CellBox | undefined): readonly number[] {
  const bbox = cells && bboxOfCells(cells);
  return rows.flatMap(({ hourMs, extent }) => (bbox && extent && unitsTouch(bbox, extent) ? [hourMs] : []));
}

function touches(ground: Ground, { size }: CellBox, column: number, row: number): boolean {
  const { west, south, east, north } = bboxOfCells({ size, column, row, columns: 1, rows: 1 });
  const corner = (lon: number, lat: number) => ({ lon, lat });
  const [a, b, c, d] = [corner(west, south), corner(east, south), corner(east, north), corner(west, north)];
  const isAround = ground.bbox.west >= west && ground.bbox.east <= east && ground.bbox.west <= ground.bbox.east;
  if (isAround && ground.bbox.south >= south && ground.bbox.north <= north) return true;
  return ground.lineTouches(a, b) || ground.lineTouches(b, c) || ground.lineTouches(c, d) || ground.lineTouches(d, a);
}
