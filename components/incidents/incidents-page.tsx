'use client';

import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { PageViewer } from '#lib/api/people/page-viewer.ts';
import type { Incident } from '#lib/api/watching/incidents.ts';
import { incidentsQuery } from '#lib/client/incidents/incidents-query.ts';
import { useDesk, useDeskPreferences } from '#lib/client/page/desk.tsx';
import { zonesQuery } from '#lib/client/zones/zones-query.ts';
import { personText } from '#lib/incidents/incident-text.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { LAYERS } from '#lib/model/position.ts';
import { epochMs } from '#lib/time/instant.ts';
import { momentText } from '../account/account-text.ts';
import { PageFrame } from '../frame/page-frame.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { FIELD } from '../ui/form-fields.tsx';
import { ToneMark } from '../ui/tone-mark.tsx';
import { Failed } from './incident-fields.tsx';
import { incidentArea, layerNames, mayWrite, STATE_TEXT, STATE_TONE } from './incident-text.ts';
import { NewIncidentForm } from './new-incident.tsx';

/** The list of incidents, which everyone sees. Operators open new ones. */
export function IncidentsPage({ viewer }: { readonly viewer: PageViewer }) {
  return (
    <PageFrame viewer={viewer} title="Incidents" path="/incidents">
      {(zone) => <Incidents viewer={viewer} zone={zone} />}
    </PageFrame>
  );
}

interface IncidentsProps {
  readonly viewer: PageViewer;
  readonly zone: ClockZone;
}

function Incidents({ viewer, zone }: IncidentsProps) {
  const { data, error } = useQuery(incidentsQuery());
  const [isNew, setNew] = useState(false);
  const [wanted, setWanted] = useState('');
  const words = wanted.toLocaleLowerCase().split(/\s+/);
  const shown = (data?.incidents ?? [])
    .filter(({ number, title, opened }) => {
      const text = `${number} ${title} ${opened.by}`.toLocaleLowerCase();
      return words.every((word) => text.includes(word));
    })
    .sort((one, next) => Number(next.state === 'open') - Number(one.state === 'open'));
  const create = mayWrite(viewer) && (
    <Button look="primary" aria-expanded={isNew} onClick={() => setNew(!isNew)}>
      <Plus aria-hidden size={14} />
      New incident
    </Button>
  );
  return (
    <>
      {error && (
        <Failed what={data ? 'This list may be out of date.' : 'The incidents could not be read.'} error={error} />
      )}
      {!data && !error && <p className="text-dim">Reading the incidents…</p>}
      {data && data.incidents.length === 0 && (
        <p>No incidents yet. An incident keeps what was received in an area and time, and what was not watched.</p>
      )}
      <div className="flex flex-wrap gap-2">
        {create}
        {data && data.incidents.length > 0 && (
          <input
            type="search"
            aria-label="Find an incident"
            placeholder="Number, title or person"
            value={wanted}
            autoComplete="off"
            onChange={({ target }) => setWanted(target.value)}
            className={`${FIELD} max-w-72`}
          />
        )}
      </div>
      {isNew && <NewIncident viewer={viewer} zone={zone} />}
      {data && data.incidents.length > 0 && shown.length === 0 && <p role="status">No incident has “{wanted}”.</p>}
      {shown.length > 0 && (
        <ul aria-label="Incidents" className="divide-y divide-line rounded-card border border-line bg-surface">
          {shown.map((incident) => (
            <Row key={incident.id} incident={incident} zone={zone} />
          ))}
        </ul>
      )}
    </>
  );
}

function Row({ incident, zone }: { readonly incident: Incident; readonly zone: ClockZone }) {
  const [{ units }] = useDeskPreferences();
  const { id, number, title, state, from, to, opened, notes, layers } = incident;
  return (
    <li className="relative flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-3 hover:bg-raised">
      <span className="flex w-20 shrink-0 items-center gap-1.5">
        <ToneMark tone={STATE_TONE[state]} />
        {STATE_TEXT[state]}
      </span>
      <span className="min-w-0 flex-1 basis-72">
        <a href={`/incidents/${id}`} className="break-words font-semibold after:absolute after:inset-0">
          {number} · {title}
        </a>
        <span className="block break-words text-caption text-dim">
          {incidentArea(incident, units)} · {layerNames(layers)}
        </span>
      </span>
      <span className="basis-72 text-caption text-dim">
        {momentText(from, zone)} to {to === null ? 'now' : momentText(to, zone)}
        <span className="block">
          Opened by {personText(opened.by)} · {notes === 1 ? '1 note' : `${notes} notes`}
        </span>
      </span>
    </li>
  );
}

function NewIncident({ viewer, zone }: IncidentsProps) {
  const { presumedNow } = useDesk();
  const [nowMs] = useState(() => epochMs(presumedNow()));
  const { data } = useQuery(zonesQuery());
  const zones = (data?.zones ?? []).filter(({ zone: { shared } }) => shared || !viewer.operator);
  const areas = zones.map((each) => ({ label: each.zone.name, area: { zone: each.zone.id } }));
  return (
    <Card title="New incident">
      <NewIncidentForm
        proposal={{
          title: '',
          fromMs: nowMs,
          toMs: null,
          areas: [{ label: 'A circle' }, ...areas],
          layers: [...LAYERS],
          tracks: [],
        }}
        zone={zone}
        onOpened={({ id }) => window.location.assign(`/incidents/${id}`)}
      />
    </Card>
  );
}
