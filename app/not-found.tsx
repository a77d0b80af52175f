import { Brand } from '#components/ui/brand.tsx';
import { CoverageNotice } from '#components/ui/coverage-notice.tsx';

export const metadata = { title: 'Nothing here · Lookout' };

/** The page is cached for every visitor: it must show nothing of the request. */
export default function NotFoundPage() {
  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <div className="flex w-[min(340px,100%)] flex-col gap-4 rounded-card border border-line bg-surface p-6">
        <Brand />
        <h1>There is nothing at this address.</h1>
        <a href="/" className="inline-flex items-center text-focus underline phone:min-h-11">
          Go to the map
        </a>
        <CoverageNotice />
      </div>
    </main>
  );
}
