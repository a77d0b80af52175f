'use client';

import { X } from 'lucide-react';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import { useLookout, useValue } from '#lib/client/page/lookout-context.tsx';
import { useNow } from '#lib/client/page/use-alarms.ts';
import type { AlarmAnswer } from '#lib/client/zones/zone-desk.ts';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { PermitAlarmsButton } from '../zones/permits/permit-button.tsx';
import { ALARM_ACTIONS, AlarmAnswerForm, useAlarmAnswer } from './alarm-answer.tsx';

const DOINGS = Object.keys(ALARM_ACTIONS) as readonly AlarmAnswer['doing'][];

/** Which alarms are selected. @param alarms of the list: one that leaves it is selected no more */
export function useAlarmSelection(alarms: readonly Alarm[]) {
  const { selection } = useLookout().zones;
  const ids = useValue(selection);
  return {
    isOn: ids !== undefined,
    selected: alarms.filter(({ id }) => ids?.has(id)),
    has: (id: string) => ids?.has(id) ?? false,
    /** Selects all of them, or none where all are selected. */
    toggle: (its: readonly Alarm[]) => {
      const those = its.map(({ id }) => id);
      const before = alarms.flatMap(({ id }) => (ids?.has(id) ? [id] : []));
      const isAll = those.every((id) => before.includes(id));
      selection.set(new Set(isAll ? before.filter((id) => !those.includes(id)) : [...before, ...those]));
    },
    begin: () => selection.set(new Set()),
    end: () => selection.set(undefined),
  };
}

/** The alarms that are selected for an action on several; `undefined` while none are to be selected. */
export interface AlarmSelection {
  readonly has: (id: string) => boolean;
  readonly toggle: (alarms: readonly Alarm[]) => void;
}

interface SelectBoxProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onToggle: () => void;
}

/** A box in a row; its place around it takes the finger. */
export function SelectBox({ label, checked, onToggle }: SelectBoxProps) {
  return (
    <label className="flex shrink-0 items-start pt-1 phone:size-11 phone:items-center phone:justify-center phone:pt-0">
      <input
        type="checkbox"
        aria-label={label}
        checked={checked}
        onChange={onToggle}
        className="size-4 accent-text phone:size-6"
      />
    </label>
  );
}

interface SelectionBarProps {
  readonly selection: ReturnType<typeof useAlarmSelection>;
  /** The alarms that “all” means. */
  readonly alarms: readonly Alarm[];
}

/** Selects all alarms of the list, and answers those that are selected. Each action takes those that it is for. */
export function SelectionBar({ selection, alarms }: SelectionBarProps) {
  const now = useNow();
  const answering = useAlarmAnswer('selection');
  const { answer, begin, end } = answering;
  const { selected } = selection;
  const isAll = selected.length === alarms.length && alarms.length > 0;
  const taken = (doing: AlarmAnswer['doing']) => selected.filter((alarm) => ALARM_ACTIONS[doing].takes(alarm, now));
  const leave = () => {
    end();
    selection.end();
  };
  return (
    <section
      aria-label="Several alarms"
      className="sticky top-0 z-10 flex flex-col gap-2 border-line border-y bg-surface px-4 py-2"
    >
      <div className="flex items-center gap-2">
        <label className="flex min-h-8 items-center gap-2 font-medium phone:min-h-11">
          <input
            type="checkbox"
            checked={isAll}
            ref={(box) => {
              if (box) box.indeterminate = selected.length > 0 && !isAll;
            }}
            onChange={() => selection.toggle(alarms)}
            className="size-4 accent-text phone:size-6"
          />
          All {alarms.length}
        </label>
        <span role="status" className="min-w-0 flex-1 text-dim">
          {selected.length} selected
        </span>
        <IconButton label="End selecting" icon={<X />} onClick={leave} />
      </div>
      {answer ? (
        <AlarmAnswerForm answering={answering} answer={answer} alarms={taken(answer.doing)} onDone={selection.end} />
      ) : (
        <div className="flex flex-wrap gap-2">
          {DOINGS.map((doing) => {
            const { label, Icon } = ALARM_ACTIONS[doing];
            const count = taken(doing).length;
            return (
              <Button key={doing} disabled={count === 0} onClick={() => begin(doing)} className="flex-1">
                <Icon aria-hidden size={14} />
                {count === 0 ? label : `${label} ${count}`}
              </Button>
            );
          })}
          <PermitAlarmsButton alarms={selected} className="flex-1" onBegun={selection.end} />
        </div>
      )}
    </section>
  );
}
