import 'server-only';
import { ApiError } from '#lib/api/error-code.ts';
import type { FeaturesQuery, Interval } from '#lib/api/outputs/features-query.ts';
import type { Feature } from '#lib/api/outputs/output-answers.ts';
import type { Zone } from '#lib/api/watching/zones.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import type { CollectionId } from '#lib/outputs/feature-documents.ts';
import { alarmFeature, type ItemsPage, positionFeature, zoneFeature } from '#lib/outputs/features.ts';
import { addMs, epochMs, instantOf, type UpstreamInstant } from '#lib/time/instant.ts';
import { isAlarmIn, isZoneIn } from '#lib/zones/shape-box.ts';
import { apiRecord } from '../upstream/api-record.ts';
import { Yielding } from '../work/yielding.ts';
import type { Alarms, PlaceInLog } from '../zones/alarms/alarms.ts';
import type { WatchedLedger } from '../zones/watch/watched-ledger.ts';
import type { ZoneCaller } from '../zones/zone-rows.ts';
import type { Zones } from '../zones/zones.ts';
import { currentPositions, type PositionSources } from './current-positions.ts';

interface FeatureSources extends PositionSources {
  readonly caller: ZoneCaller;
  readonly zones: Pick<Zones, 'list'>;
  readonly watched: Pick<WatchedLedger, 'present'>;
  readonly alarms: Pick<Alarms, 'page' | 'one'>;
}

interface FeatureCollection {
  /** @param area of the token */
  page(sources: FeatureSources, query: FeaturesQuery, area: Bbox | undefined): Promise<ItemsPage>;
  /** Returns `undefined` if there is no item that the token opens. */
  item(sources: FeatureSources, id: string, area: Bbox | undefined): Promise<Feature | undefined>;
}

/** The collections of OGC API Features: what each has, for the caller of the token and in its area. */
export const FEATURE_COLLECTIONS: Readonly<Record<CollectionId, FeatureCollection>> = {
  zones: {
    async page(sources, query, area) {
      const zones = (await zonesIn(sources, area)).filter((zone) => isZoneIn(zone, query.bbox));
      const { page, ...rest } = pageById(zones, ({ id }) => id, query);
      const present = await sources.watched.present();
      const yielding = new Yielding();
      const features: Feature[] = [];
      for (const zone of page) {
        if (yielding.isDue) await yielding.next();
        features.push(zoneFeature(zone, present.get(zone.id) ?? null));
      }
      return { features, ...rest };
    },
    async item(sources, id, area) {
      const zone = (await zonesIn(sources, area)).find((each) => each.id === id);
      return zone && zoneFeature(zone, (await sources.watched.present()).get(id) ?? null);
    },
  },
  positions: {
    async page(sources, query, area) {
      const { positions, watched, not_watched } = currentPositions(sources, area);
      const records = positions.filter(
        ({ lon, lat, observedAt }) => isAt(query.bbox, lon, lat) && isDuring(query.datetime, observedAt),
      );
      const { page, ...rest } = pageById(records, ({ ref }) => ref, query);
      const features = page.map((position) => positionFeature(apiRecord(position)));
      return { features, ...rest, coverage: { watched, not_watched } };
    },
    async item(sources, id, area) {
      const position = currentPositions(sources, area).positions.find(({ ref }) => ref === id);
      return position && positionFeature(apiRecord(position));
    },
  },
  alarms: {
    page: alarmsPage,
    async item({ alarms, caller }, id, area) {
      const alarm = await alarms.one(caller, id);
      return alarm && isAlarmIn(alarm, area) ? alarmFeature(alarm) : undefined;
    },
  },
};

async function zonesIn({ zones, caller }: FeatureSources, area: Bbox | undefined): Promise<readonly Zone[]> {
  return (await zones.list(caller)).filter((zone) => isZoneIn(zone, area));
}

function isAt(bbox: Bbox | undefined, lon: number, lat: number): boolean {
  return bbox === undefined || bboxContains(bbox, lon, lat);
}

function isDuring(interval: Interval | undefined, at: UpstreamInstant): boolean {
  if (interval === undefined) return true;
  const { start, end } = interval;
  return (start === undefined || at >= start) && (end === undefined || at <= end);
}

/** A page in the order of ids: then no feature is on two pages, whatever changes between them. */
function pageById<Item>(items: readonly Item[], idOf: (item: Item) => string, { limit, next = '' }: FeaturesQuery) {
  const sorted = items.toSorted((one, other) => (idOf(one) < idOf(other) ? -1 : 1)).filter((item) => idOf(item) > next);
  const page = sorted.slice(0, limit);
  const last = page.at(-1);
  return { page, matched: items.length, next: last && sorted.length > limit ? idOf(last) : undefined };
}

/** A page reads so many alarms of the log. In a box with few alarms, an answer may be empty and have a next page. */
const SCANNED_MAX = 10_000;

async function alarmsPage(
  { alarms, caller }: FeatureSources,
  query: FeaturesQuery,
  area: Bbox | undefined,
): Promise<ItemsPage> {
  const { limit, datetime, bbox } = query;
  const filter = {
    ...(datetime?.start && { start: datetime.start }),
    ...(datetime?.end && { end: addMs(datetime.end, 1) }),
  };
  const features: Feature[] = [];
  let after = query.next === undefined ? undefined : placeOf(query.next);
  for (let scanned = 0; scanned < SCANNED_MAX; ) {
    const { alarms: read, next } = await alarms.page(caller, filter, after);
    for (const alarm of read) {
      if (features.length === limit) return { features, matched: undefined, next: after && textOf(after) };
      after = { openedMs: epochMs(instantOf(alarm.opened_at)), id: alarm.id };
      if (isAlarmIn(alarm, area) && isAlarmIn(alarm, bbox)) features.push(alarmFeature(alarm));
    }
    if (next === undefined) return { features, matched: undefined, next: undefined };
    scanned += read.length;
  }
  return { features, matched: undefined, next: after && textOf(after) };
}

function textOf({ openedMs, id }: PlaceInLog): string {
  return `${openedMs}_${id}`;
}

/** @throws ApiError */
function placeOf(text: string): PlaceInLog {
  const [, openedMs, id] = /^(-?\d{1,15})_([0-9a-f-]{36})$/.exec(text) ?? [];
  if (openedMs === undefined || id === undefined)
    throw new ApiError('bad_query', 'next must come from the link to the next page.');
  return { openedMs: Number(openedMs), id };
}
