'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { PricedZone, Zone } from '#lib/api/watching/zones.ts';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { type FieldProblems, fieldProblems } from '#lib/client/request/refusal-message.ts';
import { type ZoneDraft, zoneOf } from '#lib/client/zones/zone-draft.ts';
import { addZone, changeZone, removeZone, ZONES_KEY } from '#lib/client/zones/zones-query.ts';

const NO_PROBLEM: ZoneProblem = { fields: {}, general: undefined };

export interface ZoneChanges {
  readonly save: (draft: ZoneDraft, onSaved: (saved: PricedZone) => void) => void;
  readonly remove: (zone: Zone, onRemoved: () => void) => void;
  readonly isBusy: boolean;
  /** Why the last change was refused. */
  readonly problem: ZoneProblem;
}

/** Saves and removes zones, and says what of it was refused. The list of zones is read again after each change. */
export function useZoneChanges(): ZoneChanges {
  const { zones } = useLookout();
  const queries = useQueryClient();
  const options = {
    // A failed change may have been made, and another operator may have made one.
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
    onSuccess: () => zones.endDraft(),
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

const FORM_FIELDS = ['name', 'shape', 'vertical', 'hours', 'rules', 'history_requests_a_day'] as const;

/** The refusal of a zone, by the parts of its form. The problem of a rule contains its number. */
type ZoneProblem = FieldProblems<(typeof FORM_FIELDS)[number]>;

export function zoneProblem(error: unknown): ZoneProblem {
  return fieldProblems(error, FORM_FIELDS);
}
