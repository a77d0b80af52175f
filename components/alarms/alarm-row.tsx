'use client';

import { Check, ChevronDown, ChevronUp, CircleCheck, History } from 'lucide-react';
import { useState } from 'react';
import type { Alarm } from '#lib/api/alarms.ts';
import { type AlarmGroup, stageOf } from '#lib/client/alarms/alarm-book.ts';
import { useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { enterReplay } from '#lib/client/page/replay/enter-replay.ts';
import { useNow } from '#lib/client/page/use-alarms.ts';
import { useMay } from '#lib/client/page/use-may.ts';
import { clockText } from '#lib/model/clock-text.ts';
import { lengthText, NOT_REPORTED, speedText } from '#lib/model/measure-text.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { addMs, parseInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { AlarmActions } from './alarm-actions.tsx';
import {
  ALARM_KIND_TEXT,
  acknowledgedText,
  openedText,
  STAGE_TEXT,
  stateText,
  subjectText,
  tagTexts,
} from './alarm-text.ts';

/** How much of the past a replay of an alarm loads before and after it. */
const BEFORE_MS = 5 * MINUTE_MS;
const AFTER_MS = 5 * MINUTE_MS;

export interface AlarmRowProps {
  readonly group: AlarmGroup;
  /** Lowers the sheet of a small screen. */
  readonly onShown: () => void;
}

/** An alarm, with earlier ones that are perhaps of the same craft. */
export function AlarmRow({ group, onShown }: AlarmRowProps) {
  const lookout = useLookout();
  const [{ zone: clock }] = usePreferences();
  const now = useNow();
  const mayWatch = useMay('watch');
  const openId = useValue(lookout.zones.openAlarm);
  const [doing, setDoing] = useState<'acknowledging' | 'closing'>();
  const { latest: alarm, earlier } = group;
  const stage = stageOf(alarm, now);
  const isNew = stage === 'new' && !alarm.expected;
  const isOpen = openId === alarm.id;
  const Chevron = isOpen ? ChevronUp : ChevronDown;
  const answered = acknowledgedText(alarm, clock);
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
            <span className={classNames('min-w-0 truncate font-semibold', isNew && 'text-bad')}>
              {ALARM_KIND_TEXT[alarm.kind]}
            </span>
            <span className="min-w-0 truncate">{alarm.zone.name}</span>
          </span>
          <span className="block">
            {subjectText(alarm)}
            {tagTexts(alarm).map((tag) => (
              <span key={tag} className="ml-1.5 inline-block rounded-[4px] border border-edge px-1 text-caption">
                {tag}
              </span>
            ))}
          </span>
          <span className="block text-caption text-dim">
            {openedText(alarm, now, clock)} · {stateText(alarm, clock)}
          </span>
          {answered !== undefined && <span className="block text-caption text-dim">{answered}</span>}
          {earlier.length > 0 && (
            <span className="block text-caption text-dim">
              Perhaps the same as {earlier.map(subjectText).join(', ')}
            </span>
          )}
        </span>
        <span className="shrink-0 text-caption text-dim">{isNew ? STAGE_TEXT.new : STAGE_TEXT[stage]}</span>
        <Chevron aria-hidden size={14} className="mt-0.5 shrink-0 text-dim" />
      </button>
      {doing === undefined ? (
        <div className="mt-1 flex flex-wrap gap-1.5">
          {mayWatch && isNew && (
            <Button shape="small-text" look="primary" onClick={() => setDoing('acknowledging')}>
              <Check aria-hidden size={13} />
              Acknowledge
            </Button>
          )}
          {mayWatch && stage !== 'closed' && (
            <Button shape="small-text" onClick={() => setDoing('closing')}>
              <CircleCheck aria-hidden size={13} />
              Close
            </Button>
          )}
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
        <AlarmActions
          alarms={
            doing === 'acknowledging' ? [alarm, ...earlier].filter((each) => stageOf(each, now) === 'new') : [alarm]
          }
          doing={doing}
          onDone={() => setDoing(undefined)}
        />
      )}
      {isOpen && <Evidence alarm={alarm} />}
    </div>
  );

  function showTrack({ track, evidence }: Alarm): void {
    const last = evidence.at(-1);
    if (track !== null) lookout.display.select(track);
    if (last) lookout.mapCommands.run({ kind: 'centre', lon: last.longitude, lat: last.latitude });
  }
}

/** The positions that decided, and the rule's revision. */
function Evidence({ alarm }: { readonly alarm: Alarm }) {
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
    </div>
  );
}

/** Opens a replay at the second of the alarm, with its track selected. */
export function replayAlarm(lookout: ReturnType<typeof useLookout>, alarm: Alarm): void {
  const at = parseInstant(alarm.opened_at);
  if (at === undefined) return;
  const now = lookout.feed.presumedNow();
  const last = alarm.evidence.at(-1);
  if (last) lookout.mapCommands.run({ kind: 'centre', lon: last.longitude, lat: last.latitude });
  const after = addMs(at, AFTER_MS);
  enterReplay(lookout, { window: { start: addMs(at, -BEFORE_MS), end: after < now ? after : now }, cursor: at });
  if (alarm.track !== null) lookout.display.select(alarm.track);
}
