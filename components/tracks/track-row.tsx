import { memo } from 'react';
import type { AgePhase } from '#lib/model/ageing.ts';
import { emergencyClass } from '#lib/model/emergency.ts';
import { NOT_REPORTED } from '#lib/model/measure-text.ts';
import type { Position } from '#lib/model/position.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { TrackMark } from '../track-card/track-mark.tsx';
import { TrackTags } from '../track-card/track-tags.tsx';
import { classNames } from '../ui/class-names.ts';
import { MEASURE_COLUMNS } from './shown-columns.ts';

export interface TrackRowProps {
  readonly id: string;
  /** Index in the whole table, from 0, without the header row. */
  readonly index: number;
  readonly heightPx: number;
  readonly position: Position;
  readonly phase: AgePhase;
  readonly age: string;
  /** In whole seconds. */
  readonly ageS: number;
  readonly units: UnitSystem;
  readonly selected: boolean;
  /** The row that the keyboard is on. */
  readonly active: boolean;
}

export const TrackRow = memo(function TrackRow(props: TrackRowProps) {
  const { id, index, heightPx, position, phase, age, ageS, units, selected, active } = props;
  const hasWords = phase === 'coasted' || emergencyClass(position.emergencyState) !== 'quiet';
  return (
    <tr
      id={id}
      data-ref={position.ref}
      aria-rowindex={index + 2}
      aria-selected={selected}
      style={{ height: heightPx }}
      className={classNames(
        'cursor-pointer hover:bg-raised [&>td]:border-line [&>td]:border-b',
        selected && 'bg-raised shadow-[inset_3px_0_0_var(--text)]',
        active && '-outline-offset-2 outline-focus group-focus-visible/grid:outline-2',
        phase === 'coasted' && 'text-dim',
        // The words take a line of their own, below the values.
        hasWords && '[&>td]:pt-px [&>td]:align-top phone:[&>td]:pt-2',
      )}
    >
      <td className="pl-2">
        <TrackMark position={position} phase={phase} sizePx={25} ageS={ageS} />
        <span className="sr-only">{position.kind}</span>
      </td>
      <td title={position.ref}>
        <span className="flex items-center gap-1">
          <span className="font-medium font-mono">{shortReference(position.ref)}</span>
          <TrackTags position={position} />
        </span>
        <TrackWords state={position.emergencyState} isCoasted={phase === 'coasted'} />
      </td>
      {MEASURE_COLUMNS[units].map(({ sort, textOf }) => {
        const value = position[sort];
        return <Cell key={sort} value={value === undefined ? undefined : textOf(value)} />;
      })}
      <td className="pr-3 text-right whitespace-nowrap">{age}</td>
    </tr>
  );
});

interface TrackWordsProps {
  readonly state: string | undefined;
  readonly isCoasted: boolean;
}

/** What sets a track apart, in words: a reported emergency value as it came, and that its position has expired. */
function TrackWords({ state, isCoasted }: TrackWordsProps) {
  const emergency = emergencyClass(state);
  if (emergency === 'quiet' && !isCoasted) return null;
  return (
    <span className="flex gap-1 whitespace-nowrap text-label leading-[11px]">
      {emergency === 'emergency' && <strong className="text-bad">EMERGENCY {state}</strong>}
      {emergency === 'as-text' && <span>state: {state}</span>}
      {isCoasted && <span>{emergency === 'quiet' ? 'coasted' : '· coasted'}</span>}
    </span>
  );
}

function Cell({ value }: { readonly value: string | undefined }) {
  return (
    <td className="text-right">
      {value ?? (
        <abbr title={NOT_REPORTED} aria-label={NOT_REPORTED} className="text-dim italic no-underline">
          n/r
        </abbr>
      )}
    </td>
  );
}
