'use client';

import { X } from 'lucide-react';
import { useState } from 'react';
import { copyText } from '#lib/client/browser/copy-text.ts';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import type { MarkedPlace } from '#lib/client/page/page-map.ts';
import { COORDINATE_NOTATIONS, type CoordinateNotation, decimalText, dmsText } from '#lib/geo/coordinate-text.ts';
import { mgrsText } from '#lib/geo/mgrs.ts';
import { IconButton } from '../ui/icon-button.tsx';

const NOTATION_NAME: Readonly<Record<CoordinateNotation, string>> = {
  decimal: 'Decimal',
  dms: 'DMS',
  mgrs: 'MGRS',
};

export function PlacePlate({ place }: { readonly place: MarkedPlace }) {
  const { markedPlace } = useLookout();
  const [outcome, setOutcome] = useState('');
  const texts: Readonly<Record<CoordinateNotation, string | undefined>> = {
    decimal: decimalText(place),
    dms: dmsText(place),
    mgrs: mgrsText(place),
  };

  // `copyText` never rejects.
  const copy = async (text: string) => {
    setOutcome('');
    setOutcome((await copyText(text)) === 'copied' ? `Copied ${text}` : 'The browser did not allow copying.');
  };

  return (
    <section className="map-plate" aria-label="Marked place" data-testid="marked-place">
      <h2>{place.name ?? 'Marked place'}</h2>
      <dl>
        {COORDINATE_NOTATIONS.map((notation) => (
          <div key={notation}>
            <dt>{NOTATION_NAME[notation]}</dt>
            <dd>
              {texts[notation] === undefined ? 'no MGRS here' : <CopyText text={texts[notation]} onCopy={copy} />}
            </dd>
          </div>
        ))}
      </dl>
      <p role="status">{outcome}</p>
      <IconButton label="Remove the mark" icon={<X />} look="quiet" onClick={() => markedPlace.remove()} />
    </section>
  );
}

function CopyText({ text, onCopy }: { readonly text: string; readonly onCopy: (text: string) => Promise<void> }) {
  return (
    <button type="button" onClick={() => void onCopy(text)} title="Copy" aria-label={`${text}: copy`}>
      {text}
    </button>
  );
}
