import { placesOf } from './feed-kinds.ts';
import { feedUrlProblem, normalFeedUrl } from './feed-url.ts';

/** For each address, the index of an earlier one with the same location, however spelt. */
export function sameStations(urls: readonly unknown[]): readonly (number | undefined)[] {
  const firstAt = new Map<string, number>();
  return urls.map((given, index) => {
    if (typeof given !== 'string') return undefined;
    const url = normalFeedUrl(given);
    const places = feedUrlProblem(url) === undefined ? placesOf(url) : [url];
    const first = places.flatMap((place) => firstAt.get(place) ?? [])[0];
    for (const place of places) if (!firstAt.has(place)) firstAt.set(place, first ?? index);
    return first;
  });
}
