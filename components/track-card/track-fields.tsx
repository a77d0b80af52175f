'use client';

import { useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { NOT_REPORTED } from '#lib/model/measure-text.ts';
import type { Position } from '#lib/model/position.ts';
import { classNames } from '../ui/class-names.ts';
import { type FieldText, mainFields, otherFields } from './field-text.ts';

export function MainFields({ position }: { readonly position: Position }) {
  const home = useValue(useLookout().home);
  const [{ units, zone }] = usePreferences();
  return <FieldList name="Main values" fields={mainFields(position, { units, zone, home })} />;
}

export function OtherFields({ position }: { readonly position: Position }) {
  const [{ zone }] = usePreferences();
  return <FieldList name="Other values" fields={otherFields(position, { zone })} />;
}

function FieldList({ name, fields }: { readonly name: string; readonly fields: readonly FieldText[] }) {
  const [{ fieldNotes }] = usePreferences();
  return (
    <dl aria-label={name} translate="no" className="grid shrink-0 grid-cols-2 gap-x-3 px-4 pb-1">
      {fields.map((field) => (
        <TrackField key={field.label} field={field} showsNote={fieldNotes} />
      ))}
    </dl>
  );
}

interface TrackFieldProps {
  readonly field: FieldText;
  readonly showsNote: boolean;
}

/** Fixed heights; without notes, the note is a tooltip. */
function TrackField({ field: { label, value, note }, showsNote }: TrackFieldProps) {
  return (
    <div className="flex min-w-0 flex-col justify-end py-1" title={showsNote ? undefined : note}>
      <dt className="text-caption text-dim leading-[13px]">{label}</dt>
      <dd
        className={classNames('h-[18px] truncate', value === undefined ? 'text-dim italic' : 'font-semibold')}
        title={value}
      >
        {value ?? NOT_REPORTED}
      </dd>
      {showsNote && <dd className="text-caption text-dim">{note}</dd>}
    </div>
  );
}
