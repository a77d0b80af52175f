import { type Camera, formatAddress, liveAddress, parseAddress } from './address-state.ts';
import { mendedLink } from './received-link.ts';

/** Seconds that a wall may show each of its views. A place that is shown again is read again. */
export const WALL_EVERY_S = [30, 60, 120, 300] as const;
const EVERY_DEFAULT_S = 60;
export const WALL_VIEWS_MAX = 6;

/** A wall shows a view at twice the size, and one level farther out: the same places as on a desk. */
const FARTHER_OUT = 1;

export interface WallTurns {
  /** Ids of saved views that are shown in turn; none: the view of the address stays. */
  readonly views: readonly string[];
  readonly everyS: (typeof WALL_EVERY_S)[number];
}

export interface WallAddress extends WallTurns {
  /** `undefined`: as the browser prefers. */
  readonly theme: 'dark' | 'light' | undefined;
  /** Query of the first view, with its place. */
  readonly query: string;
  /** The same in an ordinary page; `undefined` for the wall of a token, which has none. */
  readonly back: string | undefined;
  /** Whether the address names a replay: a wall shows the present alone. */
  readonly wasPast: boolean;
}

/**
 * `?wall`, with the parameters of a link to a view, and `views=ID,ID`, `every=60` and `theme=dark`. Invalid ones are ignored.
 * @param start query of the start view; empty without one
 * @returns `undefined` for an address of an ordinary page
 */
export function parseWall(search: string, start: string, home: Camera): WallAddress | undefined {
  const parameters = new URLSearchParams(search);
  if (!parameters.has('wall')) return undefined;
  const views = (parameters.get('views') ?? '').split(',').filter((id) => id !== '');
  const everyS = WALL_EVERY_S.find((seconds) => String(seconds) === parameters.get('every')) ?? EVERY_DEFAULT_S;
  const theme = (['dark', 'light'] as const).find((name) => name === parameters.get('theme'));
  for (const own of ['wall', 'views', 'every', 'theme']) parameters.delete(own);
  const link = mendedLink(parameters.size === 0 ? start : `?${parameters}`);
  return {
    views: [...new Set(views)].slice(0, WALL_VIEWS_MAX),
    everyS,
    theme,
    query: wallQuery(link, home),
    back: liveAddress(link),
    wasPast: parameters.has('from'),
  };
}

/**
 * The query of a view as a wall shows it: the present, at the wall's scale.
 * @param home the place of a view without one
 */
export function wallQuery(query: string, home?: Camera): string {
  const { state } = parseAddress(query);
  const view = state.view ?? home;
  return formatAddress({
    ...state,
    view: view && { ...view, zoom: Math.max(0, view.zoom - FARTHER_OUT) },
    replay: undefined,
  });
}

/** @param query of a link to what the wall shows first */
export function formatWall({ views, everyS, theme }: WallTurns & Pick<WallAddress, 'theme'>, query: string): string {
  const turns = views.length === 0 ? '' : `&views=${views.join()}&every=${everyS}`;
  return `/?wall${liveAddress(query).slice(1).replace('?', '&')}${turns}${theme === undefined ? '' : `&theme=${theme}`}`;
}

/**
 * Requests in an hour for views in turn, if nothing else reads their places.
 * @param queries of the views
 */
export function requestsPerHour(queries: readonly string[], everyS: number): number {
  const layers = queries.map((query) => parseAddress(query).state.layers?.size ?? 2);
  return Math.round((3600 / everyS / queries.length) * layers.reduce((sum, size) => sum + size, 0));
}
