'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Check, CircleCheck, type LucideIcon } from 'lucide-react';
import { type ComponentType, useId, useState, useSyncExternalStore } from 'react';
import { type Alarm, CLOSED_AS, COMMENT_MAX_LENGTH } from '#lib/api/watching/alarms.ts';
import { stageOf } from '#lib/client/alarms/alarm-book.ts';
import { acknowledgeAlarms, closeAlarms, readAlarmsAgain } from '#lib/client/alarms/alarms-query.ts';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { useNow } from '#lib/client/page/use-alarms.ts';
import { changeFailureMessage } from '#lib/client/request/refusal-message.ts';
import type { AlarmAnswer } from '#lib/client/zones/zone-desk.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { CLOSED_AS_TEXT } from './alarm-text.ts';

interface AnswerFieldsProps {
  readonly answer: AlarmAnswer;
  readonly change: (part: Partial<AlarmAnswer>) => void;
}

interface AlarmAction {
  readonly label: string;
  readonly Icon: LucideIcon;
  /** Whether the action is for this alarm: others of a selection stay as they are. */
  readonly takes: (alarm: Alarm, now: UpstreamInstant | undefined) => boolean;
  /** The fields of its form, without the comment. */
  readonly Fields: ComponentType<AnswerFieldsProps>;
  /** @throws LookoutRequestError */
  readonly send: (alarms: readonly Alarm[], answer: AlarmAnswer, nowMs: number) => Promise<void>;
}

const UNTIL = [
  { value: 'end', label: 'It ends' },
  { value: '15', label: '15 min' },
  { value: '60', label: '1 h' },
  { value: '480', label: '8 h' },
] as const;

const AS = CLOSED_AS.map((value) => ({ value, label: CLOSED_AS_TEXT[value] }));

/** The answers of an operator to one alarm or to several at once. A new action is a row here. */
export const ALARM_ACTIONS: Readonly<Record<AlarmAnswer['doing'], AlarmAction>> = {
  acknowledging: {
    label: 'Acknowledge',
    Icon: Check,
    takes: (alarm, now) => stageOf(alarm, now) === 'new',
    Fields: ({ answer, change }) => (
      <ChoiceRow
        label="Acknowledge until"
        value={answer.until}
        choices={UNTIL}
        onChange={(until) => change({ until })}
      />
    ),
    send: (alarms, { until, comment }, nowMs) => {
      const end = until === 'end' ? null : new Date(nowMs + Number(until) * MINUTE_MS).toISOString();
      return acknowledgeAlarms(alarms, { until: end, comment });
    },
  },
  closing: {
    label: 'Close',
    Icon: CircleCheck,
    takes: (alarm, now) => stageOf(alarm, now) !== 'closed',
    Fields: ({ answer, change }) => (
      <ChoiceRow label="Close as" value={answer.as} choices={AS} onChange={(as) => change({ as })} />
    ),
    send: (alarms, { as, comment }) => closeAlarms(alarms, { as, comment }),
  },
};

type Answering = ReturnType<typeof useAlarmAnswer>;

/**
 * The answer that an operator is writing in a row of alarms. It is kept outside the row, which is drawn again when the
 * window changes between panel and sheet.
 * @param row unique among the rows of a list
 */
export function useAlarmAnswer(row: string) {
  const { answers } = useLookout().zones;
  const read = () => answers.of(row);
  const answer = useSyncExternalStore(answers.subscribe, read, read);
  const [hasBegun, setBegun] = useState(false);
  return {
    answer,
    /** Whether it was begun in this row since the row was mounted, which then takes the focus. */
    hasBegun,
    begin: (doing: AlarmAnswer['doing']) => {
      setBegun(true);
      answers.begin(row, doing);
    },
    change: (part: Partial<AlarmAnswer>) => answers.change(row, part),
    end: () => answers.end(row),
  };
}

/** The request for alarms waits for a change, so that no mutation waits for it. */
function useSending<Answer>(send: (answer: Answer) => Promise<void>, onSuccess?: () => void) {
  const queries = useQueryClient();
  return useMutation<void, Error, Answer>({
    mutationFn: send,
    ...(onSuccess && { onSuccess }),
    onSettled: () => {
      readAlarmsAgain(queries).catch(() => undefined);
    },
    networkMode: 'always',
  });
}

interface AcknowledgeButtonProps {
  /** All of them are on screen. */
  readonly alarms: readonly Alarm[];
  readonly text: string;
}

/** Acknowledges alarms at once, until each ends. The key of `acknowledge` in the shortcuts presses it. */
export function AcknowledgeButton({ alarms, text }: AcknowledgeButtonProps) {
  const { mutate, isPending, error } = useSending((its: readonly Alarm[]) =>
    acknowledgeAlarms(its, { until: null, comment: '' }),
  );
  const id = useId();
  return (
    <>
      <Button
        look="primary"
        data-acknowledges
        aria-keyshortcuts="A"
        aria-describedby={error ? id : undefined}
        disabled={isPending}
        onClick={() => mutate(alarms)}
        className="h-10 w-full justify-center"
      >
        <Check aria-hidden size={16} />
        {text}
        <kbd
          aria-hidden
          className="ml-1 hidden rounded-[4px] border border-current px-1 text-caption group-first/item:inline group-focus-within/item:inline phone:!hidden"
        >
          A
        </kbd>
      </Button>
      {error && (
        <p id={id} role="alert" className="mt-1 text-bad">
          {changeFailureMessage(error)}
        </p>
      )}
    </>
  );
}

interface AlarmAnswerFormProps {
  readonly answering: Answering;
  readonly answer: AlarmAnswer;
  readonly alarms: readonly Alarm[];
  readonly onDone?: () => void;
}

/** Answers alarms with a comment, and shows why one was refused. The typed text stays until all is done. */
export function AlarmAnswerForm({
  answering: { hasBegun, change, end },
  answer,
  alarms,
  onDone = () => undefined,
}: AlarmAnswerFormProps) {
  const now = useNow();
  const id = useId();
  const { label, Fields, send } = ALARM_ACTIONS[answer.doing];
  const { mutate, isPending, error } = useSending(
    () => send(alarms, answer, now === undefined ? Date.now() : epochMs(now)),
    () => {
      end();
      onDone();
    },
  );
  return (
    <form
      className="flex flex-col gap-2 py-2"
      onSubmit={(event) => {
        event.preventDefault();
        mutate(undefined);
      }}
    >
      <Fields answer={answer} change={change} />
      <div className="flex gap-2">
        <input
          aria-label="Comment"
          placeholder="Comment"
          value={answer.comment}
          maxLength={COMMENT_MAX_LENGTH}
          autoComplete="off"
          aria-describedby={error ? id : undefined}
          // biome-ignore lint/a11y/noAutofocus: the operator has just chosen to answer this alarm.
          autoFocus={hasBegun}
          onChange={(event) => change({ comment: event.target.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            event.preventDefault();
            end();
          }}
          className="h-8 min-w-0 flex-1 rounded-control border border-edge bg-background px-2 placeholder:text-dim phone:h-11"
        />
        <Button type="submit" look="primary" disabled={isPending || alarms.length === 0}>
          {alarms.length > 1 ? `${label} ${alarms.length}` : label}
        </Button>
        <Button onClick={end}>Cancel</Button>
      </div>
      {error && (
        <p id={id} role="alert" className="text-bad">
          {changeFailureMessage(error)}
        </p>
      )}
    </form>
  );
}
