'use client';

import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import type { Incident } from '#lib/api/watching/incidents.ts';
import type { SightAnswer, SightingCheck, SightingInput } from '#lib/api/watching/sightings.ts';
import {
  type AroundIncident,
  type IncidentProposal,
  type IncidentSource,
  type IncidentTask,
  proposedIncident,
  subjectOf,
} from '#lib/client/incidents/incident-proposal.ts';
import {
  addIncidentAlarms,
  addIncidentSighting,
  incidentsChanged,
  incidentsQuery,
  pinTracks,
  requestSightingCheck,
  useOpenIncidents,
} from '#lib/client/incidents/incidents-query.ts';
import { enterReplay } from '#lib/client/page/enter-replay.ts';
import type { Lookout } from '#lib/client/page/lookout.ts';
import { useLookout, useMay, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { trackHistory } from '#lib/client/replay/store/replay-store.ts';
import { failureMessage } from '#lib/client/request/refusal-message.ts';
import { zonesQuery } from '#lib/client/zones/zones-query.ts';
import { drawnArea } from '#lib/filter/track-filter.ts';
import { areaBbox } from '#lib/geo/area.ts';
import { decimalText } from '#lib/geo/coordinate-text.ts';
import { bearingDeg, type LonLat } from '#lib/geo/great-circle.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { recentTimeText } from '#lib/model/clock-text.ts';
import { LAYERS } from '#lib/model/position.ts';
import { addMs, epochMs, instantOf } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { ChangeButton, ChangeNotes, useChange } from '../account/change.tsx';
import { Button, LinkButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ChoiceField, FORM_GRID } from '../ui/form-fields.tsx';
import { Field, type FieldRef, fieldText, IncidentForm } from './incident-fields.tsx';
import { NewIncidentForm } from './new-incident.tsx';
import { NoteForm } from './note-fields.tsx';
import { readSighting, SightingCheckList, SightingFields } from './sighting.tsx';

/**
 * The work on incidents on the map's page, one dialog at a time: opens one, writes a note, adds an alarm or a track, checks a
 * sighting.
 * @param onShown called when the map shows something: lowers the sheet of a phone
 */
export function IncidentDialogs({ onShown }: { readonly onShown: () => void }) {
  const { incidents } = useLookout();
  const task = useValue(incidents);
  const mayWrite = useMay('watch');
  const first = useRef<HTMLElement>(null);
  const close = () => incidents.set(undefined);
  if (!task) return null;
  const [title, description] = TITLES[task.do];
  const parts = {
    onClose: close,
    field: (element: HTMLElement | null) => {
      first.current = element;
    },
  };
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && close()}
      title={title}
      description={mayWrite ? description : 'Only operators write in incidents.'}
      initialFocus={first}
    >
      {mayWrite && task.do === 'open' && <OpenIncident source={task.source} {...parts} />}
      {mayWrite && task.do === 'note' && <NewNote {...parts} />}
      {mayWrite && task.do === 'add' && <AddToIncident what={task.what} {...parts} />}
      {mayWrite && task.do === 'sighting' && <CheckSighting onShown={onShown} {...parts} />}
    </Dialog>
  );
}

const TITLES: Readonly<Record<IncidentTask['do'], readonly [title: string, description: string]>> = {
  open: ['New incident', 'Everyone sees it.'],
  note: ['Write a note', 'It stays as written, with its time and who wrote it.'],
  add: ['Add to incident', 'It stays in the incident.'],
  sighting: ['Check a sighting', 'A person’s report against what was received.'],
};

interface TaskProps {
  readonly onClose: () => void;
  /** The first field. */
  readonly field: FieldRef;
}

/** `undefined` before the zones are read. */
function useProposal(source: IncidentSource): IncidentProposal | undefined {
  const lookout = useLookout();
  const { data, error } = useQuery(zonesQuery());
  const [proposal, setProposal] = useState<IncidentProposal>();
  if (proposal === undefined && (data || error)) {
    const zones = (data?.zones ?? []).map(({ zone }) => zone);
    const seen = zones.filter(({ shared }) => shared || lookout.operator === undefined);
    setProposal(proposedIncident(source, aroundOf(lookout, seen)));
  }
  return proposal;
}

function aroundOf(lookout: Lookout, zones: AroundIncident['zones']): AroundIncident {
  const { feed, filter, layersOn, mapView, markedPlace, replay, display } = lookout;
  const { session } = replay;
  const { lon, lat } = mapView.get();
  return {
    nowMs: epochMs(feed.presumedNow()),
    zones,
    place: markedPlace.get() ?? { lon: wrapLongitude(lon), lat },
    drawn: drawnArea(filter.get()),
    replay: session && {
      window: session.playback.window,
      cursorMs: epochMs(session.playback.cursor),
      area: session.area,
      layers: LAYERS.filter((layer) => layersOn.get().has(layer)),
    },
    selected: display.summary().selected?.position,
    firstAtMs: (ref) => {
      const track = session?.store.trackOf(ref);
      return session && track !== undefined ? trackHistory(session.store, track).observedAtMs[0] : undefined;
    },
  };
}

function OpenIncident({ source, onClose, field }: TaskProps & { readonly source: IncidentSource }) {
  const [{ zone }] = usePreferences();
  const proposal = useProposal(source);
  const [opened, setOpened] = useState<{ readonly incident: Incident; readonly problem: string | undefined }>();
  if (!proposal) return <p role="status">Reading the zones…</p>;
  if (!opened)
    return (
      <NewIncidentForm
        proposal={proposal}
        zone={zone}
        field={field}
        onOpened={(incident, problem) => setOpened({ incident, problem })}
      />
    );
  const { id, number } = opened.incident;
  return (
    <div className="flex flex-col items-start gap-3">
      <p role="status">
        <span className="font-semibold">{number}</span> is open.
        <span className="phone:hidden"> On the map, N writes a note.</span>
      </p>
      {opened.problem !== undefined && (
        <p role="alert" className="text-bad">
          {opened.problem}
        </p>
      )}
      <span className="flex flex-wrap gap-2">
        <LinkButton look="primary" href={`/incidents/${id}`}>
          Go to {number}
        </LinkButton>
        <Button onClick={onClose}>Stay on the map</Button>
      </span>
    </div>
  );
}

/** The open incident, or that of several which the operator chooses. Without one, the way to open it. */
function OfIncident({ children }: { readonly children: (incident: Incident) => ReactNode }) {
  const { incidents } = useLookout();
  const { data, error } = useQuery(incidentsQuery());
  const open = useOpenIncidents();
  // It stays, also if a colleague opens another one meanwhile.
  const [incident, setIncident] = useState<Incident>();
  if (!incident && open[0]) setIncident(open[0]);
  if (!incident && !data) return <p role="status">{error ? failureMessage(error) : 'Reading the incidents…'}</p>;
  if (!incident)
    return (
      <div className="flex flex-col items-start gap-3">
        <p role="status">No incident is open.</p>
        <Button look="primary" onClick={() => incidents.set({ do: 'open', source: { from: 'here' } })}>
          New incident
        </Button>
      </div>
    );
  return (
    <div className="flex flex-col gap-3">
      {open.length < 2 ? (
        <p className="font-semibold">{nameOf(incident)}</p>
      ) : (
        <ChoiceField
          label="Incident"
          name="incident"
          value={incident.id}
          choices={open.map((each) => ({ value: each.id, label: nameOf(each) }))}
          onChange={(chosen) => setIncident(open.find(({ id }) => id === chosen))}
        />
      )}
      {children(incident)}
    </div>
  );
}

function nameOf({ number, title }: Incident): string {
  return `${number} · ${title}`;
}

function NewNote({ onClose, field }: TaskProps) {
  const { markedPlace } = useLookout();
  const [marked] = useState(() => placeOrNone(markedPlace.get()));
  return (
    <OfIncident>{({ id }) => <NoteForm incident={id} place={marked} field={field} onDone={onClose} />}</OfIncident>
  );
}

function placeOrNone(place: LonLat | undefined): string {
  return place ? decimalText(place) : '';
}

interface AddProps extends TaskProps {
  readonly what: Extract<IncidentTask, { readonly do: 'add' }>['what'];
}

function AddToIncident({ what, onClose, field }: AddProps) {
  return (
    <OfIncident>
      {({ id, number }) => (
        <>
          <p>{subjectOf(what)}</p>
          <IncidentForm
            button={`Add to ${number}`}
            run={(fields) => {
              const remark = fieldText(fields, 'remark');
              return what.from === 'alarm'
                ? addIncidentAlarms(id, [what.alarm.id], remark)
                : pinTracks(id, [what.position.ref], remark);
            }}
            onDone={onClose}
          >
            <Field label="Remark" name="remark" kind="text" maxLength={500} optional field={field} />
          </IncidentForm>
        </>
      )}
    </OfIncident>
  );
}

interface Checked {
  readonly sighting: SightingInput;
  readonly check: SightingCheck;
}

/** A report by a person against what was received, with or without an incident. */
function CheckSighting({ onShown, onClose }: TaskProps & { readonly onShown: () => void }) {
  const lookout = useLookout();
  const [{ units, zone }] = usePreferences();
  const [start] = useState(() => sightingStart(lookout));
  const [checked, setChecked] = useState<Checked>();
  const change = useChange(incidentsChanged);
  return (
    <div className="flex flex-col gap-4">
      <form
        className={FORM_GRID}
        onSubmit={(event) => {
          event.preventDefault();
          const fields = new FormData(event.currentTarget);
          setChecked(undefined);
          change.make(async () => {
            const sighting = readSighting(fields, zone);
            setChecked({ sighting, check: await requestSightingCheck(sighting) });
            return '';
          });
        }}
      >
        <SightingFields zone={zone} {...start} />
        <Button type="submit" look="primary" disabled={change.isSending}>
          {change.isSending ? 'Checking…' : 'Check'}
        </Button>
      </form>
      <ChangeNotes change={change} />
      {checked && (
        <section ref={showsResult} aria-label="Result" className="flex flex-col gap-3" data-testid="sighting-result">
          <SightingCheckList
            check={checked.check}
            units={units}
            time={(text) => recentTimeText(instantOf(text), lookout.feed.presumedNow(), zone)}
            onSight={(sight) => {
              replaySight(lookout, checked.sighting, sight);
              onClose();
              onShown();
            }}
          />
          <AddSighting sighting={checked.sighting} />
        </section>
      )}
    </div>
  );
}

/** A long form hides what is below it. */
function showsResult(result: HTMLElement | null): void {
  result?.scrollIntoView({ block: 'nearest' });
}

function AddSighting({ sighting }: Pick<Checked, 'sighting'>) {
  const change = useChange(incidentsChanged);
  return (
    <div className="flex flex-wrap items-center gap-2">
      {useOpenIncidents().map(({ id, number }) => (
        <ChangeButton
          key={id}
          change={change}
          run={async () => {
            await addIncidentSighting(id, sighting);
            return `Added to ${number}.`;
          }}
        >
          Add to {number}
        </ChangeButton>
      ))}
      <ChangeNotes change={change} />
    </div>
  );
}

/** From the marked place, or along the line that was measured from one place to another. */
function sightingStart({ display, feed, markedPlace, measuring }: Lookout) {
  const { shownAt, isPast } = display.summary();
  const nowMs = epochMs(isPast && shownAt !== undefined ? shownAt : feed.presumedNow());
  const [from, to] = measuring.state.get().points;
  if (!from?.place || !to?.place) return { nowMs, place: placeOrNone(markedPlace.get()) };
  return { nowMs, place: decimalText(from.place), bearing: String(Math.round(bearingDeg(from.place, to.place))) };
}

const AROUND_MS = 5 * MINUTE_MS;
const NEAR_M = 3000;

/** Opens the replay around the person at that second, with the track selected. */
function replaySight(lookout: Lookout, { place }: SightingInput, { track, at, distance_m }: SightAnswer): void {
  const cursor = instantOf(at);
  const [end, now] = [addMs(cursor, AROUND_MS), lookout.feed.presumedNow()];
  const centre = { lon: place[0], lat: place[1] };
  const area = areaBbox({ kind: 'circle', centre, radiusM: distance_m + NEAR_M });
  lookout.display.select(track);
  lookout.mapCommands.run({ kind: 'show-box', bbox: area });
  enterReplay(lookout, { window: { start: addMs(cursor, -AROUND_MS), end: end < now ? end : now }, cursor, area });
}
