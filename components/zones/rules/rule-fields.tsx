'use client';

import { usePreferences } from '#lib/client/page/lookout-context.tsx';
import { CONFIDENCE_LABELS, confidenceText } from '#lib/model/confidence.ts';
import { LAYERS } from '#lib/model/position.ts';
import { LENGTH_UNIT, lengthIn, metresFrom } from '#lib/model/units.ts';
import { RULE_LIMITS, type Rule } from '#lib/zones/rule.ts';
import { kindOf } from '#lib/zones/rule-kinds.ts';
import { Button } from '../../ui/button.tsx';
import { SwitchRow } from '../../ui/switch-row.tsx';
import { NumberField } from '../number-field.tsx';
import { RuleDestinations } from './rule-destinations.tsx';
import { RuleEventFields, type RuleFieldsProps } from './rule-event-fields.tsx';

export function RuleFields({ rule, onChange }: RuleFieldsProps) {
  const set = (part: Partial<Rule>) => onChange({ ...rule, ...part } as Rule);
  return (
    <div className="flex flex-col gap-2 pb-2">
      <RuleEventFields rule={rule} onChange={onChange} />
      <div>
        <p className="mb-1">Applies to</p>
        <div className="flex gap-1">
          {LAYERS.map((layer) => {
            const isOn = rule.layers.includes(layer);
            return (
              <Button
                key={layer}
                look={isOn ? 'primary' : 'plain'}
                aria-pressed={isOn}
                disabled={isOn && rule.layers.length === 1}
                onClick={() =>
                  set({ layers: isOn ? rule.layers.filter((each) => each !== layer) : [...rule.layers, layer] })
                }
              >
                {layer === 'rid' ? 'Drones' : 'Aircraft'}
              </Button>
            );
          })}
        </div>
      </div>
      {kindOf(rule).decidesBy !== 'absence' && <HoldFields rule={rule} onChange={onChange} />}
      <NumberField
        label="Receivers, at least"
        unit=""
        value={rule.min_receivers}
        {...RULE_LIMITS.min_receivers}
        onChange={(value) => value !== null && set({ min_receivers: Math.round(value) })}
      />
      <Confidence rule={rule} onChange={onChange} />
      <SwitchRow
        label="Simulated positions too"
        checked={rule.simulated}
        onChange={(simulated) => set({ simulated })}
      />
      <SwitchRow label="Test broadcasts too" checked={rule.test} onChange={(test) => set({ test })} />
      <RuleDestinations rule={rule} onChange={onChange} />
    </div>
  );
}

function HoldFields({ rule, onChange }: RuleFieldsProps) {
  const [{ units }] = usePreferences();
  const hold = (name: 'hold_s' | 'hold_m' | 'hold_out_s' | 'hold_out_m', label: string) => {
    const isTime = name.endsWith('_s');
    return (
      <NumberField
        label={label}
        unit={isTime ? 's' : LENGTH_UNIT[units]}
        value={rule[name]}
        {...(isTime ? RULE_LIMITS.hold_s : RULE_LIMITS.hold_m)}
        {...(!isTime && {
          shown: (value: number) => lengthIn(units, value),
          stored: (value: number) => metresFrom(units, value),
        })}
        onChange={(value) => value !== null && onChange({ ...rule, [name]: value })}
      />
    );
  };
  return (
    <>
      <p className="text-caption text-dim">Avoids repeated alarms at the edge.</p>
      {hold('hold_s', 'Alarm after')}
      {!kindOf(rule).insideS && hold('hold_m', 'or inside by')}
      {hold('hold_out_s', 'End after')}
      {hold('hold_out_m', 'and outside by')}
    </>
  );
}

function Confidence({ rule, onChange }: RuleFieldsProps) {
  const { confidence } = rule;
  return (
    <div>
      <p className="mb-1">Confidence</p>
      <div className="flex flex-wrap gap-1">
        <Button
          shape="small-text"
          look={confidence === null ? 'primary' : 'plain'}
          aria-pressed={confidence === null}
          onClick={() => onChange({ ...rule, confidence: null })}
        >
          Any
        </Button>
        {CONFIDENCE_LABELS.map((label) => {
          const isOn = confidence?.includes(label) ?? false;
          const others = confidence?.filter((each) => each !== label) ?? [];
          return (
            <Button
              key={label}
              shape="small-text"
              look={isOn ? 'primary' : 'plain'}
              aria-pressed={isOn}
              onClick={() => {
                const next = isOn ? others : [...others, label];
                onChange({ ...rule, confidence: next.length === 0 ? null : next });
              }}
            >
              {confidenceText(label)}
            </Button>
          );
        })}
      </div>
    </div>
  );
}
