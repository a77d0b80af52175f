import 'server-only';
import { REASON_OF_RECEPTION } from '#lib/api/layer-reason.ts';
import type { CoverageNow } from '#lib/api/outputs/output-answers.ts';
import { type Bbox, bboxContains, splitAtAntimeridian } from '#lib/geo/bbox.ts';
import { corners } from '#lib/geo/corners.ts';
import { agePhase, expiryMs } from '#lib/model/ageing.ts';
import { LAYERS, type Position } from '#lib/model/position.ts';
import { epochMs, formatInstant, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { coverBox, keepNewest, type Snapshots } from '../live/snapshots.ts';
import type { UpstreamClock } from '../upstream/upstream-clock.ts';

/** The glossary calls such a box at least partly watched. */
const WATCHED_MAX_AGE_MS = MINUTE_MS;
const EVERYWHERE: Bbox = { west: -180, south: -90, east: 180, north: 90 };

export interface CurrentPositions extends Readonly<CoverageNow> {
  readonly now: UpstreamInstant;
  /** The positions of the box, each for as long as the map shows it. */
  readonly positions: readonly Position[];
  /** The number of positions of all areas, since the start. */
  readonly observed: number;
}

export interface PositionSources {
  readonly snapshots: Pick<Snapshots, 'intersecting' | 'observed'>;
  readonly clock: Pick<UpstreamClock, 'nowForAges'>;
}

/**
 * The positions of an area as the map shows them, for other programs, with the boxes that were read. It reads the
 * snapshots of viewers and zones, sends no requests, and adds no demand.
 */
export function currentPositions({ snapshots, clock }: PositionSources, area: Bbox = EVERYWHERE): CurrentPositions {
  const now = clock.nowForAges();
  const newest = new Map<string, Position>();
  const watched: CoverageNow['watched'] = [];
  const notWatched: CoverageNow['not_watched'] = [];
  for (const layer of LAYERS) {
    for (const box of splitAtAntimeridian(area)) {
      for (const { snapshot, regions } of coverBox(box, snapshots.intersecting(layer, box)).parts) {
        const { fetchedAt, incomplete, positions, reception } = snapshot;
        const reason = reception && REASON_OF_RECEPTION[reception.state];
        const isRecent = msBetween(fetchedAt, now) <= WATCHED_MAX_AGE_MS;
        for (const region of isRecent ? regions : []) {
          const bbox = corners(region);
          const readAt = formatInstant(fetchedAt);
          if (reason === undefined || reason === 'receivers_partly')
            watched.push({ layer, bbox, read_at: readAt, incomplete: reason ?? incomplete ?? null });
          else {
            const since = reception?.since === undefined ? null : formatInstant(reception.since);
            notWatched.push({ layer, bbox, read_at: readAt, reason, since });
          }
        }
        for (const position of positions.values())
          if (isShown(position, now) && regions.some((region) => bboxContains(region, position.lon, position.lat)))
            keepNewest(newest, position);
      }
    }
  }
  return { now, positions: [...newest.values()], watched, not_watched: notWatched, observed: snapshots.observed };
}

function isShown({ observedAt, staleAfter, kind }: Position, now: UpstreamInstant): boolean {
  const observedMs = epochMs(observedAt);
  const staleMs = staleAfter === undefined ? Number.NaN : epochMs(staleAfter);
  return agePhase(observedMs, expiryMs(observedMs, staleMs, kind), kind, epochMs(now)) !== 'removed';
}
