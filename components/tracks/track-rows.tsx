import { memo } from 'react';
import type { AgePhase } from '#lib/model/ageing.ts';
import { emergencyClass, emergencyWords } from '#lib/model/emergency.ts';
import { NOT_REPORTED } from '#lib/model/measure-text.ts';
import type { Position } from '#lib/model/position.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import type { GroupName, TrackGroup } from '#lib/picture/list-tracks.ts';
import { countText } from '../layers/count-text.ts';
import { TrackMark, TrackTags } from '../track-card/track-mark.tsx';
import { classNames } from '../ui/class-names.ts';
import { type CellSetting, cellText, type ShownColumn } from './track-columns.ts';

interface TrackRowProps {
  readonly id: string;
  /** The row's number in the whole table, from 1, including the head's rows. */
  readonly rowIndex: number;
  readonly heightPx: number;
  readonly columns: readonly ShownColumn[];
  readonly setting: CellSetting;
  readonly position: Position;
  readonly phase: AgePhase;
  readonly age: string;
  /** The age in whole seconds: a row renders no more often for its mark. */
  readonly ageS: number;
  readonly selected: boolean;
  /** Whether the row is faint because another track is isolated; an emergency never is. */
  readonly faint: boolean;
  readonly active: boolean;
}

/** Rows that are lower have smaller text. */
const ROOMY_PX = 28;

/** The row of a track. Rows render again only when what they show changes. */
export const TrackRow = memo(function TrackRow(props: TrackRowProps) {
  const { id, rowIndex, heightPx, columns, setting, position, phase, age, ageS, selected, active } = props;
  const emergency = emergencyClass(position.emergencyState);
  const faint = props.faint && emergency !== 'emergency';
  const hasStateText = phase === 'expired' || emergency !== 'quiet';
  const isTight = heightPx < ROOMY_PX;
  return (
    <tr
      id={id}
      data-ref={position.ref}
      aria-rowindex={rowIndex}
      aria-selected={selected}
      data-faint={faint}
      style={{ height: heightPx }}
      className={classNames(
        'cursor-pointer bg-surface hover:bg-raised [&>td]:border-line [&>td]:border-b',
        selected && 'bg-raised shadow-[inset_3px_0_0_var(--text)]',
        active && '-outline-offset-2 outline-focus group-focus-visible/grid:outline-2',
        (phase === 'expired' || faint) && 'text-dim',
        faint && '[&_svg]:opacity-40',
        hasStateText && '[&>td]:align-top',
        hasStateText && (isTight ? '[&>td]:leading-[13px]' : '[&>td]:pt-px phone:[&>td]:pt-2'),
      )}
    >
      {columns.map(({ name, align }) => {
        switch (name) {
          case 'kind':
            return (
              <td key={name} className="pl-2">
                <TrackMark position={position} phase={phase} sizePx={isTight ? 22 : 25} ageS={ageS} />
                <span className="sr-only">{position.kind}</span>
              </td>
            );
          case 'ref':
            return (
              <td key={name} title={position.ref} className="sticky left-0 bg-inherit pl-1.5 first:pl-3">
                <span
                  className={classNames(
                    'flex items-center gap-1',
                    isTight && 'h-[13px]',
                    // Both tags leave room for an altitude of five digits.
                    position.simulated &&
                      position.testBroadcast &&
                      'gap-0.5! [&>[title]]:px-0.5 [&>[title]]:text-[9px] [&>[title]]:tracking-normal',
                  )}
                >
                  <span className="font-medium font-mono">{shortReference(position.ref)}</span>
                  <TrackTags position={position} />
                </span>
                <TrackStateText state={position.emergencyState} isExpired={phase === 'expired'} isTight={isTight} />
              </td>
            );
          case 'age':
            return (
              <td key={name} className="text-right whitespace-nowrap last:pr-3">
                {age}
              </td>
            );
          default:
            return <Cell key={name} align={align} value={cellText(name, position, setting)} />;
        }
      })}
    </tr>
  );
});

interface TrackStateTextProps {
  readonly state: string | undefined;
  readonly isExpired: boolean;
  readonly isTight: boolean;
}

function TrackStateText({ state, isExpired, isTight }: TrackStateTextProps) {
  const emergency = emergencyClass(state);
  if (emergency === 'quiet' && !isExpired) return null;
  return (
    <span
      className={classNames(
        'flex gap-1 whitespace-nowrap',
        isTight ? 'text-[9px] leading-[10px]' : 'text-label leading-[11px]',
      )}
    >
      {emergency === 'emergency' && <strong className="text-bad">{emergencyWords(state ?? '')}</strong>}
      {emergency === 'as-text' && <span>state: {state}</span>}
      {isExpired && <span>{emergency === 'quiet' ? 'expired' : '· expired'}</span>}
    </span>
  );
}

interface CellProps {
  readonly value: string | undefined;
  readonly align: 'left' | 'right';
}

function Cell({ value, align }: CellProps) {
  return (
    <td
      // A label is as long as the service makes it.
      {...(align === 'left' && { title: value })}
      className={classNames(
        'whitespace-nowrap last:pr-3',
        align === 'right' ? 'text-right' : 'overflow-hidden text-ellipsis pl-3',
      )}
    >
      {value ?? (
        <abbr title={NOT_REPORTED} aria-label={NOT_REPORTED} className="text-dim no-underline">
          —
        </abbr>
      )}
    </td>
  );
}

interface GroupRowProps {
  readonly id: string;
  readonly name: GroupName;
  readonly text: string;
  readonly rowIndex: number;
  readonly heightPx: number;
  readonly columnCount: number;
  readonly active: boolean;
}

/** The heading of a group: a row of the grid, which keys and screen readers meet like any other. */
export const GroupRow = memo(function GroupRow(props: GroupRowProps) {
  const { id, name, text, rowIndex, heightPx, columnCount, active } = props;
  return (
    <tr
      id={id}
      data-group={name}
      aria-rowindex={rowIndex}
      style={{ height: heightPx }}
      className={classNames(active && '-outline-offset-2 outline-focus group-focus-visible/grid:outline-2')}
    >
      <th
        scope="rowgroup"
        colSpan={columnCount}
        className="border-line border-b bg-raised p-0 text-left font-semibold text-caption"
      >
        <span className={classNames('sticky left-0 inline-block px-3', name === 'emergency' && 'text-bad')}>
          {text}
        </span>
      </th>
    </tr>
  );
});

const NAMES: Readonly<Record<GroupName, string>> = {
  emergency: 'Emergencies',
  aircraft: 'Aircraft',
  drone: 'Drones',
};

export function groupText({ name, counts }: TrackGroup, groups: readonly TrackGroup[]): string {
  const isRest = name !== 'emergency' && groups.some((group) => group.name === 'emergency');
  const { current, expired } = countText(counts, counts);
  const title = isRest ? `Other ${NAMES[name].toLowerCase()}` : NAMES[name];
  return `${title}: ${current}${expired === undefined ? '' : ` · ${expired}`}`;
}
