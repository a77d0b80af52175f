'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import {
  DESTINATION_KINDS,
  type DestinationConfig,
  type DestinationKind,
  type KindField,
  kindRow,
  movesSecret,
  secretPlaceOf,
} from '#lib/api/outputs/destination-kinds.ts';
import {
  ANNOUNCED,
  type ChangedDestination,
  type Destination,
  type DestinationChange,
  type NewDestination,
  NOTICE_LIMITS,
} from '#lib/api/outputs/destinations.ts';
import { readAllButAlarms } from '#lib/client/alarms/alarms-query.ts';
import { browserTimeZone } from '#lib/client/browser/time-zone.ts';
import { TYPE_TEXT } from '#lib/client/outputs/delivery-text.ts';
import { addDestination, changeDestination } from '#lib/client/outputs/destinations-query.ts';
import { type FieldProblems, fieldProblems } from '#lib/client/request/refusal-message.ts';
import { formatBbox } from '#lib/geo/bbox.ts';
import { boxFromCorners, type Corners, corners } from '#lib/geo/corners.ts';
import { parseBbox } from '#lib/geo/parse-bbox.ts';
import { UNIT_SYSTEMS } from '#lib/model/units.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { FORM_GRID, NumberField, ParsedRow, Problem, TextRow, TimeZoneField, ToggleRow } from '../ui/form-fields.tsx';
import { SwitchRow } from '../ui/switch-row.tsx';

interface DestinationFormProps {
  /** A destination to change, or the kind of a new one. */
  readonly of: Destination | DestinationKind;
  readonly onSaved: (changed: ChangedDestination) => void;
  readonly onCancel: () => void;
}

/**
 * The form of a destination, new or changed: its name, the fields of its kind, its secret and what it is sent. A saved
 * secret is never shown; one that Lookout made goes to `onSaved`, this once.
 */
export function DestinationForm({ of, onSaved, onCancel }: DestinationFormProps) {
  /** The revision that the operator read: a later one is not shown here. */
  const [before] = useState(() => (typeof of === 'string' ? undefined : of));
  const queries = useQueryClient();
  const [draft, setDraft] = useState(() =>
    typeof of === 'string' ? newDestination(of, browserTimeZone()) : destinationDraftOf(of),
  );
  const set = (part: Partial<typeof draft>) => setDraft((state) => ({ ...state, ...part }));
  const { mutate, isPending, error } = useMutation<ChangedDestination>({
    mutationFn: () =>
      before ? changeDestination(before.id, changeBody(draft, before)) : addDestination(newBody(draft)),
    onSuccess: onSaved,
    // A refusal may mean that something changed elsewhere.
    onSettled: () => readAllButAlarms(queries),
    networkMode: 'always',
  });
  const { fields, general }: FieldProblems<string> = error
    ? fieldProblems(error, FORM_FIELDS, 'config.')
    : { fields: {}, general: undefined };
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => focusFirst(form.current, 'input'), []);
  useEffect(() => {
    if (error) focusFirst(form.current, '[aria-invalid="true"]');
  }, [error]);
  const row = kindRow(draft.config);
  return (
    <form
      ref={form}
      method="post"
      noValidate
      aria-label={before ? `Change ${before.name}` : `New destination: ${row.text}`}
      className={FORM_GRID}
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <TextRow
        label="Name"
        value={draft.name}
        problem={fields.name}
        onChange={(name) => set({ name })}
        placeholder="Such as Control room"
      />
      <KindFields config={draft.config} problems={fields} onChange={(config) => set({ config })} />
      <SecretField
        config={draft.config}
        stored={before !== undefined && before.secrets > 0 ? before.config : undefined}
        secret={draft.secret}
        problem={fields.secret}
        onChange={(secret) => set({ secret })}
      />
      {row.secret?.isMade && !before && (
        <p className="text-caption text-dim">Lookout makes the secret that signs, and shows it once.</p>
      )}
      {row.takesNotices && <NoticeFields draft={draft} problems={fields} set={set} />}
      {general !== undefined && (
        <p role="alert" className="text-bad">
          {general}
        </p>
      )}
      <div data-whole-row className="flex gap-2">
        <Button type="submit" look="primary" disabled={isPending || draft.name.trim() === ''}>
          {isPending ? 'Saving…' : 'Save'}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}

function focusFirst(form: HTMLFormElement | null, selector: string): void {
  form?.querySelector<HTMLElement>(selector)?.focus();
}

/** A destination as it is typed. A `secret` of '' leaves a stored one unchanged, and null removes it. */
type DestinationDraft = Omit<NewDestination, 'secret'> & { readonly secret: string | null };

function newDestination(kind: DestinationKind, timeZone: string): DestinationDraft {
  return {
    name: '',
    is_on: true,
    config: DESTINATION_KINDS[kind].empty,
    units: 'metric',
    // A kind without notices shows no times, and its form has no such field.
    time_zone: DESTINATION_KINDS[kind].takesNotices ? timeZone : 'UTC',
    announces: ['opened', 'reopened', 'ended'],
    all_alarms: false,
    own_receivers: false,
    group_s: 0,
    notices_an_hour: null,
    secret: '',
  };
}

function destinationDraftOf(destination: Destination): DestinationDraft {
  const { name, is_on, config, units, time_zone, announces, all_alarms, own_receivers, group_s, notices_an_hour } =
    destination;
  return {
    name,
    is_on,
    config,
    units,
    time_zone,
    announces,
    all_alarms,
    own_receivers,
    group_s,
    notices_an_hour,
    secret: '',
  };
}

function newBody({ secret, ...draft }: DestinationDraft): NewDestination {
  return secret === null || secret === '' ? draft : { ...draft, secret };
}

function changeBody({ secret, ...draft }: DestinationDraft, before: Destination): DestinationChange {
  const { revision, config } = before;
  // Where the admin types none, Lookout makes a new secret, which the receiver then needs.
  const isMade = kindRow(draft.config).secret?.isMade === true;
  const isMadeAgain = secret === '' && isMade && movesSecret(config, draft.config);
  return { ...draft, revision, ...(isMadeAgain ? { secret: null } : secret !== '' && { secret }) };
}

const FORM_FIELDS = [
  ...['name', 'secret', 'time_zone', 'announces', 'group_s', 'notices_an_hour'],
  ...Object.values(DESTINATION_KINDS).flatMap(({ fields }) => fields.map(({ name }) => name)),
];

const ANNOUNCED_CHOICES = ANNOUNCED.map((value) => ({ value, label: TYPE_TEXT[value] }));

const UNIT_LABEL: Readonly<Record<(typeof UNIT_SYSTEMS)[number], string>> = {
  metric: 'm, m/s',
  aviation: 'ft, kt',
  imperial: 'ft, mph',
};
const UNIT_CHOICES = UNIT_SYSTEMS.map((value) => ({ value, label: UNIT_LABEL[value] }));

interface NoticeFieldsProps {
  readonly draft: DestinationDraft;
  readonly problems: FieldProblems<string>['fields'];
  readonly set: (part: Partial<DestinationDraft>) => void;
}

function NoticeFields({ draft, problems, set }: NoticeFieldsProps) {
  return (
    <>
      <SwitchRow
        label="All alarms of this Lookout"
        note="Also of zones that are not shared. Off: only alarms of rules that name it."
        checked={draft.all_alarms}
        onChange={(all_alarms) => set({ all_alarms })}
      />
      <SwitchRow
        label="Own receivers"
        note="When one is lost, deaf or has a wrong clock, and when it is well again."
        checked={draft.own_receivers}
        onChange={(own_receivers) => set({ own_receivers })}
      />
      <ToggleRow
        label="Sent when an alarm is"
        chosen={draft.announces}
        choices={ANNOUNCED_CHOICES}
        onChange={(announces) => set({ announces })}
      />
      <Problem text={problems.announces} />
      <ChoiceRow label="Units" value={draft.units} choices={UNIT_CHOICES} onChange={(units) => set({ units })} />
      <TimeZoneField
        value={draft.time_zone}
        isRefused={problems.time_zone !== undefined}
        onChange={(time_zone) => set({ time_zone })}
      />
      <Problem text={problems.time_zone} />
      <NumberField
        label="Alarms of one zone are one notice, within"
        unit="s"
        value={draft.group_s}
        {...NOTICE_LIMITS.group_s}
        onChange={(group_s) => group_s !== null && set({ group_s: Math.round(group_s) })}
      />
      <Problem text={problems.group_s} />
      <NumberField
        label="Notices an hour, at most"
        unit=""
        value={draft.notices_an_hour}
        emptyMeans="no limit"
        {...NOTICE_LIMITS.notices_an_hour}
        onChange={(limit) => set({ notices_an_hour: limit === null ? null : Math.round(limit) })}
      />
      <Problem text={problems.notices_an_hour} />
      <p className="text-caption text-dim">
        Beyond the limit, alarms wait for one notice at the end of the hour, with their number.
      </p>
    </>
  );
}

interface SecretFieldProps {
  readonly config: DestinationConfig;
  /** The configuration that the stored secret is for; `undefined` without one. */
  readonly stored: DestinationConfig | undefined;
  readonly secret: string | null;
  readonly problem: string | undefined;
  readonly onChange: (secret: string | null) => void;
}

/** Lookout makes the secret of a webhook: the form shows the field only where the address moves. */
function SecretField({ config, stored, secret, problem, onChange }: SecretFieldProps) {
  const { secret: words } = kindRow(config);
  const isStored = stored !== undefined;
  const isMoved = isStored && movesSecret(stored, config);
  if (!words || (words.isMade && !isMoved)) return null;
  const { label, isRequired, isMade = false, isLong = false } = words;
  const isKept = isStored && secret !== null;
  const newSecret = isMade ? ' Empty: Lookout makes a new one.' : '';
  const again = `Stored for ${isMoved ? secretPlaceOf(stored).text : ''}. Type it again for another server or encryption.${newSecret}`;
  const note = !isKept ? 'Removed when you save.' : isMoved ? again : 'Kept, and never shown. Empty: unchanged.';
  const what = label.toLowerCase();
  return (
    <>
      <TextRow
        label={label}
        type="password"
        isLong={isLong}
        placeholder={isKept && !isMoved ? 'unchanged' : 'none'}
        note={isStored ? note : undefined}
        value={secret ?? ''}
        problem={problem}
        onChange={onChange}
      />
      {isStored && !isRequired && (
        <Button className="self-start" onClick={() => onChange(isKept ? null : '')}>
          {isKept ? `Remove the ${what}` : `Keep the ${what}`}
        </Button>
      )}
    </>
  );
}

interface KindFieldsProps {
  readonly config: DestinationConfig;
  /** The problems by the name of their field. */
  readonly problems: Readonly<Partial<Record<string, string>>>;
  readonly onChange: (config: DestinationConfig) => void;
}

/**
 * The fields of a kind, as its row in `DESTINATION_KINDS` lists them: a new kind needs no other form. The server validates
 * the values, and names the refused field.
 */
function KindFields({ config, problems, onChange }: KindFieldsProps) {
  const values: Readonly<Record<string, unknown>> = config;
  return kindRow(config).fields.map((field) => (
    <Field
      key={field.name}
      field={field}
      value={values[field.name]}
      problem={problems[field.name]}
      onChange={(value) => onChange({ ...config, [field.name]: value })}
    />
  ));
}

interface FieldProps {
  readonly field: KindField;
  readonly value: unknown;
  readonly problem: string | undefined;
  readonly onChange: (value: unknown) => void;
}

function Field({ field, value, problem, onChange }: FieldProps) {
  const { label } = field;
  switch (field.input) {
    case 'text':
    case 'url': {
      const { input, name: _, ...row } = field;
      return <TextRow {...row} type={input} value={String(value)} problem={problem} onChange={onChange} />;
    }
    case 'number':
      return (
        <>
          <NumberField
            label={label}
            unit={field.unit}
            value={Number(value)}
            min={field.min}
            max={field.max}
            onChange={(typed) => typed !== null && onChange(Math.round(typed))}
          />
          <Problem text={problem} />
        </>
      );
    case 'list':
      return (
        <ParsedRow
          label={label}
          note={field.note}
          value={value as readonly string[]}
          problem={problem}
          shown={(list) => list.join(', ')}
          read={(typed) => ({ value: typed.split(/[\s,;]+/).filter(Boolean) })}
          onChange={onChange}
        />
      );
    case 'box':
      return (
        <ParsedRow
          label={label}
          note={field.note}
          placeholder={field.placeholder}
          value={value as Corners | null}
          problem={problem}
          shown={(box) => (box === null ? '' : formatBbox(boxFromCorners(box)))}
          read={readBox}
          onChange={onChange}
        />
      );
    case 'switch':
      return <SwitchRow label={label} note={field.note} checked={value === true} onChange={onChange} />;
    case 'choice':
      return (
        <>
          <ChoiceRow
            label={label}
            value={String(value)}
            choices={field.choices.map((choice) => ({ ...choice, value: String(choice.value) }))}
            onChange={(text) => onChange(field.choices.find((choice) => String(choice.value) === text)?.value)}
          />
          <Problem text={problem} />
        </>
      );
    case 'choices':
      return (
        <ToggleRow
          label={label}
          chosen={(value as readonly unknown[]).map(String)}
          choices={field.choices.map((choice) => ({ ...choice, value: String(choice.value) }))}
          onChange={(texts) =>
            onChange(field.choices.flatMap((choice) => (texts.includes(String(choice.value)) ? [choice.value] : [])))
          }
        />
      );
    case 'group': {
      const values = value as Readonly<Record<string, unknown>> | null;
      return (
        <>
          <SwitchRow
            label={label}
            note={field.note}
            checked={values !== null}
            onChange={(isOn) => onChange(isOn ? field.starts : null)}
          />
          {values &&
            field.fields.map((inner) => (
              <Field
                key={inner.name}
                field={inner}
                value={values[inner.name]}
                problem={undefined}
                onChange={(typed) => onChange({ ...values, [inner.name]: typed })}
              />
            ))}
          {/* The server names the group alone. */}
          <Problem text={problem} />
        </>
      );
    }
  }
}

/** `west,south,east,north`; empty: null. */
export function readBox(typed: string): { readonly value: Corners | null } | { readonly problem: string } {
  if (typed.trim() === '') return { value: null };
  const parsed = parseBbox(typed.replaceAll(' ', ''));
  return parsed.ok ? { value: corners(parsed.bbox) } : { problem: `${parsed.message}.` };
}
