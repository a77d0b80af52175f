'use client';

import { useEffect, useId, useRef } from 'react';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { useNow } from '#lib/client/page/use-alarms.ts';
import { type ZoneDraft, zoneOf } from '#lib/client/zones/zone-draft.ts';
import { epochMs } from '#lib/time/instant.ts';
import { Button } from '../ui/button.tsx';
import { SwitchRow } from '../ui/switch-row.tsx';
import { FIELD, FormPart } from './form-parts.tsx';
import { HoursFields } from './hours-fields.tsx';
import { NumberField } from './number-field.tsx';
import { PermitRows } from './permit-rows.tsx';
import { RuleRows } from './rules/rule-rows.tsx';
import { ShapeFields } from './shape-fields.tsx';
import { TryRulesPart } from './try-rules-part.tsx';
import type { ZoneChanges } from './use-zone-changes.ts';
import { VerticalFields } from './vertical-fields.tsx';
import { ZonePriceLine } from './zone-price-line.tsx';

export interface ZoneFormProps {
  readonly draft: ZoneDraft;
  readonly changes: ZoneChanges;
  /** Lowers a phone's sheet. */
  readonly onDraw: () => void;
  readonly onSaved: (name: string) => void;
}

export function ZoneForm({ draft, changes, onDraw, onSaved }: ZoneFormProps) {
  const { zones, operator } = useLookout();
  const now = useNow();
  const nowMs = now === undefined ? Date.now() : epochMs(now);
  const set = (part: Partial<ZoneDraft>) => zones.change((state) => ({ ...state, ...part }));
  const { fields, general } = changes.problem;
  const nameProblem = useId();
  const parts = useRef<HTMLDivElement>(null);
  const refused = Object.keys(fields).join();
  useEffect(() => {
    if (refused !== '') showProblem(parts.current);
  }, [refused]);
  const isReady = zoneOf(draft) !== undefined && draft.name.trim() !== '';
  return (
    <form
      aria-label={draft.before ? `Change ${draft.before.name}` : 'New zone'}
      className="flex h-full flex-col phone:h-auto"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) changes.save(draft, ({ zone }) => onSaved(zone.name));
      }}
    >
      {/* Price and buttons cover no scrolled field. */}
      <div ref={parts} className="min-h-48 flex-1 overflow-y-auto phone:overflow-visible">
        <FormPart title={draft.before ? 'Change the zone' : 'New zone'}>
          <input
            aria-label="Name"
            placeholder="Name, such as Runway 14/32"
            value={draft.name}
            maxLength={160}
            autoComplete="off"
            aria-invalid={fields.name !== undefined}
            aria-describedby={fields.name === undefined ? undefined : nameProblem}
            onChange={(event) => set({ name: event.target.value })}
            className={FIELD}
          />
          {fields.name !== undefined && (
            <p id={nameProblem} role="alert" className="text-bad">
              {fields.name}
            </p>
          )}
          {operator !== undefined && (
            <SwitchRow
              label="Shared"
              note="Every operator sees the zone and its alarms, and can acknowledge them."
              checked={draft.shared}
              onChange={(shared) => set({ shared })}
            />
          )}
        </FormPart>
        <ShapeFields draft={draft} problem={fields.shape} onDraw={onDraw} />
        <RuleRows rules={draft.rules} problem={fields.rules} onChange={(rules) => set({ rules })} />
        <TryRulesPart draft={draft} />
        <VerticalFields
          vertical={draft.vertical}
          problem={fields.vertical}
          onChange={(vertical) => set({ vertical })}
        />
        <HoursFields hours={draft.hours} nowMs={nowMs} problem={fields.hours} onChange={(hours) => set({ hours })} />
        <PermitRows
          permits={draft.permits}
          field={draft.vertical?.field ?? 'height_agl_m'}
          nowMs={nowMs}
          problem={fields.permits}
          onChange={(permits) => set({ permits })}
        />
        <FormPart
          title="Missed stretches"
          closedText={
            draft.history_requests_a_day === 0
              ? 'Not read afterwards'
              : `Read with up to ${draft.history_requests_a_day} requests a day`
          }
          problem={fields.history_requests_a_day}
        >
          <NumberField
            label="Read from history, requests a day"
            unit=""
            value={draft.history_requests_a_day}
            min={0}
            max={1000}
            onChange={(value) => value !== null && set({ history_requests_a_day: Math.round(value) })}
          />
          <p className="text-caption text-dim">
            Stretches that were not watched are read from history, within this price. Alarms found so say how much later
            they were found. With 0, a gap stays a gap.
          </p>
        </FormPart>
      </div>
      <div className="flex flex-col gap-2 border-line border-t bg-surface px-4 py-3">
        <ZonePriceLine draft={draft} />
        {draft.shape && draft.name.trim() === '' && <p className="text-dim">To be saved, the zone needs a name.</p>}
        {general !== undefined && (
          <p role="alert" className="text-bad">
            {general}
          </p>
        )}
        {Object.keys(fields).length > 0 && (
          <p className="text-bad">The server refused a part of the zone: see above.</p>
        )}
        <div className="flex gap-2">
          <Button type="submit" look="primary" disabled={!isReady || changes.isBusy || draft.isDrawing}>
            {changes.isBusy ? 'Saving…' : 'Save zone'}
          </Button>
          <Button
            onClick={() => {
              zones.stopDrawing();
              zones.draft.set(undefined);
            }}
          >
            Cancel
          </Button>
        </div>
      </div>
    </form>
  );
}

/** The refused field may be scrolled out of view. */
function showProblem(parts: HTMLElement | null): void {
  const first = parts?.querySelector('[aria-invalid="true"], [role="alert"]');
  first?.scrollIntoView({ block: 'center' });
  if (first instanceof HTMLInputElement) first.focus({ preventScroll: true });
}
