'use client';

import { useQuery } from '@tanstack/react-query';
import { Check, ChevronDown, ChevronUp, CircleCheck, History } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { NoticeDelivery } from '#lib/api/outputs/destinations.ts';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import { type AlarmGroup, groupId, stageOf } from '#lib/client/alarms/alarm-book.ts';
import { groupedBy } from '#lib/client/grouped-by.ts';
import { type DeliveryTimes, deliveryStateText, kindText, noticeTypeText } from '#lib/client/outputs/delivery-text.ts';
import { alarmDeliveriesQuery } from '#lib/client/outputs/destinations-query.ts';
import { enterReplay } from '#lib/client/page/enter-replay.ts';
import type { Lookout } from '#lib/client/page/lookout.ts';
import { useLookout, useMay, usePreferences, useReplay, useValue } from '#lib/client/page/lookout-context.tsx';
import { useNow } from '#lib/client/page/use-alarms.ts';
import type { VerdictToday } from '#lib/client/zones/try-rules.ts';
import { zonesQuery } from '#lib/client/zones/zones-query.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { lengthText, NOT_REPORTED, speedText } from '#lib/model/measure-text.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { addMs, parseInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { ALARM_KIND_TEXT, subjectText, tagTexts } from '#lib/zones/alarm-words.ts';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { PermitAlarmsButton, PermitInDoubt } from '../zones/permits/permit-button.tsx';
import { AlarmAnswerForm, useAlarmAnswer } from './alarm-answer.tsx';
import { alarmAgeText, noteTexts, openedText, STAGE_TEXT, stateText } from './alarm-text.ts';

interface AlarmRowProps {
  readonly group: AlarmGroup;
  /** Called when the map shows it: lowers the sheet of a small screen. */
  readonly onShown: () => void;
}

/**
 * An alarm with those that are perhaps of the same craft: what happened, what operators answered, and what an operator may
 * do now. Its details say what decided it, how it would be decided today, and where it was delivered.
 */
export function AlarmRow({ group, onShown }: AlarmRowProps) {
  const lookout = useLookout();
  const [{ zone: clock }] = usePreferences();
  const now = useNow();
  const mayWatch = useMay('watch');
  const openId = useValue(lookout.zones.openAlarm);
  const answering = useAlarmAnswer(groupId(group));
  const { answer, begin } = answering;
  const { latest: alarm, earlier } = group;
  const stage = stageOf(alarm, now);
  const isNew = stage === 'new' && !alarm.expected;
  const isOpen = openId === alarm.id;
  const Chevron = isOpen ? ChevronUp : ChevronDown;
  const replay = () => {
    replayAlarm(lookout, alarm);
    onShown();
  };
  return (
    <div
      className={classNames('border-l-3 py-2 pr-2 pl-3', isNew ? 'border-bad' : 'border-transparent')}
      data-testid="alarm"
      data-stage={stage}
    >
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => lookout.zones.openAlarm.set(isOpen ? undefined : alarm.id)}
        className="flex w-full min-w-0 items-start gap-2 rounded-control text-left hover:bg-raised phone:min-h-11"
      >
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline gap-2">
            <span className={classNames('min-w-0 flex-1 truncate font-semibold', isNew && 'text-bad')}>
              {ALARM_KIND_TEXT[alarm.kind]}
            </span>
            <span className="shrink-0 text-caption text-dim">{alarmAgeText(alarm, now)}</span>
          </span>
          <span className="block">
            <span className="font-medium">{alarm.zone.name}</span> · {subjectText(alarm)}
            {tagTexts(alarm).map((tag) => (
              <span key={tag} className="ml-1.5 inline-block rounded-[4px] border border-edge px-1 text-caption">
                {tag}
              </span>
            ))}
          </span>
          <span className="block text-caption text-dim">
            <span className={classNames(isNew && 'font-semibold text-text')}>{STAGE_TEXT[stage]}</span> ·{' '}
            {openedText(alarm, now, clock)} · {stateText(alarm, clock)}
          </span>
          {noteTexts(alarm, clock).map((text) => (
            <span key={text} className="block break-words text-caption text-dim">
              {text}
            </span>
          ))}
          <PermitInDoubt alarm={alarm} />
          {earlier.length > 0 && (
            <span className="block text-caption text-dim">
              Perhaps the same as {earlier.map(subjectText).join(', ')}
            </span>
          )}
        </span>
        <Chevron aria-hidden size={14} className="mt-0.5 shrink-0 text-dim" />
      </button>
      {answer === undefined ? (
        <div className="mt-1 flex flex-wrap gap-1.5">
          {mayWatch && isNew && (
            <Button shape="small-text" onClick={() => begin('acknowledging')}>
              <Check aria-hidden size={13} />
              Acknowledge
            </Button>
          )}
          {mayWatch && stage !== 'closed' && (
            <Button shape="small-text" onClick={() => begin('closing')}>
              <CircleCheck aria-hidden size={13} />
              Close
            </Button>
          )}
          <PermitAlarmsButton alarms={[alarm, ...earlier]} />
          <Button shape="small-text" onClick={replay}>
            <History aria-hidden size={13} />
            Replay
          </Button>
          {alarm.track !== null && (
            <Button shape="small-text" onClick={() => showTrack(alarm)}>
              Select
            </Button>
          )}
        </div>
      ) : (
        <AlarmAnswerForm
          answering={answering}
          answer={answer}
          acknowledges={[alarm, ...earlier].filter((each) => stageOf(each, now) === 'new')}
          closes={alarm}
        />
      )}
      {isOpen && <AlarmEvidence alarm={alarm} />}
    </div>
  );

  function showTrack({ track, evidence }: Alarm): void {
    const last = evidence.at(-1);
    if (track !== null) lookout.display.select(track);
    if (last) lookout.mapCommands.run({ kind: 'centre', lon: last.longitude, lat: last.latitude });
  }
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

function AlarmEvidence({ alarm }: { readonly alarm: Alarm }) {
  const [{ zone: clock, units }] = usePreferences();
  const { evidence, zone, decided_at } = alarm;
  const decided = parseInstant(decided_at);
  return (
    <div className="mt-2 flex flex-col gap-1 text-caption">
      <p className="text-dim">
        Decided {decided === undefined ? decided_at : clockText(decided, clock)} by revision {zone.revision} of the
        zone, from {evidence.length === 1 ? '1 position' : `${evidence.length} positions`}:
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
