import type { DisplaySummary } from '#lib/client/display/display-summary.ts';
import { LAYER_DISPLAY_ORDER, LAYER_NAME, layerText } from '#lib/client/display/layer-text.ts';
import { activeCriteria } from '#lib/filter/track-filter.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { type ClockZone, dateTimeText } from '#lib/model/clock-text.ts';
import type { Colouring } from '#lib/model/mark-colour.ts';
import { FLAG_SIMULATED } from '#lib/model/record-fields.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import type { Picture } from '#lib/picture/picture.ts';
import { formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { criterionText, hiddenEmergenciesText, unknownTexts } from '../filters/filter-text.ts';
import { colouringText } from '../legend/colouring-text.ts';
import { pageNotices } from '../notices/notice-text.ts';
import { COVERAGE_NOTICE } from '../ui/coverage-notice.tsx';

export interface PictureFacts {
  readonly summary: DisplaySummary;
  readonly picture: Pick<Picture, 'count' | 'style'>;
  readonly visible: Bbox | undefined;
  readonly zone: ClockZone;
  readonly units: UnitSystem;
  readonly colouring: Colouring;
  readonly attribution: string;
}

/** Plates lie on the map, so that cropping cannot remove them unnoticed; lines are below it. */
export interface PictureText {
  readonly plates: readonly { readonly kind: 'replay' | 'simulated'; readonly text: string }[];
  readonly lines: readonly string[];
}

export function pictureText(facts: PictureFacts): PictureText {
  const { summary, visible, zone, units, colouring, attribution } = facts;
  const { shownAt, now, isPast, layers } = summary;
  const plates: PictureText['plates'][number][] = [];
  if (isPast) plates.push({ kind: 'replay', text: `REPLAY ${timeText(shownAt, zone)}` });
  const simulated = simulatedText(facts.picture);
  if (simulated !== undefined) plates.push({ kind: 'simulated', text: simulated });

  const states = LAYER_DISPLAY_ORDER.map((layer) => {
    if (!isPast) return layerText(layers[layer], now, zone).sentence;
    return `${LAYER_NAME[layer]}: ${layers[layer].on ? 'shown' : 'layer is off'}`;
  });
  return {
    plates,
    lines: [
      `Lookout · ${isPast ? 'replay of' : 'live'} ${timeText(shownAt, zone)}${areaText(visible)}`,
      states.join(' · '),
      ...filterLines(summary, units),
      colouringText(colouring, units),
      ...pageNotices(summary).map(({ sentence, age }) => (age === undefined ? sentence : `${sentence} ${age}`)),
      COVERAGE_NOTICE,
      ...(attribution === '' ? [] : [`Map: ${attribution}`]),
    ],
  };
}

export function pictureFileName({ shownAt, isPast }: Pick<DisplaySummary, 'shownAt' | 'isPast'>): string {
  const time = shownAt === undefined ? 'no-time' : `${formatInstant(shownAt).slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
  return `lookout-${isPast ? 'replay-' : ''}${time}.png`;
}

/** Always in UTC, also in local time if the operator reads that. */
function timeText(at: UpstreamInstant | undefined, zone: ClockZone): string {
  if (at === undefined) return 'at an unknown time';
  const utc = dateTimeText(at, 'utc');
  return zone === 'utc' ? utc : `${utc} (${dateTimeText(at, 'local')})`;
}

/** South-west to north-east corner, so that a box across 180° reads as it is. */
function areaText(visible: Bbox | undefined): string {
  if (!visible) return '';
  const { west, south, east, north } = visible;
  return ` · ${placeText(south, west)} to ${placeText(north, east)}`;
}

function placeText(lat: number, lon: number): string {
  return `${Math.abs(lat).toFixed(4)} ${lat < 0 ? 'S' : 'N'} ${Math.abs(lon).toFixed(4)} ${lon < 0 ? 'W' : 'E'}`;
}

function simulatedText({ count, style }: PictureFacts['picture']): string | undefined {
  let simulated = 0;
  for (let index = 0; index < count; index++) if ((style[index] as number) & FLAG_SIMULATED) simulated += 1;
  if (simulated === 0) return undefined;
  return simulated === count ? 'SIM · all traffic shown is simulated' : `SIM · ${simulated} of ${count} simulated`;
}

function filterLines({ filtered }: DisplaySummary, units: UnitSystem): readonly string[] {
  const { filter, shown, received } = filtered;
  const criteria = activeCriteria(filter).map((criterion) => criterionText(filter, criterion, units));
  if (criteria.length === 0) return [];
  const hidden = filtered.hiddenEmergencies > 0 ? [hiddenEmergenciesText(filtered.hiddenEmergencies)] : [];
  return [
    [`Filtered: ${shown} of ${received} received`, ...criteria, ...unknownTexts(filtered), ...hidden].join(' · '),
  ];
}
