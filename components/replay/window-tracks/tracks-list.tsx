'use client';

import { useDisplay } from '#lib/client/page/lookout-context.tsx';
import type { PossibleCrossing, WindowTrack } from '#lib/client/replay/window-tracks/window-tracks.ts';
import { clockText } from '#lib/model/clock-text.ts';
import { groupedNumber } from '#lib/model/grouped-number.ts';
import { KIND_TEXT } from '#lib/model/layer-kind.ts';
import { NOT_REPORTED } from '#lib/model/measure-text.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { classNames } from '../../ui/class-names.ts';
import type { IncidentAnswer } from './answer.ts';
import { tagsOf, trackCells } from './track-cells.ts';

const ROWS_MAX = 300;
const HEAD = 'sticky top-0 bg-surface py-1 pr-3 text-left font-medium text-caption text-dim';
const CELL = 'whitespace-nowrap border-line border-t py-1 pr-3';

export interface TracksListProps {
  readonly answer: IncidentAnswer;
  readonly onJump: (ref: string, at: UpstreamInstant) => void;
}

export function TracksList({ answer, onJump }: TracksListProps) {
  const { tracks, crossings, place } = answer;
  const shown = tracks.slice(0, ROWS_MAX);
  if (tracks.length + crossings.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: more rows than fit are scrolled to by keyboard.
    <section className="tracks-list mt-1 overflow-auto" tabIndex={0} aria-label="List of tracks">
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
      {tagsOf(track).map((tag) => (
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
