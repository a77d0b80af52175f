'use client';

import '../../ui/answer-sheet.css';
import { FileDown, Printer } from 'lucide-react';
import { useState } from 'react';
import { createPortal } from 'react-dom';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import type { MapPixels } from '#lib/client/page/page-map.ts';
import type { Extent, WindowTrack } from '#lib/client/replay/window-tracks/window-tracks.ts';
import { type ClockZone, clockText, dateTimeText } from '#lib/model/clock-text.ts';
import { distanceText, NOT_REPORTED } from '#lib/model/measure-text.ts';
import { KIND_TEXT } from '#lib/model/position.ts';
import { LENGTH_UNIT, lengthIn, type UnitSystem } from '#lib/model/units.ts';
import { csvRows } from '#lib/text/csv.ts';
import { formatInstant } from '#lib/time/instant.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { ANSWER_NOTICE, AREA_NOT_LOADED, type IncidentAnswer } from './answer.ts';

/** Hands an answer on: on screen, as a sheet that the browser prints with the map, and as a file. */
export function AnswerDialog({ answer, onClose }: { readonly answer: IncidentAnswer; readonly onClose: () => void }) {
  const { mapCommands } = useLookout();
  const [map] = useState(() => {
    const read: MapPixels[] = [];
    mapCommands.run({ kind: 'read-pixels', done: (pixels) => read.push(pixels) });
    return read[0];
  });
  const save = () =>
    saveFile(new Blob([answerCsv(answer)], { type: 'text/csv;charset=utf-8' }), answerFileName(answer));
  return (
    <>
      <Dialog
        open
        onOpenChange={(open) => !open && onClose()}
        title="Which tracks were here"
        description="As loaded and filtered now."
      >
        <div className="mb-3 flex flex-wrap gap-2">
          <Button look="primary" onClick={() => window.print()}>
            <Printer aria-hidden size={14} />
            Print
          </Button>
          <Button onClick={save}>
            <FileDown aria-hidden size={14} />
            Save as CSV
          </Button>
        </div>
        <AnswerText answer={answer} />
      </Dialog>
      {createPortal(
        <article className="answer-sheet" data-testid="answer-sheet">
          <h1>Lookout: which tracks were here</h1>
          {map && <MapPicture map={map} />}
          <AnswerText answer={answer} />
        </article>,
        document.body,
      )}
    </>
  );
}

function MapPicture({ map }: { readonly map: MapPixels }) {
  return (
    <figure>
      <div ref={(place) => place?.replaceChildren(map.canvas)} />
      <figcaption>{map.attribution}</figcaption>
    </figure>
  );
}

function AnswerText({ answer }: { readonly answer: IncidentAnswer }) {
  const { question, verdicts, completeness, tracks, crossings, place, units, zone } = answer;
  return (
    <div className="answer-text" data-testid="answer">
      <section aria-label="Question">
        {question.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </section>
      <section aria-label="Verdict">
        {verdicts.map(({ kind, headline, details }) => (
          <p key={kind}>
            <strong>{headline}</strong> {details.join(' ')}
          </p>
        ))}
      </section>
      <section aria-label="What was complete">
        <h2>What was complete</h2>
        {completeness.layers.map(({ layer, sentence }) => (
          <p key={layer}>{sentence}</p>
        ))}
        {!completeness.isAreaLoaded && <p>{AREA_NOT_LOADED}</p>}
      </section>
      {tracks.length > 0 && (
        <table>
          <caption>Tracks received: {tracks.length}</caption>
          <thead>
            <tr>
              <th scope="col">Reference</th>
              <th scope="col">Kind</th>
              <th scope="col">First</th>
              <th scope="col">Last</th>
              <th scope="col">Height above ground</th>
              <th scope="col">Altitude (reference not stated)</th>
              {place !== undefined && <th scope="col">Nearest to {place}</th>}
              <th scope="col">Positions</th>
            </tr>
          </thead>
          <tbody>
            {tracks.map((track) => {
              const cells = trackCells(track, units, zone);
              return (
                <tr key={track.ref}>
                  <td>{track.ref}</td>
                  <td>{[KIND_TEXT[track.kind], ...cells.tags].join(' · ')}</td>
                  <td>{cells.first}</td>
                  <td>{cells.last}</td>
                  <td>{cells.height}</td>
                  <td>{cells.altitude}</td>
                  {place !== undefined && <td>{cells.nearest}</td>}
                  <td>{track.positions}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
      {crossings.length > 0 && (
        <section aria-label="Not known">
          <h2>Not known</h2>
          <p>
            No position of these was received inside. The line between two successive received positions touches the
            area.
          </p>
          <ul>
            {crossings.map((crossing) => (
              <li key={crossing.ref}>
                {[KIND_TEXT[crossing.kind], ...tagsOf(crossing)].join(' · ')} {crossing.ref}: between{' '}
                {clockText(crossing.from, zone)} and {clockText(crossing.to, zone)}
              </li>
            ))}
          </ul>
        </section>
      )}
      <p>{ANSWER_NOTICE}</p>
      <p>
        Made {dateTimeText(answer.madeAt, zone)}
        {answer.operator === undefined ? '' : ` by ${answer.operator}`}.
      </p>
    </div>
  );
}

const COLUMNS = [
  'row',
  'kind',
  'reference',
  'simulated',
  'test_broadcast',
  'start',
  'end',
  'positions',
  'lowest_height_agl_m',
  'highest_height_agl_m',
  'lowest_altitude_m',
  'highest_altitude_m',
  'nearest_m',
  'nearest_at',
  'complete',
  'text',
] as const;
type Row = Readonly<Partial<Record<(typeof COLUMNS)[number], string | number | boolean | undefined>>>;

/**
 * The answer as CSV (RFC 4180) with a header, in UTC and metres; unreported values are empty. `not_known` rows are
 * tracks that may have crossed.
 */
export function answerCsv(answer: IncidentAnswer): string {
  const span = { start: formatInstant(answer.start), end: formatInstant(answer.end) };
  const rows: Row[] = [
    ...answer.question.map((text): Row => ({ row: 'question', ...span, text })),
    ...answer.verdicts.map(
      ({ kind, headline, details }): Row => ({
        row: 'answer',
        kind,
        ...span,
        text: [headline, ...details].join(' '),
      }),
    ),
    ...answer.completeness.layers.flatMap(({ layer, isAsked, isComplete, missing, receptionGaps, sentence }): Row[] => [
      { row: 'layer', kind: LAYER_NAME[layer], ...span, complete: isAsked && isComplete, text: sentence },
      ...[...missing, ...receptionGaps].map(
        ({ start, end, text }): Row => ({
          row: 'gap',
          kind: LAYER_NAME[layer],
          start: formatInstant(start),
          end: formatInstant(end),
          complete: false,
          text,
        }),
      ),
    ]),
    ...(answer.completeness.isAreaLoaded ? [] : [{ row: 'gap', ...span, complete: false, text: AREA_NOT_LOADED }]),
    ...answer.tracks.map(
      (track): Row => ({
        row: 'track',
        kind: track.kind,
        reference: track.ref,
        simulated: track.simulated,
        test_broadcast: track.testBroadcast,
        start: formatInstant(track.first),
        end: formatInstant(track.last),
        positions: track.positions,
        ...extent('height_agl_m', track.heightAglM),
        ...extent('altitude_m', track.altitudeM),
        nearest_m: track.nearest && Math.round(track.nearest.distanceM),
        nearest_at: track.nearest && formatInstant(track.nearest.at),
      }),
    ),
    ...answer.crossings.map(
      ({ kind, ref, simulated, testBroadcast, from, to }): Row => ({
        row: 'not_known',
        kind,
        reference: ref,
        simulated,
        test_broadcast: testBroadcast,
        start: formatInstant(from),
        end: formatInstant(to),
        text: 'No position received inside. The line between these two received positions touches the area.',
      }),
    ),
    { row: 'notice', text: ANSWER_NOTICE },
  ];
  return csvRows([COLUMNS, ...rows.map((row) => COLUMNS.map((name) => row[name]))]);
}

export function answerFileName({ start }: Pick<IncidentAnswer, 'start'>): string {
  return `lookout-incident-${formatInstant(start).slice(0, 16).replaceAll(/[-:]/g, '')}.csv`;
}

function extent(name: 'height_agl_m' | 'altitude_m', values: Extent | undefined): Row {
  return { [`lowest_${name}`]: values?.lowest, [`highest_${name}`]: values?.highest };
}

export function trackCells(track: WindowTrack, units: UnitSystem, zone: ClockZone) {
  return {
    first: clockText(track.first, zone),
    last: clockText(track.last, zone),
    height: extentText(track.heightAglM, units),
    altitude: extentText(track.altitudeM, units),
    nearest: track.nearest
      ? `${distanceText(units, track.nearest.distanceM)}, ${clockText(track.nearest.at, zone)}`
      : '',
    tags: tagsOf(track),
  };
}

export function tagsOf(track: Pick<WindowTrack, 'simulated' | 'testBroadcast'>): readonly string[] {
  return [...(track.simulated ? ['SIM'] : []), ...(track.testBroadcast ? ['TEST'] : [])];
}

/** `40 to 118 m`, or one value; unreported values are never 0. */
function extentText(extent: Extent | undefined, units: UnitSystem): string {
  if (!extent) return NOT_REPORTED;
  const [lowest, highest] = [extent.lowest, extent.highest].map((metres) => Math.round(lengthIn(units, metres)) + 0);
  return `${lowest === highest ? lowest : `${lowest} to ${highest}`} ${LENGTH_UNIT[units]}`;
}
