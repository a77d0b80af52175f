'use client';

import { useState } from 'react';
import { type CopyOutcome, copyText } from '#lib/client/browser/copy-text.ts';

interface SharedMoment {
  readonly link: string;
  /** `undefined` until the browser answered. */
  readonly outcome: CopyOutcome | undefined;
}

export interface Share {
  /** `undefined` while nothing is being shared. */
  readonly moment: SharedMoment | undefined;
  /** Call it in the handler of a click or key, or browsers refuse. */
  readonly start: () => void;
  readonly close: () => void;
}

export function useShare(): Share {
  const [moment, setMoment] = useState<SharedMoment>();
  const start = () => {
    const link = window.location.href;
    setMoment({ link, outcome: undefined });
    // `copyText` never rejects.
    void copyText(link).then((outcome) =>
      setMoment((current) => (current?.link === link ? { link, outcome } : current)),
    );
  };
  return { moment, start, close: () => setMoment(undefined) };
}
