import 'server-only';
import { createHash } from 'node:crypto';
import { isReception, type PastReason } from '#lib/api/layer-reason.ts';
import type { Incident, LayerAnswer, TrackInside } from '#lib/api/watching/incidents.ts';
import { type Bbox, eastPastWest } from '#lib/geo/bbox.ts';
import { decimalText } from '#lib/geo/coordinate-text.ts';
import { grownBox } from '#lib/geo/grown-box.ts';
import { countedTracksText, LAYER_IN_FULL, tagsOf, verdictText, watchText } from '#lib/incidents/incident-text.ts';
import { mergedUnwatched } from '#lib/incidents/inside.ts';
import { nearDistanceText } from '#lib/model/measure-text.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { UNPRINTABLE_IN_NAMES } from '#lib/text/plain-line.ts';
import { xmlText } from '#lib/text/xml.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { alarmTitle } from '#lib/zones/alarm-words.ts';
import type { ZoneShape } from '#lib/zones/zone.ts';
import type { Bounds } from '../maps/ground-map.ts';
import { keptBox } from './incident-rows.ts';
import type { SealedMaterial } from './sealed-material.ts';

// Words and numbers that report.html and replay.html share.

const UNPRINTABLE = new RegExp(UNPRINTABLE_IN_NAMES.source, 'gu');

/** Text for HTML and SVG. Characters that are invisible, or turn its direction, are written as `[U+202E]`: they may matter. */
export function html(text: string): string {
  return xmlText(
    text.replaceAll(UNPRINTABLE, (run) =>
      Array.from(run, (each) => (each === '\n' || each === '\t' ? each : `[U+${hex(each)}]`)).join(''),
    ),
  );
}

/** SIM and TEST of a track. */
export function flags(track: Pick<TrackInside, 'simulated' | 'test'>): string {
  return tagsOf(track)
    .map((tag) => ` <b class="flag">${tag}</b>`)
    .join('');
}

function hex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

/** JSON for a data block of a page: nothing in it ends the block, or changes the direction of its text. */
export function dataBlock(value: unknown): string {
  return JSON.stringify(value).replaceAll(NOT_IN_BLOCKS, (run) =>
    Array.from(run, (each) => `\\u${hex(each).toLowerCase()}`).join(''),
  );
}

const NOT_IN_BLOCKS = new RegExp(`[<>&]|${UNPRINTABLE_IN_NAMES.source}`, 'gu');

/** The start of a page that loads nothing and runs at most its own script. */
export function pageStart(title: string, style: string, script?: string): string {
  const allowed = [`default-src 'none'`, `style-src '${hashOf(style)}'`, `base-uri 'none'`, `form-action 'none'`];
  if (script !== undefined) allowed.push(`script-src '${hashOf(script)}'`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${allowed.join('; ')}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light only">
<title>${html(title)}</title>
<style>${style}</style>
</head>
`;
}

function hashOf(content: string): string {
  return `sha256-${createHash('sha256').update(content).digest('base64')}`;
}

export function areaInWords({ zone, shape }: Incident): string {
  const of = zone ? ` It is the zone “${zone.name}”, revision ${zone.revision}.` : '';
  switch (shape.type) {
    case 'Circle': {
      const [lon, lat] = shape.centre;
      return `Circle with a radius of ${nearDistanceText('metric', shape.radius_m)} around ${decimalText({ lon, lat })}.${of}`;
    }
    case 'Polygon': {
      const [edge = [], ...holes] = shape.coordinates;
      const without = holes.length === 0 ? '' : `, without ${holes.length === 1 ? 'a hole' : `${holes.length} holes`}`;
      return `Polygon of ${edge.length - 1} corners${without}.${of}`;
    }
    case 'Corridor':
      return `Corridor of ${nearDistanceText('metric', shape.half_width_m)} on each side of a line of ${shape.line.length} points.${of}`;
  }
}

export interface NamedTrack extends TrackInside {
  /** Its name in the documents, such as `D3`. */
  readonly name: string;
}

export interface Watched {
  readonly fromMs: number;
  readonly toMs: number;
  readonly state: 'watched' | 'partly' | 'not_watched';
  /** Such as `Not watched: all receivers were down`; empty where it was watched. */
  readonly text: string;
}

/** A layer of the incident with its answer in words. */
export interface LayerWords {
  readonly layer: Layer;
  readonly name: string;
  readonly verdict: LayerAnswer['verdict'];
  /** Such as `Received: 3 tracks`. */
  readonly headline: string;
  readonly details: readonly string[];
  readonly tracks: readonly NamedTrack[];
  /** The stretches of `watched.csv` about reception, with those around the window. */
  readonly watched: readonly Watched[];
  readonly answer: LayerAnswer;
}

/** The answer of each layer; simulated and test tracks are never counted with others. */
export function layerWords({ incident, answer, watched }: SealedMaterial): readonly LayerWords[] {
  const [fromMs, toMs] = windowOf(incident);
  return LAYERS.flatMap((layer): LayerWords[] => {
    const of = answer.layers[layer];
    if (!of) return [];
    const tracks = of.tracks.map((track, index) => ({ ...track, name: `${layer === 'rid' ? 'D' : 'A'}${index + 1}` }));
    const real = tracks.filter((track) => tagsOf(track).length === 0);
    const { verdict } = of;
    const span = lengthOf(toMs - fromMs);
    let missedMs = 0;
    const missing = MISSING.flatMap((text, rank) => {
      const ms = coveredMs(of.not_watched.filter(({ reason }) => rankOf(reason) <= rank)) - missedMs;
      missedMs += ms;
      return ms > 0 ? [`${portionText(ms, toMs - fromMs)} ${text}`] : [];
    });
    const details = [
      verdict === 'received' && missing.length > 0 ? `Not known: ${missing.join(', ')}.` : [],
      verdict === 'not_known' && missedMs < toMs - fromMs ? 'Nothing was received in the time that was watched.' : [],
      missing.length === 0 ? `All of the ${span} were watched.` : [],
      verdict === 'received' && real.length === 0 ? 'No other track was received.' : [],
    ].flat();
    const stretches = watched.flatMap(([what, name, from, to, state, reason]): Watched[] =>
      what === 'positions' && name === layer
        ? [
            {
              fromMs: Date.parse(from as string),
              toMs: Date.parse(to as string),
              state: state as Watched['state'],
              text: reason ? watchText({ reason: reason as PastReason }) : '',
            },
          ]
        : [],
    );
    const headline = [verdictText(of), ...(verdict === 'not_known' ? [missing.join(', ')] : [])].join(': ');
    return [{ layer, name: LAYER_IN_FULL[layer], verdict, headline, details, tracks, watched: stretches, answer: of }];
  });
}

/** The worst first: a time counts once. */
const MISSING = ['were not watched', 'could not be read', 'were watched only in part'] as const;

function rankOf(reason: PastReason): number {
  if (reason === 'receivers_partly') return 2;
  return isReception(reason) ? 0 : 1;
}

/** Names the tracks that are no real traffic; empty where there are none. */
export function notRealText(layers: readonly LayerWords[]): string {
  const tracks = layers.flatMap((layer) => layer.tracks);
  const marked = tracks.filter((track) => tagsOf(track).length > 0);
  return marked.length === 0 ? '' : `Not real traffic: ${countedTracksText(marked)}`;
}

/** An alarm or note, under its name in the documents. */
export interface NamedEvent {
  readonly name: string;
  readonly kind: 'alarm' | 'note';
  readonly atMs: number;
  /** The same for a note. */
  readonly toMs: number;
  readonly text: string;
}

/** In order of time. */
export function eventsOf({ incident, alarms, notes }: SealedMaterial): readonly NamedEvent[] {
  const [, endMs] = windowOf(incident);
  const noteNames = new Map(notes.map(({ id }, index) => [id, `n${index + 1}`]));
  const events = [
    ...alarms.map((alarm, index) => ({
      name: `a${index + 1}`,
      kind: 'alarm' as const,
      atMs: Date.parse(alarm.opened_at),
      toMs: alarm.ended_at === null ? endMs : Date.parse(alarm.ended_at),
      text: [alarmTitle(alarm), ...tagsOf(alarm)].join(' '),
    })),
    ...notes.map(({ at, corrects, text, kind }, index) => ({
      name: `n${index + 1}`,
      kind: 'note' as const,
      atMs: Date.parse(at),
      toMs: Date.parse(at),
      text: `${corrects === null ? '' : `Corrects ${noteNames.get(corrects) ?? 'an earlier note'}: `}${text || kind}`,
    })),
  ];
  return events.sort((one, next) => one.atMs - next.atMs);
}

/** The times of the kept positions: the window and some minutes around it. */
export function keptTimes(incident: Incident, layers: readonly LayerWords[]): readonly [fromMs: number, toMs: number] {
  const [fromMs, toMs] = windowOf(incident);
  const stretches = layers.flatMap(({ watched }) => watched);
  return [
    stretches.reduce((least, each) => Math.min(least, each.fromMs), fromMs),
    stretches.reduce((most, each) => Math.max(most, each.toMs), toMs),
  ];
}

export function windowOf({ from, to, closed }: Incident): readonly [fromMs: number, toMs: number] {
  return [Date.parse(from), Date.parse(to ?? closed?.at ?? from)];
}

/** Ms that at least one of the stretches covers. */
function coveredMs(stretches: readonly { readonly from: string; readonly to: string }[]): number {
  const spans = stretches.map(({ from, to }) => ({ fromMs: Date.parse(from), toMs: Date.parse(to), reason: '' }));
  const merged = mergedUnwatched(spans, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
  return merged.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
}

/** `12 of 90 min`, `7.5 of 90 min`, `40 s of 90 min`: never less than it was. */
function portionText(ms: number, ofMs: number): string {
  const minutes = (each: number) => Math.ceil(each / (MINUTE_MS / 10)) / 10;
  return ms < MINUTE_MS
    ? `${Math.ceil(ms / 1000)} s of ${minutes(ofMs)} min`
    : `${minutes(ms)} of ${minutes(ofMs)} min`;
}

/** `7 min 30 s`, to the second. */
export function lengthOf(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const parts = [
    [hours, 'h'],
    [minutes, 'min'],
    [seconds % 60, 's'],
  ] as const;
  return parts.flatMap(([count, unit]) => (count === 0 ? [] : [`${count} ${unit}`])).join(' ') || '0 s';
}

/** Around an incident's area: what was kept, and the ground that a map can show around that. */
export function aroundOf(shape: ZoneShape): { readonly bounds: Bounds; readonly around: Bounds } {
  const bounds = runningOn(keptBox(shape));
  return { bounds, around: runningOn(grownBox(keptBox(shape), GROUND_AROUND_M)) };
}

function runningOn(box: Bbox): Bounds {
  return { ...box, east: eastPastWest(box) };
}

const GROUND_AROUND_M = 15_000;

// Written into replay.html as their source (`String(…)`): these use nothing but their arguments.

/** The points of a line of the ground map, in degrees. */
export function groundPoints(line: readonly number[], stepsPerDeg: number): readonly (readonly [number, number])[] {
  const points: [number, number][] = [];
  let [lon, lat] = [0, 0];
  for (let index = 0; index + 1 < line.length; index += 2) {
    lon += line[index] as number;
    lat += line[index + 1] as number;
    points.push([lon / stepsPerDeg, lat / stepsPerDeg]);
  }
  return points;
}

export interface MarkLabel {
  readonly text: string;
  readonly leftX: number;
}

/**
 * Labels of marks on an axis, in order of time. Marks without room for a label each share one, such as `n1–n3, n6`.
 * @param marks letters and numbers, such as `n1`
 */
export function markLabels(
  marks: readonly { readonly name: string; readonly x: number }[],
  letterPx: number,
  endX: number,
): readonly MarkLabel[] {
  const labelOf = (names: readonly string[], x: number) => {
    const runs: [first: string, last: string][] = [];
    const numberOf = (name: string) => Number(name.slice(1));
    const inOrder = [...names].sort((one, next) =>
      one.charAt(0) === next.charAt(0) ? numberOf(one) - numberOf(next) : one < next ? -1 : 1,
    );
    for (const name of inOrder) {
      const run = runs[runs.length - 1];
      if (run && name === `${run[1].charAt(0)}${numberOf(run[1]) + 1}`) run[1] = name;
      else runs.push([name, name]);
    }
    const text = runs.map(([first, last]) => (first === last ? first : `${first}–${last}`)).join(', ');
    const width = text.length * letterPx;
    const leftX = Math.min(x - letterPx / 2, endX - width);
    return { names, x, text, leftX, rightX: leftX + width };
  };
  const labels: ReturnType<typeof labelOf>[] = [];
  for (const { name, x } of marks) {
    let label = labelOf([name], x);
    let before = labels[labels.length - 1];
    while (before && before.rightX + letterPx > label.leftX) {
      labels.pop();
      label = labelOf([...before.names, ...label.names], before.x);
      before = labels[labels.length - 1];
    }
    labels.push(label);
  }
  return labels;
}
