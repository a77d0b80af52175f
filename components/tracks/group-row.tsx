import { memo } from 'react';
import type { GroupName } from '#lib/picture/list-tracks.ts';
import { classNames } from '../ui/class-names.ts';

export interface GroupRowProps {
  readonly id: string;
  readonly name: GroupName;
  readonly text: string;
  readonly rowIndex: number;
  readonly heightPx: number;
  readonly columnCount: number;
  readonly active: boolean;
}

/** A row of the grid, which keys and screen readers meet like any other. */
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
