import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './globals.css';
import type { Metadata, Viewport } from 'next';
import { connection } from 'next/server';
import type { ReactNode } from 'react';
import { UncaughtErrors } from '#components/shell/uncaught-errors.tsx';
import { APP_START } from '#lib/client/app/app-worker.ts';
import { BROWSER_CHECK } from './browser-check.ts';
import { InlineScript } from './inline-script.tsx';

export const metadata: Metadata = {
  title: 'Lookout',
  description: 'Received drone Remote ID and aircraft ADS-B positions.',
};

export const viewport: Viewport = {
  width: 'device-width',
  initialScale: 1,
  themeColor: [
    { media: '(prefers-color-scheme: dark)', color: '#0b1118' },
    { media: '(prefers-color-scheme: light)', color: '#f3f5f7' },
  ],
};

export default async function RootLayout({ children }: { readonly children: ReactNode }) {
  await connection();
  return (
    <html lang="en">
      <head>
        {/* Before everything that old browsers cannot read. */}
        <InlineScript code={BROWSER_CHECK} />
      </head>
      <body>
        <noscript>Lookout needs JavaScript: allow it for this address.</noscript>
        <UncaughtErrors />
        {children}
        <InlineScript code={APP_START} />
      </body>
    </html>
  );
}
