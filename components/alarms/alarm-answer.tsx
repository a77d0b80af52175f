'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState, useSyncExternalStore } from 'react';
import { type Alarm, CLOSED_AS, COMMENT_MAX_LENGTH } from '#lib/api/watching/alarms.ts';
import { acknowledgeAlarms, closeAlarm, readAlarmsAgain } from '#lib/client/alarms/alarms-query.ts';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { useNow } from '#lib/client/page/use-alarms.ts';
import { changeFailureMessage } from '#lib/client/request/refusal-message.ts';
import type { AlarmAnswer } from '#lib/client/zones/zone-desk.ts';
import { epochMs } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { CLOSED_AS_TEXT } from './alarm-text.ts';

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

const UNTIL = [
  { value: 'end', label: 'It ends' },
  { value: '15', label: '15 min' },
  { value: '60', label: '1 h' },
  { value: '480', label: '8 h' },
] as const;

const AS = CLOSED_AS.map((value) => ({ value, label: CLOSED_AS_TEXT[value] }));

interface AlarmAnswerFormProps {
  readonly answering: Answering;
  readonly answer: AlarmAnswer;
  readonly acknowledges: readonly Alarm[];
  /** `undefined` where alarms are only acknowledged. */
  readonly closes: Alarm | undefined;
}

/** Acknowledges alarms, or closes one, and shows why an alarm was refused. The typed text stays until all is done. */
export function AlarmAnswerForm({
  answering: { hasBegun, change, end },
  answer: { doing, until, as, comment },
  acknowledges,
  closes,
}: AlarmAnswerFormProps) {
  const queries = useQueryClient();
  const now = useNow();
  const id = useId();
  const { mutate, isPending, error } = useMutation<void, Error>({
    mutationFn: async () => {
      const nowMs = now === undefined ? Date.now() : epochMs(now);
      const endText = until === 'end' ? null : new Date(nowMs + Number(until) * MINUTE_MS).toISOString();
      if (doing === 'acknowledging') await acknowledgeAlarms(acknowledges, { until: endText, comment });
      else if (closes) await closeAlarm(closes, { as, comment });
    },
    onSuccess: end,
    // The request for alarms waits for a change, so the mutation does not wait for it.
    onSettled: () => {
      readAlarmsAgain(queries).catch(() => undefined);
    },
    networkMode: 'always',
  });
  return (
    <form
      className="flex flex-col gap-2 py-2"
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      {doing === 'acknowledging' ? (
        <ChoiceRow
          label="Acknowledge until"
          value={until}
          choices={UNTIL}
          onChange={(value) => change({ until: value })}
        />
      ) : (
        <ChoiceRow label="Close as" value={as} choices={AS} onChange={(value) => change({ as: value })} />
      )}
      <div className="flex gap-2">
        <input
          aria-label="Comment"
          placeholder="Comment"
          value={comment}
          maxLength={COMMENT_MAX_LENGTH}
          autoComplete="off"
          aria-describedby={error ? id : undefined}
          // biome-ignore lint/a11y/noAutofocus: the operator has just chosen to acknowledge or close this alarm.
          autoFocus={hasBegun}
          onChange={(event) => change({ comment: event.target.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            event.preventDefault();
            end();
          }}
          className="h-8 min-w-0 flex-1 rounded-control border border-edge bg-background px-2 placeholder:text-dim phone:h-11"
        />
        <Button type="submit" look="primary" disabled={isPending}>
          {doing === 'acknowledging' ? 'Acknowledge' : 'Close'}
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
