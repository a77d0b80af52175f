'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useEffect, useState } from 'react';
import { useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import type { Preferences } from '#lib/client/page/preferences.ts';
import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import { emergencyClass } from '#lib/model/emergency.ts';
import type { Position } from '#lib/model/position.ts';
import { FLAG_SIMULATED, FLAG_TEST } from '#lib/model/record-fields.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { LENGTH_UNIT, lengthIn, SPEED_UNIT, speedIn, type UnitSystem } from '#lib/model/units.ts';
import { emptyLayer, tallyLayer } from '#lib/picture/draw-picture.ts';
import { MARK_EMERGENCY, MARK_EXPIRED, MARK_SELECTED } from '#lib/picture/mark-style.ts';
import { allSimulated, indexOfSlot, type Picture } from '#lib/picture/picture.ts';
import type { PicturedTracks } from '#lib/picture/pictured-tracks.ts';
import { emergencyCountText } from '../../emergencies/emergency-text.ts';
import { atMostEvery } from '../at-most-every.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { type MarkLook, markHalfPx, markLook } from '../marks/mark-size.ts';
import type { ReportProblem } from '../use-map-problems.ts';
import { graphicsProblem, restoreCustomLayer } from '../webgl/mercator-layer.ts';
import { type GlyphMetrics, labelSizePx, makeLabelsLayer, type PlacedLabel } from './labels-layer.ts';
import type { MapName, MapNames } from './map-names.ts';
import {
  boxAt,
  LABEL_SIDES,
  type LabelSide,
  type LabelWish,
  MarksOnScreen,
  placeLabels,
  type ScreenCamera,
  WORLD_PX,
} from './place-labels.ts';

/** Replays and zooms have a new picture every frame: too often to place labels. */
const PLACE_EVERY_MS = 100;
const TEXT_PX: Readonly<Record<Preferences['labelSize'], number>> = { small: 9, normal: 10, large: 13 };

interface DrawnLabelsProps {
  readonly map: MapLibreMap;
  readonly theme: BasemapTheme;
  readonly names: MapNames;
  readonly report: ReportProblem;
}

/**
 * Draws the names of the map and the labels of tracks. Live, each picture chooses the labels again. In a replay they
 * follow their marks in each frame, and are chosen again now and then.
 */
export function DrawnLabels({ map, theme, names, report }: DrawnLabelsProps): null {
  const { display, mapView } = useLookout();
  const [{ labels: level, labelSize, markSize, units }] = usePreferences();
  const [labels] = useState(() => new TrackLabels());
  const [fonts, setFonts] = useState(0);
  const [layer] = useState(() =>
    makeLabelsLayer({
      theme,
      textPx: TEXT_PX[labelSize],
      onFailure: (error) => report('labels', graphicsProblem('labels', error)),
      onFont: () => setFonts((count) => count + 1),
    }),
  );

  useEffect(() => restoreCustomLayer(map, layer), [map, layer]);
  useEffect(() => layer.setTheme(theme), [layer, theme]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a font that has arrived has other widths.
  useEffect(() => {
    layer.setTextPx(TEXT_PX[labelSize]);
    const place = () => {
      const look = markLook(map.getZoom(), markSize);
      const options = {
        level,
        units,
        metrics: layer.metrics(),
        look,
        names: [...names.airport.get(), ...names.zones.get()],
      };
      layer.setLabels(labels.place(display.picture(), display.tracks, cameraOf(map), options));
    };
    const placeSometimes = atMostEvery(PLACE_EVERY_MS, place);
    const draw = () => {
      if (!display.summary().isPast) return place();
      layer.setLabels(labels.follow(display.picture()));
      placeSometimes();
    };
    place();
    names.find.set((xPx, yPx) => {
      const { clientWidth, clientHeight } = map.getCanvas();
      return labels.nameAt(xPx - clientWidth / 2, yPx - clientHeight / 2);
    });
    const stops = [
      display.subscribe(draw),
      mapView.subscribe(place),
      names.airport.subscribe(place),
      names.zones.subscribe(place),
    ];
    map.on('zoom', placeSometimes);
    map.on('rotate', placeSometimes);
    return () => {
      for (const stop of stops) stop();
      map.off('zoom', placeSometimes);
      map.off('rotate', placeSometimes);
      placeSometimes.stop();
    };
  }, [map, layer, labels, display, mapView, names, level, units, labelSize, markSize, fonts]);
  return null;
}

function cameraOf(map: MapLibreMap): ScreenCamera {
  const { lng, lat } = map.getCenter();
  const { clientWidth, clientHeight } = map.getCanvas();
  return {
    x: mercatorX(lng),
    y: mercatorY(lat),
    zoom: map.getZoom(),
    bearingDeg: map.getBearing(),
    widthPx: clientWidth,
    heightPx: clientHeight,
  };
}

/** More do not fit on a screen. */
const MAX_LABELS = 250;

/** So many marks without a claim to a label are tried. */
const MAX_TRIED = 600;

const ORDINARY_RANK = 3;

/** Zoomed out farther, labels would cover countries. */
const LABELS_FROM_ZOOM = 4;

export interface LabelOptions {
  readonly level: Preferences['labels'];
  readonly units: UnitSystem;
  readonly metrics: GlyphMetrics;
  readonly look: MarkLook;
  /** The most important first. */
  readonly names?: readonly MapName[];
}

interface ShownLabel extends PlacedLabel {
  readonly slot: number;
}

/** Names are fainter than labels of tracks while nothing is wrong. */
const CALM_OPACITY = 190;
/** A name keeps this distance from its place. */
const NAME_HALF_PX = 4;
/** A smaller thing would lie under its own name. */
const NAMED_FROM_PX = 40;
/** A press this close to a name means it. */
const PRESS_PX = 6;

interface NameBox extends Pick<LabelWish, 'widthPx' | 'heightPx'> {
  readonly name: MapName;
  /** The upper left corner, in CSS pixels from the middle of the map. */
  readonly left: number;
  readonly top: number;
}

const NO_NAMES: readonly MapName[] = [];

interface Candidate {
  readonly index: number;
  readonly mark: number;
  readonly rank: number;
  readonly before: LabelSide | undefined;
  readonly lines: readonly string[];
}

/**
 * Chooses which tracks have a label, and what it says. First are names of the map, then emergencies, then selected tracks, tests, those shown
 * before, and the rest. From afar one badge counts the emergencies.
 */
export class TrackLabels {
  readonly #onScreen = new MarksOnScreen();
  readonly #sides = new Map<number, LabelSide>();
  readonly #namesOnScreen = new MarksOnScreen();
  /** By the place: a name does not go back as soon as the mark that was in its way is gone. */
  readonly #nameSides = new Map<number, LabelSide>();
  #names: readonly PlacedLabel[] = [];
  #nameBoxes: readonly NameBox[] = [];
  #shown: readonly ShownLabel[] = [];

  place(picture: Picture, tracks: PicturedTracks, camera: ScreenCamera, options: LabelOptions): readonly PlacedLabel[] {
    if (camera.zoom < LABELS_FROM_ZOOM) {
      this.#sides.clear();
      this.#names = [];
      this.#nameBoxes = [];
      this.#shown = this.#badge(picture, camera, options);
      return this.#shown;
    }
    const candidates = this.#candidates(picture, tracks, camera, options);
    const { marks } = this.#onScreen;
    const { names = NO_NAMES, metrics } = options;
    const named = this.#namesInView(names, camera, metrics);
    const wishes = candidates.map(
      ({ mark, rank, before, lines }): LabelWish => ({
        mark,
        at: { x: marks.x[mark]!, y: marks.y[mark]!, halfPx: marks.halfPx[mark]! },
        ...labelSizePx(lines, metrics),
        isVital: rank < 2,
        sideBefore: before,
      }),
    );
    const nameWishes = named.map(({ wish }) => wish);
    const allSides = placeLabels(marks, [...nameWishes, ...wishes], MAX_LABELS);
    const sides = allSides.slice(named.length);
    const placed = named.flatMap(({ name, wish }, at) => {
      const side = allSides[at];
      return side === undefined ? [] : [{ name, wish, side }];
    });
    for (const { name, side } of placed) this.#nameSides.set(name.mercatorX, side);
    this.#names = placed.map(({ name, side }) => placedName(name, side));
    this.#nameBoxes = placed.map(({ name, wish, side }) => ({ name, ...wish, ...boxAt(wish, side) }));
    const shown: ShownLabel[] = [];
    this.#sides.clear();
    candidates.forEach(({ index, mark, lines }, at) => {
      const side = sides[at];
      if (side === undefined) return;
      const slot = picture.slot[index]!;
      this.#sides.set(slot, side);
      const halfPx = marks.halfPx[mark]!;
      shown.push({ slot, halfPx, side, lines, isBadge: false, ...lookOf(picture, index) });
    });
    this.#shown = shown;
    return [...this.#names, ...shown];
  }

  /** The name at a place, in CSS pixels from the middle of the map. */
  nameAt(xPx: number, yPx: number): MapName | undefined {
    return this.#nameBoxes.find(
      ({ left, top, widthPx, heightPx }) =>
        Math.abs(xPx - left - widthPx / 2) <= widthPx / 2 + PRESS_PX &&
        Math.abs(yPx - top - heightPx / 2) <= heightPx / 2 + PRESS_PX,
    )?.name;
  }

  /** Moves the labels to their marks' new places, without choosing again. */
  follow(picture: Picture): readonly PlacedLabel[] {
    const followed: ShownLabel[] = [];
    for (const label of this.#shown) {
      const index = indexOfSlot(picture, label.slot);
      if (index !== undefined) followed.push({ ...label, ...lookOf(picture, index) });
    }
    this.#shown = followed;
    return this.#names.length === 0 ? followed : [...this.#names, ...followed];
  }

  #namesInView(
    names: readonly MapName[],
    camera: ScreenCamera,
    metrics: GlyphMetrics,
  ): readonly { readonly name: MapName; readonly wish: LabelWish }[] {
    const leastSpan = NAMED_FROM_PX / (WORLD_PX * 2 ** camera.zoom);
    const large = names.filter(({ look, span }) => look !== 'plain' || span === undefined || span >= leastSpan);
    if (large.length === 0) return [];
    const places = {
      count: large.length,
      capacity: large.length,
      mercatorX: Float64Array.from(large, ({ mercatorX: x }) => x),
      mercatorY: Float64Array.from(large, ({ mercatorY: y }) => y),
      style: new Uint16Array(large.length),
    };
    const indices = this.#namesOnScreen.project(places, camera, () => NAME_HALF_PX);
    const { count, x, y } = this.#namesOnScreen.marks;
    return Array.from({ length: count }, (_, place) => {
      const name = large[indices[place]!]!;
      const at = { x: x[place]!, y: y[place]!, halfPx: NAME_HALF_PX };
      const size = labelSizePx(name.lines, metrics);
      return {
        name,
        wish: {
          mark: undefined,
          at,
          ...size,
          isVital: true,
          sideBefore: this.#nameSides.get(name.mercatorX) ?? LABEL_SIDES.indexOf(name.side),
        },
      };
    });
  }

  /** The badge is next to the first real emergency, if there is one. */
  #badge(picture: Picture, camera: ScreenCamera, { look }: LabelOptions): readonly ShownLabel[] {
    const indices = this.#onScreen.project(picture, camera, (style) => markHalfPx(look, style));
    const { count, halfPx } = this.#onScreen.marks;
    const counts = emptyLayer();
    let first: number | undefined;
    let isFirstReal = false;
    for (let mark = 0; mark < count; mark++) {
      const style = picture.style[indices[mark]!]!;
      if ((style & MARK_EMERGENCY) === 0) continue;
      tallyLayer(counts, style, (style & MARK_EXPIRED) !== 0);
      const isReal = (style & (FLAG_SIMULATED | FLAG_TEST)) === 0;
      if (first !== undefined && (isFirstReal || !isReal)) continue;
      first = mark;
      isFirstReal = isReal;
    }
    const text = emergencyCountText(counts, 0);
    if (first === undefined || text === undefined) return [];
    const index = indices[first]!;
    const placed = { slot: picture.slot[index]!, halfPx: halfPx[first]!, side: 0, lines: [text], isBadge: true };
    return [{ ...placed, ...lookOf(picture, index), opacity: 255 }];
  }

  #candidates(picture: Picture, tracks: PicturedTracks, camera: ScreenCamera, options: LabelOptions): Candidate[] {
    const { level, units, look } = options;
    // Where all are simulated, the plate over the map says so.
    const tagsSimulated = !allSimulated(picture);
    const indices = this.#onScreen.project(picture, camera, (style) => markHalfPx(look, style));
    const { count } = this.#onScreen.marks;
    const chosen: Omit<Candidate, 'lines'>[] = [];
    let tried = 0;
    for (let mark = 0; mark < count; mark++) {
      const index = indices[mark]!;
      const rank = rankOf(picture.style[index]!);
      const before = this.#sides.get(picture.slot[index]!);
      if (rank === ORDINARY_RANK) {
        if (level === 'off') continue;
        if (before === undefined && ++tried > MAX_TRIED) continue;
      }
      chosen.push({ index, mark, rank, before });
    }
    chosen.sort(
      (a, b) => a.rank - b.rank || Number(a.before === undefined) - Number(b.before === undefined) || a.index - b.index,
    );
    return chosen.flatMap((candidate) => {
      const position: Position = tracks.positionAt(picture.slot[candidate.index]!);
      const text = labelText(position, level, units, tagsSimulated);
      return text === '' ? [] : [{ ...candidate, lines: text.split('\n') }];
    });
  }
}

function placedName({ mercatorX: x, mercatorY: y, lines, look, tone }: MapName, side: LabelSide): PlacedLabel {
  return {
    mercatorX: x,
    mercatorY: y,
    halfPx: NAME_HALF_PX,
    side,
    lines,
    opacity: look === 'plain' ? CALM_OPACITY : 255,
    emergency: look === 'noted',
    isBadge: look === 'lit',
    tone,
  };
}

function lookOf(
  picture: Picture,
  index: number,
): Pick<PlacedLabel, 'mercatorX' | 'mercatorY' | 'opacity' | 'emergency'> {
  return {
    mercatorX: picture.mercatorX[index]!,
    mercatorY: picture.mercatorY[index]!,
    opacity: picture.colour[index * 4 + 3]!,
    emergency: (picture.style[index]! & MARK_EMERGENCY) !== 0,
  };
}

function rankOf(style: number): number {
  if (style & MARK_EMERGENCY) return 0;
  if (style & MARK_SELECTED) return 1;
  return style & FLAG_TEST ? 2 : ORDINARY_RANK;
}

/** The text of a label. @param tagsSimulated false where the page says that all marks are simulated */
export function labelText(
  position: Position,
  level: Preferences['labels'],
  units: UnitSystem,
  tagsSimulated: boolean,
): string {
  const tags = [
    emergencyClass(position.emergencyState) === 'emergency' ? position.emergencyState?.toUpperCase() : undefined,
    position.testBroadcast ? 'TEST' : undefined,
    tagsSimulated && position.simulated ? 'SIM' : undefined,
  ].filter((tag) => tag !== undefined);
  if (level === 'off') return tags.join(' ');
  const name = [...tags, shortReference(position.ref)].join(' ');
  return level === 'full' ? `${name}\n${heightText(position, units)} · ${speedText(position, units)}` : name;
}

function heightText(position: Position, units: UnitSystem): string {
  const isDrone = position.kind === 'drone';
  const metres = isDrone ? position.heightAglM : position.altitudeM;
  if (metres === undefined) return isDrone ? 'height not reported' : 'altitude not reported';
  return `${Math.round(lengthIn(units, metres))} ${LENGTH_UNIT[units]}${isDrone ? ' agl' : ''}`;
}

function speedText(position: Position, units: UnitSystem): string {
  if (position.speedMps === undefined) return 'speed not reported';
  return `${Math.round(speedIn(units, position.speedMps))} ${SPEED_UNIT[units]}`;
}
