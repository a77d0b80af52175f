import type { KindInWindow, WindowTracks } from '#lib/client/replay/window-tracks/window-tracks.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { distanceText } from '#lib/model/distance-text.ts';
import { groupedNumber } from '#lib/model/grouped-number.ts';
import { LAYER_OF_KIND } from '#lib/model/layer-kind.ts';
import type { TrackKind } from '#lib/model/position.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import type { Completeness } from './completeness.ts';

export interface KindVerdict {
  readonly kind: TrackKind;
  /** `open`: no positions in what was loaded and could be received, and the rest is unknown. */
  readonly answer: 'yes' | 'no' | 'open' | 'not-asked';
  readonly headline: string;
  readonly details: readonly string[];
}

export interface VerdictOptions {
  readonly tracks: WindowTracks;
  readonly completeness: Completeness;
  /** The kind that the filter shows; `undefined`: both. */
  readonly kind: TrackKind | undefined;
  readonly hasArea: boolean;
  readonly units: UnitSystem;
  readonly zone: ClockZone;
}

/** Drones first: the subject of most questions. */
const KINDS: readonly TrackKind[] = ['drone', 'aircraft'];

export function verdicts(options: VerdictOptions): readonly KindVerdict[] {
  return KINDS.filter((kind) => options.kind === undefined || options.kind === kind).map((kind) =>
    verdictOf(kind, options),
  );
}

function verdictOf(kind: TrackKind, { tracks, completeness, hasArea, units, zone }: VerdictOptions): KindVerdict {
  const layer = completeness.layers.find((each) => each.layer === LAYER_OF_KIND[kind]);
  const [one, many] = kind === 'drone' ? ['drone', 'drones'] : ['aircraft', 'aircraft'];
  const Many = `${many[0]?.toUpperCase()}${many.slice(1)}`;
  if (!layer?.isAsked)
    return { kind, answer: 'not-asked', headline: `${Many}: not asked, the layer is off.`, details: [] };
  const found = tracks[kind];
  const where = hasArea ? 'received inside' : 'received in this window';
  const isLoaded = layer.isLoaded && completeness.isAreaLoaded;
  const isWhole = isLoaded && layer.isComplete;
  const details = [
    ...(isLoaded ? [] : ['Not everything is loaded.']),
    ...layer.unheardSentences,
    ...beside(found, [one, many], units, zone),
  ];
  if (found.tracks.length > 0) {
    const more = isWhole ? '' : ' or more';
    return { kind, answer: 'yes', headline: `${Many} ${where}: ${countText(found)}${more}.`, details };
  }
  const none = `No ${one} position ${where}`;
  if (!isLoaded) return { kind, answer: 'open', headline: `${none}, in what is loaded.`, details };
  if (!isWhole) return { kind, answer: 'open', headline: `${none}, but receivers were missing.`, details };
  return { kind, answer: found.crossings.length > 0 ? 'open' : 'no', headline: `${none}.`, details };
}

/** About tracks that were near, or received at all. */
function beside(
  { tracks, crossings, nearestOutside, received }: KindInWindow,
  [one, many]: readonly [string, string],
  units: UnitSystem,
  zone: ClockZone,
): readonly string[] {
  const said: string[] = [];
  if (crossings.length > 0) {
    const count = crossings.length === 1 ? `1 ${one}` : `${groupedNumber(crossings.length)} ${many}`;
    said.push(`Not known: ${count} may have crossed between two received positions.`);
  }
  if (tracks.length > 0) return said;
  if (nearestOutside) {
    const { distanceM, ref, at } = nearestOutside;
    said.push(
      `Nearest received position: ${distanceText(units, distanceM)} away, ${shortReference(ref)} at ${clockText(at, zone)}.`,
    );
  } else if (received === 0) said.push(`No ${one} was received in the loaded area.`);
  return said;
}

/** `2`, or `1 · 1 simulated · 1 test`: never added together. */
function countText({ tracks }: Pick<KindInWindow, 'tracks'>): string {
  const simulated = tracks.filter((track) => track.simulated).length;
  const test = tracks.filter((track) => !track.simulated && track.testBroadcast).length;
  const real = tracks.length - simulated - test;
  const parts = [
    ...(real > 0 || tracks.length === 0 ? [groupedNumber(real)] : []),
    ...(simulated > 0 ? [`${groupedNumber(simulated)} simulated`] : []),
    ...(test > 0 ? [`${groupedNumber(test)} test`] : []),
  ];
  return parts.join(' · ');
}
