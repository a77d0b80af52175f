'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { PricedZone, Zone } from '#lib/api/watching/zones.ts';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { type ZoneDraft, zoneOf } from '#lib/client/zones/zone-draft.ts';
import { addZone, changeZone, removeZone, ZONES_KEY } from '#lib/client/zones/zones-query.ts';
import { type ZoneProblem, zoneProblem } from './zone-problem.ts';

const NO_PROBLEM: ZoneProblem = { fields: {}, general: undefined };

export interface ZoneChanges {
  readonly save: (draft: ZoneDraft, onSaved: (saved: PricedZone) => void) => void;
  readonly remove: (zone: Zone, onRemoved: () => void) => void;
  readonly isBusy: boolean;
  /** Of the last change. */
  readonly problem: ZoneProblem;
}

export function useZoneChanges(): ZoneChanges {
  const { zones } = useLookout();
  const queries = useQueryClient();
  const options = {
    // Also after a failure: the zone may have changed.
    onSettled: () => queries.invalidateQueries({ queryKey: ZONES_KEY }),
    networkMode: 'always',
  } as const;
  const saving = useMutation<PricedZone, Error, ZoneDraft>({
    ...options,
    mutationFn: (draft) => {
      const zone = zoneOf(draft);
      if (!zone) throw new Error('a zone is saved with its shape');
      const { before } = draft;
      return before ? changeZone(before.id, { ...zone, revision: before.revision }) : addZone(zone);
    },
    onSuccess: () => zones.draft.set(undefined),
  });
  const removing = useMutation<void, Error, Zone>({ ...options, mutationFn: ({ id }) => removeZone(id) });
  const failed = saving.error ?? removing.error;
  return {
    save: (draft, onSaved) => {
      removing.reset();
      saving.mutate(draft, { onSuccess: onSaved });
    },
    remove: (zone, onRemoved) => {
      saving.reset();
      removing.mutate(zone, { onSuccess: onRemoved });
    },
    isBusy: saving.isPending || removing.isPending,
    problem: failed ? zoneProblem(failed) : NO_PROBLEM,
  };
}
