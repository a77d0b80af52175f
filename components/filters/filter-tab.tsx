'use client';

import { Hexagon } from 'lucide-react';
import { ToggleGroup } from 'radix-ui';
import { useId, useMemo, useState } from 'react';
import { toggleDrawing } from '#lib/client/page/drawn-area.ts';
import { useFilter, useListedTracks, useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { readRange } from '#lib/filter/read-range.ts';
import { activeCriteria, type ValueRange } from '#lib/filter/track-filter.ts';
import { CONFIDENCE_LABELS, confidenceText } from '#lib/model/confidence.ts';
import { type ShownUnit, shownUnit } from '#lib/model/units.ts';
import type { TrackMoment } from '#lib/picture/pictured-tracks.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceRow } from '../ui/choice-row.tsx';

const HIDE_OR_ONLY = [
  { value: 'show', label: 'Show' },
  { value: 'hide', label: 'Hide' },
  { value: 'only', label: 'Only' },
] as const;

/** The filter, criterion by criterion. It applies at once, and is part of the link. */
export function FilterTab() {
  const { filter, change, clear } = useFilter();
  const [{ units }] = usePreferences();
  const length = shownUnit('length', units);
  const hideOrOnly = (label: string, name: 'simulated' | 'testBroadcast') => (
    <ChoiceRow
      label={label}
      value={filter[name] ?? 'show'}
      choices={HIDE_OR_ONLY}
      onChange={(choice) => change({ [name]: choice === 'show' ? undefined : choice })}
    />
  );
  return (
    <div className="flex flex-col gap-4 p-4">
      <p className="text-caption text-dim">
        Applies to map, table and counts, and is part of the link. Hidden tracks are still received.
      </p>
      <ChoiceRow
        label="Kind"
        value={filter.kind ?? 'all'}
        choices={[
          { value: 'all', label: 'All' },
          { value: 'aircraft', label: 'Aircraft' },
          { value: 'drone', label: 'Drones' },
        ]}
        onChange={(kind) => change({ kind: kind === 'all' ? undefined : kind })}
      />
      <RangeField
        label="Altitude, reference not stated"
        {...length}
        range={filter.altitudeM}
        onChange={(altitudeM) => change({ altitudeM })}
      />
      <RangeField
        label="Height above ground, estimated"
        {...length}
        range={filter.heightAglM}
        onChange={(heightAglM) => change({ heightAglM })}
      />
      <RangeField
        label="Ground speed"
        {...shownUnit('speed', units)}
        range={filter.speedMps}
        onChange={(speedMps) => change({ speedMps })}
      />
      <RangeField label="Age" {...shownUnit('s', units)} range={filter.ageS} onChange={(ageS) => change({ ageS })} />
      <RangeField
        label="Receivers"
        {...shownUnit('number', units)}
        range={filter.receiverCount}
        onChange={(receiverCount) => change({ receiverCount })}
      />
      <ConfidenceChoice chosen={filter.confidence} onChange={(confidence) => change({ confidence })} />
      <UnknownChoice />
      {hideOrOnly('Simulated', 'simulated')}
      {hideOrOnly('Test broadcasts', 'testBroadcast')}
      <ChoiceRow
        label="Emergencies"
        note="Known emergency states; unknown ones are not emergencies."
        value={filter.emergency ?? 'as-others'}
        choices={[
          { value: 'as-others', label: 'As others' },
          { value: 'show', label: 'Always show' },
          { value: 'only', label: 'Only' },
        ]}
        onChange={(choice) => change({ emergency: choice === 'as-others' ? undefined : choice })}
      />
      <PlaceChoice />
      <Button disabled={activeCriteria(filter).length === 0} onClick={clear}>
        Clear the filter
      </Button>
    </div>
  );
}

function UnknownChoice() {
  const { filter, change } = useFilter();
  return (
    <ChoiceRow
      label="Tracks without the filtered value"
      value={filter.unknown}
      choices={[
        { value: 'show', label: 'Show' },
        { value: 'hide', label: 'Hide' },
      ]}
      onChange={(unknown) => change({ unknown })}
    />
  );
}

function PlaceChoice() {
  const { mapView, drawing } = useLookout();
  const { filter, change } = useFilter();
  const { tool } = useValue(drawing);
  const { inside } = filter;
  const choice = inside === undefined ? 'everywhere' : inside === 'view' ? 'view' : 'area';
  const choose = (chosen: typeof choice) => {
    if (chosen === 'area') change({ inside: mapView.get().visible });
    else change({ inside: chosen === 'view' ? 'view' : undefined });
  };
  return (
    <div className="flex flex-col gap-2">
      <ChoiceRow
        label="Place"
        note="An area starts as what the map shows now, and is outlined on it."
        value={choice}
        choices={[
          { value: 'everywhere', label: 'Everywhere' },
          { value: 'view', label: 'In view' },
          { value: 'area', label: 'An area' },
        ]}
        onChange={choose}
      />
      <Button aria-pressed={tool !== undefined} onClick={() => toggleDrawing({ drawing })}>
        <Hexagon aria-hidden size={16} />
        Draw a circle or polygon
      </Button>
    </div>
  );
}

interface ConfidenceChoiceProps {
  readonly chosen: readonly string[] | undefined;
  readonly onChange: (chosen: readonly string[] | undefined) => void;
}

/** Labels of confidence that are shown; without a choice, all are. Undocumented labels appear as they were received. */
function ConfidenceChoice({ chosen = [], onChange }: ConfidenceChoiceProps) {
  const id = useId();
  const tracks = useListedTracks();
  const received = useMemo(() => labelsOf(tracks), [tracks]);
  const labels = [...new Set([...CONFIDENCE_LABELS, ...received, ...chosen])];
  return (
    <div>
      <div id={id} className="mb-1 font-medium">
        Confidence
      </div>
      <ToggleGroup.Root
        type="multiple"
        aria-labelledby={id}
        value={[...chosen]}
        onValueChange={(next) => onChange(next.length === 0 ? undefined : labels.filter((each) => next.includes(each)))}
        className="flex flex-wrap gap-1.5"
      >
        {labels.map((label) => (
          <ToggleGroup.Item
            key={label}
            value={label}
            className="min-h-7 rounded-control border border-line bg-raised px-2 text-dim text-table hover:border-edge data-[state=on]:border-text data-[state=on]:font-semibold data-[state=on]:text-text phone:min-h-11"
          >
            {confidenceText(label)}
          </ToggleGroup.Item>
        ))}
      </ToggleGroup.Root>
      <p className="mt-1 text-caption text-dim">A label of quality as the service gives it; none chosen shows all.</p>
    </div>
  );
}

function labelsOf({ columns, labelAt }: TrackMoment): readonly string[] {
  const labels = new Set<string>();
  for (let slot = 0; slot < columns.end; slot++) {
    if (columns.used[slot] === 0) continue;
    const confidence = labelAt(slot, 'confidence');
    if (confidence !== undefined) labels.add(confidence);
  }
  return [...labels].sort();
}

interface RangeFieldProps extends ShownUnit {
  readonly label: string;
  readonly range: ValueRange | undefined;
  readonly onChange: (range: ValueRange | undefined) => void;
}

/** A half-open range, which Enter or leaving the field applies. An invalid one changes nothing. */
function RangeField({ label, unit, range, shown, stored, onChange }: RangeFieldProps) {
  const textOf = (value: number | undefined) =>
    value === undefined ? '' : String(Number(shown(value).toFixed(1)) + 0);
  const [from, to] = [textOf(range?.from), textOf(range?.to)];
  // The key drops typed text when the range changes elsewhere.
  return (
    <Ends
      key={`${from}..${to} ${unit}`}
      label={label}
      unit={unit}
      from={from}
      to={to}
      stored={stored}
      onChange={onChange}
    />
  );
}

interface EndsProps extends Pick<RangeFieldProps, 'label' | 'unit' | 'stored' | 'onChange'> {
  readonly from: string;
  readonly to: string;
}

function Ends({ label, unit, from, to, stored, onChange }: EndsProps) {
  const id = useId();
  const [typed, setTyped] = useState({ from, to });
  const [problem, setProblem] = useState<string>();
  const apply = () => {
    if (typed.from === from && typed.to === to) {
      setProblem(undefined);
      return;
    }
    const read = readRange(typed.from, typed.to);
    setProblem(read.problem);
    if (read.problem !== undefined) return;
    const { range } = read;
    const convert = (value: number | undefined) => (value === undefined ? undefined : stored(value));
    onChange(range && { from: convert(range.from), to: convert(range.to) });
  };
  const field = (end: 'from' | 'to', name: string) => (
    <input
      inputMode="decimal"
      autoComplete="off"
      aria-label={`${label}, ${name}${unit === '' ? '' : `, ${unit}`}`}
      aria-invalid={problem !== undefined}
      {...(problem !== undefined && { 'aria-describedby': `${id}-problem` })}
      placeholder={name}
      value={typed[end]}
      onChange={(event) => setTyped({ ...typed, [end]: event.target.value })}
      onBlur={apply}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply();
      }}
      className="h-8 w-full min-w-0 rounded-control border border-edge bg-background px-2 text-right placeholder:text-left placeholder:text-dim aria-invalid:border-bad phone:h-11"
    />
  );
  return (
    <fieldset>
      <legend className="mb-1 font-medium">{label}</legend>
      <div className="flex items-center gap-2">
        {field('from', 'from')}
        <span aria-hidden className="text-dim">
          –
        </span>
        {field('to', 'below')}
        <span className="w-8 shrink-0 text-dim">{unit}</span>
      </div>
      {problem !== undefined && (
        <p id={`${id}-problem`} role="alert" className="mt-1 text-bad text-caption">
          {problem}
        </p>
      )}
    </fieldset>
  );
}
