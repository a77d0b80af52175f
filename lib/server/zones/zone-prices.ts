import 'server-only';
import type { ZonePrice } from '#lib/api/watching/zones.ts';
import { type Bbox, bboxCovers, intersectBbox } from '#lib/geo/bbox.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Hours } from '#lib/zones/zone.ts';
import { ZoneHours } from '#lib/zones/zone-hours.ts';
import { ZONE_INTERVAL_MS } from '../live/pace/refresh-pace.ts';
import type { ZoneBox } from '../live/plan/demand-of-all.ts';
import { planAreas } from '../live/plan/plan-areas.ts';
import { requestCost } from '../live/plan/request-cost.ts';
import type { PlannedAreas } from '../live/planned-areas.ts';
import { AROUND_HOURS_MS, type CurrentZone, type CurrentZones } from './current-zones.ts';
import { type ZoneToRead, zoneBoxes } from './zone-boxes.ts';

/** The part of the account's rate with one operator: `RefreshPace`. */
const ZONES_PART = 1 / 2;
const SAMPLED_EVERY_MS = 15 * MINUTE_MS;
/** Planning grows with the square of the zones. Beyond, a quote divides the last plan. */
const REPLANNED_ZONES_MAX = 100;
/** A plan is kept, since densities change slowly. */
const PLAN_KEPT_MS = MINUTE_MS;
const FREE: ZonePrice = { requests_a_day: null, affordable_a_day: null, every_s: null };

interface PricedZone extends ZoneToRead {
  readonly hours: Hours;
}

export interface ZonePricesOptions {
  readonly current: Pick<CurrentZones, 'all'>;
  readonly planned: Pick<PlannedAreas, 'jobsOver' | 'ratePerS'>;
  readonly expected: (layer: Layer, bbox: Bbox) => number;
  readonly isUnlimited: boolean;
  /** The upstream's clock. */
  readonly now: () => UpstreamInstant;
}

/** The prices of zones at the shortest interval, without viewers; zones share the cost of common areas. */
export class ZonePrices {
  readonly #options: ZonePricesOptions;
  #known:
    | {
        readonly zones: readonly CurrentZone[];
        readonly byId: ReadonlyMap<string, CurrentZone>;
        readonly atMs: number;
        readonly areas: readonly PricedArea[];
        readonly prices: Map<string, ZonePrice>;
      }
    | undefined;

  constructor(options: ZonePricesOptions) {
    this.#options = options;
  }

  of(zone: PricedZone & { readonly id: string }): ZonePrice {
    if (this.#options.isUnlimited) return FREE;
    const { byId, areas, prices } = this.#planned();
    const known = byId.get(zone.id);
    if (!known) return this.quote(zone, zone.id);
    let price = prices.get(zone.id);
    if (!price) {
      price = this.#price(known, areas);
      prices.set(zone.id, price);
    }
    return price;
  }

  /** @param id of the zone that it would replace */
  quote(zone: PricedZone, id?: string): ZonePrice {
    const { current, isUnlimited } = this.#options;
    if (isUnlimited) return FREE;
    if (current.all.length > REPLANNED_ZONES_MAX) return this.#price(zone, this.#withOwn(zone));
    const others = current.all.filter((other) => other.id !== id);
    return this.#price(zone, this.#areas([zone, ...others].map(zoneBoxes)));
  }

  #price(zone: PricedZone, areas: readonly PricedArea[]): ZonePrice {
    const { planned, now } = this.#options;
    const { ratePerS } = planned;
    const own = zoneBoxes(zone);
    const activeMs = longestDayMs(zone.hours, now());
    const needed = areas.filter((area) => own.some((box) => intersects(box, area)));
    const cost = needed.reduce((sum, area) => sum + area.cost / area.zones, 0);
    const requests_a_day = rounded((cost * activeMs) / ZONE_INTERVAL_MS);
    if (ratePerS === undefined) return { requests_a_day, affordable_a_day: null, every_s: null };
    const costOfAll = areas.reduce((sum, area) => sum + area.cost, 0);
    const intervalMs = this.#plannedMs(own) ?? (costOfAll / (ZONES_PART * ratePerS)) * SECOND_MS;
    const everyMs = Math.max(ZONE_INTERVAL_MS, intervalMs);
    if (!Number.isFinite(everyMs)) return { requests_a_day, affordable_a_day: 0, every_s: null };
    return {
      requests_a_day,
      affordable_a_day: rounded((cost * activeMs) / everyMs),
      every_s: rounded(everyMs / SECOND_MS),
    };
  }

  /** The areas of a minute ago, and the zone's own where they don't contain it. */
  #withOwn(zone: PricedZone): readonly PricedArea[] {
    const isRecent = this.#known !== undefined && performance.now() - this.#known.atMs <= PLAN_KEPT_MS;
    const areas = isRecent && this.#known ? this.#known.areas : this.#planned().areas;
    const missing = zoneBoxes(zone).filter(
      (box) => !areas.some((area) => area.layer === box.layer && bboxCovers(area.bbox, box.bbox)),
    );
    return [...areas, ...this.#areas([missing])];
  }

  #planned() {
    const { all } = this.#options.current;
    const nowMs = performance.now();
    if (this.#known?.zones !== all || nowMs - this.#known.atMs > PLAN_KEPT_MS)
      this.#known = {
        zones: all,
        byId: new Map(all.map((zone) => [zone.id, zone])),
        atMs: nowMs,
        areas: this.#areas(all.map(zoneBoxes)),
        prices: new Map(),
      };
    return this.#known;
  }

  /** `undefined` where a box is not read. */
  #plannedMs(boxes: readonly ZoneBox[]): number | undefined {
    const { planned } = this.#options;
    let longest: number | undefined;
    for (const { layer, bbox } of boxes) {
      const over = planned.jobsOver(layer, bbox);
      if (over.length === 0) return undefined;
      longest = Math.max(longest ?? 0, ...over.map(({ intervalMs }) => intervalMs));
    }
    return longest;
  }

  #areas(boxesOfZones: readonly (readonly ZoneBox[])[]): readonly PricedArea[] {
    const { expected } = this.#options;
    return LAYERS.flatMap((layer) => {
      const boxes = boxesOfZones.flatMap((own) => own.filter((box) => box.layer === layer).map(({ bbox }) => bbox));
      return planAreas(boxes, (bbox) => expected(layer, bbox), []).map((bbox) => {
        const zones = boxesOfZones.filter((own) => own.some((box) => intersects(box, { layer, bbox }))).length;
        return { layer, bbox, cost: requestCost(expected(layer, bbox)), zones: Math.max(1, zones) };
      });
    });
  }
}

interface PricedArea extends ZoneBox {
  readonly cost: number;
  readonly zones: number;
}

/** The longest day of a week; all day where the zone's hours are farther away. */
function longestDayMs(hours: Hours, now: UpstreamInstant): number {
  if (hours === null) return DAY_MS;
  const active = new ZoneHours(hours);
  const todayMs = Math.floor(epochMs(now) / DAY_MS) * DAY_MS;
  const days = [0, 1, 2, 3, 4, 5, 6].map((day) => readMs(active, todayMs + day * DAY_MS));
  return Math.max(...days) || DAY_MS;
}

function readMs(active: ZoneHours, dayMs: number): number {
  const isActive = Array.from({ length: DAY_MS / SAMPLED_EVERY_MS }, (_, index) =>
    active.isActive(dayMs + index * SAMPLED_EVERY_MS),
  );
  const begins = isActive.filter((is, index) => is && isActive[index - 1] === false).length;
  const ends = isActive.filter((is, index) => !is && isActive[index - 1] === true).length;
  const { before, after } = AROUND_HOURS_MS;
  return isActive.filter((is) => is).length * SAMPLED_EVERY_MS + begins * before + ends * after;
}

function intersects(box: ZoneBox, area: ZoneBox): boolean {
  return box.layer === area.layer && intersectBbox(area.bbox, box.bbox) !== undefined;
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
