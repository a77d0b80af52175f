'use client';

import { useState } from 'react';
import type { Incident } from '#lib/api/watching/incidents.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import type { IncidentProposal } from '#lib/client/incidents/incident-proposal.ts';
import { openIncident, pinTracks } from '#lib/client/incidents/incidents-query.ts';
import { failureMessage } from '#lib/client/request/refusal-message.ts';
import { type ClockZone, timeFieldText } from '#lib/model/clock-text.ts';
import { LAYERS } from '#lib/model/position.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { ZONE_LIMITS } from '#lib/zones/zone-limits.ts';
import { ChoiceField, ToggleRow } from '../ui/form-fields.tsx';
import {
  Field,
  type FieldRef,
  fieldNumber,
  fieldPlace,
  fieldText,
  fieldTime,
  IncidentForm,
  refused,
  zoneNote,
} from './incident-fields.tsx';
import { lonLatText } from './incident-text.ts';

interface NewIncidentFormProps {
  readonly proposal: IncidentProposal;
  readonly zone: ClockZone;
  /** The field of the title. */
  readonly field?: FieldRef;
  /** @param problem why not all of the proposed is in it */
  readonly onOpened: (incident: Incident, problem?: string) => void;
}

/** Confirms a proposal, and opens the incident. */
export function NewIncidentForm({ proposal, zone, field, onOpened }: NewIncidentFormProps) {
  const { areas, fromMs, toMs, tracks } = proposal;
  const [chosen, setChosen] = useState(0);
  const [layers, setLayers] = useState(proposal.layers);
  const area = areas[chosen]?.area;
  const circle = area === undefined ? 'new' : 'type' in area && area.type === 'Circle' ? area : undefined;
  const open = async (fields: FormData) => {
    const from = fieldTime(fields, 'from', zone);
    if (from === undefined) throw refused('Write when it began.');
    const incident = await openIncident({
      title: fieldText(fields, 'title'),
      from,
      to: fieldTime(fields, 'to', zone) ?? null,
      area: area === undefined || circle ? circleOf(fields) : area,
      layers,
    });
    const pinned = tracks.length === 0 ? Promise.resolve() : pinTracks(incident.id, tracks, '');
    const problem = await pinned.then(
      () => undefined,
      (error) => `The track is not in it. ${failureMessage(error)}`,
    );
    return { incident, problem };
  };
  return (
    <IncidentForm button="Open incident" run={open} onDone={({ incident, problem }) => onOpened(incident, problem)}>
      <Field label="Title" name="title" maxLength={120} note="Everyone sees it" value={proposal.title} field={field} />
      <ChoiceField
        label="Area"
        name="area"
        value="0"
        onChange={(value) => setChosen(Number(value))}
        choices={areas.map(({ label }, index) => ({ value: String(index), label }))}
      />
      {circle && (
        <>
          <Field
            key={`middle ${chosen}`}
            label="Middle"
            name="centre"
            note="Such as 47.45, 8.55"
            value={circle === 'new' ? '' : lonLatText(circle.centre)}
          />
          <Field
            key={`radius ${chosen}`}
            label="Radius"
            name="radius"
            kind="number"
            unit="m"
            value={String(circle === 'new' ? 2000 : circle.radius_m)}
          />
        </>
      )}
      <Field label={`From, ${zoneNote(zone)}`} name="from" kind="time" value={timeFieldText(fromMs, zone, true)} />
      <Field
        label={`To, ${zoneNote(zone)}`}
        name="to"
        kind="time"
        optional
        note="Empty: it runs"
        value={toMs === null ? '' : timeFieldText(toMs, zone, true)}
      />
      <div data-whole-row>
        <ToggleRow
          label="Layers"
          chosen={layers}
          choices={LAYERS.map((layer) => ({ value: layer, label: LAYER_NAME[layer] }))}
          onChange={setLayers}
        />
      </div>
      {tracks.length > 0 && <p className="text-dim">With {tracks.map(shortReference).join(', ')}.</p>}
    </IncidentForm>
  );
}

function circleOf(fields: FormData) {
  const { min, max } = ZONE_LIMITS.radius_m;
  const [centre, radius_m] = [fieldPlace(fields, 'centre'), fieldNumber(fields, 'radius', 'Radius', [min, max])];
  if (centre === undefined || radius_m === undefined) throw refused('A circle needs its middle and radius.');
  return { type: 'Circle' as const, centre, radius_m };
}
