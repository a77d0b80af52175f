'use client';

import { ArrowDown, ArrowUp } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { usePreferences } from '#lib/client/page/lookout-context.tsx';
import { DENSITIES } from '#lib/client/page/preferences.ts';
import type { SortKey, SortOrder } from '#lib/picture/list-tracks.ts';
import {
  DEFAULT_COLUMNS,
  ROW_NAME,
  TABLE_COLUMNS,
  type TableColumn,
  withColumnMoved,
  withColumnShown,
} from '#lib/picture/table-columns.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { SwitchRow } from '../ui/switch-row.tsx';
import { firstSort, INITIAL_ORDER } from './sort-order.ts';
import { columnTitle } from './track-columns.ts';

export interface TableOptionsProps {
  readonly order: SortOrder;
  readonly onOrder: (order: SortOrder) => void;
  readonly point: string;
}

/**
 * How the table of tracks looks: its density, groups, order and columns. The order is the caller's, the rest are
 * preferences. The column with a track's name cannot be hidden.
 */
export function TableOptions({ order, onOrder, point }: TableOptionsProps) {
  const [{ tableDensity, tableGrouped }, change] = usePreferences();
  return (
    <div className="flex flex-col gap-4">
      <ChoiceRow
        label="Rows"
        value={tableDensity}
        choices={DENSITIES.map((value) => ({ value, label: value === 'compact' ? 'Compact' : 'Comfortable' }))}
        onChange={(density) => change({ tableDensity: density })}
      />
      <SwitchRow
        label="Group by kind"
        checked={tableGrouped}
        onChange={(grouped) => change({ tableGrouped: grouped })}
      />
      <Sorting order={order} onOrder={onOrder} point={point} />
      <Columns point={point} />
    </div>
  );
}

const SELECT = 'h-8 w-full min-w-0 rounded-control border border-edge bg-background px-2 phone:h-11';

/** Sorts by two columns, also on touch screens, which have no Shift clicks. */
function Sorting({ order, onOrder, point }: TableOptionsProps) {
  const [{ units }] = usePreferences();
  const [first = INITIAL_ORDER[0], second] = order;
  const choices = (except: TableColumn | undefined) =>
    TABLE_COLUMNS.filter((name) => name !== except).map((name) => (
      <option key={name} value={name}>
        {columnTitle(name, units, point)}
      </option>
    ));
  const columnNamed = (value: string) => TABLE_COLUMNS.find((name) => name === value);
  const direction = (key: SortKey | undefined, label: string, set: (key: SortKey) => void) => (
    <Button
      aria-label={`${label}: ${key?.descending ? 'descending' : 'ascending'}`}
      disabled={!key}
      shape="icon"
      onClick={() => key && set({ ...key, descending: !key.descending })}
    >
      {key?.descending ? <ArrowDown aria-hidden size={14} /> : <ArrowUp aria-hidden size={14} />}
    </Button>
  );
  if (!first) return null;
  const rest = second ? [second] : [];
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">Sort by</legend>
      <div className="flex gap-2">
        <select
          aria-label="Sort by"
          value={first.column}
          onChange={({ target }) => {
            const column = columnNamed(target.value);
            if (column) onOrder([firstSort(column), ...rest.filter((key) => key.column !== column)]);
          }}
          className={SELECT}
        >
          {choices(undefined)}
        </select>
        {direction(first, 'Sort by', (key) => onOrder([key, ...rest]))}
      </div>
      <div className="flex gap-2">
        <select
          aria-label="Then by"
          value={second?.column ?? ''}
          onChange={({ target }) => {
            const column = columnNamed(target.value);
            onOrder(column ? [first, firstSort(column)] : [first]);
          }}
          className={SELECT}
        >
          <option value="">then by no other</option>
          {choices(first.column)}
        </select>
        {direction(second, 'Then by', (key) => onOrder([first, key]))}
      </div>
    </fieldset>
  );
}

function Columns({ point }: Pick<TableOptionsProps, 'point'>) {
  const [{ units, tableColumns }, change] = usePreferences();
  const [said, setSaid] = useState('');
  const focused = useRef<HTMLElement>(null);

  // A moved element loses the focus, in the middle of moving a column by keyboard.
  // biome-ignore lint/correctness/useExhaustiveDependencies: after a move.
  useEffect(() => focused.current?.focus(), [tableColumns]);

  const move = (button: HTMLElement, name: TableColumn, by: -1 | 1) => {
    const moved = withColumnMoved(tableColumns, name, by);
    if (moved === tableColumns) return;
    focused.current = button;
    change({ tableColumns: moved });
    const place = moved.findIndex((column) => column.name === name) + 1;
    setSaid(`${columnTitle(name, units, point)}: ${place} of ${moved.length}`);
  };

  return (
    <fieldset>
      <legend className="mb-1 font-medium">Columns</legend>
      <ol className="flex flex-col">
        {tableColumns.map(({ name, isShown }, index) => {
          const title = columnTitle(name, units, point);
          return (
            <li key={name} className="flex items-center gap-1">
              <label className="flex min-h-7 flex-1 items-center gap-2 phone:min-h-11">
                <input
                  type="checkbox"
                  checked={isShown}
                  disabled={name === ROW_NAME}
                  onChange={({ target }) => {
                    focused.current = null;
                    change({ tableColumns: withColumnShown(tableColumns, name, target.checked) });
                  }}
                  className="size-4 shrink-0 accent-(--text)"
                />
                <span>{title}</span>
              </label>
              {([-1, 1] as const).map((by) => (
                <IconButton
                  key={by}
                  look="quiet"
                  shape="small-icon"
                  label={`${by < 0 ? 'Earlier' : 'Later'}: ${title}`}
                  icon={by < 0 ? <ArrowUp aria-hidden /> : <ArrowDown aria-hidden />}
                  aria-disabled={index + by < 0 || index + by >= tableColumns.length}
                  onClick={({ currentTarget }) => move(currentTarget, name, by)}
                />
              ))}
            </li>
          );
        })}
      </ol>
      <p role="status" className="sr-only">
        {said}
      </p>
      <Button
        className="mt-2"
        onClick={() => {
          focused.current = null;
          change({ tableColumns: DEFAULT_COLUMNS });
        }}
      >
        Reset columns
      </Button>
    </fieldset>
  );
}
