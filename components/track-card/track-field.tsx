import { NOT_REPORTED } from '#lib/model/measure-text.ts';
import { classNames } from '../ui/class-names.ts';
import type { FieldText } from './field-text.ts';

export interface TrackFieldProps {
  readonly field: FieldText;
  readonly noted: boolean;
}

/** One value of a track: what it is, how much, and what it does not mean. Without its note, the note is a tooltip. */
export function TrackField({ field: { label, value, note }, noted }: TrackFieldProps) {
  return (
    <div className="py-1" title={noted ? undefined : note}>
      <div className="flex items-baseline justify-between gap-4">
        <dt className="text-dim">{label}</dt>
        <dd
          className={classNames(
            'text-right wrap-anywhere',
            value === undefined ? 'shrink-0 text-dim italic' : 'font-semibold',
          )}
        >
          {value ?? NOT_REPORTED}
        </dd>
      </div>
      {noted && <dd className="text-caption text-dim">{note}</dd>}
    </div>
  );
}
