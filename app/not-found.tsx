import { Brand } from '#components/ui/brand.tsx';
import { LinkButton } from '#components/ui/button.tsx';
import { CoverageNotice } from '#components/ui/coverage-notice.tsx';

export const metadata = { title: 'Nothing here · Lookout' };

/**
 * The page is cached for every visitor: it must show nothing of the request. Every page loads its code, so it has none of
 * the help.
 */
export default function NotFoundPage() {
  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <div className="flex w-[min(340px,100%)] flex-col gap-4 rounded-card border border-line bg-surface p-6">
        <Brand />
        <h1>There is nothing at this address.</h1>
        <LinkButton href="/" look="primary" className="self-start">
          Go to the map
        </LinkButton>
        <CoverageNotice />
      </div>
    </main>
  );
}
