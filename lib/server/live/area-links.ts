import 'server-only';

/** A viewer that missed more snapshots than this gets a full frame. */
export const LINKS_MAX = 4;

/** The way from one snapshot of an area to the next. */
export interface AreaLink {
  readonly from: number;
  readonly to: number;
}

/** The latest links that follow each other up to that sequence. @param links in order, perhaps with gaps */
export function linksTo<Link extends AreaLink>(sequence: number, links: readonly Link[]): readonly Link[] {
  let first = links.length;
  let to: number | undefined = sequence;
  while (links.length - first < LINKS_MAX && links[first - 1]?.to === to) to = links[--first]?.from;
  return links.slice(first);
}

/** The links that lead on from there: none where it is the latest; `undefined` where no way leads to it. @param links that follow each other */
export function linksFrom<Link extends AreaLink>(
  cached: number | undefined,
  latest: number,
  links: readonly Link[],
): readonly Link[] | undefined {
  if (cached === latest) return [];
  const first = links.findIndex(({ from }) => from === cached);
  return first < 0 ? undefined : links.slice(first);
}
