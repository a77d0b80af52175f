'use client';

import { ChevronDown, ChevronUp, Plus, X } from 'lucide-react';
import { useState } from 'react';
import { useDisplay, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { newRule } from '#lib/client/zones/zone-draft.ts';
import { LAYERS } from '#lib/model/position.ts';
import { RULE_LIMITS, type Rule } from '#lib/zones/rule.ts';
import { kindOf, RULE_KINDS } from '#lib/zones/rule-kinds.ts';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { FormPart } from '../form-parts.tsx';
import { ruleText } from '../rule-text.ts';
import { RuleFields } from './rule-fields.tsx';

export interface RuleRowsProps {
  readonly rules: readonly Rule[];
  readonly problem: string | undefined;
  readonly onChange: (rules: Rule[]) => void;
}

/** One at a time is open for changes. */
export function RuleRows({ rules, problem, onChange }: RuleRowsProps) {
  const [{ units }] = usePreferences();
  const [open, setOpen] = useState<number>();
  const isSimulated = useIsAllSimulated();
  return (
    <FormPart title="Alarm when" problem={problem}>
      {rules.length === 0 && <p className="text-dim">No rule: the zone is shown, and raises no alarm.</p>}
      <ul className="flex flex-col divide-y divide-line rounded-control border border-line empty:hidden">
        {rules.map((rule, index) => {
          const isOpen = open === index;
          const text = ruleText(rule, units);
          const Chevron = isOpen ? ChevronUp : ChevronDown;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: new rules have no identity yet.
            <li key={index} className="px-2">
              <div className="flex items-center gap-1">
                <button
                  type="button"
                  aria-expanded={isOpen}
                  onClick={() => setOpen(isOpen ? undefined : index)}
                  className="flex min-h-9 min-w-0 flex-1 items-center gap-2 text-left phone:min-h-11"
                >
                  <span className="min-w-0 flex-1">{text}</span>
                  <Chevron aria-hidden size={14} className="shrink-0 text-dim" />
                </button>
                <IconButton
                  look="quiet"
                  label={`Remove rule ${index + 1}: ${text}`}
                  icon={<X />}
                  onClick={() => {
                    setOpen(undefined);
                    onChange(rules.filter((_, at) => at !== index));
                  }}
                />
              </div>
              {isOpen && (
                <RuleFields
                  rule={rule}
                  onChange={(changed) => onChange(rules.map((each, at) => (at === index ? changed : each)))}
                />
              )}
            </li>
          );
        })}
      </ul>
      {isSimulated && rules.some(({ simulated }) => !simulated) && (
        <div className="flex flex-wrap items-center gap-2 rounded-control border border-warning px-2 py-1">
          <p className="min-w-0 flex-1 basis-40">
            Every received position is simulated. Rules leave simulated positions out.
          </p>
          <Button onClick={() => onChange(rules.map((rule) => ({ ...rule, simulated: true })))}>
            Include simulated
          </Button>
        </div>
      )}
      {rules.length < RULE_LIMITS.rules && (
        <Menu
          trigger={
            <Button className="self-start">
              <Plus aria-hidden size={14} />
              Add a rule
            </Button>
          }
        >
          {RULE_KINDS.map((kind) => (
            <MenuItem
              key={kind}
              onSelect={() => {
                onChange([...rules, newRule(kind)]);
                setOpen(rules.length);
              }}
            >
              {kindOf({ kind }).title}
            </MenuItem>
          ))}
        </Menu>
      )}
    </FormPart>
  );
}

/** As last received: a map that moved has no positions for a moment. */
function useIsAllSimulated(): boolean {
  const current = useDisplay(({ layers }) => {
    const counts = LAYERS.map((layer) => layers[layer].counts.current);
    if (counts.some(({ real }) => real > 0)) return false;
    return counts.some(({ simulated }) => simulated > 0) || undefined;
  });
  const [last, setLast] = useState(false);
  if (current !== undefined && current !== last) setLast(current);
  return current ?? last;
}
