'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { roleMay } from '#lib/api/people/permission.ts';
import { HANDED_OVER_MAX, type Zone } from '#lib/api/watching/zones.ts';
import { peopleQuery } from '#lib/client/account/account-requests.ts';
import { failureMessage } from '#lib/client/request/refusal-message.ts';
import { handOverZones, ZONES_KEY } from '#lib/client/zones/zones-query.ts';
import { Button } from '../ui/button.tsx';
import { FIELD } from '../ui/form-fields.tsx';
import { SwitchRow } from '../ui/switch-row.tsx';

interface ZoneHandOverProps {
  readonly zone: Zone;
  /** Other zones of the same owner. */
  readonly others: readonly Zone[];
  readonly onCancel: () => void;
  readonly onDone: (sentence: string) => void;
}

/** Gives a zone, or all of its owner, to another person. Admins alone see it. */
export function ZoneHandOver({ zone, others, onCancel, onDone }: ZoneHandOverProps) {
  const queries = useQueryClient();
  const id = useId();
  const { data, error: unread } = useQuery(peopleQuery());
  const [person, setPerson] = useState('');
  const [hasAll, setAll] = useState(false);
  const people = (data?.people ?? []).filter(({ role }) => roleMay(role, 'watch'));
  const zones = hasAll ? [zone, ...others].slice(0, HANDED_OVER_MAX) : [zone];
  const { mutate, isPending, error } = useMutation<void, Error>({
    mutationFn: () => handOverZones(person, zones),
    onSuccess: () => {
      const name = people.find((each) => each.id === person)?.name ?? person;
      onDone(`${zones.length === 1 ? `“${zone.name}”` : `${zones.length} zones`} handed over to ${name}.`);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ZONES_KEY }),
    networkMode: 'always',
  });
  const failure = error ?? unread;
  return (
    <form
      aria-label={`Hand over ${zone.name}`}
      className="flex flex-col gap-2 px-4 py-2"
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <label htmlFor={id} className="font-medium">
        Hand over “{zone.name}” to
      </label>
      <select id={id} required value={person} onChange={({ target }) => setPerson(target.value)} className={FIELD}>
        <option value="">{data ? 'Choose a person' : 'Reading…'}</option>
        {people.map(({ id: value, name, role }) => (
          <option key={value} value={value}>
            {name}, {role}
          </option>
        ))}
      </select>
      {others.length > 0 && (
        <SwitchRow
          label={`All ${others.length + 1} zones of ${zone.owner ?? 'no owner'}`}
          checked={hasAll}
          onChange={setAll}
        />
      )}
      {failure && (
        <p role="alert" className="text-bad">
          {failureMessage(failure)}
        </p>
      )}
      <div className="flex gap-2">
        <Button type="submit" look="primary" disabled={person === '' || isPending}>
          Hand over
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}
