import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';
import { boxesShareArea } from './boxes-share-area.ts';
import { type Expected, requestCost } from './request-cost.ts';

/** So that areas stay while counts fluctuate. */
const STABILITY_REQUESTS = 1;

interface Choice {
  readonly kept: readonly Bbox[];
  readonly fresh: readonly Bbox[];
}

/**
 * A place is a set of areas connected by viewports: the old plan stays in as many as possible.
 * @param maxCost not exceeded by the fresh plan
 */
export function steadyPlan(
  viewports: readonly Bbox[],
  choice: Choice,
  expected: Expected,
  maxCost: number,
): readonly Bbox[] {
  const cost = (areas: readonly Bbox[]) => areas.reduce((sum, area) => sum + requestCost(expected(area)), 0);
  const more = ({ kept, fresh }: Choice) => cost(kept) - cost(fresh);
  let moreLeft = Math.min(STABILITY_REQUESTS, maxCost - cost(choice.fresh));
  if (more(choice) <= moreLeft) return choice.kept;

  return placesOf(viewports, choice)
    .map((place) => ({ ...place, more: more(place) }))
    .sort((a, b) => a.more - b.more)
    .flatMap((place) => {
      if (place.more > moreLeft) return place.fresh;
      moreLeft -= place.more;
      return place.kept;
    });
}

/** Either plan of a place covers its viewports. */
function placesOf(viewports: readonly Bbox[], { kept, fresh }: Choice): readonly Choice[] {
  const areas = [...kept, ...fresh];
  /** Union-find. */
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
  const places = new Map<number, { kept: Bbox[]; fresh: Bbox[] }>();
  for (const [index, area] of areas.entries()) {
    const at = placeOf(index);
    const place = places.get(at) ?? { kept: [], fresh: [] };
    places.set(at, place);
    place[index < kept.length ? 'kept' : 'fresh'].push(area);
  }
  return [...places.values()];
}
