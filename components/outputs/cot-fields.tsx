'use client';

import type { ConfigOf } from '#lib/api/outputs/destination-kinds.ts';
import { formatBbox } from '#lib/geo/bbox.ts';
import { boxFromCorners, corners } from '#lib/geo/corners.ts';
import { parseBbox } from '#lib/geo/parse-bbox.ts';
import { LAYERS } from '#lib/model/position.ts';
import { SwitchRow } from '../ui/switch-row.tsx';
import { NumberField } from '../zones/number-field.tsx';
import type { KindFieldsProps } from './destination-draft.ts';
import { ParsedRow, Problem, ToggleRow } from './fields.tsx';

const LAYER_CHOICES = LAYERS.map((value) => ({ value, label: value === 'rid' ? 'Drones' : 'Aircraft' }));

export function CotFields({ config, problems, onChange }: KindFieldsProps<'cot'>) {
  const { positions } = config;
  const set = (part: Partial<NonNullable<ConfigOf<'cot'>['positions']>>) =>
    positions && onChange({ ...config, positions: { ...positions, ...part } });
  return (
    <>
      <SwitchRow
        label="Positions too"
        note="Off: alarms alone."
        checked={positions !== null}
        onChange={(isOn) =>
          onChange({ ...config, positions: isOn ? { layers: [...LAYERS], bbox: null, every_s: 5 } : null })
        }
      />
      {positions && (
        <>
          <ToggleRow
            label="Positions of"
            chosen={positions.layers}
            choices={LAYER_CHOICES}
            onChange={(layers) => set({ layers })}
          />
          <ParsedRow
            label="In the area"
            note="West, south, east, north in degrees. Empty: everything that Lookout reads."
            placeholder="8.2,46.7,8.9,47.1"
            value={positions.bbox}
            problem={undefined}
            shown={(bbox) => (bbox === null ? '' : formatBbox(boxFromCorners(bbox)))}
            read={(typed) => {
              if (typed.trim() === '') return { value: null };
              const parsed = parseBbox(typed.replaceAll(' ', ''));
              return parsed.ok ? { value: corners(parsed.bbox) } : { problem: `${parsed.message}.` };
            }}
            onChange={(bbox) => set({ bbox })}
          />
          <NumberField
            label="A track at most every"
            unit="s"
            value={positions.every_s}
            min={1}
            max={300}
            onChange={(every_s) => every_s !== null && set({ every_s: Math.round(every_s) })}
          />
        </>
      )}
      <Problem text={problems.positions} />
    </>
  );
}
