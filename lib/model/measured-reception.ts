import { SECOND_MS } from '#lib/time/time-units.ts';
import { durationText } from './duration-text.ts';
import { HEIGHT_UNKNOWN, type HeightBand } from './height-band.ts';
import { bandsText } from './height-band-text.ts';
import type { Layer } from './position.ts';
import type { UnitSystem } from './units.ts';

/** Measured reception in words: the same in an answer, a report and a form. */

/** The last days, until now, that an answer about reception is of. */
export const RECEPTION_DAYS = 30;

/** The figures of an area, by height. */
interface LayerReception {
  readonly layer: Layer;
  readonly cell_deg: number;
  readonly watched_s: number;
  readonly partly_s: number;
  readonly bands: readonly BandReception[];
}

interface BandReception extends HeightBand {
  readonly positions: number;
  readonly apart: number;
  readonly followed_s: number | null;
  readonly received_s: number | null;
}

/** Below 5 min, the share of 30 steps would be off by up to 9 points, one time in three. */
const FOLLOWED_S_MIN = 300;

/** The share of measured reception; `undefined` where too little or nothing was followed. @param followedS null: not measured */
export function receptionShare(
  receivedS: number | null | undefined,
  followedS: number | null | undefined,
): number | undefined {
  if (receivedS == null || followedS == null || followedS < FOLLOWED_S_MIN) return undefined;
  return receivedS / followedS;
}

/** A part in percent, which is never 0% of some nor 100% of less than all. */
export function percentText(part: number): string {
  if (part > 0 && part < 0.01) return 'under 1%';
  if (part < 1 && part > 0.99) return 'over 99%';
  return `${Math.round(part * 100)}%`;
}

/** @param followedS the time between first and last receptions of all tracks together */
export function shareText(share: number, followedS: number): string {
  return `received in ${percentText(share)} of the ${durationText(followedS * SECOND_MS)} between first and last receptions`;
}

/** Bands of which most questions are, and those above them, as ids that are added up. */
const GROUPS: Readonly<Record<Layer, readonly [low: string, high: string]>> = {
  rid: ['-30,30-60', '60-120,120-'],
  adsb: ['-1000', '1000-3000,3000-6000,6000-10000,10000-'],
};

const KINDS: Readonly<Record<Layer, readonly [one: string, many: string]>> = {
  rid: ['drone', 'drones'],
  adsb: ['aircraft', 'aircraft'],
};

interface ReceptionFigure {
  readonly positions: number;
  readonly apart: number;
  readonly followedS: number;
  /** `undefined`: not measured. */
  readonly share: number | undefined;
}

/** @param ids of height bands that are added up */
function receptionFigure({ bands }: Pick<LayerReception, 'bands'>, ids: string): ReceptionFigure {
  const chosen = bands.filter(({ id }) => ids.split(',').includes(id));
  const sum = (of: (band: BandReception) => number | null) =>
    chosen.reduce((total, band) => total + (of(band) ?? 0), 0);
  const followedS = sum(({ followed_s }) => followed_s);
  return {
    positions: sum(({ positions }) => positions),
    apart: sum(({ apart }) => apart),
    followedS,
    share: receptionShare(
      sum(({ received_s }) => received_s),
      followedS,
    ),
  };
}

/** @returns without a height, and without a point at its end; `undefined` where it was not watched */
function predicate(of: LayerReception, ids: string): string | undefined {
  const [one, many] = KINDS[of.layer];
  const { share, followedS, positions, apart } = receptionFigure(of, ids);
  if (share !== undefined) return `${many} were ${shareText(share, followedS)}`;
  if (positions > 0)
    return `${many} were received, but reception is not measured${of.watched_s === 0 ? ', since positions are read less than every 15 s' : ''}`;
  if (of.watched_s + of.partly_s === 0) return undefined;
  if (apart > 0) return `only simulated, test or contradicted ${many} were received`;
  const known = receptionFigure(of, HEIGHT_UNKNOWN).positions > 0 ? ' of known height' : '';
  const watched = durationText((of.watched_s + of.partly_s) * SECOND_MS);
  return `no ${one}${known} was received in the ${watched} watched of the last ${RECEPTION_DAYS} days`;
}

/** One sentence about some height bands, such as `Below 60 m above ground here, only simulated drones were received.` */
export function receptionSentence(of: LayerReception, ids: string, units: UnitSystem): string {
  const said = predicate(of, ids);
  const [, many] = KINDS[of.layer];
  if (said === undefined) return `Not watched here: reception of ${many} is not measured.`;
  const height = bandsText(of.layer, ids, units, true);
  return `${height.slice(0, 1).toUpperCase()}${height.slice(1)} here, ${said}.`;
}

/** Measured reception of an area: of low heights, and of those above. */
export function receptionSentences(of: LayerReception, units: UnitSystem): readonly string[] {
  const [low, high] = GROUPS[of.layer];
  const said = predicate(of, low);
  const isAlike = said === predicate(of, high) && receptionFigure(of, low).share === undefined;
  if (isAlike && said !== undefined) return [`Here, ${said}.`];
  return [...new Set([low, high].map((ids) => receptionSentence(of, ids, units)))];
}

/** The meaning of “here”, and the limits of the shares. */
export function receptionNotice(layers: readonly LayerReception[]): string {
  const cells = layers.map(({ layer, cell_deg }) => `${kmText(cell_deg)} (${KINDS[layer][1]})`).join(' and ');
  return `Here: in cells of ${cells}, in the last ${RECEPTION_DAYS} days. A share of time is no probability: what was never received is not known.`;
}

/** A band counts as received if half of at least an hour was received, and as hardly received below a quarter. */
const RECEIVED = { share: 0.5, followedS: 3600 };
const HARDLY = { share: 0.25, positions: 0.01 };

/**
 * The bands within the limits that are hardly received, while one above them is: their ids, or `undefined`.
 * @param vertical limits of a zone; null: every height
 */
export function bandsBelowReception(of: LayerReception, vertical: HeightLimits | null): string | undefined {
  const received = of.bands.findLastIndex(({ id }) => {
    const { share = 0, followedS } = receptionFigure(of, id);
    return share >= RECEIVED.share && followedS >= RECEIVED.followedS && id !== HEIGHT_UNKNOWN;
  });
  const above = of.bands[received];
  if (!above) return undefined;
  const below = of.bands.slice(0, received).filter((band) => {
    if (vertical && (vertical.field !== band.field || !overlaps(vertical, band))) return false;
    const { share, positions } = receptionFigure(of, band.id);
    return share === undefined ? positions <= HARDLY.positions * above.positions : share < HARDLY.share;
  });
  return below.length === 0 ? undefined : below.map(({ id }) => id).join();
}

interface HeightLimits {
  readonly field: HeightBand['field'];
  readonly floor_m: number | null;
  readonly ceiling_m: number | null;
}

function overlaps(one: HeightLimits, other: HeightLimits): boolean {
  const isBelow = ({ ceiling_m }: HeightLimits, { floor_m }: HeightLimits) =>
    ceiling_m !== null && floor_m !== null && ceiling_m <= floor_m;
  return !isBelow(one, other) && !isBelow(other, one);
}

const KM_A_DEGREE = 111.2;

/** The side of a cell from south to north. */
export function kmText(cellDeg: number): string {
  return `${Number((cellDeg * KM_A_DEGREE).toPrecision(2))} km`;
}
