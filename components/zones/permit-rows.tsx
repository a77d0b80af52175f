'use client';

import { Plus, X } from 'lucide-react';
import { randomId } from '#lib/client/browser/random-id.ts';
import { useDisplay, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { LAYER_OF_KIND } from '#lib/model/layer-kind.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { LENGTH_UNIT, lengthIn, metresFrom } from '#lib/model/units.ts';
import { HEIGHT_FIELD_TEXT } from '#lib/zones/height-field.ts';
import type { Permit } from '#lib/zones/permit.ts';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { FIELD, FormPart } from './form-parts.tsx';
import { NumberField } from './number-field.tsx';

const PERMITS_MAX = 100;
const FIRST_MS = 2 * 3_600_000;

export interface PermitRowsProps {
  readonly permits: readonly Permit[];
  /** Of the permits' heights. */
  readonly field: keyof typeof HEIGHT_FIELD_TEXT;
  readonly nowMs: number;
  readonly problem: string | undefined;
  readonly onChange: (permits: Permit[]) => void;
}

/** Expected traffic: recorded, not announced. */
export function PermitRows({ permits, field, nowMs, problem, onChange }: PermitRowsProps) {
  const selected = useDisplay((shown) => shown.selected?.position);
  const add = (track: Permit['track']) =>
    onChange([...permits, { id: randomId(), track, until: wholeMinute(nowMs + FIRST_MS), up_to_m: null, note: '' }]);
  return (
    <FormPart title="Permits" closedText={permits.length === 0 ? 'None' : String(permits.length)} problem={problem}>
      <p className="text-caption text-dim">
        Alarms of permitted traffic are recorded as expected, and not announced. A reference rotates: a permit for it
        ends when the reference does.
      </p>
      <ul className="flex flex-col gap-2 empty:hidden">
        {permits.map((permit) => (
          <li key={permit.id}>
            <PermitRow
              permit={permit}
              field={field}
              onChange={(changed) => onChange(permits.map((each) => (each.id === permit.id ? changed : each)))}
              onRemove={() => onChange(permits.filter(({ id }) => id !== permit.id))}
            />
          </li>
        ))}
      </ul>
      {permits.length < PERMITS_MAX && (
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => add(null)}>
            <Plus aria-hidden size={14} />
            Permit everything
          </Button>
          {selected && (
            <Button onClick={() => add({ layer: LAYER_OF_KIND[selected.kind], ref: selected.ref })}>
              <Plus aria-hidden size={14} />
              Permit {shortReference(selected.ref)}
            </Button>
          )}
        </div>
      )}
    </FormPart>
  );
}

interface PermitRowProps {
  readonly permit: Permit;
  readonly field: PermitRowsProps['field'];
  readonly onChange: (permit: Permit) => void;
  readonly onRemove: () => void;
}

function PermitRow({ permit, field, onChange, onRemove }: PermitRowProps) {
  const [{ units }] = usePreferences();
  const { track, until, up_to_m, note } = permit;
  const who = track === null ? 'Everything in the zone' : `Reference ${shortReference(track.ref)}`;
  return (
    <div className="flex flex-col gap-2 rounded-control border border-line p-2">
      <div className="flex items-center justify-between gap-2">
        <span className="font-medium" title={track?.ref}>
          {who}
        </span>
        <IconButton look="quiet" label={`Remove the permit: ${who}`} icon={<X />} onClick={onRemove} />
      </div>
      <label className="flex items-center justify-between gap-2">
        Until, UTC
        <input
          type="datetime-local"
          required
          value={new Date(until).toISOString().slice(0, 16)}
          onChange={({ target }) => target.value !== '' && onChange({ ...permit, until: `${target.value}:00Z` })}
          className={`${FIELD} max-w-56`}
        />
      </label>
      <NumberField
        label={`Up to, ${HEIGHT_FIELD_TEXT[field]}`}
        unit={LENGTH_UNIT[units]}
        value={up_to_m}
        emptyMeans="any"
        shown={(value) => lengthIn(units, value)}
        stored={(value) => metresFrom(units, value)}
        onChange={(value) => onChange({ ...permit, up_to_m: value })}
      />
      <input
        aria-label="Note"
        placeholder="Note"
        value={note}
        maxLength={200}
        onChange={(event) => onChange({ ...permit, note: event.target.value })}
        className={FIELD}
      />
    </div>
  );
}

function wholeMinute(atMs: number): string {
  return new Date(Math.ceil(atMs / 60_000) * 60_000).toISOString();
}
