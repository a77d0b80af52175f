import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';
import { boxesShareArea } from './boxes-share-area.ts';
import { type Expected, requestCost } from './request-cost.ts';

/** Requests that a plan may cost more than the fresh one, so that areas stay when counts swing to and fro. */
const MORE_FOR_STEADINESS = 1;

/** Two plans for the same viewports: each covers all of them. */
interface Choice {
  readonly held: readonly Bbox[];
  readonly fresh: readonly Bbox[];
}

/**
 * The held plan where it costs at most one request more than the fresh one. Where it costs more, it is held in as many
 * places as that allows: a place is what is connected by viewports.
 * @param maxCost of what is chosen; the fresh plan does not cost more
 */
export function steadyPlan(
  viewports: readonly Bbox[],
  choice: Choice,
  expected: Expected,
  maxCost: number,
): readonly Bbox[] {
  const cost = (areas: readonly Bbox[]) => areas.reduce((sum, area) => sum + requestCost(expected(area)), 0);
  const more = ({ held, fresh }: Choice) => cost(held) - cost(fresh);
  let moreLeft = Math.min(MORE_FOR_STEADINESS, maxCost - cost(choice.fresh));
  if (more(choice) <= moreLeft) return choice.held;

  return placesOf(viewports, choice)
    .map((place) => ({ ...place, more: more(place) }))
    .sort((a, b) => a.more - b.more)
    .flatMap((place) => {
      if (place.more > moreLeft) return place.fresh;
      moreLeft -= place.more;
      return place.held;
    });
}

/** Areas that one viewport sees belong to one place, so that either plan of a place covers the viewports that are there. */
function placesOf(viewports: readonly Bbox[], { held, fresh }: Choice): readonly Choice[] {
  const areas = [...held, ...fresh];
  /** From each area to another one of its place, in the end to one that leads to itself. */
  const leadsTo = areas.map((_, index) => index);
  const placeOf = (index: number): number => {
    let at = index;
    while (leadsTo[at] !== at) at = leadsTo[at] as number;
    leadsTo[index] = at;
    return at;
  };
  for (const viewport of viewports) {
    let place: number | undefined;
    for (const [index, area] of areas.entries()) {
      if (!boxesShareArea(viewport, area)) continue;
      place ??= placeOf(index);
      leadsTo[placeOf(index)] = place;
    }
  }
  const places = new Map<number, { held: Bbox[]; fresh: Bbox[] }>();
  for (const [index, area] of areas.entries()) {
    const at = placeOf(index);
    const place = places.get(at) ?? { held: [], fresh: [] };
    places.set(at, place);
    place[index < held.length ? 'held' : 'fresh'].push(area);
  }
  return [...places.values()];
}
