'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useRef, useState } from 'react';
import {
  INCIDENT_NOTE_MAX_LENGTH,
  type Incident,
  NOTE_KINDS,
  REMARK_MAX_LENGTH,
  TITLE_MAX_LENGTH,
} from '#lib/api/watching/incidents.ts';
import type { SightAnswer, SightingCheck, SightingReport } from '#lib/api/watching/sightings.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
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
  addIncidentNote,
  addIncidentSighting,
  checkSighting,
  incidentsChanged,
  openIncident,
  pinTracks,
  useOpenIncidents,
} from '#lib/client/incidents/incidents-query.ts';
import { enterReplay } from '#lib/client/page/enter-replay.ts';
import type { Lookout } from '#lib/client/page/lookout.ts';
import { useLookout, useMay, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { trackHistory } from '#lib/client/replay/store/replay-store.ts';
import { changeFailureMessage } from '#lib/client/request/refusal-message.ts';
import { zonesQuery } from '#lib/client/zones/zones-query.ts';
import { drawnArea } from '#lib/filter/track-filter.ts';
import { areaBbox } from '#lib/geo/area.ts';
import { bearingDeg } from '#lib/geo/great-circle.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { LAYERS } from '#lib/model/position.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { shownUnit } from '#lib/model/units.ts';
import { addMs, epochMs, instantOf, isoTime } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { ZONE_LIMITS } from '#lib/zones/zone-limits.ts';
import { Button, LinkButton } from '../ui/button.tsx';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { FIELD, NumberField, Problem, ToggleRow } from '../ui/form-fields.tsx';
import { PlaceField, TimeField, WordsField } from './desk-fields.tsx';
import { SightingForm, SightingResult, type SightingStart } from './sighting-form.tsx';

/**
 * What an operator does about incidents on the map's page, one dialog at a time: open one, write a note, add an alarm or a
 * track, check a sighting.
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
  const parts = { onClose: close, first };
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
  note: ['Note', 'It stays as written, with your name and the time.'],
  add: ['Add to incident', 'It stays in the incident.'],
  sighting: ['Check a sighting', 'A person’s report against what was received.'],
};

interface TaskProps {
  readonly onClose: () => void;
  /** The first field. */
  readonly first: RefObject<HTMLElement | null>;
}

/** Sends one change of incidents. */
function useChange<What, Answer = void>(send: (what: What) => Promise<Answer>, onDone: (answer: Answer) => void) {
  const queries = useQueryClient();
  return useMutation<Answer, Error, What>({
    mutationFn: send,
    onSuccess: onDone,
    onSettled: () => {
      incidentsChanged(queries).catch(() => undefined);
    },
    networkMode: 'always',
  });
}

function Failure({ error }: { readonly error: Error | null }) {
  return <Problem text={error ? changeFailureMessage(error) : undefined} />;
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

function OpenIncident({ source, ...parts }: TaskProps & { readonly source: IncidentSource }) {
  const proposal = useProposal(source);
  return proposal ? <OpenForm proposal={proposal} {...parts} /> : <p role="status">Reading the zones…</p>;
}

/** Confirms a proposal, and opens the incident. */
function OpenForm({ proposal, onClose, first }: TaskProps & { readonly proposal: IncidentProposal }) {
  const [{ units }] = usePreferences();
  const { areas, tracks } = proposal;
  const [title, setTitle] = useState(proposal.title);
  const [chosen, setChosen] = useState(0);
  const [radiusM, setRadiusM] = useState<number>();
  const [fromMs, setFromMs] = useState(proposal.fromMs);
  const [isOver, setOver] = useState(proposal.toMs !== null);
  const [toMs, setToMs] = useState(proposal.toMs ?? proposal.fromMs + 10 * MINUTE_MS);
  const [layers, setLayers] = useState(proposal.layers);
  const [opened, setOpened] = useState<Incident>();
  const area = areas[chosen]?.area;
  const circle = area && 'type' in area && area.type === 'Circle' ? area : undefined;
  const pinning = useChange(
    ({ id }: Incident) => pinTracks(id, tracks, ''),
    () => undefined,
  );
  const { mutate, isPending, error } = useChange(openIncident, (incident) => {
    setOpened(incident);
    if (tracks.length > 0) pinning.mutate(incident);
  });
  const isBackwards = isOver && toMs <= fromMs;
  const isReady = title.trim() !== '' && area !== undefined && !isBackwards && !isPending;
  if (opened) {
    const { id, number } = opened;
    return (
      <div className="flex flex-col items-start gap-3">
        <p role="status">
          <span className="font-semibold">{number}</span> is open.
        </p>
        {pinning.error && <Problem text={`The track is not pinned. ${changeFailureMessage(pinning.error)}`} />}
        <span className="flex gap-2">
          <LinkButton look="primary" href={`/incidents/${id}`}>
            Go to {number}
          </LinkButton>
          <Button onClick={onClose}>Stay on the map</Button>
        </span>
      </div>
    );
  }
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isReady) return;
        const shape = circle && radiusM !== undefined ? { ...circle, radius_m: radiusM } : area;
        mutate({ title, from: isoTime(fromMs), to: isOver ? isoTime(toMs) : null, area: shape, layers });
      }}
    >
      <label className="flex flex-col gap-1 font-medium">
        Title
        <input
          ref={first as RefObject<HTMLInputElement>}
          value={title}
          placeholder="Drone near 14"
          maxLength={TITLE_MAX_LENGTH}
          autoComplete="off"
          onChange={({ target }) => setTitle(target.value)}
          className={`${FIELD} font-normal`}
        />
      </label>
      <label className="flex flex-col gap-1 font-medium">
        Area
        <select
          value={chosen}
          onChange={({ target }) => {
            setChosen(Number(target.value));
            setRadiusM(undefined);
          }}
          className={`${FIELD} font-normal`}
        >
          {areas.map(({ label }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes, and two zones may have one name.
            <option key={index} value={index}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {circle && (
        <NumberField
          label="Radius"
          {...shownUnit('length', units)}
          {...ZONE_LIMITS.radius_m}
          value={radiusM ?? circle.radius_m}
          onChange={(value) => value !== null && setRadiusM(value)}
        />
      )}
      <div className="grid grid-cols-2 gap-3 phone:grid-cols-1">
        <TimeField label="From" ms={fromMs} onChange={setFromMs} />
        {isOver && (
          <TimeField
            label="To"
            ms={toMs}
            problem={isBackwards ? 'It ends before it begins.' : undefined}
            onChange={setToMs}
          />
        )}
      </div>
      <ChoiceRow
        label="Ends"
        hidesLabel
        value={isOver ? 'over' : 'runs'}
        choices={[
          { value: 'runs', label: 'Running' },
          { value: 'over', label: 'Over' },
        ]}
        onChange={(value) => setOver(value === 'over')}
      />
      <ToggleRow
        label="Layers"
        chosen={layers}
        choices={LAYERS.map((value) => ({ value, label: LAYER_NAME[value] }))}
        onChange={setLayers}
      />
      {tracks.length > 0 && <p className="text-dim">Pins {tracks.map(shortReference).join(', ')}.</p>}
      <Failure error={error} />
      <span className="flex gap-2">
        <Button type="submit" look="primary" disabled={!isReady}>
          {isPending ? 'Opening…' : 'Open incident'}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </span>
    </form>
  );
}

/** The open incident, or that of several which the operator chooses. Without one, the way to open it. */
function OfIncident({ children }: { readonly children: (incident: Incident, choice: ReactNode) => ReactNode }) {
  const { incidents } = useLookout();
  const open = useOpenIncidents();
  const [chosen, setChosen] = useState<string>();
  const incident = open.find(({ id }) => id === chosen) ?? open[0];
  if (!incident)
    return (
      <div className="flex flex-col items-start gap-3">
        <p role="status">No incident is open.</p>
        <Button look="primary" onClick={() => incidents.set({ do: 'open', source: { from: 'here' } })}>
          New incident
        </Button>
      </div>
    );
  return children(
    incident,
    open.length === 1 ? (
      <p className="font-semibold">
        {incident.number} · {incident.title}
      </p>
    ) : (
      <label className="flex flex-col gap-1 font-medium">
        Incident
        <select
          value={incident.id}
          onChange={({ target }) => setChosen(target.value)}
          className={`${FIELD} font-normal`}
        >
          {open.map(({ id, number, title }) => (
            <option key={id} value={id}>
              {number} · {title}
            </option>
          ))}
        </select>
      </label>
    ),
  );
}

export const NOTE_KIND_TEXT = { observation: 'Observation', decision: 'Decision', call: 'Call' } as const;

function NewNote({ onClose, first }: TaskProps) {
  const { feed, markedPlace } = useLookout();
  const [kind, setKind] = useState<(typeof NOTE_KINDS)[number]>('observation');
  const [text, setText] = useState('');
  const [atMs, setAtMs] = useState(() => epochMs(feed.presumedNow()));
  const [place, setPlace] = useState(
    () => markedPlace.get() as { readonly lon: number; readonly lat: number } | undefined,
  );
  const { mutate, isPending, error } = useChange(
    (id: string) =>
      addIncidentNote(id, {
        kind,
        text: text.trim(),
        at: isoTime(atMs),
        place: place ? [place.lon, place.lat] : null,
        corrects: null,
      }),
    onClose,
  );
  const isReady = text.trim() !== '' && !isPending;
  return (
    <OfIncident>
      {({ id }, choice) => (
        <form
          className="flex flex-col gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            if (isReady) mutate(id);
          }}
        >
          {choice}
          <ChoiceRow
            label="Kind"
            hidesLabel
            value={kind}
            choices={NOTE_KINDS.map((value) => ({ value, label: NOTE_KIND_TEXT[value] }))}
            onChange={setKind}
          />
          <WordsField
            label="Note"
            text={text}
            field={first as RefObject<HTMLTextAreaElement>}
            maxLength={INCIDENT_NOTE_MAX_LENGTH}
            placeholder={kind === 'decision' ? 'Runway closed' : ''}
            onChange={setText}
          />
          <div className="grid grid-cols-2 gap-3 phone:grid-cols-1">
            <TimeField label="At" ms={atMs} onChange={setAtMs} />
            <PlaceField label="Place, if any" place={place} onChange={setPlace} />
          </div>
          <Failure error={error} />
          <span className="flex items-center gap-3">
            <Button type="submit" look="primary" aria-keyshortcuts="Control+Enter" disabled={!isReady}>
              {isPending ? 'Saving…' : 'Save note'}
            </Button>
            <span className="text-caption text-dim phone:hidden">Ctrl Enter</span>
          </span>
        </form>
      )}
    </OfIncident>
  );
}

interface AddProps extends TaskProps {
  readonly what: Extract<IncidentTask, { readonly do: 'add' }>['what'];
}

function AddToIncident({ what, onClose, first }: AddProps) {
  const [remark, setRemark] = useState('');
  const { mutate, isPending, error } = useChange(
    (id: string) =>
      what.from === 'alarm'
        ? addIncidentAlarms(id, [what.alarm.id], remark)
        : pinTracks(id, [what.position.ref], remark),
    onClose,
  );
  return (
    <OfIncident>
      {({ id, number }, choice) => (
        <form
          className="flex flex-col items-start gap-3 [&>label]:w-full"
          onSubmit={(event) => {
            event.preventDefault();
            if (!isPending) mutate(id);
          }}
        >
          {choice}
          <p>{subjectOf(what)}</p>
          <WordsField
            label="Remark, if any"
            text={remark}
            rows={2}
            field={first as RefObject<HTMLTextAreaElement>}
            maxLength={REMARK_MAX_LENGTH}
            onChange={setRemark}
          />
          <Failure error={error} />
          <Button type="submit" look="primary" disabled={isPending}>
            {isPending ? 'Adding…' : `Add to ${number}`}
          </Button>
        </form>
      )}
    </OfIncident>
  );
}

interface Checked {
  readonly report: SightingReport;
  readonly check: SightingCheck;
}

function CheckSighting({ onShown, onClose }: TaskProps & { readonly onShown: () => void }) {
  const lookout = useLookout();
  const [start] = useState(() => sightingStart(lookout));
  const [checked, setChecked] = useState<Checked>();
  const { mutate, isPending, error } = useMutation<Checked, Error, SightingReport>({
    mutationFn: async (report) => ({ report, check: await checkSighting(report) }),
    onMutate: () => setChecked(undefined),
    onSuccess: setChecked,
    networkMode: 'always',
  });
  return (
    <div className="flex flex-col gap-4">
      <SightingForm
        start={start}
        action="Check"
        isSending={isPending}
        error={error}
        onSend={(report) => mutate(report)}
      />
      {checked && (
        <>
          <SightingResult
            check={checked.check}
            wayTo={(sight, words) => (
              <button
                type="button"
                title="Replay that second"
                onClick={() => {
                  replaySight(lookout, checked.report, sight);
                  onClose();
                  onShown();
                }}
                className="rounded-control text-left underline decoration-edge underline-offset-2 hover:bg-raised phone:min-h-11"
              >
                {words}
              </button>
            )}
          />
          <AddSighting key={checked.report.at} report={checked.report} />
        </>
      )}
    </div>
  );
}

function AddSighting({ report }: Pick<Checked, 'report'>) {
  const open = useOpenIncidents();
  const [added, setAdded] = useState<readonly string[]>([]);
  const { mutate, isPending, error } = useChange(
    async ({ id }: Incident) => {
      await addIncidentSighting(id, report);
      return id;
    },
    (id) => setAdded((before) => [...before, id]),
  );
  return (
    <div className="flex flex-col items-start gap-2 empty:hidden">
      {open.map((incident) =>
        added.includes(incident.id) ? (
          <p key={incident.id} role="status">
            Added to {incident.number}.
          </p>
        ) : (
          <Button key={incident.id} disabled={isPending} onClick={() => mutate(incident)}>
            Add to {incident.number}
          </Button>
        ),
      )}
      <Failure error={error} />
    </div>
  );
}

/** From the marked place; or along the line that was measured from one place to another. */
function sightingStart({ display, feed, markedPlace, measuring }: Lookout): SightingStart {
  const { shownAt, isPast } = display.summary();
  const atMs = epochMs(isPast && shownAt !== undefined ? shownAt : feed.presumedNow());
  const [from, to] = measuring.state.get().points;
  if (from?.place && to?.place)
    return { atMs, place: from.place, bearingDeg: Math.round(bearingDeg(from.place, to.place)) };
  return { atMs, place: markedPlace.get() };
}

const AROUND_MS = 5 * MINUTE_MS;
const NEAR_M = 3000;

/** Opens the replay around the person at that second, with the track selected. */
function replaySight(lookout: Lookout, { place }: SightingReport, { track, at, distance_m }: SightAnswer): void {
  const cursor = instantOf(at);
  const [end, now] = [addMs(cursor, AROUND_MS), lookout.feed.presumedNow()];
  const centre = { lon: place[0], lat: place[1] };
  const area = areaBbox({ kind: 'circle', centre, radiusM: distance_m + NEAR_M });
  lookout.display.select(track);
  lookout.mapCommands.run({ kind: 'show-box', bbox: area });
  enterReplay(lookout, { window: { start: addMs(cursor, -AROUND_MS), end: end < now ? end : now }, cursor, area });
}
