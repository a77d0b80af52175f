'use client';

import { useMemo, useState } from 'react';
import { useFilter, useListedTracks } from '#lib/client/page/lookout-context.tsx';
import { readRangeText } from '#lib/filter/read-range.ts';
import type { ValueRange } from '#lib/filter/track-filter.ts';
import { CONFIDENCE_LABELS, confidenceText } from '#lib/model/confidence.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { classNames } from '../ui/class-names.ts';
import {
  afterChoice,
  type ChoiceColumn,
  choicesOf,
  chosenOf,
  criterionOf,
  type FilteredColumn,
  filterField,
  isCircular,
  type ListedColumn,
  rangeFieldText,
  scaleOf,
  storedRange,
  type TableNarrowing,
} from './filter-fields.ts';
import type { ShownColumn } from './track-columns.ts';

export interface FilterCellsProps {
  readonly columns: readonly ShownColumn[];
  readonly units: UnitSystem;
  readonly heightPx: number;
  readonly narrowing: TableNarrowing;
  readonly onNarrowing: (change: (narrowing: TableNarrowing) => TableNarrowing) => void;
  /** Why the text is no range; `undefined` once it is one. */
  readonly onProblem: (problem: string | undefined) => void;
}

const CONTROL =
  'h-6 w-full min-w-0 rounded-[5px] border border-edge bg-background px-1 text-caption placeholder:text-dim aria-invalid:border-bad phone:h-9';

/** The page filter's criterion where it has one for the column; other fields narrow only the table. */
export function FilterCells(props: FilterCellsProps) {
  const { columns, units, heightPx, narrowing, onNarrowing, onProblem } = props;
  const { filter, change } = useFilter();

  const pageRange = (column: FilteredColumn, long: string) => {
    const criterion = criterionOf(column);
    return (
      <RangeCell
        label={`${long}: show`}
        column={column}
        units={units}
        range={filter[criterion]}
        onChange={(range) => change({ [criterion]: range })}
        onProblem={onProblem}
      />
    );
  };
  const listRange = (column: ListedColumn, long: string) => (
    <RangeCell
      label={`${long}: list only`}
      column={column}
      units={units}
      range={narrowing.ranges[column]}
      onChange={(range) =>
        onNarrowing((before) => {
          const { [column]: _, ...others } = before.ranges;
          return { ...before, ranges: range ? { ...others, [column]: range } : others };
        })
      }
      onProblem={onProblem}
    />
  );
  const choice = (column: ChoiceColumn, long: string) => (
    <select
      aria-label={`${long}: show`}
      value={chosenOf(filter, column) ?? ''}
      onChange={(event) => change(afterChoice(column, event.target.value))}
      className={CONTROL}
    >
      <option value="">all</option>
      {choicesOf(column).map(([value, label]) => (
        <option key={value} value={value}>
          {confidenceText(label)}
        </option>
      ))}
    </select>
  );
  const fieldOf = ({ name, long }: ShownColumn) => {
    const field = filterField(name);
    switch (field.is) {
      case 'search':
        return (
          <input
            type="search"
            aria-label="Reference or emergency contains: list only"
            placeholder="contains"
            value={narrowing.text}
            spellCheck={false}
            autoComplete="off"
            onChange={({ target: { value } }) => onNarrowing((before) => ({ ...before, text: value }))}
            className={CONTROL}
          />
        );
      case 'labels':
        return <LabelsCell />;
      case 'page-range':
        return pageRange(field.column, long);
      case 'list-range':
        return listRange(field.column, long);
      case 'choice':
        return choice(field.column, long);
      case 'by-age':
        return <span className="sr-only">{long}: filtered by age</span>;
    }
  };
  return columns.map((column) => (
    <td
      key={column.name}
      style={{ height: heightPx }}
      className={classNames(
        'border-line border-b px-0.5 last:pr-3',
        column.name === 'ref' && 'sticky left-0 z-[1] bg-inherit',
      )}
    >
      {fieldOf(column)}
    </td>
  ));
}

/** Chooses one label; several are chosen in the filter tab. */
function LabelsCell() {
  const { filter, change } = useFilter();
  const { columns, labelAt } = useListedTracks();
  const chosen = filter.confidence ?? [];
  const received = useMemo(() => {
    const labels = new Set<string>();
    for (let slot = 0; slot < columns.end; slot++) {
      const label = columns.used[slot] === 0 ? undefined : labelAt(slot, 'confidence');
      if (label !== undefined) labels.add(label);
    }
    return [...labels].sort();
  }, [columns, labelAt]);
  const labels = [...new Set([...CONFIDENCE_LABELS, ...received, ...chosen])];
  const value = chosen.length === 0 ? '' : chosen.length === 1 ? `=${chosen[0]}` : 'several';
  return (
    <select
      aria-label="Confidence label: show"
      value={value}
      onChange={({ target }) => {
        if (target.value !== 'several')
          change({ confidence: target.value === '' ? undefined : [target.value.slice(1)] });
      }}
      className={CONTROL}
    >
      <option value="">all</option>
      {chosen.length > 1 && <option value="several">{chosen.map(confidenceText).join(' or ')}</option>}
      {labels.map((label) => (
        <option key={label} value={`=${label}`}>
          {confidenceText(label)}
        </option>
      ))}
    </select>
  );
}

interface RangeCellProps {
  readonly label: string;
  readonly column: FilteredColumn | ListedColumn;
  readonly units: UnitSystem;
  readonly range: ValueRange | undefined;
  readonly onChange: (range: ValueRange | undefined) => void;
  readonly onProblem: (problem: string | undefined) => void;
}

function RangeCell({ column, units, range, ...rest }: RangeCellProps) {
  const scale = scaleOf(column, units);
  const text = rangeFieldText(range, scale);
  return (
    <RangeInput
      key={`${text} ${units}`}
      text={text}
      read={(typed) => {
        const answer = readRangeText(typed, isCircular(column));
        return answer.problem === undefined ? { ...answer, range: storedRange(answer.range, scale) } : answer;
      }}
      {...rest}
    />
  );
}

interface RangeInputProps extends Pick<RangeCellProps, 'label' | 'onChange' | 'onProblem'> {
  readonly text: string;
  readonly read: (typed: string) => ReturnType<typeof readRangeText>;
}

/** A field whose range applies on Enter and blur; Esc drops what was typed. An invalid range changes nothing. */
function RangeInput({ label, text, read, onChange, onProblem }: RangeInputProps) {
  const [typed, setTyped] = useState(text);
  const [isInvalid, setIsInvalid] = useState(false);
  const announce = (problem: string | undefined) => {
    setIsInvalid(problem !== undefined);
    onProblem(problem === undefined ? undefined : `${label.split(':')[0]}: ${problem}`);
  };
  const apply = () => {
    if (typed === text) {
      if (isInvalid) announce(undefined);
      return;
    }
    const answer = read(typed);
    announce(answer.problem);
    if (answer.problem === undefined) onChange(answer.range);
  };
  return (
    <input
      inputMode="text"
      aria-label={label}
      aria-invalid={isInvalid}
      placeholder="from..to"
      value={typed}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => setTyped(event.target.value)}
      onBlur={apply}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply();
        if (event.key !== 'Escape') return;
        event.preventDefault();
        setTyped(text);
        announce(undefined);
      }}
      className={classNames(CONTROL, 'text-right placeholder:text-left')}
    />
  );
}
