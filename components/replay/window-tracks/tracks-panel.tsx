'use client';

import { FileCheck2, FolderPlus } from 'lucide-react';
import { useState } from 'react';
import {
  useDisplay,
  useFilter,
  useLookout,
  useMay,
  useMayLoad,
  usePreferences,
  useReplay,
  useValue,
} from '#lib/client/page/lookout-context.tsx';
import type { PossibleCrossing, WindowTrack } from '#lib/client/replay/window-tracks/window-tracks.ts';
import { activeCriteria, NO_FILTER } from '#lib/filter/track-filter.ts';
import { clockText } from '#lib/model/clock-text.ts';
import { groupedNumber, NOT_REPORTED } from '#lib/model/measure-text.ts';
import { KIND_TEXT } from '#lib/model/position.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { criterionText } from '../../filters/filter-text.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceRow } from '../../ui/choice-row.tsx';
import { classNames } from '../../ui/class-names.ts';
import { ToneMark } from '../../ui/tone-mark.tsx';
import { AREA_NOT_LOADED, type AreaAnswer, areaAnswer } from './answer.ts';
import { AnswerDialog, trackCells, windowTags } from './answer-dialog.tsx';
import { useWindowTracks } from './use-window-tracks.ts';

/** The tracks of a replay's window that match the filter: a verdict for each kind, the list, and the answer to hand on. */
export function TracksPanel() {
  const { replay, display, incidents } = useLookout();
  const mayWrite = useMay('watch');
  const { isCurrent } = useWindowTracks();
  const answer = useAnswer();
  const [given, setGiven] = useState<AreaAnswer>();

  if (!answer) return <p className="px-1 py-3 text-dim text-table">Looking through the window…</p>;
  const jump = (ref: string, at: UpstreamInstant) => {
    replay.command({ do: 'pause' });
    replay.command({ do: 'seek', to: at });
    display.select(ref);
  };
  return (
    <section aria-label="Tracks in this window" aria-busy={!isCurrent} data-testid="window-tracks" className="pt-1">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <div role="status" className="min-w-0 flex-1 basis-64 text-table">
          <Verdicts answer={answer} />
        </div>
        <KindChoice />
        <Button look="primary" onClick={() => setGiven(answer)}>
          <FileCheck2 aria-hidden size={14} />
          Answer
        </Button>
        {mayWrite && (
          <Button onClick={() => incidents.set({ do: 'open', source: { from: 'replay' } })}>
            <FolderPlus aria-hidden size={14} />
            New incident
          </Button>
        )}
      </div>
      <TracksList answer={answer} onJump={jump} />
      {given && <AnswerDialog answer={given} onClose={() => setGiven(undefined)} />}
    </section>
  );
}

/** `undefined` before the first scan; unchanged while only the cursor moves. */
function useAnswer(): AreaAnswer | undefined {
  const { feed, replay, mapView, markedPlace, operator } = useLookout();
  const { tracks } = useWindowTracks();
  const { filter } = useFilter();
  const [{ units, zone }] = usePreferences();
  const marked = useValue(markedPlace);
  const mayLoad = useMayLoad();
  useReplay((summary) => summary?.layers);
  useReplay((summary) => summary?.loading);
  const summary = replay.summary();
  if (!tracks || !summary) return undefined;
  const emergency = filter.emergency === 'only' ? filter.emergency : undefined;
  const past = { ...filter, ageS: undefined, emergency };
  const words = activeCriteria({ ...past, inside: undefined }).map((criterion) =>
    criterionText(past, criterion, units),
  );
  return areaAnswer({
    tracks,
    replay: summary,
    filter: past,
    visible: mapView.get().visible,
    filterWords: words.filter((text) => text !== undefined),
    placeWords: criterionText({ ...NO_FILTER, inside: filter.inside }, 'inside', units),
    markedPlace: marked && (marked.name ?? 'the marked place'),
    madeAt: feed.presumedNow(),
    operator: operator?.name,
    mayLoad,
    units,
    zone,
  });
}

const TONES = { yes: 'warning', no: 'good', open: 'warning', 'not-asked': 'neutral' } as const;

function Verdicts({ answer }: { readonly answer: AreaAnswer }) {
  return (
    <ul>
      {answer.verdicts.map(({ kind, answer: tone, headline, details }) => (
        <li key={kind} data-kind={kind} data-answer={tone} className="flex items-baseline gap-2">
          <ToneMark tone={TONES[tone]} />
          <span>
            <span className="font-semibold">{headline}</span> <span className="text-dim">{details.join(' ')}</span>
          </span>
        </li>
      ))}
      {!answer.completeness.isAreaLoaded && <li className="text-warning">{AREA_NOT_LOADED}</li>}
    </ul>
  );
}

function KindChoice() {
  const { filter, change } = useFilter();
  const isReplayed = useValue(useLookout().layersOn).size > 0;
  if (!isReplayed) return null;
  return (
    <ChoiceRow
      label="Kind"
      hidesLabel
      value={filter.kind ?? 'both'}
      choices={[
        { value: 'both', label: 'Both' },
        { value: 'drone', label: 'Drones' },
        { value: 'aircraft', label: 'Aircraft' },
      ]}
      onChange={(kind) => change({ kind: kind === 'both' ? undefined : kind })}
    />
  );
}

const ROWS_MAX = 300;
const HEAD = 'sticky top-0 bg-surface py-1 pr-3 text-left font-medium text-caption text-dim';
const CELL = 'whitespace-nowrap border-line border-t py-1 pr-3';

interface TracksListProps {
  readonly answer: AreaAnswer;
  readonly onJump: (ref: string, at: UpstreamInstant) => void;
}

function TracksList({ answer, onJump }: TracksListProps) {
  const { tracks, crossings, place } = answer;
  const shown = tracks.slice(0, ROWS_MAX);
  if (tracks.length + crossings.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: more rows than fit are scrolled to by keyboard.
    <section className="mt-1 overflow-x-auto" tabIndex={0} aria-label="List of tracks">
      <table className="w-full text-table">
        <thead>
          <tr>
            <th className={HEAD}>Track</th>
            <th className={HEAD}>First</th>
            <th className={HEAD}>Last</th>
            <th className={HEAD}>Height above ground</th>
            <th className={HEAD}>Altitude</th>
            {place !== undefined && <th className={HEAD}>Nearest to {place}</th>}
            <th className={HEAD}>Positions</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((track) => (
            <TrackLine key={track.ref} track={track} answer={answer} onJump={onJump} />
          ))}
          {crossings.map((crossing) => (
            <CrossingLine key={crossing.ref} crossing={crossing} answer={answer} onJump={onJump} />
          ))}
        </tbody>
      </table>
      {tracks.length > shown.length && (
        <p className="py-1 text-caption text-dim">
          The first {ROWS_MAX} of {groupedNumber(tracks.length)}. The answer lists all of them.
        </p>
      )}
    </section>
  );
}

function TrackLine({ track, answer, onJump }: TracksListProps & { readonly track: WindowTrack }) {
  const isSelected = useDisplay((shown) => shown.selectedRef) === track.ref;
  const cells = trackCells(track, answer.units, answer.zone);
  return (
    <tr
      data-ref={track.ref}
      className={classNames('cursor-pointer hover:bg-raised', isSelected && 'bg-raised')}
      onClick={() => onJump(track.ref, track.first)}
    >
      <td className={CELL}>
        <TrackButton track={track} />
      </td>
      <td className={`${CELL} font-mono`}>{cells.first}</td>
      <td className={`${CELL} font-mono`}>{cells.last}</td>
      <td className={valueClass(cells.height)}>{cells.height}</td>
      <td className={valueClass(cells.altitude)}>{cells.altitude}</td>
      {answer.place !== undefined && <td className={CELL}>{cells.nearest}</td>}
      <td className={CELL}>{groupedNumber(track.positions)}</td>
    </tr>
  );
}

function CrossingLine({ crossing, answer, onJump }: TracksListProps & { readonly crossing: PossibleCrossing }) {
  const { from, to, ref } = crossing;
  return (
    <tr
      data-ref={ref}
      data-not-known
      className="cursor-pointer text-dim hover:bg-raised"
      onClick={() => onJump(ref, from)}
    >
      <td className={CELL}>
        <TrackButton track={crossing} />
      </td>
      <td className={`${CELL} font-mono`}>{clockText(from, answer.zone)}</td>
      <td className={`${CELL} font-mono`}>{clockText(to, answer.zone)}</td>
      <td className={`${CELL} italic`} colSpan={answer.place === undefined ? 3 : 4}>
        Not known: no position received inside, and the line between these two touches the area
      </td>
    </tr>
  );
}

function TrackButton({ track }: { readonly track: WindowTrack | PossibleCrossing }) {
  return (
    <button type="button" className="font-medium underline-offset-2 hover:underline" title={track.ref}>
      {KIND_TEXT[track.kind]} <span className="font-mono">{shortReference(track.ref)}</span>
      {windowTags(track).map((tag) => (
        <span key={tag} className="ml-1.5 rounded-[3px] border border-edge px-1 text-caption">
          {tag}
        </span>
      ))}
    </button>
  );
}

function valueClass(text: string): string {
  return text === NOT_REPORTED ? `${CELL} text-dim italic` : CELL;
}
