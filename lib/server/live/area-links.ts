import 'server-only';

/** A viewer that missed more gets a full frame. */
export const LINKS_MAX = 4;

export interface AreaLink {
  readonly from: number;
  readonly to: number;
}

/** `undefined` where no links lead to the latest. @param links that follow each other */
export function linksFrom<Link extends AreaLink>(
  cached: number | undefined,
  latest: number,
  links: readonly Link[],
): readonly Link[] | undefined {
  if (cached === latest) return [];
  const first = links.findIndex(({ from }) => from === cached);
  return first < 0 ? undefined : links.slice(first);
}
