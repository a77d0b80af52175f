'use client';

import { useQuery } from '@tanstack/react-query';
import { ShieldCheck } from 'lucide-react';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import { useLookout, useMay } from '#lib/client/page/lookout-context.tsx';
import { permitInDoubt } from '#lib/client/zones/permit-draft.ts';
import { permitsQuery } from '#lib/client/zones/permits-query.ts';
import { Button, type ButtonProps } from '../../ui/button.tsx';

interface PermitAlarmsButtonProps extends Pick<ButtonProps, 'shape' | 'className'> {
  readonly alarms: readonly Alarm[];
  /** Called when the form opens, which keeps the alarms. */
  readonly onBegun?: () => void;
}

/** Opens the form of a permit for alarms about tracks. It shows nothing without one, or to a viewer. */
export function PermitAlarmsButton({ alarms, onBegun, ...look }: PermitAlarmsButtonProps) {
  const { permitting } = useLookout().zones;
  const mayPermit = useMay('watch');
  const about = alarms.filter(({ track, closed, expected }) => track !== null && closed === null && !expected);
  if (!mayPermit || about.length === 0) return null;
  return (
    <Button
      {...look}
      onClick={() => {
        permitting.set({ kind: 'alarms', alarms: about });
        onBegun?.();
      }}
    >
      <ShieldCheck aria-hidden size={14} />
      {about.length > 1 ? `Permit ${about.length}` : 'Permit'}
    </Button>
  );
}

/** Why a permit of its zone does not cover an alarm: one that was made for it, or that lacks only the height of the track. */
export function PermitInDoubt({ alarm }: { readonly alarm: Alarm }) {
  const hasNoHeight = alarm.evidence.some(
    ({ height_agl_m, altitude_m }) => (height_agl_m ?? null) === null || (altitude_m ?? null) === null,
  );
  const noted = alarm.notes.findLast(({ kind }) => kind === 'permitted');
  const isAsked = (hasNoHeight || noted !== undefined) && !alarm.expected && alarm.state === 'open';
  const { data } = useQuery({ ...permitsQuery(), enabled: isAsked });
  const permit = data && permitInDoubt(alarm, data.permits);
  if (!isAsked) return null;
  const isValid = data?.permits.some(
    ({ name, zone, state }) => state === 'current' && zone.id === alarm.zone.id && name === noted?.comment,
  );
  if (!permit && isValid)
    return (
      <span className="block text-warning">
        The permit “{noted?.comment}” does not cover it so far: outside its area or heights, or not received since.
      </span>
    );
  if (!permit) return null;
  return <span className="block text-warning">Height unknown, so the permit “{permit.name}” does not cover it.</span>;
}
