'use client';

import './globals.css';
import { FailedPage, type FailedPageProps } from '#components/shell/failed-page.tsx';

/** Stands in for the layout as well, where that failed. */
export default function GlobalErrorPage(props: FailedPageProps) {
  return (
    <html lang="en">
      <body>
        <title>Lookout</title>
        <FailedPage {...props} />
      </body>
    </html>
  );
}
