import 'server-only';

/** A viewer that missed more snapshots than this gets a full frame. */
export const LINKS_MAX = 4;

/** The way from one snapshot of an area to the next. */
export interface AreaLink {
  readonly from: number;
  readonly to: number;
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
