'use client';

import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import { receptionQuery } from '#lib/client/overview/overview-query.ts';
import { useHasMap, useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { useNow } from '#lib/client/page/use-alarms.ts';
import { namedDraft, withPreset, type ZoneDraft, zoneOf } from '#lib/client/zones/zone-draft.ts';
import { ZONE_PRESETS, type ZonePresetName } from '#lib/client/zones/zone-presets.ts';
import { zonePriceQuery, zonesQuery } from '#lib/client/zones/zones-query.ts';
import { bandsBelowReception, receptionSentence } from '#lib/model/measured-reception.ts';
import { shownUnit } from '#lib/model/units.ts';
import { SHORT_NAME_MAX_LENGTH } from '#lib/text/plain-line.ts';
import { epochMs } from '#lib/time/instant.ts';
import { HEIGHT_FIELD_TEXT, HEIGHT_LIMITS_M } from '#lib/zones/height-field.ts';
import { shapeBox } from '#lib/zones/shape-box.ts';
import { UNKNOWN_HEIGHTS, type Vertical } from '#lib/zones/zone.ts';
import { ZONE_LIMITS } from '#lib/zones/zone-limits.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { FIELD, FormPart, NumberField } from '../ui/form-fields.tsx';
import { SwitchRow } from '../ui/switch-row.tsx';
import { useMediaQuery } from '../ui/use-media-query.ts';
import { HoursFields } from './hours-fields.tsx';
import { RuleRows } from './rules/rule-rows.tsx';
import { ShapeFields } from './shape-fields.tsx';
import { TryRulesPart } from './try-rules-part.tsx';
import type { ZoneChanges } from './zone-changes.ts';
import { priceText, UNKNOWN_HEIGHT_TEXT, verticalText } from './zone-text.ts';

const PRESETS = Object.entries(ZONE_PRESETS).map(([value, { title }]) => ({
  value: value as ZonePresetName,
  label: title,
}));

interface ZoneFormProps {
  readonly draft: ZoneDraft;
  readonly changes: ZoneChanges;
  /** Lowers the sheet of a phone. */
  readonly onDraw: () => void;
  readonly onSaved: (name: string) => void;
}

/**
 * The form of a zone: its shape, its rules with a trial on a loaded past, its heights and hours, and its price. The
 * draft lives in the desk, so that it outlives the panel.
 */
export function ZoneForm({ draft, changes, onDraw, onSaved }: ZoneFormProps) {
  const { zones, operator } = useLookout();
  const now = useNow();
  const nowMs = now === undefined ? Date.now() : epochMs(now);
  // With a finger, the form would be below the map at once.
  const hasMap = useHasMap();
  const drawsAtOnce = useMediaQuery('(pointer: fine)') && hasMap;
  const set = (part: Partial<ZoneDraft>) => zones.change((state) => ({ ...state, ...part }));
  const { fields, general } = changes.problem;
  const nameProblem = useId();
  const parts = useRef<HTMLDivElement>(null);
  const refused = Object.keys(fields).join();
  useEffect(() => {
    if (refused !== '') showProblem(parts.current);
  }, [refused]);
  const { data } = useQuery(zonesQuery());
  const name = namedDraft(draft, data?.zones.map(({ zone }) => zone.name) ?? []).name.trim();
  const isReady = zoneOf(draft) !== undefined && name !== '';
  return (
    <form
      aria-label={draft.before ? `Change ${draft.before.name}` : 'New zone'}
      className="flex h-full flex-col phone:h-auto"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) changes.save({ ...draft, name }, ({ zone }) => onSaved(zone.name));
      }}
    >
      {/* Price and buttons cover no scrolled field. */}
      <div ref={parts} className="min-h-48 flex-1 overflow-y-auto phone:overflow-visible">
        <FormPart title={draft.before ? 'Change the zone' : 'New zone'}>
          {!draft.before && (
            <ChoiceRow
              label="Begin with"
              hidesLabel
              value={draft.preset}
              choices={PRESETS}
              note={ZONE_PRESETS[draft.preset].note}
              onChange={(preset) =>
                zones.change((state) => {
                  const changed = withPreset(state, preset);
                  return { ...changed, isDrawing: drawsAtOnce && preset !== 'runway' && !changed.shape };
                })
              }
            />
          )}
          <input
            aria-label="Name"
            placeholder={`Name, such as ${ZONE_PRESETS[draft.preset].example}`}
            value={draft.name}
            // Browsers count UTF-16 units here: up to two per character.
            maxLength={2 * SHORT_NAME_MAX_LENGTH}
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
        <ShapeFields key={draft.preset} draft={draft} problem={fields.shape} onDraw={onDraw} />
        <RuleRows rules={draft.rules} problem={fields.rules} onChange={(rules) => set({ rules })} />
        <TryRulesPart draft={draft} />
        <VerticalFields
          vertical={draft.vertical}
          problem={fields.vertical}
          onChange={(vertical) => set({ vertical })}
        />
        <BelowReception draft={draft} />
        <HoursFields hours={draft.hours} nowMs={nowMs} problem={fields.hours} onChange={(hours) => set({ hours })} />
        <FormPart
          title="Gaps"
          closedText={
            draft.history_requests_a_day === 0
              ? 'Not checked later'
              : `Read with up to ${draft.history_requests_a_day} requests a day`
          }
          problem={fields.history_requests_a_day}
        >
          <NumberField
            label="Read from history, requests a day"
            unit=""
            value={draft.history_requests_a_day}
            {...ZONE_LIMITS.history_requests_a_day}
            onChange={(value) => value !== null && set({ history_requests_a_day: Math.round(value) })}
          />
          <p className="text-caption text-dim">
            Checks later what was not watched, with at most so many requests a day. Alarms found so say how much later.
          </p>
        </FormPart>
      </div>
      <div className="flex flex-col gap-2 border-line border-t bg-surface px-4 py-3">
        <ZonePriceLine draft={draft} />
        {draft.shape && draft.name.trim() === '' && (
          <p className="text-dim">{name === '' ? 'Give the zone a name.' : `Its name will be “${name}”.`}</p>
        )}
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
          <Button onClick={() => zones.endDraft()}>Cancel</Button>
        </div>
      </div>
    </form>
  );
}

/** Scrolls to the refused field, which may be out of view. */
function showProblem(parts: HTMLElement | null): void {
  const first = parts?.querySelector('[aria-invalid="true"], [role="alert"]');
  first?.scrollIntoView({ block: 'center' });
  if (first instanceof HTMLInputElement) first.focus({ preventScroll: true });
}

const HEIGHT_CHOICES = [
  { value: 'none', label: 'Every height' },
  { value: 'height_agl_m', label: 'Height above ground' },
  { value: 'altitude_m', label: 'Altitude' },
] as const;

const FIRST_LIMITS: NonNullable<Vertical> = {
  field: 'height_agl_m',
  floor_m: null,
  ceiling_m: 120,
  unknown: 'flagged',
};

interface VerticalFieldsProps {
  readonly vertical: Vertical;
  readonly problem: string | undefined;
  readonly onChange: (vertical: Vertical) => void;
}

function VerticalFields({ vertical, problem, onChange }: VerticalFieldsProps) {
  const [{ units }] = usePreferences();
  const limit = (end: 'floor_m' | 'ceiling_m', label: string) =>
    vertical && (
      <NumberField
        label={label}
        {...shownUnit('length', units)}
        {...HEIGHT_LIMITS_M}
        value={vertical[end]}
        emptyMeans="not stated"
        onChange={(value) => onChange({ ...vertical, [end]: value })}
      />
    );
  return (
    <FormPart title="Height" closedText={verticalText(vertical, units)} problem={problem}>
      <ChoiceRow
        label="Limits apply to"
        hidesLabel
        value={vertical?.field ?? 'none'}
        choices={HEIGHT_CHOICES}
        onChange={(field) => onChange(field === 'none' ? null : { ...(vertical ?? FIRST_LIMITS), field })}
      />
      {vertical && (
        <>
          <p className="text-caption text-dim">
            Limits are compared with the {HEIGHT_FIELD_TEXT[vertical.field]}, and with nothing else.
          </p>
          {limit('ceiling_m', 'Ceiling')}
          {limit('floor_m', 'Floor')}
          <label className="flex items-center justify-between gap-2">
            Unknown height
            <select
              value={vertical.unknown}
              onChange={(event) => {
                const unknown = UNKNOWN_HEIGHTS.find((candidate) => candidate === event.target.value);
                if (unknown) onChange({ ...vertical, unknown });
              }}
              className="h-8 min-w-0 rounded-control border border-edge bg-background px-2 phone:h-11"
            >
              {UNKNOWN_HEIGHTS.map((unknown) => (
                <option key={unknown} value={unknown}>
                  {UNKNOWN_HEIGHT_TEXT[unknown]}
                </option>
              ))}
            </select>
          </label>
        </>
      )}
    </FormPart>
  );
}

/** Says where the zone reaches below what is usually received. */
function BelowReception({ draft }: { readonly draft: ZoneDraft }) {
  const [{ units }] = usePreferences();
  const { shape } = useRestedDraft(draft);
  const { data } = useQuery(receptionQuery(shape && shapeBox(shape, 0)));
  const layers = draft.rules.flatMap(({ layers: of }) => of);
  const sentences = (data?.layers ?? [])
    .filter(({ layer }) => layers.includes(layer))
    .flatMap((of) => {
      const ids = bandsBelowReception(of, draft.vertical);
      return ids === undefined ? [] : receptionSentence(of, ids, units);
    });
  if (!draft.shape || sentences.length === 0) return null;
  return (
    <div role="status" className="flex flex-col gap-1 border-line border-b px-4 py-3">
      <p className="text-warning">This zone reaches below what is usually received.</p>
      {sentences.map((sentence) => (
        <p key={sentence} className="text-caption">
          {sentence}
        </p>
      ))}
    </div>
  );
}

/** Requests wait until the draft has rested: a dragged corner causes none. */
const RESTED_MS = 500;

function useRestedDraft(draft: ZoneDraft): ZoneDraft {
  const [rested, setRested] = useState(draft);
  useEffect(() => {
    const timer = setTimeout(() => setRested(draft), RESTED_MS);
    return () => clearTimeout(timer);
  }, [draft]);
  return rested;
}

function ZonePriceLine({ draft }: { readonly draft: ZoneDraft }) {
  const rested = useRestedDraft(draft);
  const { data, isError } = useQuery(zonePriceQuery(rested));
  const { hasAllowance } = useLookout().server;
  const pending = isError ? 'The price is known once the zone is saved.' : 'Reading the price…';
  const text = data ? priceText(data) : hasAllowance ? pending : '';
  return (
    <p role="status" className="min-h-[1lh] text-dim" data-testid="zone-price">
      {draft.shape ? text : 'Draw the zone first.'}
    </p>
  );
}
