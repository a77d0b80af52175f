'use client';

import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronUp, Plus, X } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import type { DestinationName } from '#lib/api/outputs/destinations.ts';
import { kindText } from '#lib/client/outputs/delivery-text.ts';
import { destinationNamesQuery } from '#lib/client/outputs/destinations-query.ts';
import { useDisplay, useMay, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { newRule } from '#lib/client/zones/zone-draft.ts';
import { CONFIDENCE_LABELS, confidenceText } from '#lib/model/confidence.ts';
import { LAYERS } from '#lib/model/position.ts';
import { shownUnit } from '#lib/model/units.ts';
import { RULE_LIMITS, type Rule } from '#lib/zones/rule.ts';
import { inputsOf, kindOf, RULE_KINDS } from '#lib/zones/rule-kinds.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceRow } from '../../ui/choice-row.tsx';
import { FIELD, FormPart, NumberField, ToggleRow } from '../../ui/form-fields.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { SwitchRow } from '../../ui/switch-row.tsx';
import { ruleText } from '../zone-text.ts';

interface RuleRowsProps {
  readonly rules: readonly Rule[];
  readonly problem: string | undefined;
  readonly onChange: (rules: Rule[]) => void;
}

interface RuleFieldsProps {
  readonly rule: Rule;
  readonly onChange: (rule: Rule) => void;
}

/** The rules of a zone. One at a time is open for changes; a new one begins with the values that its kind starts with. */
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

/** Whether all positions are simulated. A map that moved has none for a moment, and keeps the last answer. */
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

const LAYER_CHOICES = LAYERS.map((value) => ({ value, label: value === 'rid' ? 'Drones' : 'Aircraft' }));

function RuleFields({ rule, onChange }: RuleFieldsProps) {
  const set = (part: Partial<Rule>) => onChange({ ...rule, ...part } as Rule);
  return (
    <div className="flex flex-col gap-2 pb-2">
      <KindFields rule={rule} onChange={onChange} />
      <ToggleRow
        label="Applies to"
        isPlain
        chosen={rule.layers}
        choices={LAYER_CHOICES}
        onChange={(layers) => set({ layers })}
      />
      <SwitchRow
        label="Simulated positions too"
        checked={rule.simulated}
        onChange={(simulated) => set({ simulated })}
      />
      <RuleDestinations rule={rule} onChange={onChange} />
      <AdvancedFields rule={rule} onChange={onChange} />
    </div>
  );
}

/** Rarely changed: the holds at the edge, and which positions count. */
function AdvancedFields({ rule, onChange }: RuleFieldsProps) {
  const [isOpen, setOpen] = useState(false);
  const set = (part: Partial<Rule>) => onChange({ ...rule, ...part } as Rule);
  const Chevron = isOpen ? ChevronUp : ChevronDown;
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex min-h-7 items-center gap-2 text-left text-dim hover:text-text phone:min-h-11"
      >
        <span className="flex-1">Advanced</span>
        <Chevron aria-hidden size={14} className="shrink-0" />
      </button>
      {isOpen && (
        <>
          {kindOf(rule).decidesBy !== 'absence' && <HoldFields rule={rule} onChange={onChange} />}
          <NumberField
            label="Receivers, at least"
            unit=""
            value={rule.min_receivers}
            {...RULE_LIMITS.min_receivers}
            onChange={(value) => value !== null && set({ min_receivers: Math.round(value) })}
          />
          <Confidence rule={rule} onChange={onChange} />
          <SwitchRow label="Test broadcasts too" checked={rule.test} onChange={(test) => set({ test })} />
        </>
      )}
    </>
  );
}

/** The fields of a kind, as its row in `RULE_KIND_ROWS` lists them with their limits: a new kind needs no other form. */
function KindFields({ rule, onChange }: RuleFieldsProps) {
  const [{ units }] = usePreferences();
  const values: Readonly<Record<string, unknown>> = rule;
  return inputsOf(kindOf(rule)).map(([name, input]) => {
    const set = (value: unknown) => onChange({ ...rule, [name]: value });
    if ('choices' in input)
      return (
        <ChoiceRow
          key={name}
          label={input.label}
          hidesLabel
          value={values[name] as string}
          choices={input.choices}
          onChange={set}
        />
      );
    const { label, unit, min, max, emptyMeans } = input;
    return (
      <NumberField
        key={name}
        label={label}
        {...shownUnit(unit, units)}
        value={values[name] as number | null}
        min={min}
        max={max}
        {...(emptyMeans !== undefined && { emptyMeans })}
        onChange={(value) => (value !== null || emptyMeans !== undefined) && set(value)}
      />
    );
  });
}

function HoldFields({ rule, onChange }: RuleFieldsProps) {
  const [{ units }] = usePreferences();
  const hold = (name: 'hold_s' | 'hold_m' | 'hold_out_s' | 'hold_out_m', label: string) => (
    <NumberField
      label={label}
      {...(name.endsWith('_s')
        ? { ...shownUnit('s', units), ...RULE_LIMITS.hold_s }
        : { ...shownUnit('length', units), ...RULE_LIMITS.hold_m })}
      value={rule[name]}
      onChange={(value) => value !== null && onChange({ ...rule, [name]: value })}
    />
  );
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

/** An escalation begins with this time. */
const ESCALATE_AFTER_S = 300;

/** The destinations that receive the alarms of a rule. Those that an admin has removed stay listed until they are left out. */
function RuleDestinations({ rule, onChange }: RuleFieldsProps) {
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
