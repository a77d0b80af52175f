'use client';

import { Hexagon } from 'lucide-react';
import { NOTHING_DRAWN, startDrawing } from '#lib/client/area/drawing-state.ts';
import { useFilter, useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { activeCriteria } from '#lib/filter/track-filter.ts';
import { LENGTH_UNIT, lengthIn, metresFrom, mpsFrom, SPEED_UNIT, speedIn } from '#lib/model/units.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { ConfidenceChoice } from './confidence-choice.tsx';
import { RangeField } from './range-field.tsx';

const asItIs = (value: number) => value;

const HIDE_OR_ONLY = [
  { value: 'show', label: 'Show' },
  { value: 'hide', label: 'Hide' },
  { value: 'only', label: 'Only' },
] as const;

export function FilterTab() {
  const { filter, change, clear } = useFilter();
  const [{ units }] = usePreferences();
  const length = {
    unit: LENGTH_UNIT[units],
    shown: (metres: number) => lengthIn(units, metres),
    stored: (value: number) => metresFrom(units, value),
  };
  const speed = {
    unit: SPEED_UNIT[units],
    shown: (mps: number) => speedIn(units, mps),
    stored: (value: number) => mpsFrom(units, value),
  };
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
        {...speed}
        range={filter.speedMps}
        onChange={(speedMps) => change({ speedMps })}
      />
      <RangeField
        label="Age"
        unit="s"
        shown={asItIs}
        stored={asItIs}
        range={filter.ageS}
        onChange={(ageS) => change({ ageS })}
      />
      <RangeField
        label="Receivers"
        unit=""
        shown={asItIs}
        stored={asItIs}
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
      <Button
        aria-pressed={tool !== undefined}
        onClick={() => drawing.set(tool === undefined ? startDrawing('circle') : NOTHING_DRAWN)}
      >
        <Hexagon aria-hidden size={16} />
        Draw a circle or polygon
      </Button>
    </div>
  );
}
