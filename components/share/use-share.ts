'use client';

import { useState } from 'react';
import { type CopyOutcome, copyText } from '../ui/copy-text.ts';

/** The sharing of one moment: its link does not change while a replay plays on. */
interface SharedMoment {
  readonly link: string;
  /** `undefined` until the browser answered. */
  readonly outcome: CopyOutcome | undefined;
}

export interface Share {
  /** `undefined` while nothing is being shared. */
  readonly moment: SharedMoment | undefined;
  /** Copies the link of what is seen. To be called in the handler of a click or key, or browsers refuse. */
  readonly start: () => void;
  readonly close: () => void;
}

export function useShare(): Share {
  const [moment, setMoment] = useState<SharedMoment>();
  const start = () => {
    const link = window.location.href;
    setMoment({ link, outcome: undefined });
    void copyText(link).then((outcome) =>
      setMoment((current) => (current?.link === link ? { link, outcome } : current)),
    );
  };
  return { moment, start, close: () => setMoment(undefined) };
}
