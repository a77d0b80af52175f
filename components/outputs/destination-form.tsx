'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type DestinationKind, kindRow } from '#lib/api/outputs/destination-kinds.ts';
import type { ChangedDestination, Destination } from '#lib/api/outputs/destinations.ts';
import { browserTimeZone } from '#lib/client/browser/time-zone.ts';
import { addDestination, changeDestination } from '#lib/client/outputs/destinations-query.ts';
import { Button } from '../ui/button.tsx';
import { changeBody, destinationDraftOf, destinationProblem, newBody, newDestination } from './destination-draft.ts';
import { TextRow } from './fields.tsx';
import { KindFields } from './kind-fields.tsx';
import { NoticeFields } from './notice-fields.tsx';
import { SecretField } from './secret-field.tsx';

interface DestinationFormProps {
  /** A kind for a new one. */
  readonly of: Destination | DestinationKind;
  readonly onSaved: (changed: ChangedDestination) => void;
  readonly onCancel: () => void;
}

export function DestinationForm({ of, onSaved, onCancel }: DestinationFormProps) {
  /** As opened: a later revision was not read by the operator. */
  const [before] = useState(() => (typeof of === 'string' ? undefined : of));
  const queries = useQueryClient();
  const [draft, setDraft] = useState(() =>
    typeof of === 'string' ? newDestination(of, browserTimeZone()) : destinationDraftOf(of),
  );
  const set = (part: Partial<typeof draft>) => setDraft((state) => ({ ...state, ...part }));
  const { mutate, isPending, error } = useMutation<ChangedDestination>({
    mutationFn: () =>
      before ? changeDestination(before.id, changeBody(draft, before)) : addDestination(newBody(draft)),
    onSuccess: onSaved,
    // Also after a failure: it may have changed elsewhere.
    onSettled: () => queries.invalidateQueries(),
    networkMode: 'always',
  });
  const { fields, general } = error ? destinationProblem(error) : { fields: {}, general: undefined };
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => focusFirst(form.current, 'input'), []);
  useEffect(() => {
    if (error) focusFirst(form.current, '[aria-invalid="true"]');
  }, [error]);
  const row = kindRow(draft.config);
  return (
    <form
      ref={form}
      method="post"
      noValidate
      aria-label={before ? `Change ${before.name}` : `New destination: ${row.text}`}
      className="flex max-w-lg flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <TextRow
        label="Name"
        value={draft.name}
        problem={fields.name}
        onChange={(name) => set({ name })}
        placeholder="Such as Control room"
      />
      <KindFields config={draft.config} problems={fields} onChange={(config) => set({ config })} />
      <SecretField
        config={draft.config}
        stored={before !== undefined && before.secrets > 0 ? before.config : undefined}
        secret={draft.secret}
        problem={fields.secret}
        onChange={(secret) => set({ secret })}
      />
      {row.secret?.isMade && !before && (
        <p className="text-caption text-dim">Lookout makes the secret that signs, and shows it once.</p>
      )}
      {row.takesNotices && <NoticeFields draft={draft} problems={fields} set={set} />}
      {general !== undefined && (
        <p role="alert" className="text-bad">
          {general}
        </p>
      )}
      <div className="flex gap-2">
        <Button type="submit" look="primary" disabled={isPending || draft.name.trim() === ''}>
          {isPending ? 'Saving…' : 'Save'}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}

function focusFirst(form: HTMLFormElement | null, selector: string): void {
  form?.querySelector<HTMLElement>(selector)?.focus();
}
