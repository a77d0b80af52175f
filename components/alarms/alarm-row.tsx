'use client';

import { Check, ChevronDown, ChevronUp, CircleCheck, History } from 'lucide-react';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import { type AlarmGroup, groupId, stageOf } from '#lib/client/alarms/alarm-book.ts';
import { useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { useNow } from '#lib/client/page/use-alarms.ts';
import { useMay } from '#lib/client/page/use-may.ts';
import { ALARM_KIND_TEXT, subjectText, tagTexts } from '#lib/zones/alarm-words.ts';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { AlarmActions } from './alarm-actions.tsx';
import { AlarmEvidence } from './alarm-evidence.tsx';
import { alarmAgeText, noteTexts, openedText, STAGE_TEXT, stateText } from './alarm-text.ts';
import { replayAlarm } from './replay-alarm.ts';
import { useAlarmAnswer } from './use-alarm-answer.ts';

export interface AlarmRowProps {
  readonly group: AlarmGroup;
  /** Lowers the sheet of a small screen. */
  readonly onShown: () => void;
}

export function AlarmRow({ group, onShown }: AlarmRowProps) {
  const lookout = useLookout();
  const [{ zone: clock }] = usePreferences();
  const now = useNow();
  const mayWatch = useMay('watch');
  const openId = useValue(lookout.zones.openAlarm);
  const { answer, hasBegun, begin, change, end } = useAlarmAnswer(groupId(group));
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
            answer.doing === 'acknowledging'
              ? [alarm, ...earlier].filter((each) => stageOf(each, now) === 'new')
              : [alarm]
          }
          answer={answer}
          onChange={change}
          takesFocus={hasBegun}
          onDone={end}
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
