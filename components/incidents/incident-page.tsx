'use client';

import { useQuery } from '@tanstack/react-query';
import { Printer } from 'lucide-react';
import { useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import type { PageViewer } from '#lib/api/people/page-viewer.ts';
import type { Incident, IncidentAnswer, OneIncident } from '#lib/api/watching/incidents.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { incidentAnswerQuery, incidentQuery, pinTracks } from '#lib/client/incidents/incidents-query.ts';
import { useDeskPreferences } from '#lib/client/page/desk.tsx';
import { titlePage } from '#lib/client/page/page-title.ts';
import { useNow } from '#lib/client/page/use-alarms.ts';
import { failureMessage } from '#lib/client/request/refusal-message.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { groupedNumber, nearDistanceText } from '#lib/model/measure-text.ts';
import { LAYERS } from '#lib/model/position.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { epochMs } from '#lib/time/instant.ts';
import { momentText } from '../account/account-text.ts';
import { ChangeForm, ChangeNotes, useChange } from '../account/change.tsx';
import { PageFrame } from '../frame/page-frame.tsx';
import { Button } from '../ui/button.tsx';
import { Card, TABLE } from '../ui/card.tsx';
import { ReportText } from '../ui/report-text.tsx';
import { Tag } from '../ui/tag.tsx';
import { ToneMark } from '../ui/tone-mark.tsx';
import { axisLanes, LIFELINES_MAX } from './axis-lanes.ts';
import { ACTIONS, type IncidentAction, SealedCard } from './incident-actions.tsx';
import { IncidentAxis } from './incident-axis.tsx';
import { Field, refused, textOf } from './incident-fields.tsx';
import { NotesCard } from './incident-notes.tsx';
import { incidentTables } from './incident-tables.ts';
import {
  areaText,
  layersText,
  lowestText,
  mayWrite,
  personText,
  replayAddress,
  STATE_TEXT,
  STATE_TONE,
  type TimeText,
  tagsOf,
  timesOf,
  trackText,
  verdictText,
  watchText,
} from './incident-text.ts';

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

interface ContentProps extends IncidentPageProps {
  readonly zone: ClockZone;
}

function Content({ viewer, first, zone }: ContentProps) {
  const [{ units }] = useDeskPreferences();
  const now = useNow();
  const { data: one, error } = useQuery(incidentQuery(first.id));
  const incident = one?.incident ?? first;
  const answer = useQuery(incidentAnswerQuery(incident.id, incident.state === 'open'));
  const [action, setAction] = useState<IncidentAction>();
  const time = timesOf(incident, zone);
  const actions = ACTIONS.filter(({ isOpen }) => isOpen(incident, viewer));
  const shown = actions.find(({ name }) => name === action);
  const startMs = Date.parse(incident.from);
  const readMs = answer.data ? Date.parse(answer.data.as_of) : now === undefined ? startMs : epochMs(now);
  const endMs = Math.max(startMs + 1000, incident.to === null ? readMs : Date.parse(incident.to));
  if (error?.code === 'not_found') return <p role="alert">This incident was deleted.</p>;
  const facts = factsOf(incident, zone, now && epochMs(now));
  const lines = [areaText(incident, units), layersText(incident.layers), ...facts];
  const axis = one && (
    <IncidentAxis
      lanes={axisLanes({ one, answer: answer.data, startMs, endMs: Math.min(endMs, readMs), time })}
      startMs={startMs}
      endMs={endMs}
      zone={zone}
      addressOf={({ fromMs, refs }) => replayAddress(incident, endMs, fromMs, refs)}
    />
  );
  const tables = one && incidentTables(one, answer.data, units, time);
  return (
    <>
      {error && (
        <p role="alert" className="text-bad">
          {one ? 'This page may be out of date. ' : 'The incident could not be read. '}
          {failureMessage(error)}
        </p>
      )}
      <section aria-label="Facts" className="flex flex-col gap-1">
        <p className="flex items-center gap-1.5 font-semibold">
          <ToneMark tone={STATE_TONE[incident.state]} />
          {STATE_TEXT[incident.state]}
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
            aria-expanded={name === action}
            onClick={() => setAction(name === action ? undefined : name)}
          >
            {text}
          </Button>
        ))}
        <Button disabled={!tables} onClick={() => window.print()}>
          <Printer aria-hidden size={14} />
          Print
        </Button>
      </div>
      {shown && <shown.Part key={shown.name} incident={incident} zone={zone} onDone={() => setAction(undefined)} />}
      {incident.sealed && <SealedCard incident={incident} zone={zone} />}
      <AnswerCard
        incident={incident}
        answer={answer.data}
        failure={answer.error ? failureMessage(answer.error) : undefined}
        pins={one?.tracks ?? []}
        mayPin={mayWrite(viewer) && incident.state !== 'sealed'}
        endMs={endMs}
        zone={zone}
        time={time}
      />
      <Card title="What happened when">{axis ?? <p className="text-dim">Reading the incident…</p>}</Card>
      {one && (
        <NotesCard one={one} zone={zone} time={time} mayWrite={mayWrite(viewer) && incident.state !== 'sealed'} />
      )}
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
              Lookout: incident {incident.number} · {incident.title}
            </h1>
            {axis}
            <ReportText testId="incident-report" lines={[STATE_TEXT[incident.state], ...lines]} tables={tables} />
            <p>Received positions only. A time that was not watched is not known.</p>
          </article>,
          document.body,
        )}
    </>
  );
}

/** The window and the people, in lines. */
function factsOf(incident: Incident, zone: ClockZone, nowMs: number | undefined): readonly string[] {
  const { from, to, opened, closed, sealed, kept } = incident;
  const runsMs = to === null ? nowMs : Date.parse(to);
  const length =
    runsMs === undefined ? '' : ` (${to === null ? 'running, ' : ''}${durationText(runsMs - Date.parse(from))})`;
  const signed = (what: string, { by, at }: Incident['opened']) =>
    `${what} by ${personText(by)}, ${momentText(at, zone)}`;
  return [
    `From ${momentText(from, zone)} to ${to === null ? 'now' : momentText(to, zone)}${length}`,
    signed('Opened', opened),
    closed ? signed('Closed', closed) : [],
    kept ? `Kept: ${groupedNumber(kept.positions)} positions` : [],
    sealed ? signed('Sealed', sealed) : [],
  ].flat();
}

interface AnswerCardProps {
  readonly incident: Incident;
  readonly answer: IncidentAnswer | undefined;
  readonly failure: string | undefined;
  readonly pins: OneIncident['tracks'];
  readonly mayPin: boolean;
  readonly endMs: number;
  readonly zone: ClockZone;
  readonly time: TimeText;
}

/** What was received, in three values for each layer. */
function AnswerCard({ incident, answer, failure, pins, mayPin, endMs, zone, time }: AnswerCardProps) {
  const [{ units }] = useDeskPreferences();
  const change = useChange();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const tracks = LAYERS.flatMap((layer) => (answer?.layers[layer]?.tracks ?? []).map((track) => ({ layer, track })));
  const head = ['Track', 'First', 'Last', 'Lowest', 'Nearest', 'Positions', 'Remark'];
  const pin = async (fields: FormData) => {
    if (chosen.length === 0) throw refused('Choose tracks first.');
    await pinTracks(incident.id, chosen, textOf(fields, 'remark'));
    setChosen([]);
    return 'Pinned.';
  };
  return (
    <Card title="What was received">
      {failure !== undefined && (
        <p role="alert" className="text-bad">
          {answer ? 'The answer may be out of date. ' : 'The answer could not be read. '}
          {failure}
        </p>
      )}
      {!answer && failure === undefined && <p role="status">Reading the past…</p>}
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
              </section>,
            ];
          })}
        </div>
      )}
      {tracks.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it.
        <section aria-label="Tracks received inside" tabIndex={0} className="max-h-80 overflow-auto">
          <table className={TABLE}>
            <thead className="sticky top-0 bg-surface">
              <tr>
                {head.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {tracks.slice(0, LIFELINES_MAX).map(({ layer, track }) => (
                <tr key={track.track}>
                  <th scope="row">
                    <span className="flex items-center gap-2">
                      {mayPin && (
                        <input
                          type="checkbox"
                          aria-label={`Choose ${trackText(track.track, layer)}`}
                          checked={chosen.includes(track.track)}
                          onChange={({ target }) =>
                            setChosen((before) =>
                              target.checked ? [...before, track.track] : before.filter((each) => each !== track.track),
                            )
                          }
                          className="size-4"
                        />
                      )}
                      <a
                        href={replayAddress(incident, endMs, Date.parse(track.first_at), [track.track])}
                        className="text-focus underline"
                      >
                        {trackText(track.track, layer)}
                      </a>
                      {tagsOf(track).map((tag) => (
                        <Tag key={tag} text={tag} />
                      ))}
                    </span>
                  </th>
                  <td className="whitespace-nowrap">{time(track.first_at)}</td>
                  <td className="whitespace-nowrap">{time(track.last_at)}</td>
                  <td>{lowestText(track, units)}</td>
                  <td className="whitespace-nowrap">{nearDistanceText(units, track.nearest_m)}</td>
                  <td>{groupedNumber(track.positions)}</td>
                  <td>{pins.find((each) => each.track === track.track)?.remark}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {tracks.length > LIFELINES_MAX && (
            <p className="text-caption text-dim">and {groupedNumber(tracks.length - LIFELINES_MAX)} more</p>
          )}
        </section>
      )}
      {pins
        .filter((pin) => tracks.every(({ track }) => track.track !== pin.track))
        .map(({ track, remark, by }) => (
          <p key={track}>
            Pinned by {personText(by)}: …{shortReference(track)}
            {remark !== '' && `, ${remark}`}
          </p>
        ))}
      {mayPin && chosen.length > 0 && (
        <ChangeForm change={change} onSubmit={pin}>
          <Field label="Remark" name="remark" maxLength={500} optional />
          <Button type="submit" disabled={change.isSending}>
            Pin {chosen.length === 1 ? '1 track' : `${chosen.length} tracks`}
          </Button>
        </ChangeForm>
      )}
      <ChangeNotes change={change} />
      {answer && (
        <p className="text-caption text-dim" data-testid="as-of">
          As of {momentText(answer.as_of, zone)}. Received positions only.
        </p>
      )}
    </Card>
  );
}
