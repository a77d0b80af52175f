import type { ReactNode } from 'react';
import { Brand } from '../ui/brand.tsx';
import { CoverageNotice } from '../ui/coverage-notice.tsx';

/** The sign-in page around the ways to sign in. Rendered on the server, so it has no style attribute, which the CSP would block. */
export function SignInCard({ children }: { readonly children: ReactNode }) {
  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <div className="flex w-[min(340px,100%)] flex-col gap-4 rounded-card border border-line bg-surface p-6">
        <Brand />
        <h1 className="text-dim">Sign in to see received positions.</h1>
        {children}
        <CoverageNotice />
      </div>
    </main>
  );
}
