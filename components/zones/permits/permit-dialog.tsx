'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { MousePointerClick } from 'lucide-react';
import { useRef, useState } from 'react';
import type { Zone } from '#lib/api/watching/zones.ts';
import { readAlarmsAgain } from '#lib/client/alarms/alarms-query.ts';
import { useHasMap, useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { useNow } from '#lib/client/page/use-alarms.ts';
import { changeFailureMessage, failureMessage } from '#lib/client/request/refusal-message.ts';
import {
  newPermitsOf,
  type PermitDraft,
  type PermitSubject,
  permitChangeOf,
  permitDraftOf,
  permittedTrackText,
  withDrawnArea,
  withPermitZones,
} from '#lib/client/zones/permit-draft.ts';
import { changePermit, makePermits, readPermitsAgain } from '#lib/client/zones/permits-query.ts';
import { zonesQuery } from '#lib/client/zones/zones-query.ts';
import { timeFieldMs, timeFieldText } from '#lib/model/clock-text.ts';
import { LAYERS } from '#lib/model/position.ts';
import { shownUnit } from '#lib/model/units.ts';
import { SHORT_NAME_MAX_LENGTH } from '#lib/text/plain-line.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { HEIGHT_LIMITS_M } from '#lib/zones/height-field.ts';
import { ZONE_LIMITS } from '#lib/zones/zone-limits.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceRow } from '../../ui/choice-row.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FIELD, NumberField, ToggleRow } from '../../ui/form-fields.tsx';
import { SwitchRow } from '../../ui/switch-row.tsx';
import { shapeText } from '../zone-text.ts';
import { layersText, permitHeightText, timesText } from './permit-text.ts';

/**
 * The form of a permit, for alarms, a track, a zone, or a permit that is changed.
 * @param onDraw lowers the sheet of a phone
 */
export function PermitDialog({ onDraw }: { readonly onDraw: () => void }) {
  const { zones: desk } = useLookout();
  const [subject] = useState(() => desk.permitting.get());
  const { data, error } = useQuery(zonesQuery());
  const now = useNow();
  const close = () => desk.permitting.set(undefined);
  const submit = useRef<HTMLButtonElement>(null);
  const zones = data?.zones.map(({ zone }) => zone);
  if (!subject) return null;
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && close()}
      title={subject.kind === 'change' ? 'Change the permit' : 'Permit'}
      description="Alarms that it covers are recorded as expected, and not announced."
      initialFocus={submit}
    >
      {error && !zones && (
        <p role="alert" className="text-bad">
          The zones could not be read. {failureMessage(error)}
        </p>
      )}
      {!zones && !error && <p role="status">Reading the zones…</p>}
      {zones?.length === 0 && <p>A permit belongs to a zone. No zones yet.</p>}
      {zones && zones.length > 0 && (
        <PermitForm
          subject={subject}
          zones={zones}
          nowMs={now === undefined ? Date.now() : epochMs(now)}
          submit={submit}
          onClose={close}
          onDraw={onDraw}
        />
      )}
    </Dialog>
  );
}

const AREAS = { zone: 'Whole zone', around: 'Around it', own: 'Own area' } as const;
const HEIGHTS = [
  { value: 'height_agl_m', label: 'Above ground' },
  { value: 'altitude_m', label: 'Altitude' },
] as const;
const LAYER_CHOICES = LAYERS.map((value) => ({ value, label: value === 'rid' ? 'Drones' : 'Aircraft' }));

interface PermitFormProps {
  readonly subject: PermitSubject;
  readonly zones: readonly Zone[];
  readonly nowMs: number;
  readonly submit: React.RefObject<HTMLButtonElement | null>;
  readonly onClose: () => void;
  readonly onDraw: () => void;
}

function PermitForm({ subject, zones, nowMs, submit, onClose, onDraw }: PermitFormProps) {
  const { drawing, zones: desk } = useLookout();
  const hasMap = useHasMap();
  const [{ units, zone: clock }] = usePreferences();
  const queries = useQueryClient();
  const [draft, setDraft] = useState(() => permitDraftOf(subject, zones, nowMs));
  const set = (part: Partial<PermitDraft>) => setDraft((before) => ({ ...before, ...part }));
  const { mutate, isPending, error } = useMutation<unknown, Error>({
    mutationFn: () => {
      if (subject.kind === 'change') return changePermit(subject.permit.id, permitChangeOf(draft, subject.permit));
      const alarms = subject.kind === 'alarms' ? subject.alarms : [];
      return makePermits({
        permits: newPermitsOf(draft),
        alarms: alarms.map(({ id, revision }) => ({ id, revision })),
      });
    },
    onSuccess: onClose,
    onSettled: () => {
      Promise.all([readPermitsAgain(queries), readAlarmsAgain(queries)]).catch(() => undefined);
    },
    networkMode: 'always',
  });
  // The form comes back with the area, or without one.
  const drawArea = () => {
    desk.permitting.set(undefined);
    onDraw();
    drawing.drawFor('polygon', (area) => desk.permitting.set({ ...subject, draft: withDrawnArea(draft, area) }));
  };
  const trackText = permittedTrackText(draft);
  const who = layersText(draft.layers);
  const areas = (['zone', 'around', 'own'] as const).filter(
    (area) => area === 'zone' || (area === 'around' ? draft.around : draft.shape),
  );
  const isReady = draft.name.trim() !== '' && draft.startMs < draft.endMs && draft.zones.length > 0;
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) mutate();
      }}
    >
      <label className="flex flex-col gap-1 font-medium">
        Name
        <input
          value={draft.name}
          placeholder="Survey flight, police"
          // Browsers count UTF-16 units here: up to two per character.
          maxLength={2 * SHORT_NAME_MAX_LENGTH}
          autoComplete="off"
          onChange={(event) => set({ name: event.target.value })}
          className={`${FIELD} font-normal`}
        />
      </label>
      <PermitZones subject={subject} zones={zones} draft={draft} onChange={setDraft} />
      {trackText === undefined ? (
        <ToggleRow label="Of" chosen={draft.layers} choices={LAYER_CHOICES} onChange={(layers) => set({ layers })} />
      ) : (
        <ChoiceRow
          label="Of"
          value={draft.covers}
          choices={[
            { value: 'volume', label: `Every ${who} in the area` },
            { value: 'tracks', label: `Only ${trackText}` },
          ]}
          note={
            draft.covers === 'volume'
              ? 'Covers any in the area during this time, also unknown ones. It outlives the reference.'
              : 'Ends with its reference, which changes with each broadcast session.'
          }
          onChange={(covers) => set({ covers })}
        />
      )}
      {(areas.length > 1 || hasMap) && (
        <div className="flex flex-col items-start gap-2">
          <ChoiceRow
            label="Area"
            value={draft.area}
            choices={areas.map((value) => ({ value, label: AREAS[value] }))}
            {...(draft.area === 'own' && draft.shape && { note: shapeText(draft.shape, units) })}
            onChange={(area) => set({ area })}
          />
          {hasMap && (
            <Button shape="small-text" onClick={drawArea}>
              <MousePointerClick aria-hidden size={14} />
              {draft.shape ? 'Draw again' : 'Draw on the map'}
            </Button>
          )}
        </div>
      )}
      {draft.area === 'around' && (
        <NumberField
          label="Radius"
          {...shownUnit('length', units)}
          {...ZONE_LIMITS.radius_m}
          value={draft.radiusM}
          onChange={(radiusM) => radiusM !== null && set({ radiusM })}
        />
      )}
      <PermitHeight vertical={draft.vertical} onChange={(vertical) => set({ vertical })} />
      <div className="flex flex-wrap gap-3">
        {(['startMs', 'endMs'] as const).map((end) => (
          <label key={end} className="flex min-w-48 flex-1 flex-col gap-1 font-medium">
            {end === 'startMs' ? 'From' : 'Until'}, {clock === 'utc' ? 'UTC' : 'local time'}
            <input
              type="datetime-local"
              required
              value={timeFieldText(draft[end], clock)}
              aria-invalid={end === 'endMs' && draft.endMs <= draft.startMs}
              onChange={({ target }) => {
                const ms = timeFieldMs(target.value, clock);
                if (ms !== undefined) set({ [end]: ms });
              }}
              className={`${FIELD} font-normal`}
            />
          </label>
        ))}
      </div>
      {draft.endMs <= draft.startMs && (
        <p role="alert" className="text-bad">
          It ends before it begins.
        </p>
      )}
      <SwitchRow
        label="Flight expected"
        note="Lookout records whether it was received."
        checked={draft.expectsFlight}
        onChange={(expectsFlight) => set({ expectsFlight })}
      />
      <p className="rounded-control bg-raised px-3 py-2" data-testid="permit-summary">
        {summaryOf(draft, trackText ?? '', {
          zone: zones.filter(({ id }) => draft.zones.includes(id)).map(({ name }) => name),
          height: permitHeightText(draft.vertical, units),
          times: timesText(
            { start: new Date(draft.startMs).toISOString(), end: new Date(draft.endMs).toISOString() },
            upstreamInstant(nowMs),
            clock,
          ),
        })}
      </p>
      {error && (
        <p role="alert" className="text-bad">
          {changeFailureMessage(error)}
        </p>
      )}
      <div className="flex gap-2">
        <Button ref={submit} type="submit" look="primary" disabled={!isReady || isPending}>
          {isPending ? 'Saving…' : subject.kind === 'change' ? 'Save permit' : 'Permit'}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </form>
  );
}

interface PermitZonesProps {
  readonly subject: PermitSubject;
  readonly zones: readonly Zone[];
  readonly draft: PermitDraft;
  readonly onChange: (draft: PermitDraft) => void;
}

/** The zone is that of the alarms, or of a changed permit. Otherwise an operator may choose another. */
function PermitZones({ subject, zones, draft, onChange }: PermitZonesProps) {
  if (subject.kind === 'alarms' || subject.kind === 'change') return null;
  return (
    <label className="flex flex-col gap-1 font-medium">
      Zone
      <select
        value={draft.zones.length === 1 ? draft.zones[0] : ''}
        onChange={({ target }) => onChange(withPermitZones(draft, [target.value]))}
        className={`${FIELD} font-normal`}
      >
        {draft.zones.length > 1 && <option value="">All {draft.zones.length} around it</option>}
        {zones.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

interface PermitHeightProps {
  readonly vertical: PermitDraft['vertical'];
  readonly onChange: (vertical: PermitDraft['vertical']) => void;
}

/** Its upper limit. A lower one, from a file, stays until the limit is removed. */
function PermitHeight({ vertical, onChange }: PermitHeightProps) {
  const [{ units }] = usePreferences();
  const field = vertical?.field ?? 'height_agl_m';
  return (
    <div className="flex flex-col gap-2">
      <NumberField
        label="Up to"
        {...shownUnit('length', units)}
        {...HEIGHT_LIMITS_M}
        value={vertical?.ceiling_m ?? null}
        emptyMeans="any"
        onChange={(ceiling_m) => {
          const floor_m = vertical?.floor_m ?? null;
          onChange(ceiling_m === null && floor_m === null ? null : { field, floor_m, ceiling_m });
        }}
      />
      {vertical !== null && (
        <ChoiceRow
          label="Limit of"
          hidesLabel
          value={field}
          choices={HEIGHTS}
          note="A track whose height is unknown is not covered: its alarm stays."
          onChange={(chosen) => onChange({ ...vertical, field: chosen })}
        />
      )}
    </div>
  );
}

/** Whom the permit covers, where and when, in one sentence. */
function summaryOf(
  { covers, layers, area }: PermitDraft,
  track: string,
  texts: { readonly zone: readonly string[]; readonly height: string; readonly times: string },
): string {
  const zones = texts.zone.length === 1 ? (texts.zone[0] ?? '') : `${texts.zone.length} zones`;
  const where = area === 'zone' ? `in ${zones}` : `in its area of ${zones}`;
  const who = covers === 'volume' ? `Any ${layersText(layers)}` : `Only ${track}`;
  return `${who} ${where}, ${texts.height}, ${texts.times}: no alarm.`;
}
