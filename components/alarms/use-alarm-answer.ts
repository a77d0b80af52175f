import { useState, useSyncExternalStore } from 'react';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import type { AlarmAnswer } from '#lib/client/zones/zone-desk.ts';

/** @param row unique among the rows of a list */
export function useAlarmAnswer(row: string) {
  const { answers } = useLookout().zones;
  const read = () => answers.of(row);
  const answer = useSyncExternalStore(answers.subscribe, read, read);
  const [hasBegun, setBegun] = useState(false);
  return {
    answer,
    /** In this row, since it was mounted. */
    hasBegun,
    begin: (doing: AlarmAnswer['doing']) => {
      setBegun(true);
      answers.begin(row, doing);
    },
    change: (part: Partial<AlarmAnswer>) => answers.change(row, part),
    end: () => answers.end(row),
  };
}
