'use client';

import './print-sheet.css';
import { useEffect, useState } from 'react';
import { createPortal, flushSync } from 'react-dom';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { ColourScales } from '../legend/legend.tsx';
import type { PrintedRow } from './print-rows.ts';
import { type PrintedPage, printedPage } from './printed-page.ts';

/** Replaces the page with the sheet whenever the browser prints. */
export function Printing() {
  const lookout = useLookout();
  const [page, setPage] = useState<PrintedPage>();
  useEffect(() => {
    // The browser lays out the page as soon as this returns: draw synchronously.
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

const COLUMNS: readonly { readonly name: string; readonly of: keyof PrintedRow }[] = [
  { name: 'No.', of: 'number' },
  { name: 'Reference', of: 'ref' },
  { name: 'Kind, state', of: 'what' },
  { name: 'Altitude (reference not stated)', of: 'altitude' },
  { name: 'Height above ground', of: 'height' },
  { name: 'Speed', of: 'speed' },
  { name: 'Heading', of: 'heading' },
  { name: 'Age', of: 'age' },
];

/** One sheet: map, texts, scales and the table's first rows. */
export function PrintSheet({ page }: { readonly page: PrintedPage }) {
  const { map, lines, rows, inView, units, colouring, layersOn } = page;
  return (
    <article className="print-sheet" data-testid="print-sheet">
      <div className="print-map" ref={(place) => place?.replaceChildren(...(map ? [map] : []))} />
      <div className="print-words">
        {lines.map((line) => (
          <p key={line}>{line}</p>
        ))}
        <div className="print-scales">
          <ColourScales colouring={colouring} units={units} layersOn={layersOn} />
        </div>
      </div>
      {rows.length > 0 && (
        <table className="print-table">
          <caption>
            {rows.length === inView ? `${inView} in view` : `The first ${rows.length} of ${inView} in view`}, numbered
            as on the map
          </caption>
          <thead>
            <tr>
              {COLUMNS.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.ref}>
                {COLUMNS.map(({ of }) => (
                  <td key={of}>{row[of]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </article>
  );
}
