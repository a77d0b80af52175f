'use client';

import { useState } from 'react';
import {
  type MadeReadToken,
  madeReadTokenSchema,
  type NewReadToken,
  READ_SCOPES,
} from '#lib/api/outputs/read-token.ts';
import { SHORT_NAME_MAX_LENGTH } from '#lib/api/short-name.ts';
import { LookoutRequestError } from '#lib/client/request/fetch-lookout.ts';
import { requestJson } from '#lib/client/request/request-json.ts';
import { corners } from '#lib/geo/corners.ts';
import { parseBbox } from '#lib/geo/parse-bbox.ts';
import { addMs, formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { ChangeForm } from '../account/change-form.tsx';
import { ChangeNotes } from '../account/change-notes.tsx';
import { useChange } from '../account/use-change.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { TextField } from '../ui/text-field.tsx';
import { ALTITUDE_CHOICES, LASTS_CHOICES, SCOPE_CHOICES } from './read-tokens-text.ts';

type Scope = (typeof SCOPE_CHOICES)[number]['value'];
type AltitudeName = (typeof ALTITUDE_CHOICES)[number]['value'];
type Lasts = (typeof LASTS_CHOICES)[number]['value'];

interface NewTokenFormProps {
  /** The server's time. */
  readonly now: UpstreamInstant;
  readonly onMade: (made: MadeReadToken) => void;
}

export function NewTokenForm({ now, onMade }: NewTokenFormProps) {
  const change = useChange();
  const [scope, setScope] = useState<Scope>('aircraft');
  const [altitude, setAltitude] = useState<AltitudeName>('none');
  const [lasts, setLasts] = useState<Lasts>('365');
  return (
    <ChangeForm
      change={change}
      onSubmit={async (fields) => {
        const body: NewReadToken = {
          name: String(fields.get('name')),
          scopes: scope === 'both' ? [...READ_SCOPES] : [scope],
          area: areaOf(String(fields.get('area') ?? '')),
          altitude_as: altitude === 'none' || scope === 'features' ? null : altitude,
          ends_at: lasts === 'open' ? null : formatInstant(addMs(now, Number(lasts) * DAY_MS)),
        };
        const made = await requestJson('POST', '/api/admin/read-tokens', madeReadTokenSchema, { body });
        onMade(made);
        return `${made.token.name} was made.`;
      }}
    >
      <h3 className="font-semibold">Make a token</h3>
      <TextField label="Name" name="name" type="text" autoComplete="off" maxLength={SHORT_NAME_MAX_LENGTH} />
      <ChoiceRow label="Opens" value={scope} choices={SCOPE_CHOICES} onChange={setScope} />
      <TextField
        label="Area"
        name="area"
        type="text"
        autoComplete="off"
        maxLength={80}
        optional
        note="West, south, east, north in degrees, such as 7,46,9,48. Empty: everywhere that is watched."
      />
      {scope !== 'features' && (
        <ChoiceRow
          label="Altitude in feet"
          note="The datum of altitude_m is unknown. Either name claims one: choose it only for programs that need a height."
          value={altitude}
          choices={ALTITUDE_CHOICES}
          onChange={setAltitude}
        />
      )}
      <ChoiceRow label="Ends after" value={lasts} choices={LASTS_CHOICES} onChange={setLasts} />
      <ChangeNotes change={change} />
      <Button type="submit" look="primary" className="self-start" disabled={change.isSending}>
        Make it
      </Button>
    </ChangeForm>
  );
}

/** @throws LookoutRequestError for what is no box */
function areaOf(text: string): NewReadToken['area'] {
  const flat = text.replaceAll(/\s/g, '');
  if (flat === '') return null;
  const parsed = parseBbox(flat);
  if (parsed.ok) return corners(parsed.bbox);
  throw new LookoutRequestError('refused', { said: parsed.message });
}
