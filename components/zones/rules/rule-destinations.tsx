'use client';

import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import type { DestinationName } from '#lib/api/outputs/destinations.ts';
import { kindText } from '#lib/client/outputs/delivery-text.ts';
import { destinationNamesQuery } from '#lib/client/outputs/destinations-query.ts';
import { useMay, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { shownUnit } from '#lib/model/units.ts';
import { RULE_LIMITS, type Rule } from '#lib/zones/rule.ts';
import { Button } from '../../ui/button.tsx';
import { FIELD, NumberField } from '../../ui/form-fields.tsx';

export interface RuleFieldsProps {
  readonly rule: Rule;
  readonly onChange: (rule: Rule) => void;
}

/** An escalation begins with this time. */
const ESCALATE_AFTER_S = 300;

/** The destinations that receive the alarms of a rule. Those that an admin has removed stay listed until they are left out. */
export function RuleDestinations({ rule, onChange }: RuleFieldsProps) {
  const { data, error } = useQuery(destinationNamesQuery());
  const mayAdminister = useMay('administer');
  const { notify, escalate } = rule;
  const known = data?.destinations;
  const named = [...notify, ...(escalate ? [escalate.destination] : [])];
  if (!known)
    return (
      <Part>
        <p className="text-caption text-dim" role={error ? 'alert' : undefined}>
          {error ? 'The destinations could not be read. Those that were chosen stay.' : 'Reading the destinations…'}
        </p>
      </Part>
    );
  if (known.length === 0 && named.length === 0)
    return (
      <Part>
        <p className="text-caption text-dim">
          No destinations yet. Alarms appear only in Lookout.{' '}
          {mayAdminister && (
            <a href="/admin/outputs" className="inline-flex items-center text-focus underline phone:min-h-11">
              Add one
            </a>
          )}
        </p>
      </Part>
    );
  const choices = [...known, ...removedOf(named, known)];
  const toggle = (id: string) =>
    onChange({ ...rule, notify: notify.includes(id) ? notify.filter((each) => each !== id) : [...notify, id] });
  return (
    <Part>
      <div className="flex flex-wrap gap-1">
        {choices
          .filter((choice) => !('isRemoved' in choice) || notify.includes(choice.id))
          .map((choice) => {
            const isOn = notify.includes(choice.id);
            return (
              <Button
                key={choice.id}
                look={isOn ? 'primary' : 'plain'}
                aria-pressed={isOn}
                disabled={!isOn && notify.length >= RULE_LIMITS.destinations}
                className="max-w-full"
                onClick={() => toggle(choice.id)}
              >
                <span className="truncate">{choiceText(choice)}</span>
              </Button>
            );
          })}
      </div>
      <Escalation rule={rule} choices={choices} onChange={onChange} />
    </Part>
  );
}

function Part({ children }: { readonly children: ReactNode }) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: like the other parts of a rule, without a border of its own.
    <div role="group" aria-labelledby={id} className="flex flex-col gap-2">
      <p id={id}>Sent to</p>
      {children}
    </div>
  );
}

type Choice = DestinationName | { readonly id: string; readonly isRemoved: true };

function removedOf(named: readonly string[], known: readonly DestinationName[]): Choice[] {
  const gone = new Set(named.filter((id) => known.every((each) => each.id !== id)));
  return [...gone].map((id) => ({ id, isRemoved: true }));
}

function choiceText(choice: Choice): string {
  if ('isRemoved' in choice) return 'A removed destination';
  return `${choice.name} · ${kindText(choice.kind)}${choice.all_alarms ? ', all alarms' : ''}${choice.is_on ? '' : ', off'}`;
}

interface EscalationProps extends RuleFieldsProps {
  readonly choices: readonly Choice[];
}

function Escalation({ rule, choices, onChange }: EscalationProps) {
  const [{ units }] = usePreferences();
  const { escalate } = rule;
  return (
    <>
      <label className="flex flex-wrap items-center justify-between gap-x-2 gap-y-1">
        If no operator acknowledges, also to
        <select
          value={escalate?.destination ?? ''}
          onChange={({ target: { value: destination } }) =>
            onChange({
              ...rule,
              escalate: destination === '' ? null : { destination, after_s: escalate?.after_s ?? ESCALATE_AFTER_S },
            })
          }
          className={`${FIELD} max-w-56`}
        >
          <option value="">no destination</option>
          {choices
            .filter((choice) => !('isRemoved' in choice) || choice.id === escalate?.destination)
            .map((choice) => (
              <option key={choice.id} value={choice.id}>
                {choiceText(choice)}
              </option>
            ))}
        </select>
      </label>
      {escalate && (
        <NumberField
          label="Acknowledged within"
          {...shownUnit('min', units)}
          {...RULE_LIMITS.after_s}
          stored={(minutes) => Math.round(minutes * 60)}
          value={escalate.after_s}
          onChange={(after_s) => after_s !== null && onChange({ ...rule, escalate: { ...escalate, after_s } })}
        />
      )}
    </>
  );
}
