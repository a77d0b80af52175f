'use client';

import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { DESTINATION_KIND_NAMES, DESTINATION_KINDS, type DestinationKind } from '#lib/api/outputs/destination-kinds.ts';
import type { ChangedDestination } from '#lib/api/outputs/destinations.ts';
import type { PricedZone } from '#lib/api/watching/zones.ts';
import { destinationsQuery } from '#lib/client/outputs/destinations-query.ts';
import { useNow } from '#lib/client/page/use-alarms.ts';
import { zonesQuery } from '#lib/client/zones/zones-query.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { kindOf } from '#lib/zones/rule-kinds.ts';
import { ReadFailure, staysShown } from '../account/page-parts.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { ShownOnce } from '../ui/copy-button.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { DestinationCard, type NamingRule } from './destination-card.tsx';
import { DestinationForm } from './destination-form.tsx';

/**
 * The destinations of alarms, for admins: each with what arrives at it, and a form to add one. A secret that Lookout makes
 * is shown here, once.
 */
export function DestinationsPart({ zone }: { readonly zone: ClockZone }) {
  const { data, error } = useQuery(destinationsQuery());
  const { data: zones } = useQuery(zonesQuery());
  const now = useNow();
  const [adding, setAdding] = useState<DestinationKind>();
  const [made, setMade] = useState<ChangedDestination>();
  const [done, setDone] = useState('');
  const add = useRef<HTMLButtonElement>(null);
  const hasChosen = useRef(false);
  if (!staysShown(error)) return error && <ReadFailure error={error} />;
  const close = () => {
    setAdding(undefined);
    add.current?.focus();
  };
  return (
    <>
      {error && <ReadFailure error={error} />}
      {!data && !error && <p className="text-dim">Reading the destinations…</p>}
      {data && (
        <p className="text-dim">
          {data.destinations.length === 0
            ? 'No destinations yet. Alarms appear only in Lookout.'
            : 'A destination receives all alarms of this Lookout, or those of rules that name it.'}
        </p>
      )}
      {made?.secret && (
        <ShownOnce
          title="Secret"
          what="secret"
          name={made.destination.name}
          text={made.secret}
          onHide={() => setMade(undefined)}
        >
          <p className="text-caption text-dim">The receiver verifies the signature of each notice with it.</p>
        </ShownOnce>
      )}
      <p role="status" className="text-good empty:hidden">
        {done}
      </p>
      {data && (
        <Menu
          align="start"
          onClosed={(event) => {
            // The form of the new destination has the focus.
            if (hasChosen.current) event.preventDefault();
            hasChosen.current = false;
          }}
          trigger={
            <Button ref={add} className="self-start">
              <Plus aria-hidden size={14} />
              Add a destination
            </Button>
          }
        >
          {DESTINATION_KIND_NAMES.map((kind) => (
            <MenuItem
              key={kind}
              onSelect={() => {
                hasChosen.current = true;
                setDone('');
                setAdding(kind);
              }}
            >
              {DESTINATION_KINDS[kind].text}
            </MenuItem>
          ))}
        </Menu>
      )}
      {adding && (
        <Card key={adding} title={`New destination: ${DESTINATION_KINDS[adding].text}`}>
          <DestinationForm
            of={adding}
            onCancel={close}
            onSaved={(changed) => {
              setMade(changed);
              setDone(`${changed.destination.name} was added. Send a trial to see whether it arrives.`);
              close();
            }}
          />
        </Card>
      )}
      {data?.destinations.map((destination) => (
        <DestinationCard
          key={destination.id}
          destination={destination}
          naming={zones && namingRules(destination.id, zones.zones)}
          times={{ now, zone }}
          onSecret={setMade}
          onRemoved={(name) => {
            setDone(`${name} was removed.`);
            add.current?.focus();
          }}
        />
      ))}
    </>
  );
}

/** The rules that send alarms to a destination. */
function namingRules(destination: string, zones: readonly PricedZone[]): readonly NamingRule[] {
  return zones.flatMap(({ zone }) =>
    zone.rules
      .filter(({ notify, escalate }) => notify.includes(destination) || escalate?.destination === destination)
      .map((rule) => ({ zone: zone.id, text: `${zone.name}: ${kindOf(rule).title}` })),
  );
}
