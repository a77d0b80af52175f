'use client';

import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronUp, CircleCheck, Crosshair, FolderPlus, History, MessageSquare } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import type { NoticeDelivery } from '#lib/api/outputs/destinations.ts';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import type { Zone } from '#lib/api/watching/zones.ts';
import { type AlarmGroup, isPending, membersOf, stageOf } from '#lib/client/alarms/alarm-book.ts';
import { groupedBy } from '#lib/client/grouped-by.ts';
import { useOpenIncidents } from '#lib/client/incidents/incidents-query.ts';
import { type DeliveryTimes, deliveryStateText, kindText, noticeTypeText } from '#lib/client/outputs/delivery-text.ts';
import { alarmDeliveriesQuery } from '#lib/client/outputs/destinations-query.ts';
import { enterReplay } from '#lib/client/page/enter-replay.ts';
import type { Lookout } from '#lib/client/page/lookout.ts';
import { useLookout, useMay, usePreferences, useReplay, useValue } from '#lib/client/page/lookout-context.tsx';
import { useAlarms, useNow } from '#lib/client/page/use-alarms.ts';
import type { VerdictToday } from '#lib/client/zones/try-rules.ts';
import { zonesQuery } from '#lib/client/zones/zones-query.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { lengthText, NOT_REPORTED, speedText } from '#lib/model/measure-text.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { addMs, parseInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { isOfRule } from '#lib/zones/alarm.ts';
import { raisedTexts } from '#lib/zones/alarm-place.ts';
import { ALARM_KIND_TEXT, alarmHeadline, alarmTitle } from '#lib/zones/alarm-words.ts';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { PermitAlarmsButton, PermitInDoubt } from '../zones/permits/permit-button.tsx';
import { useWantedRow } from '../zones/zones-page.tsx';
import { AcknowledgeButton, AlarmAnswerForm, useAlarmAnswer } from './alarm-answer.tsx';
import { type AlarmSelection, SelectBox } from './alarm-selection.tsx';
import { alarmTags, noteTexts, openedText, perhapsOneText, stageText, stateText, whenText } from './alarm-text.ts';

interface AlarmGroupRowProps {
  readonly group: AlarmGroup;
  /** The zones that are known: distances are from their landmarks. */
  readonly zones: readonly Zone[];
  readonly selection: AlarmSelection | undefined;
  /** Called when the map shows it: lowers the sheet of a small screen. */
  readonly onShown: () => void;
}

/**
 * Alarms that are perhaps of the same craft, or a single one. All of them are shown, so that one button acknowledges
 * nothing unseen.
 */
export function AlarmGroupRow({ group, zones, selection, onShown }: AlarmGroupRowProps) {
  const now = useNow();
  const mayWatch = useMay('watch');
  const members = membersOf(group);
  const pending = members.filter((alarm) => isPending(alarm, now));
  const isGroup = members.length > 1;
  return (
    <div data-testid="alarm-group">
      {isGroup && (
        <p className={classNames('border-l-3 pt-2 pl-3 font-semibold', edgeClass(pending.length > 0))}>
          {perhapsOneText(members)}
        </p>
      )}
      {/* A row stays the same element when an alarm joins its group. */}
      {members.map((alarm) => (
        <AlarmRow
          key={alarm.id}
          alarm={alarm}
          isMember={isGroup}
          zones={zones}
          selection={selection}
          onShown={onShown}
        />
      ))}
      {isGroup && mayWatch && !selection && pending.length > 0 && (
        <div className={classNames('flex items-start gap-2 border-l-3 pr-3 pb-2.5 pl-3', edgeClass(true))}>
          <div className="min-w-0 flex-1">
            <AcknowledgeButton
              alarms={pending}
              text={
                pending.length === 2 && members.length === 2
                  ? 'Acknowledge both'
                  : pending.length === 1
                    ? 'Acknowledge the new one'
                    : `Acknowledge all ${pending.length}`
              }
            />
          </div>
          <PermitAlarmsButton alarms={pending} className="h-10" />
        </div>
      )}
    </div>
  );
}

function edgeClass(isNew: boolean): string {
  return isNew ? 'border-bad' : 'border-transparent';
}

interface AlarmRowProps extends Omit<AlarmGroupRowProps, 'group'> {
  readonly alarm: Alarm;
  /** Its group has the button that acknowledges. */
  readonly isMember: boolean;
}

/** An alarm: what happened, how high, where and when, and one button that acknowledges it. The rest unfolds. */
function AlarmRow({ alarm, isMember, zones, selection, onShown }: AlarmRowProps) {
  const lookout = useLookout();
  const [{ zone: clock, units }] = usePreferences();
  const now = useNow();
  const mayWatch = useMay('watch');
  const isOpen = useValue(lookout.zones.openAlarm) === alarm.id;
  const row = useWantedRow(alarm.id);
  const answering = useAlarmAnswer(alarm.id);
  const { answer, begin } = answering;
  const stage = stageOf(alarm, now);
  const isNew = stage === 'new' && !alarm.expected;
  const Chevron = isOpen ? ChevronUp : ChevronDown;
  const zone = zones.find(({ id }) => id === alarm.zone.id);
  // A row is drawn each second, and a ground may have 500 corners.
  const raised = useMemo(() => raisedTexts(alarm, zone, units), [alarm, zone, units]);
  const facts = [...raised, whenText(alarm, now, clock)];
  const open = (isWanted: boolean) => lookout.zones.openAlarm.set(isWanted ? alarm.id : undefined);
  return (
    <div
      className={classNames('border-l-3 py-2.5 pr-3 pl-3', edgeClass(isNew))}
      data-testid="alarm"
      data-alarm={alarm.id}
      data-stage={stage}
    >
      <div className="flex items-start gap-2">
        {selection && (
          <SelectBox
            label={`Select ${alarmHeadline(alarm)}`}
            checked={selection.has(alarm.id)}
            onToggle={() => selection.toggle([alarm])}
          />
        )}
        <button
          type="button"
          ref={row}
          aria-expanded={isOpen}
          onClick={() => open(!isOpen)}
          className="flex min-w-0 flex-1 scroll-mt-3 items-start gap-2 rounded-control text-left hover:bg-raised phone:min-h-11"
        >
          <span className="min-w-0 flex-1">
            <span className="flex flex-wrap items-baseline gap-x-1.5">
              <span className={classNames('min-w-0 break-words font-semibold text-name', isNew && 'text-bad')}>
                {alarmHeadline(alarm)}
              </span>
              {alarmTags(alarm, now, clock).map((tag) => (
                <span key={tag} className="min-w-0 break-words rounded-[4px] border border-edge px-1 text-caption">
                  {tag}
                </span>
              ))}
            </span>
            <span className="block">{facts.join(' · ')}</span>
            {alarm.state !== 'open' && <span className="block text-dim">{stateText(alarm, clock)}</span>}
            {noteTexts(alarm, clock).map((text) => (
              <span key={text} className="block break-words text-caption text-dim">
                {text}
              </span>
            ))}
            <PermitInDoubt alarm={alarm} />
          </span>
          <Chevron aria-hidden size={16} className="mt-1 shrink-0 text-dim" />
        </button>
      </div>
      {answer ? (
        <AlarmAnswerForm answering={answering} answer={answer} alarms={[alarm]} />
      ) : (
        isNew &&
        !isMember &&
        !selection &&
        mayWatch && (
          <div className="mt-2 flex items-start gap-2">
            <div className="min-w-0 flex-1">
              <AcknowledgeButton alarms={[alarm]} text="Acknowledge" />
            </div>
            <PermitAlarmsButton alarms={[alarm]} className="h-10" />
          </div>
        )
      )}
      {isOpen && (
        <>
          <p className="mt-2 text-caption text-dim">
            {alarmTitle(alarm)} · {stageText(alarm, stage)} · opened {openedText(alarm, now, clock)}
          </p>
          {!answer && (
            <div className="mt-2 flex flex-wrap gap-1.5">
              {mayWatch && stage !== 'closed' && (
                <>
                  <Button shape="small-text" onClick={() => begin('acknowledging')}>
                    <MessageSquare aria-hidden size={13} />
                    {isNew ? 'Acknowledge with a comment' : 'Acknowledge again'}
                  </Button>
                  <Button shape="small-text" onClick={() => begin('closing')}>
                    <CircleCheck aria-hidden size={13} />
                    Close
                  </Button>
                </>
              )}
              {!isNew && isOfRule(alarm.kind) && <PermitAlarmsButton alarms={[alarm]} shape="small-text" />}
              <Button
                shape="small-text"
                onClick={() => {
                  replayAlarm(lookout, alarm);
                  onShown();
                }}
              >
                <History aria-hidden size={13} />
                Replay
              </Button>
              {alarm.track !== null && (
                <Button
                  shape="small-text"
                  onClick={() => {
                    showTrack(lookout, alarm);
                    onShown();
                  }}
                >
                  <Crosshair aria-hidden size={13} />
                  Show on the map
                </Button>
              )}
              {mayWatch && <IncidentButtons alarm={alarm} />}
            </div>
          )}
          <AlarmDetails alarm={alarm} />
        </>
      )}
    </div>
  );
}

/** Opens an incident from an alarm, or adds the alarm to one. */
function IncidentButtons({ alarm }: { readonly alarm: Alarm }) {
  const { incidents } = useLookout();
  const hasOpen = useOpenIncidents().length > 0;
  const source = { from: 'alarm', alarm } as const;
  return (
    <>
      {hasOpen && (
        <Button shape="small-text" onClick={() => incidents.set({ do: 'add', what: source })}>
          Add to incident
        </Button>
      )}
      <Button shape="small-text" onClick={() => incidents.set({ do: 'open', source })}>
        <FolderPlus aria-hidden size={13} />
        New incident
      </Button>
    </>
  );
}

/** In the card of a track: its open alarms, and what an operator does about them at once. */
export function TrackAlarms({ reference }: { readonly reference: string }) {
  const { incidents, zones } = useLookout();
  const { alarms } = useAlarms();
  const [{ zone: clock }] = usePreferences();
  const now = useNow();
  const mayWatch = useMay('watch');
  const [open, ...others] = useOpenIncidents();
  const its = alarms.filter(
    ({ track, other, state, closed }) =>
      (track === reference || other?.ref === reference) && state !== 'ended' && !closed,
  );
  const [first] = its;
  if (!first) return null;
  const fresh = its.filter((alarm) => isPending(alarm, now));
  const source = { from: 'alarm', alarm: fresh[0] ?? first } as const;
  return (
    <section aria-label="Alarms of the track" className="flex flex-col gap-1.5 py-1">
      {its.map((alarm) => (
        <button
          key={alarm.id}
          type="button"
          onClick={() => zones.openRow({ zone: alarm.zone.id, alarm: alarm.id })}
          className={classNames(
            'border-l-3 pl-2 text-left hover:bg-raised phone:min-h-11',
            fresh.includes(alarm) ? 'border-bad text-bad' : 'border-edge',
          )}
        >
          <span className="font-semibold">{alarmHeadline(alarm)}</span> · {whenText(alarm, now, clock)}
        </button>
      ))}
      {mayWatch && (
        <div className="flex items-start gap-2">
          {fresh.length > 0 && (
            <div className="min-w-0 flex-1">
              <AcknowledgeButton
                alarms={fresh}
                text={fresh.length === 1 ? 'Acknowledge' : `Acknowledge ${fresh.length}`}
              />
            </div>
          )}
          <Button
            className="h-10 flex-1 justify-center"
            onClick={() => incidents.set(open ? { do: 'add', what: source } : { do: 'open', source })}
          >
            <FolderPlus aria-hidden size={14} />
            {open ? `Add to ${others.length > 0 ? 'incident' : open.number}` : 'New incident'}
          </Button>
        </div>
      )}
    </section>
  );
}

function showTrack({ display, mapCommands }: Lookout, { track, evidence }: Alarm): void {
  const last = evidence.at(-1);
  if (track !== null) display.select(track);
  if (last) mapCommands.run({ kind: 'centre', lon: last.longitude, lat: last.latitude });
}

/** How much of the past is replayed on each side of an alarm. */
const AROUND_MS = 5 * MINUTE_MS;

/** Moves the map to an alarm, and opens the replay at it. */
export function replayAlarm(lookout: Lookout, alarm: Alarm): void {
  const at = parseInstant(alarm.opened_at);
  if (at === undefined) return;
  const now = lookout.feed.presumedNow();
  const last = alarm.evidence.at(-1);
  if (last) lookout.mapCommands.run({ kind: 'centre', lon: last.longitude, lat: last.latitude });
  const after = addMs(at, AROUND_MS);
  enterReplay(lookout, { window: { start: addMs(at, -AROUND_MS), end: after < now ? after : now }, cursor: at });
  // The details of the alarm say whether its verdict would differ today.
  lookout.zones.openAlarm.set(alarm.id);
}

/** The evidence of an alarm, how it would be decided today, and where it was delivered. */
function AlarmDetails({ alarm }: { readonly alarm: Alarm }) {
  const [{ zone: clock, units }] = usePreferences();
  const { evidence, zone, decided_at } = alarm;
  const decided = parseInstant(decided_at);
  return (
    <div className="mt-2 flex flex-col gap-1 text-caption">
      <p className="text-dim">
        Decided {decided === undefined ? decided_at : clockText(decided, clock)} by revision {zone.revision} of the zone
        {alarm.watched ? '.' : `, from ${evidence.length === 1 ? '1 position' : `${evidence.length} positions`}:`}
      </p>
      <ul className="flex flex-col gap-1">
        {evidence.map((position) => {
          const at = parseInstant(position.observed_at);
          return (
            <li key={`${position.public_track_id} ${position.observed_at}`} className="font-mono" translate="no">
              {at === undefined ? position.observed_at : clockText(at, clock)}{' '}
              {shortReference(position.public_track_id)} {position.latitude.toFixed(5)}, {position.longitude.toFixed(5)}{' '}
              · height above ground (estimated) {lengthText(units, position.height_agl_m ?? undefined) ?? NOT_REPORTED}{' '}
              · altitude, datum not stated {lengthText(units, position.altitude_m ?? undefined) ?? NOT_REPORTED} ·{' '}
              {speedText(units, position.speed_mps ?? undefined) ?? `speed ${NOT_REPORTED}`}
            </li>
          );
        })}
      </ul>
      <AlarmToday alarm={alarm} />
      {/* Another alarm of the row never shows the deliveries of this one. */}
      <AlarmDeliveries key={alarm.id} alarm={alarm} />
    </div>
  );
}

/** Evaluates the alarm again on the replay, by the zone as it is now. */
function AlarmToday({ alarm }: { readonly alarm: Alarm }) {
  const { replay } = useLookout();
  const [{ zone: clock }] = usePreferences();
  const { data } = useQuery(zonesQuery());
  const isLoaded = useReplay((summary) => summary?.loading.kind === 'done');
  const [verdict, setVerdict] = useState<VerdictToday>();
  useEffect(() => {
    const { session } = replay;
    if (!isLoaded || !session || !data) return;
    let isCurrent = true;
    import('#lib/client/zones/try-rules.ts').then(
      ({ verdictToday }) => {
        const zones = data.zones.map(({ zone }) => zone);
        if (isCurrent) setVerdict(verdictToday(alarm, zones, session.store));
      },
      // Without the evaluation, the row shows no verdict.
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [alarm, data, isLoaded, replay]);
  return (
    <p role="status" className="empty:hidden" data-testid="alarm-today">
      {isLoaded && verdict && verdictText(verdict, alarm, clock)}
    </p>
  );
}

function verdictText(verdict: VerdictToday, alarm: Alarm, clock: ClockZone): string {
  const start = 'Evaluated again on this replay:';
  switch (verdict.kind) {
    case 'same':
      return `${start} today the verdict is the same.`;
    case 'none':
      return `${start} today the verdict differs. The zone raises no such alarm on the loaded positions.`;
    case 'other': {
      const as = verdict.as === alarm.kind ? '' : `, as “${ALARM_KIND_TEXT[verdict.as]}”`;
      return `${start} today the verdict differs. The zone raises it at ${clockText(verdict.at, clock)}${as}. The whole replay counts as watched.`;
    }
    case 'zone_removed':
      return `${start} today the verdict differs. The zone is removed, or no longer shared.`;
    case 'rule_removed':
      return `${start} today the verdict differs. The rule is removed from the zone.`;
  }
}

const STATE_CLASS: Readonly<Partial<Record<NoticeDelivery['state'], string>>> = {
  given_up: 'text-bad',
  waiting: 'text-warning',
};

function AlarmDeliveries({ alarm }: { readonly alarm: Alarm }) {
  const [{ zone }] = usePreferences();
  const now = useNow();
  const { data, error } = useQuery(alarmDeliveriesQuery(alarm));
  const recipients = groupedBy(data?.deliveries ?? [], ({ destination }) => destination.id);
  return (
    <section aria-label="Delivered to" className="flex flex-col gap-1">
      <p className="text-dim">{headText(data?.deliveries.length, error !== null)}</p>
      <ul className="flex flex-col gap-1 empty:hidden">
        {[...recipients.values()].map((deliveries) => (
          <Recipient key={deliveries[0]?.destination.id} deliveries={deliveries} times={{ now, zone }} />
        ))}
      </ul>
    </section>
  );
}

function headText(count: number | undefined, hasFailed: boolean): string {
  if (hasFailed) {
    const failed = 'Where it was delivered could not be read';
    return count === undefined ? `${failed}.` : `${failed} again. Delivered to, as read before:`;
  }
  if (count === undefined) return 'Reading where it was delivered…';
  return count === 0 ? 'Sent to no destination.' : 'Delivered to:';
}

interface RecipientProps {
  readonly deliveries: readonly NoticeDelivery[];
  readonly times: DeliveryTimes;
}

function Recipient({ deliveries, times }: RecipientProps) {
  const [latest] = deliveries;
  if (!latest) return null;
  const { name, kind } = latest.destination;
  return (
    <li>
      <p>
        <span className="break-words font-medium">{name}</span> · {kindText(kind)}
      </p>
      <ul>
        {deliveries.toReversed().map((delivery) => (
          <li key={delivery.id} className="break-words pl-3">
            {noticeTypeText(delivery)}:{' '}
            <span className={classNames(STATE_CLASS[delivery.state])}>{deliveryStateText(delivery, times)}</span>
          </li>
        ))}
      </ul>
    </li>
  );
}
