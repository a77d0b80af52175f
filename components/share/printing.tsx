'use client';

import './print-sheet.css';
import { useEffect, useState } from 'react';
import { createPortal, flushSync } from 'react-dom';
import type { Lookout } from '#lib/client/page/lookout.ts';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { readWindowState } from '#lib/client/page/use-window-state.ts';
import { bboxContains } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { type AgePhase, agePhase } from '#lib/model/ageing.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { emergencyClass, emergencyWords } from '#lib/model/emergency.ts';
import type { Colouring } from '#lib/model/mark-colour.ts';
import { headingText, lengthText, NOT_REPORTED, speedText } from '#lib/model/measure-text.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { type SortOrder, sortSlots } from '#lib/picture/list-tracks.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { ColourScales } from '../legend/legend.tsx';
import { INITIAL_ORDER, orderSchema } from '../tracks/sort-order.ts';
import { referencePoint } from '../tracks/use-track-list.ts';
import { drawPictureSheet, picturedMap } from './take-picture.ts';

/** Whenever the browser prints, replaces the page with one sheet: map, texts, scales and the table's first rows. */
export function Printing() {
  const lookout = useLookout();
  const [page, setPage] = useState<PrintedPage>();
  useEffect(() => {
    // The browser lays out the page as soon as this returns: draw synchronously.
    const before = () => {
      flushSync(() => lookout.printedTheme.set('light'));
      try {
        const printed = printedPage(lookout);
        flushSync(() => setPage(printed));
      } finally {
        flushSync(() => lookout.printedTheme.set(undefined));
      }
    };
    const after = () => setPage(undefined);
    window.addEventListener('beforeprint', before);
    window.addEventListener('afterprint', after);
    return () => {
      window.removeEventListener('beforeprint', before);
      window.removeEventListener('afterprint', after);
    };
  }, [lookout]);
  return page ? createPortal(<PrintSheet page={page} />, document.body) : null;
}

interface PrintedPage {
  readonly map: HTMLCanvasElement | undefined;
  readonly lines: readonly string[];
  readonly rows: readonly PrintedRow[];
  readonly inView: number;
  readonly units: UnitSystem;
  readonly colouring: Colouring;
  readonly layersOn: ReadonlySet<Layer>;
}

const PAPER = { ground: '#ffffff', text: '#000000' } as const;

function printedPage(lookout: Lookout): PrintedPage {
  const { display, mapView, markedPlace, measuring, operator, preferences } = lookout;
  const { map, text } = picturedMap(lookout);
  const { visible, ...middle } = mapView.get();
  const order = readWindowState('track-order', orderSchema) ?? INITIAL_ORDER;
  const { at: from } = referencePoint(markedPlace.get(), measuring.reading.get().ringCentres, middle);
  const { units } = preferences.get();
  const { selection, shownAt } = display.summary();
  const tracks = visible ? tracksIn(display, order, from, (lon, lat) => bboxContains(visible, lon, lat)) : [];
  const rows = shownAt === undefined ? [] : printedRows(tracks, selection.refs, epochMs(shownAt), units);
  const places = new Map(tracks.map(({ position }) => [position.ref, position]));
  const numbered = rows.flatMap(({ ref, number }) => {
    const place = places.get(ref);
    return place ? [{ number, lon: place.lon, lat: place.lat }] : [];
  });
  return {
    map: map && drawPictureSheet(map, { plates: text.plates, lines: [] }, PAPER, numbered),
    lines: [...text.lines, `Printed by ${operator?.name ?? 'an operator without sign-in'} at ${window.location.host}`],
    rows,
    inView: tracks.length,
    units,
    colouring: lookout.colouring.get(),
    layersOn: lookout.layersOn.get(),
  };
}

function tracksIn(
  display: Lookout['display'],
  order: SortOrder,
  from: LonLat,
  isInside: (lon: number, lat: number) => boolean,
): readonly PrintedTrack[] {
  const { tracks } = display;
  const { count, slot } = display.picture();
  const { lon, lat, expiresAtMs } = tracks.columns;
  const slots = Array.from(slot.subarray(0, count)).filter((at) => isInside(lon[at] as number, lat[at] as number));
  const moment = tracks.momentAt(epochMs(display.summary().shownAt ?? upstreamInstant(0)));
  return sortSlots(moment, slots, order, from, () => new Float64Array(moment.columns.end)).map((at) => ({
    position: tracks.positionAt(at),
    expiresAtMs: expiresAtMs[at] as number,
  }));
}

/** So many rows fit on one sheet with the map. */
export const PRINTED_ROWS_MAX = 14;

interface PrintedRow {
  readonly number: string;
  readonly ref: string;
  /** The kind and states in words, since paper has no colour to rely on. */
  readonly what: string;
  readonly altitude: string;
  readonly height: string;
  readonly speed: string;
  readonly heading: string;
  readonly age: string;
}

interface PrintedTrack {
  readonly position: Position;
  readonly expiresAtMs: number;
}

/**
 * The rows for the printer: selected tracks first, then emergencies, then drones.
 * @param tracks in the table's order
 * @param atMs epoch milliseconds
 */
export function printedRows(
  tracks: readonly PrintedTrack[],
  selectedRefs: readonly string[],
  atMs: number,
  units: UnitSystem,
): readonly PrintedRow[] {
  const rank = ({ ref, emergencyState, kind }: Position) => {
    if (selectedRefs.includes(ref)) return 0;
    if (emergencyClass(emergencyState) === 'emergency') return 1;
    return kind === 'drone' ? 2 : 3;
  };
  return tracks
    .toSorted((a, b) => rank(a.position) - rank(b.position))
    .slice(0, PRINTED_ROWS_MAX)
    .map(({ position, expiresAtMs }, index) => {
      const observedAtMs = epochMs(position.observedAt);
      return {
        number: String(index + 1),
        ref: position.ref,
        what: whatText(
          position,
          agePhase(observedAtMs, expiresAtMs, position.kind, atMs),
          selectedRefs.includes(position.ref),
        ),
        altitude: lengthText(units, position.altitudeM) ?? NOT_REPORTED,
        height: lengthText(units, position.heightAglM) ?? NOT_REPORTED,
        speed: speedText(units, position.speedMps) ?? NOT_REPORTED,
        heading: headingText(position.headingDeg) ?? NOT_REPORTED,
        age: durationText(atMs - observedAtMs),
      };
    });
}

function whatText(position: Position, phase: AgePhase, isSelected: boolean): string {
  const words: string[] = [position.kind];
  if (isSelected) words.push('selected');
  if (emergencyClass(position.emergencyState) === 'emergency')
    words.push(emergencyWords(position.emergencyState ?? ''));
  if (position.simulated) words.push('SIM');
  if (position.testBroadcast) words.push('TEST');
  if (phase === 'expired') words.push('expired');
  return words.join(' · ');
}

const COLUMNS: readonly { readonly name: string; readonly of: keyof PrintedRow }[] = [
  { name: 'No.', of: 'number' },
  { name: 'Reference', of: 'ref' },
  { name: 'Kind, state', of: 'what' },
  { name: 'Altitude (reference not stated)', of: 'altitude' },
  { name: 'Height above ground', of: 'height' },
  { name: 'Speed', of: 'speed' },
  { name: 'Heading', of: 'heading' },
  { name: 'Age', of: 'age' },
];

function PrintSheet({ page }: { readonly page: PrintedPage }) {
  const { map, lines, rows, inView, units, colouring, layersOn } = page;
  return (
    <article className="print-sheet" data-testid="print-sheet">
      <div className="print-map" ref={(place) => place?.replaceChildren(...(map ? [map] : []))} />
      <div className="print-words">
        {lines.map((line) => (
          <p key={line}>{line}</p>
        ))}
        <div className="print-scales">
          <ColourScales colouring={colouring} units={units} layersOn={layersOn} />
        </div>
      </div>
      {rows.length > 0 && (
        <table className="print-table">
          <caption>
            {rows.length === inView ? `${inView} in view` : `The first ${rows.length} of ${inView} in view`}, numbered
            as on the map
          </caption>
          <thead>
            <tr>
              {COLUMNS.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.ref}>
                {COLUMNS.map(({ of }) => (
                  <td key={of}>{row[of]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </article>
  );
}
