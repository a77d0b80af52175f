'use client';

import './print-sheet.css';
import { useEffect, useState } from 'react';
import { createPortal, flushSync } from 'react-dom';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { PrintSheet } from './print-sheet.tsx';
import { type PrintedPage, printedPage } from './printed-page.ts';

/** Puts the sheet in the place of the page whenever the browser prints, by whatever menu, key or button. */
export function Printing() {
  const lookout = useLookout();
  const [page, setPage] = useState<PrintedPage>();
  useEffect(() => {
    // The browser lays the page out as soon as this returns, so all of it is drawn at once.
    const before = () => {
      flushSync(() => lookout.printedTheme.set('light'));
      try {
        const printed = printedPage(lookout);
        flushSync(() => setPage(printed));
      } finally {
        flushSync(() => lookout.printedTheme.set(undefined));
      }
    };
    const after = () => setPage(undefined);
    window.addEventListener('beforeprint', before);
    window.addEventListener('afterprint', after);
    return () => {
      window.removeEventListener('beforeprint', before);
      window.removeEventListener('afterprint', after);
    };
  }, [lookout]);
  return page ? createPortal(<PrintSheet page={page} />, document.body) : null;
}
