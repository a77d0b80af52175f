'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import { acknowledgeAlarm, closeAlarm, readAlarmsAgain } from '#lib/client/alarms/alarms-query.ts';
import { useNow } from '#lib/client/page/use-alarms.ts';
import { LookoutRequestError } from '#lib/client/request/fetch-lookout.ts';
import { noAnswerMessage } from '#lib/client/request/refusal-message.ts';
import type { AlarmAnswer } from '#lib/client/zones/zone-desk.ts';
import { epochMs } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { CLOSED_AS_TEXT } from './alarm-text.ts';

const UNTIL = [
  { value: 'end', label: 'It ends' },
  { value: '15', label: '15 min' },
  { value: '60', label: '1 h' },
  { value: '480', label: '8 h' },
] as const;

const AS = (['handled', 'expected', 'nuisance'] as const).map((value) => ({ value, label: CLOSED_AS_TEXT[value] }));

export interface AlarmActionsProps {
  readonly alarms: readonly Alarm[];
  readonly answer: AlarmAnswer;
  readonly onChange: (part: Partial<AlarmAnswer>) => void;
  readonly takesFocus: boolean;
  readonly onDone: () => void;
}

export function AlarmActions({ alarms, answer, onChange, takesFocus, onDone }: AlarmActionsProps) {
  const queries = useQueryClient();
  const now = useNow();
  const id = useId();
  const { doing, until, as, comment } = answer;
  const { mutate, isPending, error } = useMutation<void, Error>({
    mutationFn: async () => {
      const nowMs = now === undefined ? Date.now() : epochMs(now);
      const endText = until === 'end' ? null : new Date(nowMs + Number(until) * MINUTE_MS).toISOString();
      for (const alarm of alarms)
        await (doing === 'acknowledging'
          ? acknowledgeAlarm(alarm, { until: endText, comment })
          : closeAlarm(alarm, { as, comment }));
    },
    onSuccess: onDone,
    // It waits for a change.
    onSettled: () => void readAlarmsAgain(queries),
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
          onChange={(value) => onChange({ until: value })}
        />
      ) : (
        <ChoiceRow label="Close as" value={as} choices={AS} onChange={(value) => onChange({ as: value })} />
      )}
      <div className="flex gap-2">
        <input
          aria-label="Comment"
          placeholder="Comment"
          value={comment}
          maxLength={1000}
          autoComplete="off"
          aria-describedby={error ? id : undefined}
          // biome-ignore lint/a11y/noAutofocus: the operator has just chosen to acknowledge or close this alarm.
          autoFocus={takesFocus}
          onChange={(event) => onChange({ comment: event.target.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            event.preventDefault();
            onDone();
          }}
          className="h-8 min-w-0 flex-1 rounded-control border border-edge bg-background px-2 placeholder:text-dim phone:h-11"
        />
        <Button type="submit" look="primary" disabled={isPending}>
          {doing === 'acknowledging' ? 'Acknowledge' : 'Close'}
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
      {error && (
        <p id={id} role="alert" className="text-bad">
          {failureText(error)}
        </p>
      )}
    </form>
  );
}

function failureText(error: Error): string {
  if (!(error instanceof LookoutRequestError)) return 'That did not work. Try again.';
  if (error.kind === 'signed-out') return 'You are signed out; nothing was changed.';
  if (error.kind === 'unreachable') return noAnswerMessage('; it may not have been done.');
  return error.said ?? 'That did not work. Try again.';
}
