'use client';

import './globals.css';
import { FailedPage, type FailedPageProps } from '#components/shell/failed-page.tsx';

/** Replaces the layout too, in case that failed. */
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
