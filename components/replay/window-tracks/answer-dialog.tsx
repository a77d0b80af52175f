'use client';

import '../../ui/answer-sheet.css';
import { useQuery } from '@tanstack/react-query';
import { FileDown, Printer } from 'lucide-react';
import { useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { saveFile } from '#lib/client/browser/save-file.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { receptionQuery } from '#lib/client/overview/overview-query.ts';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { placesNearQuery } from '#lib/client/page/places-query.ts';
import { type NearestPosition, nearestOf, trailsOf } from '#lib/client/replay/window-tracks/answer-trails.ts';
import type { Extent, WindowTrack } from '#lib/client/replay/window-tracks/window-tracks.ts';
import { areaBbox } from '#lib/geo/area.ts';
import { formatBbox } from '#lib/geo/bbox.ts';
import { tagsOf } from '#lib/incidents/incident-text.ts';
import { type ClockZone, clockText, dateTimeText } from '#lib/model/clock-text.ts';
import { distanceText, NOT_REPORTED } from '#lib/model/measure-text.ts';
import { receptionNotice, receptionSentences } from '#lib/model/measured-reception.ts';
import { KIND_TEXT, type Layer, type TrackKind } from '#lib/model/position.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { LENGTH_UNIT, lengthIn, type UnitSystem } from '#lib/model/units.ts';
import { csvRows } from '#lib/text/csv.ts';
import { formatInstant } from '#lib/time/instant.ts';
import type { GroundPicture } from '../../map/paper-ground.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { onDemand } from '../../ui/on-demand.tsx';
import { ANSWER_NOTICE, AREA_NOT_LOADED, type AreaAnswer } from './answer.ts';
import { AnswerMap, PAPER_MAP, paperView } from './answer-map.tsx';
import { middleOf, placeInWords } from './place-words.ts';

const PaperGround = onDemand(undefined, () =>
  import('../../map/paper-ground.tsx').then((ground) => ground.PaperGround),
);

/** A print waits for the ground of its map this long. */
const GROUND_WAIT_MS = 8000;
const NOTE_MAX = 4000;

/** Hands an answer on: on screen, as a sheet that the browser prints with a map in light colours, and as a file. */
export function AnswerDialog({ answer, onClose }: { readonly answer: AreaAnswer; readonly onClose: () => void }) {
  const { replay } = useLookout();
  const [drawn] = useState(() => drawnAnswer(answer, replay.session?.store));
  const [link] = useState(() => window.location.href);
  const [note, setNote] = useState('');
  const [ground, setGround] = useState<GroundPicture>();
  const print = usePrint(ground !== undefined);
  const where = useWhere(answer);
  const reception = useReception(answer);
  const save = () =>
    saveFile(
      new Blob([answerCsv(answer, { where, note, link, reception: reception.sentences })], {
        type: 'text/csv;charset=utf-8',
      }),
      answerFileName(answer),
    );
  const head = <AnswerHead answer={answer} where={where} nearest={drawn.nearest} />;
  return (
    <>
      <Dialog
        open
        onOpenChange={(open) => !open && onClose()}
        title="Which tracks were here"
        description="As loaded and filtered now."
      >
        <div className="mb-3 flex flex-wrap gap-2">
          <Button look="primary" disabled={print.isWaiting} onClick={print.start}>
            <Printer aria-hidden size={14} />
            {print.isWaiting ? 'Drawing the map…' : 'Print'}
          </Button>
          <Button onClick={save}>
            <FileDown aria-hidden size={14} />
            Save as CSV
          </Button>
        </div>
        <label className="mb-3 flex flex-col gap-1">
          Note, printed with the answer
          <textarea
            value={note}
            maxLength={NOTE_MAX}
            rows={3}
            placeholder="Course of events, and calls"
            onChange={({ target }) => setNote(target.value)}
            className="rounded-control border border-edge bg-background px-2 py-1 placeholder:text-dim"
          />
        </label>
        {head}
        <AnswerText answer={answer} reception={reception} />
      </Dialog>
      <PaperGround view={drawn.view} {...PAPER_MAP} onDrawn={setGround} />
      {createPortal(
        <article className="answer-sheet" data-testid="answer-sheet">
          <h1>Lookout: which tracks were here</h1>
          {head}
          <AnswerMap
            {...drawn}
            ground={ground}
            area={answer.area}
            units={answer.units}
            zone={answer.zone}
            simulated={answer.tracks.filter((track) => track.simulated).length}
            listed={answer.tracks.length}
          />
          {drawn.undrawn > 0 && <p>The map shows the first {TRAILS_MAX} tracks; the table has all of them.</p>}
          {note.trim() !== '' && (
            <section aria-label="Note">
              <h2>Note</h2>
              <p className="answer-note">{note.trim()}</p>
            </section>
          )}
          <AnswerText answer={answer} reception={reception} />
          <p className="answer-link">Link: {link}</p>
        </article>,
        document.body,
      )}
    </>
  );
}

function usePrint(isReady: boolean) {
  const [isAsked, setAsked] = useState(false);
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    if (!isAsked || isReady) return;
    const timer = setTimeout(() => setLate(true), GROUND_WAIT_MS);
    return () => clearTimeout(timer);
  }, [isAsked, isReady]);
  useEffect(() => {
    if (!isAsked || !(isReady || isLate)) return;
    setAsked(false);
    window.print();
  }, [isAsked, isReady, isLate]);
  return { isWaiting: isAsked, start: () => setAsked(true) };
}

/** The place in words, from the airports and towns around it. */
function useWhere({ area, loaded, units }: AreaAnswer): string {
  const query = placesNearQuery(area ? middleOf(area) : { lon: loaded.west, lat: loaded.south });
  const { data } = useQuery({ ...query, enabled: area !== undefined });
  return area ? placeInWords(area, data?.results ?? [], units) : `Everywhere in the loaded area, ${formatBbox(loaded)}`;
}

interface MeasuredReception {
  readonly sentences: readonly string[];
  /** The limits of the sentences, or the reason why there are none. */
  readonly notice: string;
}

/** Measured reception of the asked layers. */
function useReception({ area, loaded, completeness, units }: AreaAnswer): MeasuredReception {
  const { data, error } = useQuery(receptionQuery(area ? areaBbox(area) : loaded));
  if (!data) return { sentences: [], notice: error ? 'Reception could not be read.' : 'Reading the reception…' };
  const isAsked = (of: Layer) => completeness.layers.some(({ layer, isAsked: asked }) => layer === of && asked);
  const layers = data.layers.filter(({ layer }) => isAsked(layer));
  return {
    sentences: layers.flatMap((of) => receptionSentences(of, units)),
    notice: receptionNotice(layers),
  };
}

/** The map shows so many trails at most. */
const TRAILS_MAX = 300;

/** The trails of an answer, numbered as in its table, and the view that shows its area. */
function drawnAnswer(answer: AreaAnswer, store: Parameters<typeof trailsOf>[0] | undefined) {
  const { area, loaded, tracks, crossings, outside, start, end } = answer;
  const near = KINDS.flatMap((kind) => outside[kind]?.ref ?? []);
  const refs = [...new Set([...tracks, ...crossings].map(({ ref }) => ref))];
  const shown = [...new Set([...refs.slice(0, TRAILS_MAX), ...near])];
  const trails = store ? trailsOf(store, { start, end }, shown) : [];
  const kind = answer.verdicts[0]?.kind ?? 'drone';
  const nearest = area && nearestOf(kind, area, middleOf(area), trails);
  return {
    trails,
    nearest: nearest && { ...nearest, kind },
    numbers: new Map(tracks.map(({ ref }, index) => [ref, index + 1])),
    view: paperView(area ? areaBbox(area) : loaded, nearest),
    undrawn: Math.max(0, refs.length - TRAILS_MAX),
  };
}

const KINDS = ['drone', 'aircraft'] as const;

function nearestText(
  nearest: NearestPosition & { readonly kind: TrackKind },
  { units, zone }: Pick<AreaAnswer, 'units' | 'zone'>,
): string {
  const { kind, ref, at, distanceM, isInside } = nearest;
  const from = isInside ? 'from the middle of the area' : 'from the area';
  return `Nearest ${kind}: ${distanceText(units, distanceM)} ${from}, ${shortReference(ref)} at ${clockText(at, zone)}.`;
}

interface AnswerHeadProps {
  readonly answer: AreaAnswer;
  readonly where: string;
  readonly nearest: (NearestPosition & { readonly kind: TrackKind }) | undefined;
}

/** The question, and the answer to it. */
function AnswerHead({ answer, where, nearest }: AnswerHeadProps) {
  const [when, , ...only] = answer.question;
  return (
    <div className="answer-text mb-2.5" data-testid="answer-head">
      <section aria-label="Question">
        <p>
          <strong>{where}</strong>
        </p>
        {[when, ...only].map((line) => (
          <p key={line}>{line}</p>
        ))}
      </section>
      <section aria-label="Verdict">
        {answer.verdicts.map(({ kind, headline, details }) => (
          <p key={kind}>
            <strong>{headline}</strong> {details.join(' ')}
          </p>
        ))}
        {nearest?.isInside && <p>{nearestText(nearest, answer)}</p>}
      </section>
    </div>
  );
}

/** The completeness of the answer, and its tracks. */
function AnswerText({ answer, reception }: { readonly answer: AreaAnswer; readonly reception: MeasuredReception }) {
  const { completeness, tracks, crossings, place, units, zone } = answer;
  return (
    <div className="answer-text" data-testid="answer">
      <section aria-label="What was complete">
        <h2>What was complete</h2>
        {completeness.layers.map(({ layer, sentence }) => (
          <p key={layer}>{sentence}</p>
        ))}
        {!completeness.isAreaLoaded && <p>{AREA_NOT_LOADED}</p>}
      </section>
      <section aria-label="Would it have been received?">
        <h2>Would it have been received?</h2>
        {reception.sentences.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        <p>{reception.notice}</p>
      </section>
      {tracks.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls sideways needs to be reached by keyboard.
        <table tabIndex={0}>
          <caption>Tracks received: {tracks.length}, numbered as on the map</caption>
          <thead>
            <tr>
              <th scope="col">No.</th>
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
            {tracks.map((track, index) => {
              const cells = trackCells(track, units, zone);
              return (
                <tr key={track.ref}>
                  <td>{index + 1}</td>
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
                {[KIND_TEXT[crossing.kind], ...windowTags(crossing)].join(' · ')} {crossing.ref}: between{' '}
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
export function answerCsv(
  answer: AreaAnswer,
  {
    where,
    note,
    link,
    reception,
  }: { readonly where: string; readonly note: string; readonly link: string; readonly reception: readonly string[] },
): string {
  const span = { start: formatInstant(answer.start), end: formatInstant(answer.end) };
  const rows: Row[] = [
    { row: 'question', ...span, text: where },
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
    ...reception.map((text): Row => ({ row: 'reception', text })),
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
    ...(note.trim() === '' ? [] : [{ row: 'note', text: note.trim() }]),
    { row: 'notice', text: ANSWER_NOTICE },
    { row: 'link', text: link },
  ];
  return csvRows([COLUMNS, ...rows.map((row) => COLUMNS.map((name) => row[name]))]);
}

export function answerFileName({ start }: Pick<AreaAnswer, 'start'>): string {
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
    tags: windowTags(track),
  };
}

export function windowTags({ simulated, testBroadcast }: Pick<WindowTrack, 'simulated' | 'testBroadcast'>) {
  return tagsOf({ simulated, test: testBroadcast });
}

/** `40 to 118 m`, or one value; unreported values are never 0. */
function extentText(extent: Extent | undefined, units: UnitSystem): string {
  if (!extent) return NOT_REPORTED;
  const [lowest, highest] = [extent.lowest, extent.highest].map((metres) => Math.round(lengthIn(units, metres)) + 0);
  return `${lowest === highest ? lowest : `${lowest} to ${highest}`} ${LENGTH_UNIT[units]}`;
}
