import type { DisplaySummary } from '#lib/client/display/display-summary.ts';
import { LAYER_DISPLAY_ORDER, LAYER_NAME, layerText } from '#lib/client/display/layer-text.ts';
import type { Lookout } from '#lib/client/page/lookout.ts';
import type { MapPixels } from '#lib/client/page/page-map.ts';
import { activeCriteria } from '#lib/filter/track-filter.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { type ClockZone, dateTimeText } from '#lib/model/clock-text.ts';
import type { Colouring } from '#lib/model/mark-colour.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { criterionText, hiddenEmergenciesText, unknownTexts } from '../filters/filter-text.ts';
import { colouringText } from '../legend/colouring-text.ts';
import { pageNotices } from '../notices/notice-text.ts';
import { COVERAGE_NOTICE } from '../ui/coverage-notice.tsx';

interface TakenPicture {
  readonly canvas: HTMLCanvasElement;
  readonly fileName: string;
}

/**
 * A picture of what the map shows, with its texts below it.
 * @throws Error with a sentence for operators if there is nothing to take a picture of
 */
export function takePicture(lookout: Lookout): TakenPicture {
  const { map, text } = picturedMap(lookout);
  if (!map)
    throw new Error(
      lookout.mapAbsence.get() ? 'There is no map to take a picture of.' : 'The map has nothing to take a picture of.',
    );
  const { color, backgroundColor } = getComputedStyle(document.body);
  return {
    canvas: drawPictureSheet(map, text, { ground: backgroundColor, text: color }),
    fileName: pictureFileName(lookout.display.summary()),
  };
}

interface PicturedMap {
  /** `undefined` before the map has drawn, and while its graphics context is lost. */
  readonly map: MapPixels | undefined;
  readonly text: PictureText;
}

export function picturedMap({ display, mapCommands, mapView, preferences, colouring }: Lookout): PicturedMap {
  // A replay updates texts less often than marks.
  display.refresh();
  const summary = display.summary();
  const pixels: MapPixels[] = [];
  mapCommands.run({ kind: 'read-pixels', done: (read) => pixels.push(read) });
  const [map] = pixels;
  const { zone, units } = preferences.get();
  const { visible } = mapView.get();
  const attribution = map?.attribution ?? '';
  const facts = { summary, visible, zone, units, colouring: colouring.get(), attribution };
  return { map, text: pictureText(facts) };
}

export function pngOf(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob) resolve(blob);
      else reject(new Error('This browser could not make a PNG of the picture.'));
    }, 'image/png');
  });
}

const PADDING_PX = 10;
const LINE_PX = 17;
const LINE_FONT_PX = 12;
const PLATE_FONT_PX = 15;
const PLATE_PX = 30;
const SCALE_FONT_PX = 10;
const FRAME_PX = 3;
const NUMBER_FONT_PX = 11;
const NUMBER_BESIDE_PX = 7;
/** The plate below the scale shows the map, and keeps the scale readable. */
const SCALE_PLATE_OPACITY = 0.8;

/** REPLAY is black on amber in either theme. */
const REPLAY_COLOUR = '#ffb224';
const REPLAY_INK = '#000000';
const SANS = '"Inter Variable", system-ui, sans-serif';
const MONO = '"JetBrains Mono Variable", ui-monospace, monospace';

/**
 * The map with its plates and scale, and the lines below it.
 * @param numbered numbers to draw next to these places
 */
export function drawPictureSheet(
  { canvas: map, pixelRatio, scale, at }: MapPixels,
  { plates, lines }: PictureText,
  colours: { readonly ground: string; readonly text: string },
  numbered: readonly { readonly number: string; readonly lon: number; readonly lat: number }[] = [],
): HTMLCanvasElement {
  const px = (cssPx: number) => Math.round(cssPx * pixelRatio);
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  if (!context) throw new Error('this browser has no canvas to draw the picture on');
  const lineFont = `${px(LINE_FONT_PX)}px ${SANS}`;
  context.font = lineFont;
  const widthOf = (text: string) => context.measureText(text).width;
  const wrapped = lines.flatMap((line) => wrapText(line, map.width - 2 * px(PADDING_PX), widthOf));

  canvas.width = map.width;
  canvas.height = map.height + 2 * px(PADDING_PX) + wrapped.length * px(LINE_PX);
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(map, 0, 0);
  if (plates.some(({ kind }) => kind === 'replay')) {
    context.strokeStyle = REPLAY_COLOUR;
    context.lineWidth = px(FRAME_PX);
    const inset = px(FRAME_PX) / 2;
    context.strokeRect(inset, inset, map.width - 2 * inset, map.height - 2 * inset);
  }

  context.textBaseline = 'middle';
  context.textAlign = 'center';
  context.font = `600 ${px(NUMBER_FONT_PX)}px ${SANS}`;
  for (const { number, lon, lat } of numbered) {
    const { x, y } = at(lon, lat);
    const width = widthOf(number) + px(6);
    const left = px(x + NUMBER_BESIDE_PX);
    const top = px(y - NUMBER_BESIDE_PX - NUMBER_FONT_PX);
    context.fillStyle = colours.ground;
    context.fillRect(left, top, width, px(NUMBER_FONT_PX + 4));
    context.strokeStyle = colours.text;
    context.lineWidth = px(1);
    context.strokeRect(left, top, width, px(NUMBER_FONT_PX + 4));
    context.fillStyle = colours.text;
    context.fillText(number, left + width / 2, top + px(NUMBER_FONT_PX + 4) / 2);
  }

  // No number covers a plate.
  context.font = `600 ${px(PLATE_FONT_PX)}px ${MONO}`;
  plates.forEach(({ kind, text }, index) => {
    const width = Math.min(widthOf(text) + 2 * px(PADDING_PX), map.width);
    const top = px(PADDING_PX) + index * px(PLATE_PX + PADDING_PX / 2);
    context.fillStyle = kind === 'replay' ? REPLAY_COLOUR : colours.text;
    context.fillRect((map.width - width) / 2, top, width, px(PLATE_PX));
    context.fillStyle = kind === 'replay' ? REPLAY_INK : colours.ground;
    context.fillText(text, map.width / 2, top + px(PLATE_PX) / 2, width - px(PADDING_PX));
  });

  const right = map.width - px(PADDING_PX);
  const bottom = map.height - px(PADDING_PX);
  const width = px(scale.widthPx);
  context.fillStyle = colours.ground;
  context.globalAlpha = SCALE_PLATE_OPACITY;
  context.fillRect(right - width - px(5), bottom - px(18), width + px(10), px(23));
  context.globalAlpha = 1;
  context.strokeStyle = colours.text;
  context.lineWidth = px(1.5);
  context.beginPath();
  context.moveTo(right - width, bottom - px(5));
  context.lineTo(right - width, bottom);
  context.lineTo(right, bottom);
  context.lineTo(right, bottom - px(5));
  context.stroke();
  context.font = `${px(SCALE_FONT_PX)}px ${SANS}`;
  context.fillStyle = colours.text;
  context.fillText(scale.text, right - width / 2, bottom - px(SCALE_FONT_PX));

  context.textAlign = 'left';
  context.font = lineFont;
  context.fillStyle = colours.text;
  wrapped.forEach((line, index) => {
    context.fillText(line, px(PADDING_PX), map.height + px(PADDING_PX) + (index + 0.5) * px(LINE_PX));
  });
  return canvas;
}

/** Breaks a text into lines; a word wider than `width` has its own line. */
export function wrapText(text: string, width: number, widthOf: (text: string) => number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && widthOf(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

export interface PictureFacts {
  readonly summary: DisplaySummary;
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
  const simulated = simulatedText(summary.filtered);
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

/** The time in UTC, and also in local time if the operator reads that. */
function timeText(at: UpstreamInstant | undefined, zone: ClockZone): string {
  if (at === undefined) return 'at an unknown time';
  const utc = dateTimeText(at, 'utc');
  return zone === 'utc' ? utc : `${utc} (${dateTimeText(at, 'local')})`;
}

/** The area from its south-west to its north-east corner, so that a box across 180° reads as it is. */
function areaText(visible: Bbox | undefined): string {
  if (!visible) return '';
  const { west, south, east, north } = visible;
  return ` · ${placeText(south, west)} to ${placeText(north, east)}`;
}

function placeText(lat: number, lon: number): string {
  return `${Math.abs(lat).toFixed(4)} ${lat < 0 ? 'S' : 'N'} ${Math.abs(lon).toFixed(4)} ${lon < 0 ? 'W' : 'E'}`;
}

function simulatedText({ shown, shownOf }: DisplaySummary['filtered']): string | undefined {
  const simulated = Object.values(shownOf).reduce(
    (sum, { current, expired }) => sum + current.simulated + expired.simulated,
    0,
  );
  if (simulated === 0) return undefined;
  return simulated === shown ? 'SIM · all traffic shown is simulated' : `SIM · ${simulated} of ${shown} simulated`;
}

function filterLines({ filtered }: DisplaySummary, units: UnitSystem): readonly string[] {
  const { filter, shown, received } = filtered;
  const criteria = activeCriteria(filter).map((criterion) => criterionText(filter, criterion, units));
  if (criteria.length === 0) return [];
  const hidden =
    filtered.hiddenEmergencies > 0 ? [`${hiddenEmergenciesText(filtered.hiddenEmergencies)} by the filter`] : [];
  return [
    [`Filtered: ${shown} of ${received} received`, ...criteria, ...unknownTexts(filtered), ...hidden].join(' · '),
  ];
}
