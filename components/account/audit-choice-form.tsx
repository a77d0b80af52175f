'use client';

import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { AUDIT_TEXT_MAX_LENGTH, type AuditEntry } from '#lib/api/people/audit-event.ts';
import { AUDIT_KIND_TEXT } from '#lib/api/people/audit-text.ts';
import { peopleQuery } from '#lib/client/account/account-requests.ts';
import { type AuditChoice, auditChoice } from '#lib/client/account/audit-query.ts';
import { Button } from '../ui/button.tsx';

interface AuditChoiceFormProps {
  readonly choice: AuditChoice;
  /** Suggests their operators too, who may have been removed. */
  readonly entries: readonly AuditEntry[];
  readonly onChoose: (choice: AuditChoice) => void;
}

const FIELD = 'h-10 w-full rounded-control border border-edge bg-background px-3 phone:h-11';

export function AuditChoiceForm({ choice, entries, onChoose }: AuditChoiceFormProps) {
  const { data } = useQuery({ ...peopleQuery(), refetchInterval: false });
  const [personId, listId, kindId] = [useId(), useId(), useId()];
  const names = new Map<string, string>();
  for (const { operator } of entries) if (operator) names.set(operator.id, operator.name);
  for (const { id, name } of data?.people ?? []) names.set(id, name);
  return (
    <form
      className="flex flex-wrap items-end gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        onChoose(auditChoice(Object.fromEntries(new FormData(event.currentTarget))));
      }}
    >
      <div className="flex min-w-44 flex-1 flex-col gap-1">
        <label htmlFor={personId} className="font-medium">
          Person
        </label>
        <input
          id={personId}
          name="operator"
          type="text"
          list={listId}
          defaultValue={choice.operator}
          placeholder="everybody"
          maxLength={AUDIT_TEXT_MAX_LENGTH}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          className={FIELD}
        />
        <datalist id={listId}>
          {[...names].map(([id, name]) => (
            <option key={id} value={id} label={id === name ? undefined : name} />
          ))}
        </datalist>
      </div>
      <div className="flex min-w-44 flex-1 flex-col gap-1">
        <label htmlFor={kindId} className="font-medium">
          Kind of event
        </label>
        <select
          id={kindId}
          name="kind"
          defaultValue={choice.kind}
          onChange={(event) => event.currentTarget.form?.requestSubmit()}
          className={FIELD}
        >
          <option value="">every kind</option>
          {Object.entries(AUDIT_KIND_TEXT).map(([kind, text]) => (
            <option key={kind} value={kind}>
              {text}
            </option>
          ))}
        </select>
      </div>
      <Button type="submit" look="primary" className="h-10">
        Show
      </Button>
      <p className="w-full text-caption text-dim">
        Of a person: what they did, and what was done to them. Names are matched whole. Entries that are only counted
        appear in every choice that they may belong to.
      </p>
    </form>
  );
}
