'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Download, Printer } from 'lucide-react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { isReception } from '#lib/api/layer-reason.ts';
import type { PageViewer } from '#lib/api/people/page-viewer.ts';
import type { Incident, IncidentAnswer, OneIncident } from '#lib/api/watching/incidents.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import {
  incidentAnswerQuery,
  incidentKeyQuery,
  incidentQuery,
  pinTracks,
} from '#lib/client/incidents/incidents-query.ts';
import { useDeskPreferences } from '#lib/client/page/desk.tsx';
import { titlePage } from '#lib/client/page/page-title.ts';
import { useNow } from '#lib/client/page/use-alarms.ts';
import {
  ENTRY_TEXT,
  incidentTimes,
  personText,
  type TimeText,
  verdictText,
  watchText,
} from '#lib/incidents/incident-text.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { groupedNumber } from '#lib/model/measure-text.ts';
import { receptionNotice, receptionSentences } from '#lib/model/measured-reception.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { epochMs } from '#lib/time/instant.ts';
import { momentText } from '../account/account-text.ts';
import { PageFrame } from '../frame/page-frame.tsx';
import { Button, LinkButton } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { classNames } from '../ui/class-names.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { type ReportTable, ReportText } from '../ui/report-text.tsx';
import { ToneMark } from '../ui/tone-mark.tsx';
import { ACTIONS, type IncidentAction, LoadRest } from './incident-actions.tsx';
import { type AxisItem, type AxisLane, axisLanes, entryLines, entryName, IncidentAxis } from './incident-axis.tsx';
import { Failed, Field, fieldText, IncidentForm } from './incident-fields.tsx';
import {
  incidentArea,
  layerNames,
  mayWrite,
  replayAddress,
  STATE_TEXT,
  STATE_TONE,
  stateLine,
} from './incident-text.ts';
import { NoteForm } from './note-fields.tsx';

interface IncidentPageProps {
  readonly viewer: PageViewer;
  /** As it was when the page was rendered. */
  readonly first: Incident;
}

/** One incident: what was received, what was not watched, and what people did. */
export function IncidentPage({ viewer, first }: IncidentPageProps) {
  return (
    <PageFrame viewer={viewer} title={<Title first={first} />} path="/incidents">
      {(zone) => <Content viewer={viewer} first={first} zone={zone} />}
    </PageFrame>
  );
}

function Title({ first }: Pick<IncidentPageProps, 'first'>) {
  const { data } = useQuery(incidentQuery(first.id));
  const { number, title } = data?.incident ?? first;
  const text = `${number} · ${title}`;
  useEffect(() => titlePage(`${text} · Lookout`), [text]);
  return text;
}

/** Shared by the parts of the page. */
interface Shown {
  readonly incident: Incident;
  readonly zone: ClockZone;
  readonly units: UnitSystem;
  readonly time: TimeText;
  /** Whether the viewer may add to it. */
  readonly mayAdd: boolean;
}

/** The last action of this person. */
interface Done {
  readonly text: string;
  /** The id of the note that it made. */
  readonly note?: string | undefined;
}

function Content({ viewer, first, zone }: IncidentPageProps & { readonly zone: ClockZone }) {
  const [{ units }] = useDeskPreferences();
  const now = useNow();
  const { data: one, error } = useQuery(incidentQuery(first.id));
  const incident = one?.incident ?? first;
  const { id, number, title, state, from, to, revision } = incident;
  const answer = useQuery(incidentAnswerQuery(id, state === 'open', revision));
  const [opened, setOpened] = useState<readonly IncidentAction[]>([]);
  const [done, setDone] = useState<Done>({ text: '' });
  if (error?.code === 'not_found') return <p role="alert">This incident was deleted.</p>;
  const time = incidentTimes(incident, zone);
  // A form stays open when a colleague closes or seals the incident: what is written in it is not lost.
  const actions = ACTIONS.filter(({ name, isOpen }) => isOpen(incident, viewer) || opened.includes(name));
  const close = (name: IncidentAction) => setOpened((before) => before.filter((each) => each !== name));
  const startMs = Date.parse(from);
  const readMs = answer.data ? Date.parse(answer.data.as_of) : now === undefined ? startMs : epochMs(now);
  const endMs = Math.max(startMs + 1000, to === null ? readMs : Date.parse(to));
  const shown = { incident, zone, units, time, mayAdd: mayWrite(viewer) && state !== 'sealed' };
  const lines = factsOf(shown, now && epochMs(now));
  const addressOf = ({ fromMs, refs }: AxisItem) => replayAddress(incident, Math.min(endMs, readMs), fromMs, refs);
  const lanes = one && axisLanes({ one, answer: answer.data, startMs, endMs: Math.min(endMs, readMs), units, time });
  const axis = lanes && (
    <IncidentAxis lanes={lanes} startMs={startMs} endMs={endMs} zone={zone} addressOf={addressOf} />
  );
  const tables = lanes && tablesOf(lanes, answer.data, shown);
  return (
    <>
      {error && (
        <Failed what={one ? 'This page may be out of date.' : 'The incident could not be read.'} error={error} />
      )}
      <section aria-label="Facts" className="flex flex-col gap-1">
        <p className="flex items-center gap-1.5 font-semibold">
          <ToneMark tone={STATE_TONE[state]} />
          {STATE_TEXT[state]}
        </p>
        {lines.map((line) => (
          <p key={line} className="break-words">
            {line}
          </p>
        ))}
      </section>
      <div className="flex flex-wrap gap-2">
        {actions.map(({ name, text, look }) => (
          <Button
            key={name}
            {...(look && { look })}
            aria-expanded={opened.includes(name)}
            onClick={() => (opened.includes(name) ? close(name) : setOpened([...opened, name]))}
          >
            {text}
          </Button>
        ))}
        <Button disabled={!tables} onClick={() => window.print()}>
          <Printer aria-hidden size={14} />
          Print
        </Button>
      </div>
      <DoneLine done={done} />
      {actions
        .filter(({ name }) => opened.includes(name))
        .map(({ name, text, isOpen, Part }) => (
          <div key={name} ref={focusField}>
            <Card title={text}>
              <Part
                incident={incident}
                zone={zone}
                shut={isOpen(incident, viewer) ? undefined : stateLine(incident, time)}
                onDone={(said, note) => {
                  close(name);
                  setDone({ text: said, note });
                }}
              />
            </Card>
          </div>
        ))}
      <SealedCard incident={incident} />
      <AnswerCard {...shown} answer={answer.data} error={answer.error} lanes={lanes ?? []} addressOf={addressOf} />
      <Card title="What happened when">{axis ?? <p className="text-dim">Reading the incident…</p>}</Card>
      {one && <Notes {...shown} notes={one.notes} stored={done.note} onStored={setDone} />}
      {tables && (
        <details>
          <summary className="w-fit cursor-pointer font-medium text-focus phone:min-h-11 phone:py-3">
            The same as tables
          </summary>
          <ReportText testId="incident-tables" lines={[]} tables={tables} />
        </details>
      )}
      {tables &&
        createPortal(
          <article className="answer-sheet" data-testid="incident-sheet">
            <h1>
              Lookout: incident {number} · {title}
            </h1>
            <ReportText testId="incident-facts" lines={[STATE_TEXT[state], ...lines]} tables={[]} />
            {axis}
            <ReportText testId="incident-report" lines={[]} tables={tables} />
            <p>Received positions only. Times that were not watched are not known.</p>
          </article>,
          document.body,
        )}
    </>
  );
}

/** Called once, when a form opens. */
function focusField(form: HTMLElement | null): void {
  form?.querySelector<HTMLElement>('input, textarea, select')?.focus();
}

/** Says what was done, and takes the focus of the form that is gone. A new note takes it instead, once it is listed. */
function DoneLine({ done }: { readonly done: Done }) {
  const line = useRef<HTMLParagraphElement>(null);
  // Before a listed note takes it.
  useLayoutEffect(() => {
    if (done.text !== '') line.current?.focus();
  }, [done]);
  return (
    <p ref={line} role="status" tabIndex={-1} className="text-good empty:hidden">
      {done.text}
    </p>
  );
}

function focusEntry(entry: HTMLElement | null): void {
  entry?.focus();
}

/** Area, layers, window and people, in lines. */
function factsOf({ incident, zone, units }: Shown, nowMs: number | undefined): readonly string[] {
  const { from, to, layers, opened, closed, sealed, kept } = incident;
  const at = (text: string) => momentText(text, zone);
  const endMs = to === null ? nowMs : Date.parse(to);
  const length = endMs === undefined ? '' : `, ${durationText(endMs - Date.parse(from))}`;
  return [
    incidentArea(incident, units),
    layerNames(layers),
    `From ${at(from)}${to === null ? ', running' : ` to ${at(to)}`}${length}`,
    `Opened by ${personText(opened.by)}, ${at(opened.at)}`,
    closed ? `Closed by ${personText(closed.by)}, ${at(closed.at)}` : [],
    kept ? `Kept when it closed: ${groupedNumber(kept.positions)} positions, with 2 km and 3 min around` : [],
    sealed ? `Sealed by ${personText(sealed.by)}, ${at(sealed.at)}` : [],
  ].flat();
}

/** Measured reception of its area, in words. */
function receptionOf(answer: IncidentAnswer | undefined, layer: Layer, units: UnitSystem): readonly string[] {
  const of = answer?.reception?.layers.find((each) => each.layer === layer);
  return of ? receptionSentences(of, units) : [];
}

/** The answer and the axis as tables, for screen readers and paper. */
function tablesOf(
  lanes: readonly AxisLane[],
  answer: IncidentAnswer | undefined,
  { time, units }: Pick<Shown, 'time' | 'units'>,
): readonly ReportTable[] {
  const verdicts = LAYERS.flatMap((layer) => {
    const of = answer?.layers[layer];
    return of ? [{ cells: [LAYER_NAME[layer], verdictText(of)], remarks: receptionOf(answer, layer, units) }] : [];
  });
  return [
    {
      caption: `What was received, as of ${answer ? time(answer.as_of) : 'now'}`,
      head: ['Layer', 'Answer'],
      rows: verdicts,
      none: 'The answer is not read yet.',
    },
    ...lanes.map(({ name, items, more = 0 }) => ({
      caption: more > 0 ? `${name}, and ${more} more` : name,
      head: ['Time', 'What'],
      rows: items.map(({ when, what, lines = [] }) => ({ cells: [when, what], remarks: lines })),
      none: `${name}: none.`,
    })),
  ];
}

interface AnswerCardProps extends Shown {
  readonly answer: IncidentAnswer | undefined;
  readonly error: Error | null;
  readonly lanes: readonly AxisLane[];
  readonly addressOf: (item: AxisItem) => string;
}

/** The answer of each layer in three values, and its tracks, which operators pin. */
function AnswerCard({ incident, answer, error, lanes, addressOf, mayAdd, zone, time, units }: AnswerCardProps) {
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [pinned, setPinned] = useState('');
  const choose = (ref: string, isChosen: boolean) => {
    setPinned('');
    setChosen((before) => [...before.filter((each) => each !== ref), ...(isChosen ? [ref] : [])]);
  };
  const tracks = lanes.flatMap(({ items }) => items.filter(({ label }) => label !== undefined));
  return (
    <Card title="What was received">
      {error && <Failed what={answer ? 'It may be out of date.' : 'It could not be read.'} error={error} />}
      {!answer && !error && <p role="status">Reading the past…</p>}
      {answer && (
        <div className="grid grid-cols-2 gap-4 phone:grid-cols-1" data-testid="verdicts">
          {LAYERS.flatMap((layer) => {
            const of = answer.layers[layer];
            if (!of) return [];
            return [
              <section key={layer} aria-label={LAYER_NAME[layer]} className="border-edge border-l-3 pl-3">
                <h3 className="text-dim">{LAYER_NAME[layer]}</h3>
                <p className="font-semibold text-name">{verdictText(of)}</p>
                <ul>
                  {of.not_watched.map((stretch) => (
                    <li key={`${stretch.reason} ${stretch.from}`}>
                      {time(stretch.from)} to {time(stretch.to)}. {watchText(stretch)}
                    </li>
                  ))}
                </ul>
                {receptionOf(answer, layer, units).map((sentence) => (
                  <p key={sentence}>{sentence}</p>
                ))}
              </section>,
            ];
          })}
        </div>
      )}
      {answer && mayAdd && incident.state === 'open' && lacksReading(answer) && (
        <LoadRest
          incident={incident}
          onRead={(read) => {
            queries.setQueryData(incidentAnswerQuery(incident.id, true, incident.revision).queryKey, read);
            void queries.invalidateQueries({ queryKey: ['history-cost'] });
          }}
        />
      )}
      {tracks.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it.
        <ul aria-label="Tracks received inside" tabIndex={0} className="max-h-72 divide-y divide-line overflow-y-auto">
          {tracks.map((item) => (
            <li key={item.key} className="flex items-baseline gap-2 py-1">
              {mayAdd && (
                <input
                  type="checkbox"
                  aria-label={`Choose ${item.label}`}
                  checked={chosen.includes(item.key)}
                  onChange={({ target }) => choose(item.key, target.checked)}
                  className="size-4 shrink-0 self-center"
                />
              )}
              <span className="min-w-0">
                <a href={addressOf(item)} aria-label={`${item.when} ${item.label}`} className="text-focus underline">
                  {item.when}
                </a>{' '}
                {item.what}
              </span>
            </li>
          ))}
        </ul>
      )}
      {mayAdd && chosen.length > 0 && (
        <IncidentForm
          button={chosen.length === 1 ? 'Pin 1 track' : `Pin ${chosen.length} tracks`}
          run={(fields) => pinTracks(incident.id, chosen, fieldText(fields, 'remark'))}
          onDone={() => {
            setPinned('Pinned.');
            setChosen([]);
          }}
        >
          <Field label="Remark" name="remark" maxLength={500} optional />
        </IncidentForm>
      )}
      <p role="status" className="text-good empty:hidden">
        {pinned}
      </p>
      {answer && (
        <p className="text-caption text-dim" data-testid="as-of">
          As of {momentText(answer.as_of, zone)}. Received positions only.{' '}
          {answer.reception && receptionNotice(answer.reception.layers.filter(({ layer }) => answer.layers[layer]))}
        </p>
      )}
    </Card>
  );
}

/** Whether a part of the past is not read, other than what was not watched. */
function lacksReading({ layers }: IncidentAnswer): boolean {
  return Object.values(layers).some(({ not_watched }) => not_watched.some(({ reason }) => !isReception(reason)));
}

interface NotesProps extends Shown {
  readonly notes: OneIncident['notes'];
  /** The id of the note that this person has just stored: it is shown and takes the focus. */
  readonly stored: string | undefined;
  readonly onStored: (done: Done) => void;
}

/** Notes and sightings, the latest first. None is ever edited: a correction is a new note. */
function Notes({ incident, notes, units, time, mayAdd, stored, onStored }: NotesProps) {
  const [corrected, setCorrected] = useState<string>();
  return (
    <Card title="Notes">
      {notes.length === 0 && <p className="text-dim">No notes yet.</p>}
      <ol aria-label="Notes, latest first" className="flex flex-col gap-3">
        {notes.toReversed().map((note) => {
          const isCorrecting = corrected === note.id;
          const name = entryName(note, time);
          return (
            <li
              key={note.id}
              ref={note.id === stored ? focusEntry : null}
              tabIndex={-1}
              className="scroll-mt-16 border-edge border-l-3 pl-2"
            >
              <p className="flex flex-wrap items-center gap-x-2 text-caption text-dim">
                <strong className="text-text">{ENTRY_TEXT[note.kind]}</strong> {time(note.at)} {personText(note.by)}
                {mayAdd && (
                  <Button
                    look="quiet"
                    shape="small-text"
                    aria-label={`Correct ${name}`}
                    aria-expanded={isCorrecting}
                    onClick={() => setCorrected(isCorrecting ? undefined : note.id)}
                  >
                    Correct
                  </Button>
                )}
                {note.id === stored && <strong className="text-good">Stored</strong>}
              </p>
              <p
                className={classNames(
                  'whitespace-pre-wrap break-words',
                  notes.some(({ corrects }) => corrects === note.id) && 'text-dim line-through',
                )}
              >
                {note.text}
              </p>
              <ul aria-label="About the note" className="text-caption empty:hidden">
                {entryLines(note, notes, units, time).map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ul>
              {isCorrecting && (
                <section ref={focusField} aria-label={`Correct ${name}`} className="py-2">
                  <NoteForm
                    incident={incident.id}
                    corrected={note}
                    shut={mayAdd ? undefined : stateLine(incident, time)}
                    onDone={(id) => {
                      setCorrected(undefined);
                      onStored({ text: 'Correction stored.', note: id });
                    }}
                  />
                </section>
              )}
            </li>
          );
        })}
      </ol>
    </Card>
  );
}

/** The sealed file, and what it is compared with. */
function SealedCard({ incident: { id, number, sealed } }: Pick<Shown, 'incident'>) {
  const { data, error } = useQuery({ ...incidentKeyQuery(), enabled: sealed !== null });
  if (!sealed) return null;
  return (
    <Card title="Sealed file">
      <div className="flex flex-wrap gap-2">
        <LinkButton look="primary" href={`/api/incidents/${id}/file`} download>
          <Download aria-hidden size={14} />
          incident-{number}.zip, {groupedNumber(Math.ceil(sealed.bytes / 1000))} kB
        </LinkButton>
        <CopyButton text={sealed.sha256} label="Copy the hash" />
      </div>
      <p className="text-dim">SHA-256 of SHA256SUMS in the file</p>
      <code className="break-all font-mono" data-testid="sha256">
        {sealed.sha256}
      </code>
      <p className="text-dim">Public key, to compare with public.pem in the file</p>
      {error && <Failed what="It could not be read." error={error} />}
      <code className="whitespace-pre-wrap break-all font-mono" data-testid="public-key">
        {data?.public_key}
      </code>
    </Card>
  );
}
